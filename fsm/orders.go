package fsm

import "hoistway/fsm/elevator"

// cancel ends the ride as soon as that is safe; the rules of each state see to it.
func (s *step) cancel(ev Cancel) {
	if s.State == Done || s.CancelAsked {
		return
	}
	s.CancelAsked = true
	if s.State != Exiting { // who is on its way out goes on: nobody can want anything else
		s.Permit = Permit{}
	}
	s.Why = "cancelled by " + ev.By
}

// reset takes a person's word about where the robot is. It is the only way out of
// FAULT_LOCKED and of a latched fault with the robot outside.
func (s *step) reset(ev Reset) {
	if s.State != Fault && s.State != FaultLocked {
		s.illegal("reset")
		return
	}
	switch ev.RobotIs {
	case RobotOutside, RobotRemoved:
		s.resetOutside(ev)
	case RobotInside:
		s.resetInside(ev)
	default:
		s.illegal("reset")
	}
}

func (s *step) resetOutside(ev Reset) {
	s.Where, s.PermitOut, s.Unseen = Outside, s.now, ""
	why := ev.By + " attests that the robot is " + string(ev.RobotIs)
	s.outside()
	s.end(FailedEnd, why)
}

// resetInside begins the recovery of a robot inside anew, its counters and the
// account of its stops with it: somebody is there and looks.
func (s *step) resetInside(ev Reset) {
	s.Unseen = ""
	s.Where, s.PermitOut, s.Aboard, s.PermitWas = Inside, s.now, true, ""
	s.RetryN, s.InsideN, s.InsideAt, s.ExitN, s.ExitAt, s.Conflicts = 0, 0, 0, 0, 0, 0
	s.Door, s.Past = DoorHold{}, [3]DoorHold{}
	s.Latched, s.Way, s.Clash = false, "", Clash{}
	s.Why = ev.By + " attests that the robot is inside"
	if s.State == FaultLocked && !s.move(toUnlock, Recovering, s.Why) {
		return
	}
	s.RetryAt = s.now.Add(s.Params.Backoff)
	if s.Code == SignalConflict { // a person has settled it
		s.Clash.Agree = s.Self.At - elevator.Instant(agreeFor)
	}
}

// MayRecover says why a plan of the cloud is not taken; "" when it is.
func (r *Ride) MayRecover(ev Recover) string {
	switch {
	case r.State != Fault || ev.FaultNo != r.FaultNo:
		return "that fault is over"
	case r.Planned:
		return "that fault has had its plan"
	case ev.Plan == "other_lift" && !r.Ashore():
		return "another lift is for a robot that is known to be outside"
	}
	return ""
}

// recover is the cloud's plan for the standing fault, used once.
func (s *step) recover(ev Recover) {
	if s.MayRecover(ev) != "" {
		s.illegal("recover")
		return
	}
	s.Planned = true
	switch {
	case ev.Plan == "lock":
		s.lock("the cloud locked the ride")
	case s.Latched:
	case ev.Plan == "retry":
		s.RetryAt = s.now.Add(max(ev.Delay, 0))
		s.Why = "the cloud's plan: try again"
	case ev.Plan == "other_lift":
		s.Other = true
		s.RetryAt = s.now.Add(max(ev.Delay, 0))
		s.Why = "the cloud's plan: another lift"
	case ev.Plan == "hold":
		s.RetryAt = 0
		s.Why = "the cloud's plan: wait"
	}
}
