package fsm

import "hoistway/fsm/elevator"

// exit begins EXITING at a door that stands open.
func (s *step) exit(way PermitKind, f elevator.Floor, side elevator.Side, why string) {
	if !s.move(toOpen, Leaving, why) {
		return
	}
	s.Way, s.WayFloor, s.WaySide, s.Reopened = way, f, side, 0
	if way != Evacuate && !s.Latched {
		s.Code = NoFault // an evacuation keeps the reason for it
	}
	if way == LeaveAtTarget {
		s.Call = Wish{} // served
	}
	s.Aboard, s.Watch = true, s.now
	s.account(f, side)
	s.Deadline = s.now.Add(s.Params.HoldLimit)
}

func (s *step) exiting() {
	switch {
	case s.Where == Outside && s.astray():
	case s.Where == Outside:
		s.finish("the robot is out")
	case s.away(s.WayFloor, s.now):
		s.fail(DoorClosedEarly, "the car left before the robot was out")
	case s.Unseen == Left && !s.late():
	case s.closes(s.WaySide):
		s.closedOnExit()
	case s.door(s.WaySide, s.now) == elevator.DoorClosed && s.Door.Until <= s.now:
		s.fail(DoorClosedEarly, "the door closed before the robot was out")
	case s.late() || s.capReached() && s.Door.Until > s.Since: // what an earlier exit used up is no failure of this one
		s.fail(ExitTimeout, "the robot did not say that it is out")
	default:
		s.hold(s.WayFloor, s.WaySide, "a robot leaves")
	}
}

func (s *step) closedOnExit() {
	s.shut = true
	s.Reopened++
	if s.Reopened >= maxReopened {
		s.fail(DoorClosedEarly, "the door closed twice before the robot was out")
		return
	}
	s.Permit = Permit{}
	s.reopen(s.WayFloor, s.WaySide, "the door closes before the robot is out")
}

// finish ends a ride whose robot has come out of the car.
func (s *step) finish(why string) {
	if s.Code == WrongFloor {
		why = s.Why
	}
	if !s.move(toLeave, s.outcome(), why) {
		return
	}
	s.Way, s.WayFloor, s.WaySide = s.cameOut()
	s.Latched, s.CancelAsked = false, false
	if s.Phase != Evacuated && s.Phase != FailedEnd {
		s.Code = NoFault
	}
	s.notify(elevator.HasLeft, s.WayFloor, s.WaySide)
}

// cameOut is the door by which the robot left, for the end of the lease.
func (s *step) cameOut() (PermitKind, elevator.Floor, elevator.Side) {
	switch {
	case s.Way != "":
		return s.Way, s.WayFloor, s.WaySide
	case s.Phase == Arrived:
		return LeaveAtTarget, s.To, s.ToSide
	case s.Phase == Returned:
		return LeaveBack, s.From, s.FromSide
	}
	for side := elevator.Front; side <= elevator.Right; side++ {
		if s.door(side, s.now) != elevator.DoorUnknown && s.door(side, s.now) != elevator.DoorClosed {
			return Evacuate, s.Car.Floor.Value, side
		}
	}
	return Evacuate, s.Car.Floor.Value, s.ToSide
}

// outcome names the end of a ride by the way out, or by the landing where it was.
func (s *step) outcome() Phase {
	if s.Code == WrongFloor {
		return FailedEnd
	}
	switch s.Way {
	case LeaveAtTarget:
		return Arrived
	case LeaveBack:
		return Returned
	case Evacuate:
		return Evacuated
	}
	switch at := s.outAt(); {
	case at != 0 && at == s.To:
		return Arrived
	case at == s.From:
		return Returned
	}
	return Evacuated
}

// outAt is the landing at which the robot came out, by the best that is known.
func (s *step) outAt() elevator.Floor {
	switch {
	case s.outFloor != 0:
		return s.outFloor
	case s.Self.Where == AtLanding && s.Self.Floor != 0:
		return s.Self.Floor
	case !s.LeftFrom:
		return s.From
	}
	return 0
}
