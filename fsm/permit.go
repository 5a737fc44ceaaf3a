package fsm

import "hoistway/fsm/elevator"

// renewPermit gives the permit of the ride anew at each reading, for as long as
// every part of it is met, and takes it back at the first that is not. The number
// stays while the permit stands without a break; after a break it is another. A
// robot that has started, or for which it is too late to start, gets no new one:
// the time to be through runs on.
func (s *step) renewPermit() {
	if s.Permit.N != 0 && s.Permit.Through.Reached(s.now) {
		s.Permit = Permit{}
	}
	if !s.seen {
		return
	}
	kind, f, side := s.Wanted()
	switch {
	case !s.grantable() || len(s.parts(kind, f, side, s.now)) > 0:
		s.Permit = Permit{}
	case s.Where != Crossing && !s.tooLate(s.now):
		s.grant(kind, f, side)
	}
}

// tooLate reports that a robot which started now would not be through within the
// limit of the phase.
func (r *Ride) tooLate(now elevator.Instant) bool {
	return r.Deadline != 0 && now.Add(PermitMargin)+r.crossing() > r.Deadline
}

// grant hands out a permit. From then on silence proves nothing of where the robot is.
func (s *step) grant(kind PermitKind, f elevator.Floor, side elevator.Side) {
	p := s.Permit
	s.lasting = s.lasting || s.Where != Unknown || s.PermitWas != kind
	if p.N == 0 || p.Kind != kind || p.Floor != f || p.Side != side {
		s.PermitN++
	}
	s.Permit = Permit{
		N: s.PermitN, Epoch: s.Epoch, Kind: kind, Floor: f, Side: side,
		Start: s.now.Add(startWithin), Through: s.now.Add(PermitMargin) + s.crossing(),
	}
	if kind == Enter && s.Where == Outside { // the first of this boarding: its limit counts from here
		s.Deadline = s.boardLimit()
	}
	s.PermitOut, s.PermitWas, s.Where = s.Permit.Through, kind, Unknown
}

// stands reports that a robot may start to cross now, or go on if it has started.
func (r *Ride) stands(now elevator.Instant) bool {
	return r.Permit.N != 0 && (now < r.Permit.Start || r.Where == Crossing && now < r.Permit.Through)
}

// grantable reports a state and place of the robot in which a permit may be out.
func (r *Ride) grantable() bool {
	switch r.State {
	case Waiting:
		return r.Phase == Boarding && !r.CancelAsked && r.Where != Inside && r.Unseen == ""
	case Exiting:
		return r.Where != Outside && r.Unseen != Left
	}
	return false
}

// Wanted is the permit that the ride has or works towards; kind is "" for none.
func (r *Ride) Wanted() (PermitKind, elevator.Floor, elevator.Side) {
	switch {
	case r.State == Waiting && !r.CancelAsked && r.Where != Inside:
		return Enter, r.From, r.FromSide
	case r.State == Exiting && r.Where != Outside:
		return r.Way, r.WayFloor, r.WaySide
	case r.State == Moving && r.Phase == Returning:
		return LeaveBack, r.From, r.FromSide
	case r.State == Fault && r.Where == Inside && r.Code == ModeFire:
		return Evacuate, r.Plan.RecallFloor, r.ToSide
	case r.State == Moving && r.Diverted:
		return Evacuate, r.Plan.SafeFloor, r.ToSide
	case r.State == Moving, (r.State == Fault || r.State == FaultLocked) && r.Where == Inside:
		return LeaveAtTarget, r.To, r.ToSide
	case r.State == Fault, r.State == FaultLocked:
		return Enter, r.From, r.FromSide
	}
	return "", 0, 0
}
