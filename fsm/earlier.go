package fsm

import "hoistway/fsm/elevator"

// A call that the ride does not ask for any more may still be registered: it was
// given up, another leg came between, or there is no way to take it back. Such a
// press is remembered, so that the same button is not pressed again before a
// reading shows what became of it.

// letGo ends the wish for the live call and remembers the press.
func (s *step) letGo() {
	w := s.Call
	s.Call = Wish{}
	if w.Command.ID.N == 0 || s.levels() { // a level ends by itself
		return
	}
	if !s.Earlier[0].same(w.Command) {
		s.Earlier[1] = s.Earlier[0]
	}
	s.Earlier[0] = w
}

func (w Wish) same(c elevator.Command) bool {
	o := w.Command
	return o.ID.N != 0 && o.Verb == c.Verb && o.Floor == c.Floor && o.To == c.To && (o.Direction == c.Direction || c.Verb == elevator.Journey)
}

// takeUp goes on with an earlier press of the same call in place of a new one. It is
// judged as the live call is: lit it counts as taken, and only a reading that shows
// it off lets it be pressed again. With no lamp to read an answer is all that there
// is, and a new attempt may press.
func (s *step) takeUp(want elevator.Command) bool {
	for i, w := range s.Earlier {
		if !w.same(want) {
			continue
		}
		if s.lampless(want) && (w.Answered || w.Command.Until.Reached(s.now)) {
			s.Earlier[i] = Wish{}
			return false
		}
		if w.Sent < s.LeaseAt || s.Plan.Confirm == ConfirmAck && w.Answered {
			return s.shown(i, want)
		}
		w.Presses, w.Taken = s.Call.Presses, false
		s.Call, s.Earlier[i] = w, Wish{}
		return true
	}
	return false
}

// shown judges by the lamp alone a press of an earlier lease, or one whose answer
// was proof enough for an attempt that has failed since. Lit, the call of an earlier
// lease may be somebody else's by now: it serves, but is not this ride's to take back.
func (s *step) shown(i int, want elevator.Command) bool {
	w := s.Earlier[i]
	at := w.Sent.Add(settle)
	lit, read := s.lamp(want)
	switch {
	case s.dark(want, at):
		s.Earlier[i] = Wish{}
		return false
	case !read || !lit || s.lampAt(want) < at:
	case w.Sent < s.LeaseAt:
		s.Call.Taken, s.Call.Confirmed = true, s.now
	default:
		w.Presses, w.Taken, w.Confirmed = s.Call.Presses, true, s.now
		s.Call, s.Earlier[i] = w, Wish{}
	}
	return true
}

// lampless reports a call for which no lamp was ever read, nor is said to exist. That
// none was read yet, just after a restart, does not say that there is none.
func (s *step) lampless(c elevator.Command) bool {
	if c.Verb == elevator.Journey && s.State != Requesting {
		return true
	}
	if s.Restored && !s.readAll().Reached(s.now) {
		return false
	}
	set := s.lamps(c)
	return s.Plan.Confirm != ConfirmLamp && set.At == 0 && !set.Failed
}

// readAll is when each point of the lift must have been read, the slow ones too.
func (r *Ride) readAll() elevator.Instant { return r.Watch.Add(slowLimit) }

// earlierAnswered files the outcome of a press that was let go of.
func (s *step) earlierAnswered(o elevator.Outcome) {
	for i := range s.Earlier {
		w := &s.Earlier[i]
		if w.Command.ID.N != o.ID.N {
			continue
		}
		w.Answered, w.Unsure = true, o.Result == elevator.ResultUnknown
		w.Sent = max(w.Sent, min(o.At, s.now))
		if o.Result == elevator.NotSent || o.Result == elevator.Refused {
			*w = Wish{}
		}
	}
}

// serve forgets the earlier calls to a floor at which the car stands with a door
// open: they are over.
func (s *step) serve() {
	if s.Earlier[0].Command.ID.N == 0 && s.Earlier[1].Command.ID.N == 0 || !s.standing(s.now) || !s.Car.AnyDoorOpen() {
		return
	}
	for i := range s.Earlier {
		if s.at(s.Earlier[i].Command.Floor, s.now) {
			s.Earlier[i], s.lasting = Wish{}, true
		}
	}
}
