package fsm

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
	case r.To != 0 && !aboard && (r.Where != Outside || r.Aboard):
		return "the robot is in the car, or may be"
	}
	return ""
}

// MayMove reports a ride that can go over to another car: its robot is outside, nothing
// is owed to its own car, and no call stands but one of the whole group (carry).
func (r *Ride) MayMove(carry bool) bool {
	early := r.State == Requesting || r.Phase == Called
	pressed := r.Call.Command.ID.N != 0 || r.Earlier[0].Command.ID.N != 0
	group := r.Plan.Style == LandingAndCar || r.Plan.Style == ""
	return early && r.Granted && r.Where == Outside && !r.owes() && !r.CancelAsked && !r.Restarted &&
		(!pressed || carry && group) && r.Door.Until <= r.Stepped
}

// takesOpen reports a style that calls the car before it must know where the ride goes.
func (r *Ride) takesOpen() bool { return r.Plan.Style == LandingAndCar || r.Plan.Style == CarOnly }

// retarget takes another destination. What follows is found by the rules: a call of the
// first leg that points the other way is taken back and placed anew, one of the second is
// kept until the new one is taken.
func (s *step) retarget(ev Retarget) {
	if why := s.MayRetarget(ev.Aboard); why != "" || ev.To == 0 {
		s.illegal("retarget")
		return
	}
	s.To, s.ToSide = ev.To, ev.ToSide
}
