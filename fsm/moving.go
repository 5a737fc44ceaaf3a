package fsm

import (
	"fmt"

	"hoistway/fsm/elevator"
)

// aboard begins MOVING: the robot says that it is in.
func (s *step) aboard(t trigger, why string) {
	if !s.move(t, Registering, why) {
		return
	}
	s.Aboard, s.AboardAt, s.RetryN, s.Reopened = true, s.now, 0, 0
	s.Way, s.WayFloor, s.WaySide = "", 0, 0
	s.Code, s.Clash, s.Watch = NoFault, Clash{}, s.now
	s.alarm(NoFault, "")
	if t == toBoard {
		s.notify(elevator.Entered, s.From, s.FromSide)
	}
}

func (s *step) moving() {
	switch s.Where {
	case Outside:
		s.finish("the robot is out of the car")
		return
	case Crossing, Unknown:
		s.inTheWay()
		return
	}
	s.progress()
	switch s.Phase {
	case Registering:
		s.registering()
	case Riding:
		s.riding()
	case Returning:
		s.returning()
	}
}

// inTheWay keeps the door for a robot that is in the doorway again. Nothing else
// goes on until it says where it is.
func (s *step) inTheWay() {
	switch {
	case s.away(s.From, s.now):
		s.fail(DoorClosedEarly, "the car left while the robot was in the doorway")
	case s.closes(s.FromSide):
		s.closedEarly()
	case s.late() || s.capReached():
		s.fail(BoardTimeout, "the robot stays in the doorway")
	default:
		s.hold(s.From, s.FromSide, "a robot is in the doorway")
	}
}

// registering places the call to where the robot wants to go, under the hold.
func (s *step) registering() {
	if s.Deadline == 0 {
		s.Deadline = s.now.Add(s.Plan.AcceptWithin)
	}
	switch {
	case s.goesBack():
		s.cancelCall("the ride was cancelled")
		s.enter(Returning, "the ride was cancelled")
	case s.goal() != s.From && s.opens(s.goal(), s.ToSide, s.now):
		s.ride("the car stands open at the destination")
	case s.assert(s.onward(s.goal())):
		s.ride(s.proof())
	case s.running(s.now):
		s.ride("the car moves before the call is confirmed")
	case s.late() && s.Call.unreadable(s.Ride):
		s.ride("unconfirmed: what the lift does will tell")
	case s.late():
		s.enter(Returning, "the controller does not show the call")
	default:
		s.hold(s.From, s.FromSide, "the call to the destination is not registered yet")
	}
}

// ride lets the door close and waits for the destination.
func (s *step) ride(why string) {
	s.lapse("the call is registered")
	s.enter(Riding, why)
	s.extend()
}

// progress pushes the limit while the lift does something, up to ten minutes in all.
func (s *step) progress() {
	if !s.seen || s.Phase == Registering || s.was.Floor.At == 0 {
		return // nothing to compare with: a restart does not renew a limit
	}
	if s.Car.Floor.Value != s.was.Floor.Value || s.Car.Motion.Value != s.was.Motion.Value || s.doorsMoved() {
		s.extend()
	}
}

func (s *step) doorsMoved() bool {
	for i, d := range s.Car.Doors {
		if d.Value != s.was.Doors[i].Value {
			return true
		}
	}
	return false
}

func (s *step) extend() {
	s.Deadline = min(s.now.Add(progressLimit), s.Since.Add(travelLimit))
}

func (s *step) riding() {
	switch {
	case s.Diverted && s.exitAnySide(s.goal()):
	case !s.Diverted && s.exitOpen(s.To, s.ToSide):
		s.exit(LeaveAtTarget, s.To, s.ToSide, "the door stands open at the destination")
	case s.goesBack():
		s.cancelCall("the ride was cancelled")
		s.enter(Returning, "the ride was cancelled")
		s.extend()
	case s.late():
		s.fail(TravelTimeout, s.stuckFor())
	default:
		s.reassert(s.onward(s.goal()), s.at(s.goal(), s.now))
	}
}

func (s *step) stuckFor() string {
	if s.Since.Add(travelLimit).Reached(s.now) {
		return fmt.Sprintf("not there after %s", travelLimit)
	}
	return fmt.Sprintf("nothing moved for %s", progressLimit)
}

// goesBack reports a cancelled ride that can still end where it began.
func (s *step) goesBack() bool { return s.CancelAsked && !s.LeftFrom && !s.Onward }

// returning wants the robot out where it came in, while the car has not left. A
// door that has closed meanwhile is asked for as a person in the car would ask: by
// the button of the floor at which the car stands.
func (s *step) returning() {
	if s.Deadline == 0 {
		s.extend()
	}
	switch {
	case s.LeftFrom:
		s.Call = Wish{}
		s.ride("the car has left: on to the destination")
	case s.exitOpen(s.From, s.FromSide):
		s.exit(LeaveBack, s.From, s.FromSide, s.Why)
	case s.late():
		s.fail(TravelTimeout, s.stuckFor())
	case s.CancelAsked && !s.Onward && s.PhaseAt.Add(backLimit).Reached(s.now):
		s.Onward, s.Call = true, Wish{}
		s.enter(Registering, "the door does not open again: on to the destination")
	case s.shutIn():
		s.assert(s.onward(s.From))
	default:
		s.hold(s.From, s.FromSide, "a robot is about to leave where it came in")
	}
}

// shutIn reports a car that stands where the robot came in with the door shut or
// closing, and that has a button for it.
func (s *step) shutIn() bool {
	d := s.door(s.FromSide, s.now)
	return (d == elevator.DoorClosed || d == elevator.DoorClosing) && s.Plan.Style != JourneyCall &&
		s.at(s.From, s.now) && s.standing(s.now)
}

// goal is the floor that the robot rides to: the safe floor after it gave up leaving.
func (r *Ride) goal() elevator.Floor {
	if r.Diverted {
		return r.Plan.SafeFloor
	}
	return r.To
}

// exitAnySide leaves by whichever door stands open at f.
func (s *step) exitAnySide(f elevator.Floor) bool {
	side := s.openSide(f)
	if side == elevator.SideUnknown {
		return false
	}
	s.exit(Evacuate, f, side, "the door stands open at the safe floor")
	return true
}

// exitOpen reports an exit that a permit could be given for now: fully open,
// standing, freshly seen.
func (s *step) exitOpen(f elevator.Floor, side elevator.Side) bool {
	return s.standsOpen(f, side, s.now) && s.Car.Door(side).Fresh(s.now, sightLimit)
}
