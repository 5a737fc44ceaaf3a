package building

import (
	"hoistway/fsm/elevator"
)

func (c Config) checkGroups(fault func(string, ...any)) {
	ids, taken := map[string]bool{}, map[string]string{}
	for i := range c.Groups {
		g := &c.Groups[i]
		if g.ID == "" || ids[g.ID] {
			fault("group %d: id %q is empty or taken", i+1, g.ID)
		}
		ids[g.ID] = true
		if g.Control == ControlUnknown || g.Control >= alone {
			fault("group %q: control %d is none", g.ID, g.Control)
		}
		if len(g.Cars) == 0 {
			fault("group %q has no car", g.ID)
		}
		for _, id := range g.Cars {
			switch {
			case c.car(id) == nil:
				fault("group %q: there is no car %q", g.ID, id)
			case taken[id] != "":
				fault("group %q: car %q is in group %q", g.ID, id, taken[id])
			}
			taken[id] = g.ID
		}
		c.checkLevels(g, fault)
	}
}

// checkLevels asks that a label is one height for all lifts of a group.
func (c Config) checkLevels(g *Group, fault func(string, ...any)) {
	at, by := map[string]int{}, map[int]string{}
	for _, id := range g.Cars {
		car := c.car(id)
		if car == nil {
			continue
		}
		for _, l := range car.Landings {
			if h, ok := at[l.Label]; ok && h != l.HeightMM {
				fault("group %q: landing %q is at %d mm and, of car %q, at %d", g.ID, l.Label, h, id, l.HeightMM)
			}
			if label, ok := by[l.HeightMM]; ok && label != l.Label {
				fault("group %q: landings %q and %q are both at %d mm", g.ID, label, l.Label, l.HeightMM)
			}
			at[l.Label], by[l.HeightMM] = l.HeightMM, l.Label
		}
	}
	if len(at) > elevator.MaxFloors {
		fault("group %q: %d levels, at most %d", g.ID, len(at), elevator.MaxFloors)
	}
}

func (c Config) checkEmergency(fault func(string, ...any)) {
	e := c.Emergency
	for i := range c.Cars {
		if e.Landing != "" && c.Cars[i].byLabel(e.Landing) == 0 {
			fault("emergency power: car %q has no landing %q", c.Cars[i].ID, e.Landing)
		}
	}
	for _, id := range e.Selected {
		if c.car(id) == nil {
			fault("emergency power: there is no car %q", id)
		}
	}
}

func (c Config) car(id string) *Car {
	for i := range c.Cars {
		if c.Cars[i].ID == id {
			return &c.Cars[i]
		}
	}
	return nil
}
