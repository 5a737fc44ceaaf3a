package cli

import (
	"fmt"

	"hoistway/agent/config"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// never lists what a configuration without faults can all the same never permit.
// It looks only at what is written there; 0 is not told, and says nothing.
func never(c *config.Config) []string {
	var out []string
	for _, l := range c.Lifts {
		out = append(out, untold(c, l)...)
		for _, f := range l.Floors {
			if len(f.Doors) == 0 {
				out = append(out, fmt.Sprintf("%s never permits anything at %s: no door opens there", l.ID, f.Label))
			}
		}
		for _, r := range c.Robots {
			if why := tooBig(r, l.Car); why != "" {
				out = append(out, fmt.Sprintf("%s never permits %s to enter: %s", l.ID, r.ID, why))
			}
		}
	}
	for _, r := range c.Robots {
		if hold := c.Rides.HoldLimit; hold > 0 && r.Crossing > hold {
			out = append(out, fmt.Sprintf("no lift ever permits %s to enter: it crosses in %s, a door is held %s at most", r.ID, r.Crossing, hold))
		}
	}
	return out
}

// untold lists what a permit needs and the lift's profile does not tell. Unknown
// counts as missing, so each of them withholds every permit for ever. A robot's
// own sight may stand in for door and arrival where the site allows that.
func untold(c *config.Config, l config.Lift) []string {
	name, src := c.ProfileSource(l.ID)
	p, faults := profiles.Parse(name, src)
	if len(faults) > 0 {
		return nil // told elsewhere
	}
	var out []string
	if p.Draft() {
		out = append(out, fmt.Sprintf("%s never permits anything: its profile %s is a draft, and is only read", l.ID, p.ID))
	}
	var s elevator.Snapshot
	for _, block := range p.ReadPlan() {
		p.Fail(block, &s) // marks every part that is read at all
	}
	for _, src := range p.Sources() {
		p.Lose(src.Name, &s) // and every part that a message tells
	}
	sight := l.RobotSight == "allowed"
	needs := []struct {
		what string
		told bool
	}{{"floor", s.Floor.Failed || sight}, {"motion", s.Motion.Failed || sight}, {"mode", s.Mode.Failed}}
	for _, n := range needs {
		if !n.told {
			out = append(out, fmt.Sprintf("%s never permits anything: its profile does not tell the %s", l.ID, n.what))
		}
	}
	if !s.Nudging.Failed {
		out = append(out, l.ID+" never permits to enter or to leave: its profile does not tell nudging; map points.nudging, also where another point implies it")
	}
	for side := elevator.Front; int(side) < elevator.Sides; side++ {
		if used(l, side) && !s.Door(side).Failed && !sight {
			out = append(out, fmt.Sprintf("%s never permits anything by the %s door: its profile does not tell that door", l.ID, side))
		}
	}
	return out
}

func used(l config.Lift, side elevator.Side) bool {
	table := l.Table()
	for f := range table {
		if table.Opens(elevator.Floor(f+1), side) {
			return true
		}
	}
	return false
}

func tooBig(r config.Robot, car config.Car) string {
	narrow, long := min(r.FootprintM[0], r.FootprintM[1]), max(r.FootprintM[0], r.FootprintM[1])
	switch {
	case exceeds(narrow, car.DoorM):
		return fmt.Sprintf("it is %g m wide, the door %g m", narrow, car.DoorM)
	case car.WidthM > 0 && car.DepthM > 0 && (narrow > min(car.WidthM, car.DepthM) || long > max(car.WidthM, car.DepthM)):
		return fmt.Sprintf("it measures %g m by %g m, the car %g m by %g m", narrow, long, car.WidthM, car.DepthM)
	case car.LoadKg > 0 && r.MassKg > car.LoadKg:
		return fmt.Sprintf("it weighs %d kg, the car carries %d kg", r.MassKg, car.LoadKg)
	}
	return ""
}

func exceeds(have, limit float64) bool { return limit > 0 && have > limit }
