package dispatch

import (
	"fmt"
	"slices"

	"hoistway/fsm/elevator"
)

// areaOf is the area of a lift that names none: the building.
const areaOf = "building"

func (st *step) inArea(area string) (out []*car) {
	for _, c := range st.cars {
		if c.Area == area {
			out = append(out, c)
		}
	}
	return out
}

func (st *step) noArea(area string) {
	st.reply(Reply{Status: NotFound, Code: "E-2020", Field: "area", Detail: fmt.Sprintf("no lift is in an area %q", area)})
}

func (st *step) raiseArea(in RaiseArea) {
	if in.Kind != AreaFire && in.Kind != AreaSeismic {
		st.reply(Reply{Status: Impossible, Code: "E-2112", Field: "kind", Detail: "an area alarm is fire or seismic"})
		return
	}
	if len(st.inArea(in.Area)) == 0 {
		st.noArea(in.Area)
		return
	}
	st.raise(in.Area, in.Kind, in.Drill, in.Source)
	st.reply(Reply{Status: Accepted})
}

// raise warns an area, once for each kind. A real alarm stands beside a drill.
func (st *step) raise(area string, kind AreaKind, drill bool, source string) {
	for _, a := range st.standing.Areas[area] {
		if a.Kind == kind && a.Drill == drill {
			return
		}
	}
	a := AreaAlarm{Kind: kind, Drill: drill, Latched: !drill, Since: st.now, Source: source}
	put(&st.standing.Areas, area, append(slices.Clone(st.standing.Areas[area]), a))
	st.put(Note{Text: fmt.Sprintf("area %s: %s, raised by %s", area, a.words(), source)})
	st.keepStanding()
	st.warned(area)
}

// warned lets the rides of an area see the change at once.
func (st *step) warned(area string) {
	for _, c := range st.inArea(area) {
		st.overlay(c, st.now)
		if c.seen.Car.Link != elevator.LinkUnknown {
			st.tell(c)
		}
	}
}

// clearArea ends what stands. A real alarm is not ended while a lift of the area shows it,
// nor while one that answers does not tell its mode: a person may be wrong about a lift that
// they do not see.
func (st *step) clearArea(in ClearArea) {
	lifts := st.inArea(in.Area)
	if len(lifts) == 0 {
		st.noArea(in.Area)
		return
	}
	alarms := st.standing.Areas[in.Area]
	if real := slices.ContainsFunc(alarms, func(a AreaAlarm) bool { return !a.Drill }); real {
		for _, c := range lifts {
			if why := c.warns(); why != "" {
				st.reply(Reply{Status: Conflict, Code: "E-2111", Field: "area", Detail: why})
				return
			}
		}
	}
	if len(alarms) > 0 {
		delete(st.standing.Areas, in.Area)
		st.put(Note{Text: fmt.Sprintf("area %s: cleared by %s", in.Area, in.By)})
		st.keepStanding()
		st.warned(in.Area)
	}
	st.reply(Reply{Status: Accepted})
}

// warns says why the area of this lift is not to be cleared.
func (c *car) warns() string {
	switch m := c.mode; {
	case m.Value.Recalls() || m.Value == elevator.Seismic:
		return fmt.Sprintf("lift %s still shows %s", c.ID, m.Value)
	case c.seen.Car.Link == elevator.Online && m.At != 0 && m.Value == elevator.ModeUnknown:
		return fmt.Sprintf("lift %s does not tell its mode", c.ID)
	}
	return ""
}

// shows raises the area of a lift that is seen in fire service or shaken.
func (st *step) shows(c *car) {
	switch c.mode.Value {
	case elevator.Fire:
		st.raise(c.Area, AreaFire, false, c.ID)
	case elevator.Seismic:
		st.raise(c.Area, AreaSeismic, false, c.ID)
	}
}
