package fsm

import "hoistway/fsm/elevator"

// faulted does what the location of the robot asks for.
func (s *step) faulted() {
	s.worsen()
	switch {
	case s.Where == Outside && s.Aboard:
		s.finish("the robot is out of the car")
	case s.Where == Outside:
		s.outside()
		s.goOn()
	case s.Where == Inside:
		s.inside()
	default:
		s.unsure()
	}
}

// locked does the same but never leaves: only a person's reset does.
func (s *step) locked() {
	switch s.Where {
	case Outside:
		s.outside()
		s.free(false)
	case Inside:
		s.alarm(s.Code, "the robot is in the car and the ride is locked")
	default:
		s.unsure()
	}
}

// outside takes back what was asked for: nobody waits for the car now.
func (s *step) outside() {
	s.cancelCall("the ride has a fault")
	s.cancelFormer("the ride has a fault")
	s.lapse("the ride has a fault")
	s.giveBack("the ride has a fault")
	s.alarm(NoFault, "")
}

// goOn leaves FAULT with the robot outside.
func (s *step) goOn() {
	switch {
	case s.Latched:
		s.free(false)
	case s.CancelAsked:
		s.end(Cancelled, s.Why)
	case s.Code.base().class() == ends:
		s.end(FailedEnd, s.Why)
	case s.Expires.Reached(s.now):
		s.end(Expired, "the fault "+string(s.Code)+" outlasted the ride's time")
	case s.Other && s.Granted:
		s.free(true)
	case s.Ending:
	case s.Granted && s.RetryAt.Reached(s.now) && s.causeGone() && !s.spent(s.now):
		s.request("trying again")
	case s.lasts():
		s.free(true)
	}
}

// lasts reports a delay long enough to let others use the car meanwhile.
func (s *step) lasts() bool {
	if s.RetryAt == 0 || s.RetryAt.Until(s.now) > keepLease {
		return true
	}
	return max(s.RetryAt, s.LeaseAt).Add(keepLease).Reached(s.now)
}

// unsure is the row of a robot that may stand in the doorway: one grace hold, an
// alarm, and nothing that could move the car or its door. When the grace is over
// and the door is shut it is taken as inside, so far as its call goes.
func (s *step) unsure() {
	s.alarm(s.Code, "the robot may be in the doorway")
	f, side := s.doorway()
	s.grace(f, side)
	if s.State == Fault && s.Way == "" && s.graceOver(side) && s.mayPressInside() {
		s.reassert(s.onward(s.goal()), s.at(s.goal(), s.now))
	}
}

// doorway is the door line that the robot may be on.
func (s *step) doorway() (elevator.Floor, elevator.Side) {
	if s.Way != "" {
		return s.WayFloor, s.WaySide
	}
	if s.Aboard && (s.LeftFrom || s.opens(s.To, s.ToSide, s.now)) {
		return s.To, s.ToSide
	}
	return s.From, s.FromSide
}

func (s *step) graceOver(side elevator.Side) bool {
	spent := s.Door.Grace || !s.Plan.HasHold || s.Door.Stopped
	return spent && s.Door.Until <= s.now && s.door(side, s.now) == elevator.DoorClosed
}

func (s *step) mayPressInside() bool {
	return s.Granted && !s.Latched && !s.Ending && s.fit(s.now)
}

// inside keeps the car occupied, looks for an exit, and rides on when it may.
func (s *step) inside() {
	s.alarm(s.Code, "the robot is in the car")
	if !s.Granted {
		return // a person found it there after the lease was given up: it must come back first
	}
	if way, f, side := s.wayOut(s.exitOpen); way != "" {
		s.exit(way, f, side, "a permitted exit stands open")
		return
	}
	if way, f, side := s.wayOut(s.begins); way != "" {
		s.hold(f, side, "a robot is about to leave")
	}
	if s.Latched || s.Ending || !s.RetryAt.Reached(s.now) || !s.causeGone() || !s.mayResume() {
		return
	}
	s.callAnew()
	s.InsideN++
	s.aboard(toResume, "riding on with the robot inside")
}

// mayResume bounds the recoveries with the robot inside.
func (s *step) mayResume() bool {
	if s.InsideAt == 0 || s.InsideAt.Add(insideWindow).Reached(s.now) {
		s.InsideAt, s.InsideN = s.now, 0
	}
	return s.InsideN < maxInside
}

// wayOut finds an exit that this fault allows and that is open in the given sense.
func (s *step) wayOut(open func(elevator.Floor, elevator.Side) bool) (PermitKind, elevator.Floor, elevator.Side) {
	if s.Clash.Kind != "" || s.Code == SignalConflict && (s.Latched || !s.agreed()) || (s.Code == ExitTimeout || s.Latched) && s.now < s.RetryAt {
		return "", 0, 0 // who is right must be known first, and an exit that has just failed is not tried again at once
	}
	f := s.Car.Floor.Value
	if s.evacuates(f) {
		if side := s.openSide(f, open); side != elevator.SideUnknown {
			return Evacuate, f, side
		}
	}
	if open(s.To, s.ToSide) && s.fit(s.now) && !s.Latched && !s.Diverted {
		return LeaveAtTarget, s.To, s.ToSide
	}
	if s.wantsBack() && !s.LeftFrom && open(s.From, s.FromSide) {
		return LeaveBack, s.From, s.FromSide
	}
	return "", 0, 0
}

// evacuates reports that this fault lets a robot leave at floor f: in a fire at the
// recall floor alone, where that is known.
func (s *step) evacuates(f elevator.Floor) bool {
	switch {
	case f == 0 || !s.modeLets(Evacuate, f):
		return false
	case s.Code == ModeFire || s.Car.Mode.Value.Recalls():
		return f == s.Plan.RecallFloor
	}
	return s.rescue() || s.Diverted && f == s.Plan.SafeFloor && s.fit(s.now)
}

// rescue reports a fault for which a robot may leave a lift that is not as it should be.
func (r *Ride) rescue() bool {
	return r.Code == ModeFire || r.Code == ModeSeismic || r.Code == OutOfService
}

// openSide is the first side that is open at f in the given sense.
func (s *step) openSide(f elevator.Floor, open func(elevator.Floor, elevator.Side) bool) elevator.Side {
	for side := elevator.Front; side <= elevator.Right; side++ {
		if open(f, side) {
			return side
		}
	}
	return elevator.SideUnknown
}

// wantsBack reports a cause for which the robot had better leave where it came in.
func (s *step) wantsBack() bool {
	if s.Car.Mode.Value.Recalls() || s.Code == ModeFire {
		return false
	}
	return s.CancelAsked || s.Code.mode() || s.Code == Overload || s.Code == Busy || s.Code == CallRefused
}
