package fsm

import (
	"cmp"
	"fmt"
	"time"

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
	if t == toBoard && s.Unseen == "" { // a controller may close the door on that word
		s.notify(elevator.Entered, s.From, s.FromSide)
	}
}

func (s *step) moving() {
	switch s.Where {
	case Outside:
		if s.astray() {
			return
		}
		s.finish("the robot is out of the car")
		return
	case Crossing, Unknown:
		s.inTheWay()
		return
	}
	s.progress()
	s.dropFormer()
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
	if s.goal() == 0 {
		s.undecided()
		return
	}
	if s.Deadline == 0 {
		s.Deadline = s.now.Add(s.Plan.AcceptWithin)
	}
	switch {
	case s.goesBack():
		s.cancelCall("the ride was cancelled")
		s.enter(Returning, "the ride was cancelled")
	case s.goal() == s.From && !s.LeftFrom:
		s.enter(Returning, "the destination is where the robot came in")
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

// undecided holds the door for a robot that has not been told where to, and lets it out
// again while the door can still be held for that.
func (s *step) undecided() {
	if s.Deadline == 0 {
		s.Deadline = s.PhaseAt.Add(s.Params.HoldLimit)
	}
	switch {
	case s.goesBack():
		s.enter(Returning, "the ride was cancelled")
	case s.LeftFrom || s.running(s.now):
		s.ride("the car has left, and no destination is named")
	case s.late() || s.Plan.HasHold && s.holdLeft(s.now) < time.Duration(s.crossing()+elevator.Instant(PermitMargin)):
		s.enter(Returning, "no destination was named in time")
	default:
		s.hold(s.From, s.FromSide, "a robot waits to be told where to")
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
	case s.blocked():
		s.hold(s.From, s.FromSide, "something stands in the doorway")
	default:
		s.reassert(s.onward(s.goal()), s.at(s.goal(), s.now))
		s.arriving()
	}
}

// arriving asks for the door of the goal from the moment at which it begins to open,
// and for a new opening where it has shut on the robot.
func (s *step) arriving() {
	f, side := s.goal(), s.ToSide
	if s.Diverted {
		side = cmp.Or(s.openSide(f, s.begins), side)
	}
	s.hold(f, side, "a robot is about to leave")
	s.letOut(f, side)
}

// letOut presses the button of the floor at which the car stands with the door shut
// on a robot that wants to leave there, as a person would. The door must have stayed
// shut for a while, and nothing may show that the lift has such a call: a lamp that
// is off, read after the last press, or no lamp at all. There are as many presses in
// one way to the floor as a call has in one attempt.
func (s *step) letOut(f elevator.Floor, side elevator.Side) {
	if !s.behindDoor(f, side) || s.Reopened >= maxPresses || s.Plan.Style == JourneyCall {
		return
	}
	want, quiet := s.onward(f), max(s.ShutAt, s.Call.Sent).Add(reassertWait)
	if s.Car.Door(side).At < quiet || !s.unlit(want, quiet) {
		return
	}
	was := s.Call
	s.Call = Wish{Presses: s.Reopened}
	if s.press(want); s.Call.Command.ID.N == 0 {
		s.Call = was // kept back by the last gate
		return
	}
	s.Reopened++
	s.ShutAt = s.now
}

// behindDoor reports that the car stands at f with the door shut, and keeps the time
// since when. What is not known begins and ends nothing.
func (s *step) behindDoor(f elevator.Floor, side elevator.Side) bool {
	d := s.door(side, s.now)
	switch {
	case s.away(f, s.now), d != elevator.DoorUnknown && d != elevator.DoorClosed:
		s.ShutAt = 0
	case d == elevator.DoorClosed && s.at(f, s.now) && s.standing(s.now):
		if s.ShutAt == 0 {
			s.ShutAt = s.now
		}
		return true
	}
	return false
}

// unlit reports that the lift shows no such call in a reading made at that time or
// later, or that nothing could show it and the last press was answered.
func (s *step) unlit(c elevator.Command, at elevator.Instant) bool {
	w := &s.Call
	if w.Command.ID.N != 0 && !w.Taken && !w.Answered {
		return false
	}
	if s.lampless(c) {
		return !s.Plan.Toggles
	}
	return s.dark(c, at)
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
		s.ride("the car has left: on to the destination")
	case s.exitOpen(s.From, s.FromSide):
		s.exit(LeaveBack, s.From, s.FromSide, s.Why)
	case s.late():
		s.fail(TravelTimeout, s.stuckFor())
	case s.CancelAsked && !s.Onward && s.PhaseAt.Add(backLimit).Reached(s.now):
		s.Onward = true
		s.enter(Registering, "the door does not open again: on to the destination")
	case s.shutIn():
		if s.assert(s.onward(s.From)) || s.Call.Presses >= maxPresses {
			s.letOut(s.From, s.FromSide)
		}
	default:
		s.behindDoor(s.From, s.FromSide)
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
	side := s.openSide(f, s.exitOpen)
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

// begins reports an exit that is open or begins to open, for a hold to be asked.
func (s *step) begins(f elevator.Floor, side elevator.Side) bool { return s.opens(f, side, s.now) }
