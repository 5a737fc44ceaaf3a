package fsm

import "hoistway/fsm/elevator"

// Somebody who cannot see the robot, such as the manager of a fleet, may claim where it
// is. A claim alone closes no door and frees no car: it counts once a reading made after
// it bears it out, or the robot says so itself. The robot's own word always beats it.

// claims takes in what somebody claims. What does not fit the state is not believed and
// changes nothing, as what was said before.
func (s *step) claims(ev Claims) {
	if s.Unseen == ev.Says {
		return
	}
	switch ev.Says {
	case Entered:
		s.claimedIn("somebody claims that the robot is in: " + ev.By)
	case Left:
		s.claimedOut()
	case GaveUpEntering:
		s.claimedAshore("the robot is not in, claims " + ev.By)
	}
}

func (s *step) claimedIn(why string) {
	switch {
	case s.Unseen == Left && s.State == Exiting: // taken back
		s.Where, s.Unseen = Inside, ""
	case s.Where == Outside || s.Where == Inside || s.PermitWas != Enter:
	case s.Phase == Boarding:
		s.Where = Inside
		s.unseen(Entered)
		s.aboard(toBoard, why)
	case s.State == Fault && s.Way == "":
		s.Where = Inside
		s.unseen(Entered)
		s.Aboard = true
		if s.RetryAt != 0 {
			s.RetryAt = min(s.RetryAt, s.now)
		}
	}
}

func (s *step) claimedOut() {
	leaving := s.PermitWas != "" && s.PermitWas != Enter && s.Way != ""
	boarding := s.CancelAsked && s.PermitWas == Enter && s.Way == "" && !s.Aboard && !s.known()
	switch {
	case leaving && (s.State == Exiting || s.State == Fault) && s.Where != Outside,
		boarding && (s.Phase == Boarding || s.State == Fault):
		s.Where, s.Permit = Unknown, Permit{}
		s.unseen(Left)
	}
}

// claimedAshore tries again at From for a robot that may be outside, and may be in the
// car: the lease is kept and no car call goes out. The door that opens there is right in
// either case.
func (s *step) claimedAshore(why string) {
	shut := s.door(s.FromSide, s.now) == elevator.DoorClosed
	if s.State != Fault || s.Latched || s.Where != Unknown || s.PermitWas != Enter || s.Way != "" || s.Aboard ||
		!s.Granted || s.owes() && !s.Claimed || s.Plan.Claims && !s.Claimed || s.RetryN >= s.Params.Retries ||
		!shut || !s.PermitOut.Reached(s.now) || !s.causeGone() || s.Ending || s.CancelAsked {
		return
	}
	s.cancelCall(why)
	s.RetryN++
	s.request(why)
}

func (s *step) unseen(k SignalKind) { s.Unseen, s.UnseenAt = k, s.now }

// sure reports a robot that is where a door may close, and was seen there.
func (r *Ride) sure() bool { return r.known() && r.Unseen == "" }

// bearOut looks whether the lift bears a claim out: who is said to be in, when the door
// has closed behind it or the car has gone; who is said to be out, when the door has
// closed with nothing in it and the car still there.
func (s *step) bearOut() {
	switch s.Unseen {
	case Entered:
		d := s.Car.Door(s.FromSide)
		if s.away(s.From, s.now) || s.door(s.FromSide, s.now) == elevator.DoorClosed && d.At > s.UnseenAt {
			s.seenIn()
		}
	case Left:
		f, side := s.doorway()
		d, since := s.Car.Door(side), s.UnseenAt
		if s.Way == "" {
			since = max(since, s.PermitOut)
		}
		if d.At > since && s.door(side, s.now) == elevator.DoorClosed && s.at(f, s.now) && s.standing(s.now) && s.Car.Obstruction.Value != elevator.Yes {
			s.Where, s.Unseen, s.lasting = Outside, "", true
		}
	}
}

// seenIn ends the claim that the robot is in: it is. The controller, which may close the
// door on that word, is told only now.
func (s *step) seenIn() {
	s.Unseen, s.lasting = "", true
	if s.State == Moving {
		s.notify(elevator.Entered, s.From, s.FromSide)
	}
}

// blocked reports something in a doorway of which only a claim says that it is not the robot.
func (s *step) blocked() bool {
	o := s.Car.Obstruction
	return s.Unseen == Entered && o.Value == elevator.Yes && o.Fresh(s.now, slowLimit)
}
