package fsm

import "hoistway/fsm/elevator"

// claiming asks for the car where that is the custom, and waits until it is given: by the
// controller's answer, or by what it shows after it was asked. A controller that shows
// nothing before must show floor and door in the same time again.
func (s *step) claiming() {
	if s.ClaimN != 0 && !s.Claimed && s.Car.Claimed.Value == elevator.Yes && s.claimRead(s.PhaseAt) {
		s.given()
	}
	switch {
	case s.Claimed && (!s.Plan.Blind || s.fit(s.now)):
		s.enter(Calling, "the controller gave the car")
	case s.late() && s.Claimed:
		s.fail(ClaimRefused, "the controller gave the car, and does not show it")
	case s.late() && s.Unsent:
		s.fail(s.unheard(), "the claim could not be sent")
	case s.late():
		s.fail(ClaimRefused, "the controller did not give the car in time")
	case s.Deadline == 0 && s.claimLost():
		s.fail(RestartedCode, "nobody knows what became of the claim before the restart")
	case s.Deadline == 0:
		s.Deadline = s.now.Add(s.Plan.ClaimWithin)
		s.claim()
	case s.Unsent && s.ClaimN == 0 && s.seen:
		s.claim()
	}
}

func (s *step) claim() {
	if s.send(elevator.Command{Verb: elevator.Claim, Floor: s.From, To: s.To, Reason: "a robot wants to ride", MayClose: true}, s.Plan.ClaimWithin) {
		s.ClaimN = s.NextN
	}
}

// claimLost reports a claim made before a restart: its outcome will not come.
func (s *step) claimLost() bool { return s.ClaimN != 0 && s.ClaimN+restartJump <= s.NextN }

// given notes that the car is ours. What a controller shows of it counts from then on.
func (s *step) given() {
	s.Claimed, s.ClaimAt = true, s.now
	if s.Phase == Claiming {
		s.Deadline = s.now.Add(s.Plan.ClaimWithin)
	}
}

// claimRead reports that the controller has told after at whose hand the car is in.
func (s *step) claimRead(at elevator.Instant) bool {
	c := s.Car.Claimed
	return s.online() && c.Fresh(s.now, slowLimit) && c.At > at
}

// dispossessed reports that the car is shown as not the robots' any more, long enough
// after it was given.
func (s *step) dispossessed() bool {
	return s.Plan.Claims && s.Claimed && s.BackN == 0 && s.ClaimAt != 0 && s.Car.Claimed.Value == elevator.No && s.claimRead(s.ClaimAt.Add(reassertWait))
}

// watchClaim acts on a claim that is lost: before boarding the ride makes way, with the
// robot in the car, or maybe in it, it rides on and people are told.
func (s *step) watchClaim() bool {
	lost := s.dispossessed()
	if lost && s.Ashore() {
		s.Claimed, s.ClaimN = false, 0
		return s.fail(Busy, "the controller has taken the car away again")
	}
	if s.Unclaim != lost {
		s.Unclaim = lost
		s.fx = append(s.fx, Alarm{Code: ClaimLostAlarm, On: lost, Detail: "the controller shows the car as not the robots' any more"})
	}
	return false
}

func (s *step) claimAnswered(o elevator.Outcome) {
	s.Unsent = o.Result == elevator.NotSent
	if o.Result == elevator.Refused || o.Result == elevator.NotSent {
		s.ClaimN = 0 // nothing to give back
	}
	switch {
	case o.Result == elevator.Done && !s.Claimed:
		s.given()
	case o.Result != elevator.Refused, s.Where != Outside, s.Aboard && s.State != Done: // with a robot aboard what it shows is watched
	default: // maybe after it was given
		s.Claimed = false
		if s.State == Requesting || s.Phase == Called {
			s.claimRefused(o)
		}
	}
}

func (s *step) claimRefused(o elevator.Outcome) {
	switch o.Advice {
	case elevator.AdviceConfig:
		s.fail(CallRefused, "the controller will never give the car: "+o.Detail)
	case elevator.AdviceWait:
		s.fail(Busy, "the controller gives the car to somebody else: "+o.Detail)
	default:
		s.fail(ClaimRefused, "the controller refused the claim: "+o.Detail)
	}
}

// backAnswered files the outcome of a give-back. A controller that takes it and refuses it
// afterwards is asked again.
func (s *step) backAnswered(o elevator.Outcome) {
	switch o.Result {
	case elevator.Done:
		s.Claimed, s.ClaimN, s.ClaimAt = false, 0, 0
	case elevator.Refused:
		s.Claimed = true // until it is taken
	}
}

// noteAnswered lets the give-back go once the word of leaving has an outcome.
func (s *step) noteAnswered(n uint32) {
	if n == s.NoteN {
		s.NoteN, s.NoteEnd = 0, 0
	}
}

// unheard is the fault of a command that never left: a vendor's network that does not
// answer, or a line.
func (r *Ride) unheard() Code {
	if r.Plan.Network {
		return NetworkTimeout
	}
	return IOError
}
