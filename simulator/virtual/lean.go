package virtual

import (
	"hoistway/drivers/fieldbus/schedule"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/timeline"
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

// choosable has each lift read that a new ride may choose: anew where it was read too long
// ago to choose by.
func (s *Site) choosable(id string) {
	s.wanted(id)
	for _, l := range s.lifts {
		if k := &l.link; k.joined && k.tried.Add(leanPoll) < s.at() {
			k.unread = true
		}
	}
}

// chosen ends the polls of the lifts that no ride took.
func (s *Site) chosen() {
	for _, l := range s.lifts {
		s.unwanted(l)
	}
}

// unwanted ends the polls of a lift that stands closed and that no ride wants now.
func (s *Site) unwanted(l *lift) {
	c := &l.link.snap.Car
	if !s.set.Lean || !l.link.joined || c.Motion.Value != elevator.Stopped || !c.AllDoorsClosed() || s.asksOpen() || !s.freed(l) {
		return
	}
	l.link.leave()
}

// glance is a read while lean that nothing stands in the way of: it takes no time. False
// when it must go the whole way, and so must one by which a call is judged: a lamp that was
// read in the instant of the press shows nothing.
func (k *link) glance(tx schedule.Tx) bool {
	l, s := k.l, k.l.s
	if !s.set.Lean || tx.Probe != 0 || len(k.jobs) > 0 || l.gone() {
		return false
	}
	s.b.Advance(s.at())
	if s.b.Dark(l.id) {
		return false
	}
	if c := s.b.See(l.id); !alike(&l.shown, c) { // else the watch knows
		s.watch.Car(c, s.at())
	}
	l.heard.asked++
	s.b.Tell(l.id, &k.told)
	k.good(&k.told, s.agent.now())
	k.glanced = true
	return true
}

// renewSoon plans the reading of a lift that nothing else is a cause to read.
func (k *link) renewSoon() {
	if k.l.s.set.Lean && !k.renews {
		k.renews = true
		s := k.l.s
		s.tl.Plan(int64(max(k.tried, s.at())+elevator.Instant(k.l.renewal())), event{kind: evRenew, gen: s.agent.gen, who: int32(k.l.n)})
	}
}

// renew reads a lift that was not read for a while.
func (k *link) renew() {
	s := k.l.s
	k.renews = false
	switch left := (k.tried + elevator.Instant(k.l.renewal())).Until(s.at()); {
	case !k.joined:
		return
	case left > 0:
		k.renews = true
		s.in(left, event{kind: evRenew, gen: s.agent.gen, who: int32(k.l.n)})
		return
	}
	k.tried = s.at()
	k.step(schedule.Refresh{Owner: owner})
	k.renewSoon()
}

// speaks begins the polls again of the lift of a ride whose robot says something: it
// may be the word that it has come to the door.
func (s *Site) speaks(ride string) {
	if !s.set.Lean {
		return
	}
	if x := s.agent.core.Ride(ride); x != nil && x.State != fsm.Done {
		s.wanted(x.Lift)
	}
}

// freed reports that no ride on this lift has the lease, or would take it now.
func (s *Site) freed(l *lift) bool {
	s.agent.sort()
	return l.free
}

// showRides shows the watch the rides as they are now, where that is not done at each
// step.
func (s *Site) showRides() {
	if !s.set.Lean || !s.agent.unshown {
		return
	}
	s.agent.unshown = false
	s.watch.Begin()
	s.agent.core.EachRide(func(x *fsm.Ride) {
		if x.State != fsm.Done || x.Granted { // those over may be left out
			s.watch.Ride(x, s.at())
		}
	})
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
		if r.going || len(r.box) > 0 {
			r.wakeIn(turnShort)
		}
	}
	for i := range s.rides {
		if k := &s.rides[i]; !k.over && k.who != nil && k.mayHear() {
			k.who.wakeIn(turnShort)
		}
	}
}

// prompt reports that nothing can hold an answer of the agent up. While lean, robots then
// have no alarm for their patience; [Site.doubted] sets it when that is over.
func (s *Site) prompt() bool {
	return s.set.Lean && s.agent.up && !s.agent.frozen && !s.faulty
}

// doubted has all who wait for an answer look at the time.
func (s *Site) doubted() {
	for _, r := range s.robots {
		if s.set.Lean && r.doing != pausing && r.call.late == (timeline.Handle{}) {
			r.waits()
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

// mayHear reports a ride in which a permit, or another word, may come.
func (k *rideKnown) mayHear() bool { return k.state != fsm.Requesting && k.state != fsm.Moving }

// rides reports a ride of this robot that is not over.
func (r *robot) rides(s *Site) bool {
	for i := range s.rides {
		if k := &s.rides[i]; !k.over && k.who == r {
			return true
		}
	}
	return false
}
