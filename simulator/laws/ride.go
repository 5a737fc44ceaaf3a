package laws

import (
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// ride is what a watch keeps of one ride.
type ride struct {
	id, robot, liftID string
	number            uint64 // in the hash

	state   fsm.State
	where   fsm.Where
	granted bool
	latched bool
	exiting bool             // since the last showing
	since   elevator.Instant // first shown
	stateAt elevator.Instant
	told    bool // that it does not end

	anew  bool           // comes back from the store: what it was before is not known
	claim fsm.SignalKind // what its fleet claims, until the ride takes it as so
	heard bool           // something positive came about its robot since it was shown last
	round uint64         // in which it was shown last, 0 for never
	shown elevator.Instant

	heal     heals
	failedBy fsm.Code

	given   permit
	pass    permit // by which its robot may leave with no link
	live    press
	written []uint32
	held    [stops]account
	holdCap time.Duration
	oneHold time.Duration
}

// permit is one as it was handed out.
type permit struct {
	kind  fsm.PermitKind
	floor elevator.Floor
	side  elevator.Side
	until elevator.Instant // for setting off
}

func (r *ride) over() bool { return r.state == fsm.Done && !r.granted }

// known is the slot of a ride, nil for one that was never shown or was forgotten. They are
// few, and mostly the same is asked for again.
func (w *Watch) known(id string) *ride {
	if w.asked < len(w.rides) && w.rides[w.asked].id == id {
		return w.rides[w.asked]
	}
	for i, r := range w.rides {
		if r.id == id {
			w.asked = i
			return r
		}
	}
	return nil
}

// ride finds the slot of a ride or makes one.
func (w *Watch) ride(id string, now elevator.Instant) *ride {
	if r := w.known(id); r != nil {
		return r
	}
	r := &ride{}
	if n := len(w.spare); n > 0 {
		r, w.spare = w.spare[n-1], w.spare[:n-1]
	}
	*r = ride{id: id, number: number(id), state: fsm.Idle, where: fsm.Outside, since: now, stateAt: now, shown: now, written: r.written[:0]}
	w.rides = append(w.rides, r)
	return r
}

// Status is a ride as the watch was last shown it.
type Status struct {
	Ride, Robot, Lift string
	State             fsm.State
	Latched           bool
	Since             elevator.Instant // in that state
}

// Rides gives those that are not over, in the order in which they came.
func (w *Watch) Rides(yield func(Status) bool) {
	for _, r := range w.rides {
		if r.state != fsm.Done && !yield(r.status()) {
			return
		}
	}
}

func (r *ride) status() Status {
	return Status{r.id, r.robot, r.liftID, r.state, r.latched, r.stateAt}
}

// Status is that of one ride; the zero Status is of one that is not known.
func (w *Watch) Status(ride string) Status {
	if r := w.known(ride); r != nil {
		return r.status()
	}
	return Status{}
}

// State is the state of a ride, "" for one that is not known or was forgotten.
func (w *Watch) State(ride string) fsm.State {
	if r := w.known(ride); r != nil {
		return r.state
	}
	return ""
}

// sweep forgets rides that are shown no more.
func (w *Watch) sweep(now elevator.Instant) {
	keep := w.rides[:0]
	for _, r := range w.rides {
		if r.round == w.round || now < r.shown.Add(keepSlot) {
			keep = append(keep, r)
			continue
		}
		for i := range w.robots {
			if w.robots[i].ride == r {
				w.robots[i].ride = nil
			}
		}
		w.spare = append(w.spare, r)
	}
	w.rides = keep
}

// View shows all that readers may see, after one step or several.
func (w *Watch) View(v *core.View, now elevator.Instant) {
	w.Begin()
	for i := range v.Rides {
		w.Ride(&v.Rides[i].Ride, now)
	}
	w.End(now)
	for i := range v.Lifts {
		l := &v.Lifts[i]
		if r := w.known(l.Owner); l.Owner != "" && (r == nil || !r.granted || r.liftID != l.ID) {
			w.breach(now, OneOwner, l.ID, l.Owner, "is named as the owner and does not hold the lease")
		}
	}
}

// Begin, Ride and End show the rides one by one, after one step of the core or
// several: all that are not over, in any order; those over may be left out.
func (w *Watch) Begin() { w.round++ }

// Ride see [Watch.Begin].
func (w *Watch) Ride(r *fsm.Ride, now elevator.Instant) {
	s := w.known(r.ID)
	switch over := r.State == fsm.Done && !r.Granted; {
	case s != nil:
	case over:
		return // it ended long ago, and was forgotten here
	default:
		s = w.ride(r.ID, now)
	}
	s.round, s.shown = w.round, now
	if s.over() && r.State == fsm.Done && !r.Granted && !s.anew {
		return
	}
	s.robot, s.liftID = r.Robot, r.Lift
	s.holdCap, s.oneHold = r.Params.HoldLimit, r.Params.HoldRenew+2*r.Plan.Poll+time.Second
	if s.anew {
		s.anew, s.latched = false, r.Latched
		if s.state != r.State {
			s.state, s.stateAt = r.State, now
		}
	} else {
		w.compare(s, r, now)
	}
	s.where, s.granted, s.latched, s.heard = r.Where, r.Granted, r.Latched, false
	w.owns(s, now)
	w.heals(s, r)
	w.permitOf(s, r, now)
	if s.exiting && r.State == fsm.Exiting {
		w.exits(s, r, now)
	}
	s.exiting = false
	if b := w.robot(s.robot); r.State != fsm.Done {
		b.ride = s
	}
}

// End see [Watch.Begin].
func (w *Watch) End(now elevator.Instant) {
	running := 0
	for _, r := range w.rides {
		switch {
		case r.round == w.round && !r.over():
			running++
		case r.round == w.round || r.round == 0 || r.anew:
		case r.state == fsm.Done:
			r.granted = false // over, and left out
		default:
			w.breach(now, NotForgotten, r.liftID, r.id, "was %s and is gone", r.state)
			r.round = 0
		}
	}
	if running > w.conf.MaxRides {
		w.breach(now, Bounded, "", "", "%d rides are not over, %d may be", running, w.conf.MaxRides)
	}
	for i := range w.closers {
		w.mayClose(w.closers[i].lift, &w.closers[i].c, now, "leaves")
	}
	w.closers, w.reset = w.closers[:0], ""
}

// claimed reports a place that its fleet has claimed; the lift may bear it out later.
func (s *ride) claimed(at fsm.Where) bool {
	return at == fsm.Inside && s.claim == fsm.Entered || at == fsm.Outside && s.claim == fsm.Left
}

// compare judges what has changed since the ride was shown last.
func (w *Watch) compare(s *ride, r *fsm.Ride, now elevator.Instant) {
	switch {
	case s.state != r.State:
		w.breach(now, Diagram, s.liftID, s.id, "is %s and was %s, and no change was told", r.State, s.state)
		s.state = r.State
	case fsm.StateOf(r.Phase) != r.State:
		w.breach(now, Diagram, s.liftID, s.id, "has the phase %s in %s", r.Phase, r.State)
	}
	if s.where != r.Where && r.Where != fsm.Unknown && !s.heard && !s.claimed(r.Where) {
		w.breach(now, WhereByReport, s.liftID, s.id, "the robot was %s and is %s, and nobody said so", s.where, r.Where)
	}
	if s.granted && !r.Granted && r.Where != fsm.Outside && w.reset != s.id {
		w.breach(now, LeaseKept, s.liftID, s.id, "the lease is gone with the robot %s", r.Where)
	}
	if s.latched && !r.Latched && r.State != fsm.Done && w.reset != s.id {
		w.breach(now, LatchedStays, s.liftID, s.id, "is latched no more, and nobody reset it")
	}
	if w.reset == s.id && r.Where == fsm.Inside {
		s.held = [stops]account{} // somebody is there: the stops are added up anew
	}
}

// owns counts the leases of a lift in this round.
func (w *Watch) owns(s *ride, now elevator.Instant) {
	l := w.lift(s.liftID)
	if l == nil || !s.granted {
		return
	}
	if l.round == w.round {
		w.breach(now, OneOwner, l.id, s.id, "holds the lease that another ride holds too")
	}
	l.round = w.round
}

// overNow judges a ride that has just ended by where its robot really is.
func (w *Watch) overNow(now elevator.Instant, r *ride) {
	if r.state != fsm.Done {
		return
	}
	for i := range w.robots {
		b := &w.robots[i]
		if b.ride == r && (b.at.Where == InCar || b.at.Where == Doorway) && !b.liar {
			w.breach(now, NotLeftBehind, r.liftID, r.id, "is over, and %s is in the %s", b.id, b.at.Where)
		}
	}
}
