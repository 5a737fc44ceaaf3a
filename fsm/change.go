package fsm

import "hoistway/fsm/elevator"

// MayRetarget says why the ride cannot take another destination now; "" when it can.
// Before boarding, and for a ride that has none yet, it is free.
func (r *Ride) MayRetarget(aboard bool) string {
	switch {
	case r.State == Done:
		return "the ride is over"
	case r.State == FaultLocked, r.Latched:
		return "a person must reset the ride first"
	case r.State == Exiting:
		return "the robot is leaving the car"
	case r.CancelAsked:
		return "the ride is being cancelled"
	case r.State == Fault && r.Where != Outside && r.Code == SignalConflict:
		return "lift and robot contradict each other"
	case r.To != 0 && !aboard && !r.Ashore():
		return "the robot is in the car, or may be"
	}
	return ""
}

// Ashore reports a robot that has not been in the car, and is not on its way into it.
func (r *Ride) Ashore() bool { return r.Where == Outside && !r.Aboard }

// MayMove reports a ride that can go over to another car: its robot is outside, nothing
// is owed to its own car, and no call stands but one of the whole group (carry).
func (r *Ride) MayMove(carry bool) bool {
	early := r.State == Requesting || r.Phase == Called
	pressed := r.Call.Command.ID.N != 0 || r.Earlier[0].Command.ID.N != 0
	return early && r.Granted && r.Where == Outside && !r.Plan.Claims && !r.CancelAsked && !r.Restarted &&
		(!pressed || carry && r.Plan.Style == LandingAndCar) && r.Door.Until <= r.Stepped
}

// Rebook puts a ride that has no lease into the line of another lift, as its new request says. Of that
// lift it knows what its car shows; calls that it let go of stay its own only at the same buttons.
func (r *Ride) Rebook(req Request, car *elevator.Snapshot, sameButtons bool) {
	r.Request, r.Car, r.Other = req, *car, false
	r.Door, r.Past = DoorHold{}, [len(r.Past)]DoorHold{}
	if !sameButtons {
		r.Earlier = [len(r.Earlier)]Wish{}
	}
}

// takesOpen reports a style that calls the car before it must know where the ride goes.
func (r *Ride) takesOpen() bool { return r.Plan.Style == LandingAndCar || r.Plan.Style == CarOnly }

// retarget takes another destination. A call of the first leg that does not lead there
// is taken back and placed anew by the rules of the state; one of the second is kept
// until the new one is taken.
func (s *step) retarget(ev Retarget) {
	if s.MayRetarget(ev.Aboard) != "" || ev.To == 0 || ev.To == s.From && s.Ashore() {
		s.illegal("retarget")
		return
	}
	if ev.To == s.To && ev.ToSide == s.ToSide {
		return
	}
	was := s.To
	s.To, s.ToSide, s.Diverted, s.Onward = ev.To, ev.ToSide, false, false
	s.Why = "the destination is now " + ev.To.String() + ", says " + ev.By
	if was == 0 || s.Phase == Boarding || !s.Ashore() {
		s.keepFormer()
	}
	if s.Phase == Returning && s.Where == Inside {
		s.enter(Registering, s.Why)
	}
}

// keepFormer sets the call of the old destination aside. Of two changes in a row only
// the call that was taken first is kept, and a change back takes it up again.
func (s *step) keepFormer() {
	c := s.Call.Command
	if c.ID.N == 0 && s.Former.Command.ID.N == 0 {
		return
	}
	if s.Former.Command.ID.N != 0 {
		s.cancelCall("the destination has changed again")
	} else if c.Verb == elevator.CarCall || c.Verb == elevator.Journey {
		s.Former, s.Call = s.Call, Wish{}
	}
	if s.Former.leadsTo() == s.To {
		s.Call, s.Former = s.Former, Wish{}
	}
}

// leadsTo is the floor to which a call of the second leg brings the car.
func (w *Wish) leadsTo() elevator.Floor {
	if w.Command.Verb == elevator.Journey {
		return w.Command.To
	}
	return w.Command.Floor
}

// dropFormer takes the old call back once the new one is taken; one that is not taken in
// time, or refused, leaves the ride with the destination that it had.
func (s *step) dropFormer() {
	f := &s.Former
	if f.Command.ID.N == 0 {
		return
	}
	w := &s.Call
	switch {
	case w.Taken || s.Plan.Confirm == ConfirmNone && w.Answered:
		s.cancelFormer("the destination has changed")
	case w.Command.ID.N != 0 && !w.unreadable(s.Ride) && w.Sent.Add(s.Plan.AcceptWithin).Reached(s.now):
		s.keepTarget("the controller does not show the call to " + s.To.String())
	}
}

// keepTarget goes on with the destination of the former call.
func (s *step) keepTarget(why string) {
	side := s.Former.Command.Side
	if s.Former.Command.Verb == elevator.Journey {
		side = s.Former.Command.ToSide
	}
	s.cancelCall(why)
	s.To, s.ToSide = s.Former.leadsTo(), side
	s.Call, s.Former = s.Former, Wish{}
	s.Why = why + ": on to " + s.To.String()
}

func (s *step) cancelFormer(why string) {
	if s.Former.Command.ID.N == 0 {
		return
	}
	live := s.Call
	s.Call = s.Former
	s.cancelCall(why)
	s.Former, s.Call = s.Call, live
}
