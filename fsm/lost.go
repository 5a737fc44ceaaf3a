package fsm

import "hoistway/fsm/elevator"

// What a ride can lose: its robot's voice, its store, a rule that always held, its way.

// A robot that has sent heartbeats and sends no more may be dead. Known outside it has no
// claim on a car: its ride ends. Anywhere else silence proves nothing: people are told, and
// nothing changes.

// beats keeps when the robot was heard, from its first heartbeat on.
func (s *step) beats(kind SignalKind) {
	if kind == Heartbeat || s.Beat != 0 {
		s.Beat = s.now
	}
}

// lostAt is when silence becomes a loss; never for a robot that sends no heartbeats.
func (r *Ride) lostAt() elevator.Instant {
	if r.Params.RobotTTL <= 0 || r.State == Done || r.Phase == Standby {
		return 0
	}
	return r.Beat.Add(r.Params.RobotTTL)
}

// watchRobot reports that the loss of the robot ended the state.
func (s *step) watchRobot() bool {
	lost := s.lostAt().Reached(s.now)
	s.missing(lost && s.Where != Outside)
	if !lost || !s.Ashore() || s.Latched || s.State == FaultLocked {
		return false
	}
	why := "the robot is not heard since " + s.Params.RobotTTL.String()
	switch s.State {
	case Requesting, Waiting:
		return s.fail(RobotLost, why)
	case Idle:
		s.Code = RobotLost
		s.end(FailedEnd, why)
		return true
	case Fault:
		if s.Code != RobotLost {
			s.Code, s.Why = RobotLost, why
		}
	}
	return false
}

func (s *step) missing(on bool) {
	if s.Missing == on {
		return
	}
	s.Missing = on
	a := Alarm{Code: RobotLostAlarm, On: on, Detail: "heard again"}
	if on {
		a.Detail = "the robot is silent, and was " + string(s.Where) + " when last known"
	}
	s.fx = append(s.fx, a)
}

// storeLost goes on in memory with what runs, and begins nothing new.
func (s *step) storeLost(ev StoreLost) {
	if s.NoStore == !ev.Back {
		return
	}
	s.NoStore = !ev.Back
	a := Alarm{Code: StoreAlarm, On: s.NoStore, Detail: "the store works again"}
	if s.NoStore {
		a.Detail = "the store takes nothing: the ride goes on in memory"
	}
	s.fx = append(s.fx, a)
}

// breach stops a ride that was about to break a rule, until a person has looked.
func (s *step) breach(ev Breach) {
	why := "a rule was about to be broken: " + ev.Detail
	switch s.State {
	case Idle:
		s.Code = Invariant
		s.end(FailedEnd, why)
	case Fault:
		if s.Code == Invariant {
			return
		}
		s.Permit, s.Why = Permit{}, why
		s.blame(Invariant)
		s.fx = append(s.fx, Moved{From: s.State, To: s.State, Phase: s.Phase, Why: why})
	case FaultLocked:
		s.Code, s.Latched = Invariant, true
	case Done:
	default:
		s.fail(Invariant, why)
	}
}

// broken reports a ride that asks for nothing more.
func (r *Ride) broken() bool { return r.faulty() && r.Code == Invariant }

// wrongFloor is the floor at which the robot came out, where it is sure of that and the
// floor is none at which it may leave; 0 for any other.
func (s *step) wrongFloor() elevator.Floor {
	f := s.Self.Floor
	if !s.Self.FloorSure || f == 0 || s.Self.Where != AtLanding || !s.Aboard {
		return 0
	}
	switch {
	case s.State == Exiting && f != s.WayFloor:
		return f
	case s.State == Moving && s.LeftFrom && f != s.To && f != s.From && !(s.Diverted && f == s.Plan.SafeFloor):
		return f
	}
	return 0
}

// astray ends a ride whose robot got out at a floor that no permit was for.
func (s *step) astray() bool {
	f := s.wrongFloor()
	return f != 0 && s.fail(WrongFloor, "the robot left at "+f.String()+" and not at "+s.meant().String())
}

// meant is the floor at which the robot was to leave.
func (r *Ride) meant() elevator.Floor {
	if r.State == Exiting {
		return r.WayFloor
	}
	return r.goal()
}
