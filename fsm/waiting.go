package fsm

import (
	"fmt"

	"hoistway/fsm/elevator"
)

func (s *step) waiting() {
	if s.Phase == Called {
		s.called()
		return
	}
	s.boarding()
}

// called waits for the car.
func (s *step) called() {
	switch {
	case s.CancelAsked && s.Where == Outside:
		s.withdraw()
	case s.standsOpen(s.From, s.FromSide, s.now):
		s.board()
	case s.late():
		s.fail(WaitTimeout, fmt.Sprintf("no car in %s", s.Params.WaitTimeout))
	default:
		s.reassert(s.pickup(), s.answers())
		s.hold(s.From, s.FromSide, "a robot is about to enter")
	}
}

// answers reports a car at the landing that passes, has just come, or whose door does
// more than stay shut.
func (s *step) answers() bool {
	shut := s.standing(s.now) && s.door(s.FromSide, s.now) == elevator.DoorClosed
	return s.at(s.From, s.now) && (!shut || s.was.Floor.Value != s.From)
}

// board begins when the door stands fully open.
func (s *step) board() {
	s.enter(Boarding, "the door is open")
	s.LeftFrom = false
	if s.Plan.Style == JourneyCall {
		s.Call.Taken = s.Call.Command.ID.N != 0 // that the car came is the proof; the second half is yet to do
	} else {
		s.Call = Wish{}
	}
	s.Deadline = s.boardLimit()
}

// boardLimit is when a boarding that shows life now counts as failed. However often
// the robot asks for more time, the phase lasts no longer than a door may be held.
func (s *step) boardLimit() elevator.Instant {
	need := s.crossing() + elevator.Instant(boardMargin)
	return min(s.now+need, s.PhaseAt+max(need, elevator.Instant(s.Params.HoldLimit)))
}

// boarding holds the door for the robot, for a bounded time.
func (s *step) boarding() {
	switch {
	case s.CancelAsked && s.Where == Outside:
		s.lapse("the ride was cancelled")
		s.giveBack("the ride was cancelled")
		s.end(Cancelled, s.Why)
	case s.closes(s.FromSide) && s.Unseen == "":
		s.closedEarly()
	case s.away(s.From, s.now):
		s.carGone()
	case s.Unseen == Left && !s.late():
	case s.door(s.FromSide, s.now) == elevator.DoorClosed && s.Where == Outside:
		s.callAgain("the door closed before the robot entered")
	case s.late() || s.capReached():
		s.fail(BoardTimeout, "the robot did not say that it is in")
	default:
		s.hold(s.From, s.FromSide, "a robot enters")
	}
}

// closedEarly has the door opened again while the car is there, once.
func (s *step) closedEarly() {
	s.shut = true
	s.Reopened++
	if s.Reopened >= maxReopened {
		s.fail(DoorClosedEarly, "the door closed twice before the robot was in")
		return
	}
	s.Permit = Permit{}
	s.reopen(s.From, s.FromSide, "the door closes before the robot is in")
}

// carGone looks at where the robot was left.
func (s *step) carGone() {
	switch {
	case s.Where != Outside:
		s.fail(DoorClosedEarly, "the car left while the robot was boarding")
	case s.Reopened >= maxReopened:
		s.fail(DoorClosedEarly, "the car left twice without the robot")
	default:
		s.callAgain("the car left without the robot")
	}
}

// callAgain places a new call in the same attempt: only for a robot known outside.
func (s *step) callAgain(why string) {
	s.Call = Wish{}
	s.Permit = Permit{}
	s.enter(Called, why)
	s.Deadline = s.now.Add(s.Params.WaitTimeout)
}

// capReached reports that the door was held at this stop for as long as it may be,
// and that the last hold is over. For a robot that may be in the doorway it is so a
// little earlier: the grace hold must be there before the door begins to close.
func (s *step) capReached() bool {
	end := s.Door.Until
	if !s.known() {
		end = end.Add(-s.overlap())
	}
	return s.Door.Stopped && end.Reached(s.now)
}
