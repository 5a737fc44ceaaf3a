package localapi

import (
	"slices"

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

// suits refuses a ride that this lift could never carry out, however long the robot waited.
func (s *Server) suits(l *core.LiftView, n *NewRide) *Problem {
	if p := serves(l.Floors, n); p != nil {
		return p
	}
	car := s.carOf(l.ID)
	if car == nil {
		return nil
	}
	for _, end := range []struct{ field, label string }{{"from", n.From}, {"to", n.To}} {
		if p := car.open(l.ID, end.label, end.field); p != nil {
			return p
		}
	}
	_, from, _ := place(l.Floors, n.From, n.FromDoor, "from")
	_, to, _ := place(l.Floors, n.To, n.ToDoor, "to")
	return s.fits(car, l.ID, n.Robot, []elevator.Side{from, to})
}

// carOf is what is known of a lift's car, nil for nothing.
func (s *Server) carOf(lift string) *CarSize {
	i := slices.IndexFunc(s.o.Cars, func(c CarSize) bool { return c.Lift == lift })
	if i < 0 {
		return nil
	}
	return &s.o.Cars[i]
}

// open refuses a floor that is closed to robots.
func (c *CarSize) open(lift, label, field string) *Problem {
	if slices.Contains(c.Closed, label) {
		return refuse(asClosed, "%s of lift %s", label, lift).at(field)
	}
	return nil
}

// fits lays the robot's footprint into the car through the doors of these sides, and
// its mass on the car's rated load. It goes in lengthwise and does not turn.
func (s *Server) fits(car *CarSize, lift, rider string, sides []elevator.Side) *Problem {
	r := s.keys.robots[rider]
	if car.LoadKg > 0 && r.MassKg > car.LoadKg {
		return refuse(asTooLarge, "robot %s is %d kg, lift %s carries %d kg", r.ID, r.MassKg, lift, car.LoadKg).at("robot")
	}
	for _, side := range sides {
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
				return refuse(asTooLarge, "robot %s is %g m %s of lift %s %g m", r.ID, gap.need, gap.what, lift, gap.there).at("robot")
			}
		}
	}
	return nil
}

// among names the lifts that suit the robot, by their places in the configuration; 0 is
// all that are meant. None is the refusal of the first.
func (s *Server) among(n *NewRide, lifts []*core.LiftView) (set uint64, _ *Problem) {
	var first *Problem
	fit := 0
	for _, l := range lifts {
		p := s.suits(l, n)
		if p == nil {
			fit++
			set |= 1 << s.placeOf(l.ID)
		} else if first == nil {
			first = p
		}
	}
	switch fit {
	case 0:
		return 0, first
	case len(lifts):
		return 0, nil
	}
	return set, nil
}

// placeOf is the place of a lift in the configuration, and so in every view.
func (s *Server) placeOf(lift string) int {
	return slices.IndexFunc(s.view().Lifts, func(l core.LiftView) bool { return l.ID == lift })
}
