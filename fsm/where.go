package fsm

import "hoistway/fsm/elevator"

// locate is the only place where a report changes where the robot is. A report of
// an unknown place is none. Before the first permit of an attempt a robot has no
// business at the door line: what it says is then a contradiction, not a place.
func (s *step) locate(ev *Signaled, content elevator.Instant) {
	if !s.Granted && !s.strayed(ev, content) || s.State != Moving && s.State != Exiting && !s.faulty() && s.Phase != Boarding && s.Where == Outside {
		return
	}
	was := s.Where
	switch ev.View.Where {
	case AtDoorway:
		s.inDoorway()
	case InCar:
		s.inCar(ev.Kind, content)
	case AtLanding:
		s.onLanding(ev, content)
	}
	switch { // the robot has said itself where it is
	case s.Unseen == Entered && s.Where == Inside && ev.View.Where == InCar:
		s.seenIn()
	case s.Where != was:
		s.Unseen = ""
	}
}

// strayed is the word of a robot that went in after its fault had given the car up,
// or was found in it: no lease is needed to believe that a car is occupied.
func (s *step) strayed(ev *Signaled, content elevator.Instant) bool {
	return s.faulty() && content >= s.Since && (ev.View.Where == InCar || s.Where != Outside)
}

// inDoorway believes the robot, but for one that is shut in: it stands near the door.
func (s *step) inDoorway() {
	if s.State == Moving {
		if s.LeftFrom || s.door(s.FromSide, s.now) == elevator.DoorClosed {
			return
		}
		if s.Where != Crossing {
			s.Deadline = s.now + s.crossing() + elevator.Instant(boardMargin)
		}
	}
	s.Where = Crossing
}

// inCar believes the robot, unless it may have been let out since it said so.
func (s *step) inCar(kind SignalKind, content elevator.Instant) {
	if s.mayBeLeaving(content) && kind != GaveUpLeaving {
		return
	}
	s.Where = Inside
	s.Aboard = s.Aboard || s.Phase != Boarding
}

func (s *step) mayBeLeaving(content elevator.Instant) bool {
	return s.Where != Inside && s.PermitWas != "" && s.PermitWas != Enter && content < s.PermitOut
}

// onLanding believes the robot when no permit is out that it could have acted on
// since, or when it says itself that it will not. A robot that is known inside
// comes out only by saying so.
func (s *step) onLanding(ev *Signaled, content elevator.Instant) {
	switch {
	case ev.Kind == Left && s.State != Waiting:
		s.outFloor = floorThen(&ev.Then, content)
		s.Where = Outside
	case s.Where == Outside:
		if ev.Kind == Entering && s.Phase == Boarding {
			s.Where = Crossing
		}
	case s.Where == Inside && s.Phase != Boarding && s.Unseen != Entered:
	case ev.Kind == Entering || ev.Kind == LeavingNow:
		s.Where = Crossing
	case content >= s.PermitOut, ev.Kind == GaveUpEntering && s.PermitWas == Enter:
		s.Where = Outside
	}
}

func floorThen(car *elevator.Snapshot, at elevator.Instant) elevator.Floor {
	if !car.Floor.Fresh(at, slowLimit) {
		return 0
	}
	return car.Floor.Value
}
