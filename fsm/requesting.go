package fsm

// requesting claims the car where that is the custom, then calls it.
func (s *step) requesting() {
	if why := s.unable(); why != "" {
		s.fail(CallRefused, why)
		return
	}
	if s.CancelAsked && s.Where == Outside {
		s.withdraw()
		return
	}
	switch s.Phase {
	case Claiming:
		s.claiming()
	case Calling:
		s.calling()
	}
}

// unable says what of the controller's custom this machine does not serve.
func (s *step) unable() string {
	switch s.Plan.Style {
	case LandingAndCar, JourneyCall, CarOnly, LevelCall:
		if s.To == 0 && !s.takesOpen() {
			return "this lift takes whole journeys: the ride must name its destination"
		}
		return ""
	}
	return "calls of the style " + quoted(string(s.Plan.Style)) + " are not supported"
}

func quoted(s string) string { return `"` + s + `"` }

func (s *step) calling() {
	if s.Deadline == 0 {
		s.Deadline = s.now.Add(s.Plan.AcceptWithin)
	}
	switch {
	case s.opens(s.From, s.FromSide, s.now):
		s.confirm("the car stands open at the landing")
	case s.assert(s.pickup()):
		s.confirm(s.proof())
	case s.late() && s.Unsent && s.Call.Command.ID.N == 0:
		s.fail(s.unheard(), "the call could not be sent")
	case s.late() && s.Call.unreadable(s.Ride):
		s.confirm("unconfirmed: what the lift does will tell")
	case s.late() && s.Call.Unsure && !s.Plan.Network:
		s.fail(IOError, "nobody knows whether the call was sent, and the controller does not show it")
	case s.late():
		s.fail(CallNotAccepted, "the controller does not show the call")
	}
}

func (s *step) confirm(why string) {
	if !s.Call.Taken && s.Call.Command.ID.N != 0 && s.Plan.Confirm != ConfirmNone && s.opens(s.From, s.FromSide, s.now) {
		s.Call.Taken, s.Call.Confirmed = true, s.now
	}
	if s.move(toConfirm, Called, why) {
		s.Deadline = s.now.Add(s.Params.WaitTimeout)
	}
}

// withdraw ends a ride that has not begun to board.
func (s *step) withdraw() {
	s.cancelCall("the ride was cancelled")
	s.giveBack("the ride was cancelled")
	s.end(Cancelled, s.Why)
}
