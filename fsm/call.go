package fsm

import "hoistway/fsm/elevator"

// pickup is the call of the first leg.
func (s *step) pickup() elevator.Command {
	c := elevator.Command{Floor: s.From, Side: s.FromSide, Reason: "a robot waits"}
	switch s.Plan.Style {
	case JourneyCall:
		c.Verb, c.To, c.ToSide, c.Direction = elevator.Journey, s.To, s.ToSide, s.direction()
	case CarOnly:
		c.Verb = elevator.CarCall
	default:
		c.Verb, c.Direction = elevator.LandingCall, s.direction()
	}
	return c
}

// onward is the call of the second leg, to floor f.
func (s *step) onward(f elevator.Floor) elevator.Command {
	c := elevator.Command{Verb: elevator.CarCall, Floor: f, Side: s.ToSide, Reason: "a robot is aboard"}
	if s.Plan.Style == JourneyCall {
		c.Verb, c.Floor, c.To, c.ToSide = elevator.Journey, s.Car.Floor.Value, f, s.ToSide
	}
	return c
}

// assert keeps one call wished for. It presses when there is no live call, judges
// the one that there is, and presses again only on a reading that shows it not
// taken. It reports whether the ride may go on.
func (s *step) assert(want elevator.Command) bool {
	if !named(want) || !s.sameLeg(want) {
		return false
	}
	w := &s.Call
	switch {
	case w.Taken:
		s.keepLevel(want)
		return true
	case w.Command.ID.N == 0:
		s.first(want)
	default:
		s.judge()
		s.keepLevel(want)
		if !w.Taken && s.shownOff() && w.Presses < maxPresses {
			s.press(want)
		}
	}
	return w.Taken || s.Plan.Confirm == ConfirmNone && w.Answered
}

// named reports a call that knows where it goes: an open ride has none of the second leg.
func named(c elevator.Command) bool {
	return c.Floor != 0 && c.Verb != elevator.Journey || c.Verb == elevator.Journey && c.To != 0
}

// sameLeg takes back a call that was placed for another leg, or for another way from
// the same landing: the car must not go there for nobody. It reports whether that is
// done. A journey is one call for both legs.
func (s *step) sameLeg(want elevator.Command) bool {
	c := s.Call.Command
	same := c.Verb == want.Verb && c.Floor == want.Floor && c.Direction == want.Direction
	if want.Verb == elevator.Journey {
		same = c.Verb == want.Verb && c.To == want.To
	}
	if c.ID.N == 0 || same {
		return true
	}
	s.cancelCall("the robot rides to another floor")
	return s.Call.Command.ID.N == 0
}

// callAnew begins another attempt at the call of this leg. Where a lamp can tell, the
// call that stands is judged by it before anything is pressed again.
func (s *step) callAnew() {
	if s.Plan.Confirm != ConfirmLamp || s.Plan.Style == JourneyCall {
		s.letGo()
		return
	}
	s.Call.Presses, s.Call.Taken = 0, false
}

// first presses, except where a second press would take back what somebody else
// pressed, or where the ride may have pressed before a restart without a record of
// it: there the lamp is read before.
func (s *step) first(want elevator.Command) {
	if s.takeUp(want) {
		return
	}
	lit, read := s.lamp(want)
	switch {
	case s.Call.Presses >= maxPresses, s.Call.Presses > 0 && !s.seen:
	case s.levels(): // who else holds it may let go of it
		s.press(want)
	case !s.Plan.Toggles && (!s.Restored || s.lampless(want)), s.dark(want, 0):
		s.press(want)
	case read && lit:
		s.Call.Taken, s.Call.Confirmed = true, s.now
	}
}

func (s *step) press(c elevator.Command) {
	presses := s.Call.Presses
	if !s.send(c, s.callFor()) {
		return
	}
	c.ID = elevator.CommandID{Ride: s.ID, N: s.NextN}
	if s.levels() {
		c.Until = s.now.Add(s.callFor())
	}
	s.Call, s.Restored = Wish{Command: c, Sent: s.now, Presses: presses + 1}, false
}

// judge looks for proof in what was read after the press.
func (s *step) judge() {
	w := &s.Call
	lit, read := s.lamp(w.Command)
	if read && lit && s.lampAt(w.Command) > w.Sent || s.Plan.Confirm == ConfirmState && s.comes() {
		w.Taken, w.Confirmed, w.Unsure = true, s.now, false
	}
}

// comes reports that the car has begun to move since the press.
func (s *step) comes() bool { return s.running(s.now) && s.Car.Motion.At > s.Call.Sent }

// shownOff reports that a reading well after the press, whose outcome is in, shows
// the call as not registered. With no lamp to read there is no such reading.
func (s *step) shownOff() bool {
	w := &s.Call
	return w.Answered && s.Plan.Confirm != ConfirmAck && s.dark(w.Command, w.Sent.Add(settle))
}

// dark is the one proof that a call is not registered: its lamp was read off, at that
// time or later, while the controller was awake.
func (s *step) dark(c elevator.Command, since elevator.Instant) bool {
	lit, read := s.lamp(c)
	return read && !lit && s.awake() && s.lampAt(c) >= since
}

// awake reports that the controller tells its mode. One that starts anew may show
// every register as zero: its dark lamps prove nothing.
func (s *step) awake() bool {
	return s.Car.Mode.Value != elevator.ModeUnknown && s.Car.Mode.Fresh(s.now, slowLimit)
}

// unreadable reports that the press may well have been taken, and that no lamp
// can tell. Where a lamp is the proof, one that was not read since shows nothing,
// whatever was answered.
func (w Wish) unreadable(r *Ride) bool {
	if w.Command.ID.N == 0 {
		return false
	}
	at := r.lampAt(w.Command)
	unread := at == 0 || at <= w.Sent
	if w.Answered && !w.Unsure {
		return r.Plan.Confirm == ConfirmLamp && unread
	}
	return r.Plan.Confirm == ConfirmAck || unread
}

// lamp tells whether the controller shows the call as registered; read is false
// where that was not seen freshly.
func (s *step) lamp(c elevator.Command) (lit, read bool) {
	set := s.lamps(c)
	if c.Verb == elevator.Journey && s.State != Requesting {
		return false, false // its first lamp goes out when the car comes, and no other stands for it
	}
	return set.Value.Has(c.Floor), s.online() && set.Fresh(s.now, s.sight())
}

func (r *Ride) lampAt(c elevator.Command) elevator.Instant { return r.lamps(c).At }

func (r *Ride) lamps(c elevator.Command) elevator.Seen[elevator.FloorSet] {
	set, _ := r.Car.Lamp(&c)
	return set
}

// reassert presses a call again that was taken and is shown as lost, while the car
// is not there. People clear calls, and a car of the group may answer for ours.
func (s *step) reassert(want elevator.Command, there bool) {
	if there {
		if s.seen {
			s.Call.DarkAt = 0 // it is answered: that its lamp is off is no loss
		}
		s.keepThere(want)
		return
	}
	if !named(want) || !s.sameLeg(want) {
		return
	}
	w := &s.Call
	if !w.Taken {
		s.assert(want)
		return
	}
	s.keepLevel(want)
	if s.lost(want) && w.Presses < maxPresses {
		s.press(want)
	}
}

// lost reports that each reading of a while showed the lamp of a taken call as off. One
// is not enough: many a lamp goes out as the car slows down for the floor, and what says
// that the car is there may be read later than the lamp.
func (s *step) lost(want elevator.Command) bool {
	w, at := &s.Call, s.lampAt(want)
	switch {
	case !s.seen:
		return false
	case !s.dark(want, w.Confirmed):
		w.DarkAt = 0
		return false
	case w.DarkAt == 0:
		w.DarkAt = at
	}
	return at >= w.DarkAt.Add(reassertWait)
}

// proof says by what the call counts as taken.
func (s *step) proof() string {
	lit, read := s.lamp(s.Call.Command)
	switch {
	case !s.Call.Taken:
		return "sent; nothing can confirm it"
	case s.Call.Command.ID.N == 0 && s.Restored:
		return "the lamp shows a call since before the restart"
	case s.Call.Command.ID.N == 0:
		return "the lamp shows a call that somebody else placed"
	case read && lit:
		return "the lamp shows the call"
	case s.Plan.Confirm == ConfirmState:
		return "the car comes"
	}
	return "the controller took the call"
}
