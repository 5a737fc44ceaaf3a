package fsm

import "hoistway/fsm/elevator"

// answered files what became of a command. The outcome of a command that is no
// longer live is of no interest.
func (s *step) answered(o elevator.Outcome) {
	if o.ID.Ride != s.ID || o.ID.N == 0 {
		return
	}
	s.earlierAnswered(o)
	s.lasting = o.ID.N != s.Door.N // of the holds nothing durable is answered
	switch o.ID.N {
	case s.Call.Command.ID.N:
		s.callAnswered(o)
	case s.Door.N:
		if o.Result == elevator.NotSent || o.Result == elevator.Refused {
			s.Door.Renew = s.now.Add(settle) // soon, with a new number, within what is left
		}
	case s.ClaimN:
		s.claimAnswered(o)
	case s.BackN:
		s.backAnswered(o)
	case s.NoteN:
		s.noteAnswered(o.ID.N)
	}
}

// callAnswered does not take a controller's "done" for more than its profile says.
func (s *step) callAnswered(o elevator.Outcome) {
	w := &s.Call
	if w.Answered && !w.Unsure && o.Result != elevator.Refused { // a refusal may come after the first answer
		return
	}
	s.Unsent = o.Result == elevator.NotSent
	if w.Taken && o.Result != elevator.Refused { // the lamp was quicker, and has said it all
		w.Answered, w.Unsure = true, false
		return
	}
	if at := min(o.At, s.now); at > w.Sent {
		w.Sent = at // the press itself was later than the wish for it
	}
	w.Answered, w.Unsure = true, o.Result == elevator.ResultUnknown
	switch o.Result {
	case elevator.Done:
		if s.Plan.Confirm == ConfirmAck {
			w.Taken, w.Confirmed = true, s.now
		}
	case elevator.NotSent:
		s.Call = Wish{Presses: w.Presses} // no byte left: a new command may be made
	case elevator.Refused:
		s.callRefused(o)
	}
}

// callRefused sorts a controller's no by what its profile says that it means.
func (s *step) callRefused(o elevator.Outcome) {
	s.Call = Wish{Presses: s.Call.Presses}
	why := "the controller refused the call"
	if o.Code != "" {
		why += " with code " + o.Code
	}
	if o.Detail != "" {
		why += ": " + o.Detail
	}
	switch {
	case s.Former.Command.ID.N != 0:
		s.keepTarget(why)
		return
	case s.State == Moving && !s.LeftFrom:
		s.enter(Returning, why)
		return
	}
	switch {
	case s.State != Requesting && s.Phase != Called && s.State != Moving:
	case o.Advice == elevator.AdviceConfig:
		s.fail(CallRefused, why)
	case o.Advice == elevator.AdviceWait:
		s.fail(Busy, why)
	case o.Code != "":
		s.fail(Vendor+Code(":"+o.Code), why)
	default:
		s.fail(CallNotAccepted, why)
	}
}
