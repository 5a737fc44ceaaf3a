package localapi

import (
	"slices"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm/elevator"
)

// CarSize is what the configuration tells of one lift's car. Zero is not told, and then not checked.
type CarSize struct {
	Lift                  string
	WidthM, DepthM, DoorM float64
	LoadKg                int
	Closed                []string // labels of the floors that are closed to robots
}

// entering is the time that a permit adds to a crossing: a late start, and a second to spare.
const entering = 3 * time.Second

// suits refuses a ride that this lift could never carry out, however long the robot waited.
func (s *Server) suits(l *core.LiftView, n *NewRide) *Problem {
	if p := serves(l.Floors, n); p != nil {
		return p
	}
	i := slices.IndexFunc(s.o.Cars, func(c CarSize) bool { return c.Lift == l.ID })
	if i < 0 {
		return nil
	}
	car := &s.o.Cars[i]
	for _, end := range []struct{ field, label string }{{"from", n.From}, {"to", n.To}} {
		if slices.Contains(car.Closed, end.label) {
			return refuse(asClosed, "%s of lift %s", end.label, l.ID).at(end.field)
		}
	}
	return s.fits(car, l, n)
}

// fits lays the robot's footprint into the car through the doors of both landings, and
// its mass on the car's rated load. It goes in lengthwise and does not turn.
func (s *Server) fits(car *CarSize, l *core.LiftView, n *NewRide) *Problem {
	r := s.keys.robots[n.Robot]
	if car.LoadKg > 0 && r.MassKg > car.LoadKg {
		return refuse(asTooLarge, "robot %s is %d kg, lift %s carries %d kg", r.ID, r.MassKg, l.ID, car.LoadKg).at("robot")
	}
	_, from, _ := place(l.Floors, n.From, n.FromDoor, "from")
	_, to, _ := place(l.Floors, n.To, n.ToDoor, "to")
	for _, side := range []elevator.Side{from, to} {
		across, along := car.WidthM, car.DepthM
		if side == elevator.Left || side == elevator.Right {
			across, along = along, across
		}
		for _, gap := range []struct {
			what        string
			need, there float64
		}{
			{"wide, the door", r.FootprintM[0], car.DoorM}, {"wide, the car", r.FootprintM[0], across}, {"long, the car", r.FootprintM[1], along},
		} {
			if gap.there > 0 && gap.need > gap.there {
				return refuse(asTooLarge, "robot %s is %g m %s of lift %s %g m", r.ID, gap.need, gap.what, l.ID, gap.there).at("robot")
			}
		}
	}
	return nil
}

// holdable refuses a crossing for which the door may never be held long enough.
func (s *Server) holdable(crossing time.Duration) *Problem {
	limit := s.view().Params.HoldLimit
	if limit > 0 && crossing+entering > limit {
		return refuse(asHoldLimit, "a crossing of %s and %s to start it; the door is held for %s at most", crossing, entering, limit).at("crossing_s")
	}
	return nil
}

// pick names the lift itself where only some of those that are meant suit the robot: the
// one that this ride has already, else the one that takes rides and has the fewest waiting.
func (s *Server) pick(n *NewRide, lifts []*core.LiftView) (string, *Problem) {
	var fit []*core.LiftView
	var first *Problem
	for _, l := range lifts {
		p := s.suits(l, n)
		if p == nil {
			fit = append(fit, l)
		} else if first == nil {
			first = p
		}
	}
	switch {
	case len(fit) == 0:
		return "", first
	case len(fit) == len(lifts):
		return "", nil
	}
	if r := findRide(s.view(), n.ID); n.ID != "" && r != nil {
		return r.Ride.Lift, nil
	}
	return slices.MinFunc(fit, func(a, b *core.LiftView) int { return burden(a) - burden(b) }).ID, nil
}

func burden(l *core.LiftView) int {
	n := len(l.Queue)
	if l.Owner != "" {
		n++
	}
	if !l.Accepting {
		n += 1000 // behind every one that takes rides
	}
	return n
}
