package virtual

import (
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// What is saved while lean: a lift that no ride wants is not polled, and a robot asks
// what to do only when a ride may have changed.

// wanted begins the polls of a lift for which a ride is asked.
func (s *Site) wanted(id string) {
	if !s.set.Lean || !s.agent.up {
		return
	}
	for _, l := range s.lifts {
		if (id == "" || l.id == id) && !l.link.joined {
			l.shown = s.b.Car(l.id)
			s.watch.Car(&l.shown, s.at())
			l.link.join()
		}
	}
}

// unwanted ends the polls of a lift that stands closed and that no ride wants now.
func (s *Site) unwanted(l *lift) {
	c := &l.link.snap
	if !s.set.Lean || !l.link.joined || c.Motion.Value != elevator.Stopped || !c.AllDoorsClosed() || s.asksOpen() || !s.freed(l) {
		return
	}
	l.link.leave()
}

// speaks begins the polls again of the lift of a ride whose robot says something: it
// may be the word that it has come to the door.
func (s *Site) speaks(ride string) {
	if !s.set.Lean {
		return
	}
	s.agent.core.EachRide(func(x *fsm.Ride) {
		if x.ID == ride && x.State != fsm.Done {
			s.wanted(x.Lift)
		}
	})
}

// freed reports that no ride on this lift has the lease, or would take it now.
func (s *Site) freed(l *lift) bool {
	free := true
	s.agent.core.EachRide(func(x *fsm.Ride) {
		wants := x.State != fsm.Done && x.Phase != fsm.Standby
		free = free && (x.Lift != l.id || !x.Granted && !wants)
	})
	return free
}

// showRides shows the watch the rides as they are now, where that is not done at each
// step.
func (s *Site) showRides() {
	if !s.set.Lean {
		return
	}
	s.watch.Begin()
	s.agent.core.EachRide(func(x *fsm.Ride) { s.watch.Ride(x, s.at()) })
	s.watch.End(s.at())
}

func (s *Site) asksOpen() bool {
	for i := range s.asks {
		if !s.asks[i].over {
			return true
		}
	}
	return false
}

// poke lets the robots ask soon what to do, those for whom something may be to do.
func (s *Site) poke() {
	if !s.set.Lean {
		return
	}
	for _, r := range s.robots {
		if r.going || len(r.box) > 0 || r.waits(s) {
			r.wakeIn(turnShort)
		}
	}
}

// missed lets those who ride find out that nobody answers: they ask all the time.
func (s *Site) missed() {
	if !s.set.Lean {
		return
	}
	for _, r := range s.robots {
		if r.place.where == fsm.InCar {
			r.wakeIn(turnShort)
		}
	}
}

// waits reports a ride of this robot in which a permit, or another word, may come.
func (r *robot) waits(s *Site) bool {
	for i := range s.rides {
		k := &s.rides[i]
		if k.over || k.robot != r.id {
			continue
		}
		switch k.state {
		case fsm.Requesting, fsm.Moving:
		default:
			return true
		}
	}
	return false
}

// rides reports a ride of this robot that is not over.
func (r *robot) rides(s *Site) bool {
	for i := range s.rides {
		if k := &s.rides[i]; !k.over && k.robot == r.id {
			return true
		}
	}
	return false
}
