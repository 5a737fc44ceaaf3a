package virtual

import (
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/laws"
	"hoistway/simulator/timeline"
)

// Breaches lists the laws that were broken so far, oldest first.
func (s *Site) Breaches() []laws.Breach { return s.watch.Breaches() }

// Watch is what judges the site; a soak asks it for its counts and its hash.
func (s *Site) Watch() *laws.Watch { return s.watch }

// obstruct puts a robot's body into a doorway, or takes it out. What else may stand
// there is the building's to know.
func (s *Site) obstruct(l *lift, side elevator.Side, on bool) { _ = s.b.Obstruct(l.id, side, on) }

func (s *Site) load(l *lift, kg int) { _ = s.b.SetLoad(l.id, kg) }

// moved looks at what has changed in the building: the next thing to come, and the
// cars.
func (s *Site) moved() {
	for _, l := range s.lifts {
		if s.set.Lean && !l.link.joined {
			continue
		}
		l.look()
	}
	if s.troubled > 0 { // a fault of a controller may have struck, or be over
		s.faultsTold()
	}
	next := s.b.Next()
	if next == s.dueAt {
		return
	}
	s.tl.Cancel(s.due)
	s.dueAt, s.due = next, timeline.Handle{}
	if next != 0 {
		s.due = s.tl.Plan(int64(next), event{kind: evBuilding})
	}
}

// look compares a car with how it was.
func (l *lift) look() {
	s := l.s
	c := s.b.See(l.id)
	l.lookKind(c)
	if alike(&l.shown, c) {
		return
	}
	s.watch.Car(c, s.at())
	switch {
	case !s.set.Lean:
		l.tellCar(&l.shown, c)
	case l.stirs(&l.shown, c):
		l.link.refreshSoon()
	default:
		l.passed()
	}
	l.shown = *c
}

// alike leaves out what moves on without an event.
func alike(a, b *building.CarState) bool {
	if a.Floor != b.Floor || a.Motion != b.Motion || a.Mode != b.Mode || a.Target != b.Target || a.Dark != b.Dark ||
		a.Overload != b.Overload || a.Nudging != b.Nudging || a.Obstacle != b.Obstacle || a.Stop != b.Stop || a.Error != b.Error ||
		a.Up != b.Up || a.Down != b.Down || a.Car != b.Car {
		return false
	}
	for i := 1; i < elevator.Sides; i++ {
		if a.Doors[i].State != b.Doors[i].State {
			return false
		}
	}
	return true
}

// stood tells the watch where a robot really is.
func (r *robot) stood() {
	p := laws.Place{Floor: r.place.floor, Side: r.place.side}
	switch r.place.where {
	case fsm.AtLanding:
		p.Where = laws.Landing
	case fsm.AtDoorway:
		p.Where, p.Lift = laws.Doorway, r.s.lifts[r.place.lift].id
	case fsm.InCar:
		p.Where, p.Lift = laws.InCar, r.s.lifts[r.place.lift].id
	}
	r.s.watch.Robot(r.id, p, r.s.at())
}

// troubles counts the faults that are on, for the watch.
func (s *Site) troubles() {
	n := len(s.b.Faults())
	if s.faulty {
		n += len(s.play.List())
	}
	s.troubled = n
	s.watch.Troubles(n, s.at())
}
