package fsm

import "hoistway/fsm/elevator"

// Step is total: every event in every state has an answer.
func Step(r Ride, ev Event, now elevator.Instant) (Ride, []Effect) {
	done := StepInto(&r, ev, now, nil)
	return r, done.Effects
}

// Stepped is what came of one step of a ride in its place.
type Stepped struct {
	Effects []Effect
	Wake    elevator.Instant // what [NextWake] says of the ride as it now is
	// Kept says that the durable part of the ride is as it was. Where that is not known
	// without a look it is false.
	Kept bool
}

// StepInto is [Step] on the ride in its place, since a ride is large. It appends
// the effects to fx.
func StepInto(r *Ride, ev Event, now elevator.Instant, fx []Effect) Stepped {
	s := &step{Ride: r, now: now, fx: fx}
	s.absorb(ev)
	s.settle()
	s.renewPermit()
	wake := s.markStepped()
	return Stepped{Effects: s.fx, Wake: wake, Kept: !s.lasting}
}

// step is one call of [Step]: the ride as it becomes, and what is to be done.
type step struct {
	*Ride
	now  elevator.Instant
	was  elevator.Snapshot // the car before this reading
	seen bool              // the event was a reading of the car
	shut bool              // that the door began to close was dealt with

	lasting bool // something durable may have changed
	fx      []Effect

	outFloor elevator.Floor // where the car stood when the robot left it, as far as known
}

// absorb takes in what the event tells. What follows from it is found by settle.
func (s *step) absorb(ev Event) {
	switch ev := ev.(type) {
	case Tick:
		return
	case *Seen:
		s.look(&ev.Car)
		return
	case *Leased:
		s.leased(ev)
	case *Signaled:
		s.hear(ev)
	case Answered:
		s.answered(ev.Outcome)
		return
	case Cancel:
		s.cancel(ev)
	case Reset:
		s.reset(ev)
	case Recover:
		s.recover(ev)
	case Resumed:
		s.resumed()
	case Stopping:
		s.stopping()
	case Retarget:
		s.retarget(ev)
	case Claims:
		s.claims(ev)
	case StoreLost:
		s.storeLost(ev)
	case Breach:
		s.breach(ev)
	}
	s.lasting = true
}

// settle applies the rules of the state, and of the state that they lead to,
// until nothing moves any more. The rules look at levels, not at edges, so that a
// lost or repeated event changes nothing. The bound is longer than any legal path.
func (s *step) settle() {
	for range 8 {
		before := *s.Ride
		s.rules()
		if Same(s.Ride, &before) {
			return
		}
		s.lasting = true
	}
}

func (s *step) rules() {
	if s.Restarted {
		s.awaitReading()
		return
	}
	if s.watchRobot() || s.guard() {
		return
	}
	switch s.State {
	case Idle:
		s.idle()
	case Requesting:
		s.requesting()
	case Waiting:
		s.waiting()
	case Moving:
		s.moving()
	case Exiting:
		s.exiting()
	case Done:
		s.done()
	case Fault:
		s.faulted()
	case FaultLocked:
		s.locked()
	}
}

// move changes the state by the table. A transition that the table does not have
// changes nothing and is told.
func (s *step) move(t trigger, p Phase, why string) bool {
	to, ok := next(s.State, t)
	if !ok || StateOf(p) != to {
		s.illegal(string(t))
		return false
	}
	s.Permit = Permit{}
	s.fx = append(s.fx, Moved{From: s.State, To: to, Phase: p, Why: why})
	s.State, s.Since = to, s.now
	s.enter(p, why)
	return true
}

// enter changes the phase within the state.
func (s *step) enter(p Phase, why string) {
	if StateOf(p) != s.State {
		s.illegal(string(p))
		return
	}
	s.Phase, s.PhaseAt, s.Why, s.Deadline, s.ShutAt = p, s.now, why, 0, 0
}

func (s *step) illegal(event string) {
	s.fx = append(s.fx, Illegal{State: s.State, Event: event})
}

func (s *step) late() bool { return s.Deadline.Reached(s.now) }
