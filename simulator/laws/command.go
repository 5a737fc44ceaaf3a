package laws

import (
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// press is the last call of a ride.
type press struct {
	c        elevator.Command
	at       elevator.Instant
	until    elevator.Instant
	answered bool
}

// shape puts what a command asks for into one word.
func shape(c *elevator.Command) uint64 {
	return uint64(c.Verb) | uint64(c.Floor)<<8 | uint64(c.To)<<16 | uint64(c.Side)<<24 | uint64(c.Direction)<<32 | uint64(c.Notice)<<40
}

// isCall tells the verbs that press a button.
func isCall(v elevator.Verb) bool {
	return v == elevator.LandingCall || v == elevator.CarCall || v == elevator.Journey
}

// left judges a command as it leaves the core.
func (w *Watch) left(lift string, c *elevator.Command, now elevator.Instant) {
	r := w.ride(c.ID.Ride, now)
	l := w.lift(lift)
	w.mix(now, mixLeft, r.number, uint64(c.ID.N), shape(c))
	if c.Until <= w.inside(now) {
		w.breach(now, InTime, lift, r.id, "%s is made with no life in it", c.Verb)
	}
	if l == nil {
		return
	}
	w.handsOff(l, c, now, 0)
	if c.MayClose { // where the robots may be is known when the step is over
		w.inDoorway(l, c, now, "leaves")
		w.closers = append(w.closers, closer{lift: l, c: *c})
	}
	switch {
	case isCall(c.Verb):
		w.call(l, r, c, now)
	case c.Verb == elevator.Hold:
		w.hold(l, r, c, now)
	case c.Verb == elevator.CancelCall:
		r.live = press{}
	case c.Verb == elevator.Lapse:
		r.lapsed(c, now)
	}
}

// Wrote shows a command at the moment at which it is put on the wire to a controller.
func (w *Watch) Wrote(lift string, c *elevator.Command, now elevator.Instant) {
	r := w.ride(c.ID.Ride, now)
	w.mix(now, mixWrote, r.number, uint64(c.ID.N), shape(c))
	for _, n := range r.written {
		if n == c.ID.N {
			w.breach(now, ActsOnce, lift, r.id, "%s with the id %s is written again", c.Verb, c.ID)
		}
	}
	r.written = append(r.written, c.ID.N)
	if until := w.outside(c.Until); until != 0 && now >= until {
		w.breach(now, InTime, lift, r.id, "%s is written %v after its end", c.Verb, now.Sub(until))
	}
	if l := w.lift(lift); l != nil {
		w.handsOff(l, c, now, handsDelay)
		if c.MayClose {
			w.inDoorway(l, c, now, "is written")
			w.mayClose(l, c, now, "is written")
		}
	}
}

// handsOff judges a command by the mode that is seen for longer than delay.
func (w *Watch) handsOff(l *lift, c *elevator.Command, now elevator.Instant, delay time.Duration) {
	mode := l.shown.Mode.Value
	stop := l.shown.EmergencyStop.Value == elevator.Yes || mode == elevator.EmergencyStop
	if now < l.modeSince.Add(delay) || mode == elevator.Normal && !stop {
		return
	}
	all := mode == elevator.Fire || mode == elevator.Inspection
	if all || (isCall(c.Verb) || c.Verb == elevator.Claim) && (stop || mode != elevator.ModeUnknown) {
		w.breach(now, HandsOff, l.id, c.ID.Ride, "%s while the lift is seen in mode %s, emergency stop %s", c.Verb, mode, l.shown.EmergencyStop.Value)
	}
}

// closer is a command that may close a door.
type closer struct {
	lift *lift
	c    elevator.Command
}

// inDoorway judges what may close a door by where the robots are.
func (w *Watch) inDoorway(l *lift, c *elevator.Command, now elevator.Instant, does string) {
	for i := range w.robots {
		if b := &w.robots[i]; b.at.Where == Doorway && b.at.Lift == l.id && !b.liar {
			w.breach(now, NoClosing, l.id, c.ID.Ride, "%s %s while %s stands in the doorway", c.Verb, does, b.id)
		}
	}
}

// mayClose judges it by where the agent has to think that they may be.
func (w *Watch) mayClose(l *lift, c *elevator.Command, now elevator.Instant, does string) {
	for _, r := range w.rides {
		if r.liftID != l.id || r.over() || !r.granted {
			continue
		}
		if r.where == fsm.Crossing || r.where == fsm.Unknown {
			w.breach(now, NoClosing, l.id, c.ID.Ride, "%s %s while the robot of %s is %s", c.Verb, does, r.id, r.where)
		}
	}
}

// call judges a button pressed.
func (w *Watch) call(l *lift, r *ride, c *elevator.Command, now elevator.Instant) {
	p := &r.live
	if p.c.ID.N != 0 && !l.servedSince(p.c.Floor, p.at) {
		same := p.c.Verb == c.Verb && p.c.Floor == c.Floor && p.c.To == c.To
		switch {
		case same && l.level:
		case same:
			w.pressedAgain(l, r, c, now)
		case !p.answered && now < p.until:
			w.breach(now, OneLiveCall, l.id, r.id, "%s to %s while %s to %s is on its way", c.Verb, c.Floor, p.c.Verb, p.c.Floor)
		}
	}
	r.live = press{c: *c, at: now, until: w.outside(c.Until)}
}

// pressedAgain wants a lamp read since, and off. Where no lamp is ever read there is
// nothing to want but an answer.
func (w *Watch) pressedAgain(l *lift, r *ride, c *elevator.Command, now elevator.Instant) {
	lamp := lampOf(&l.shown, c)
	switch {
	case lamp.At == 0:
		if !r.live.answered && now < r.live.until {
			w.breach(now, PressOnce, l.id, r.id, "%s to %s again with no answer to the first", c.Verb, c.Floor)
		}
	case w.outside(lamp.At) <= r.live.at:
		w.breach(now, PressOnce, l.id, r.id, "%s to %s again with no reading since", c.Verb, c.Floor)
	case lamp.Value.Has(c.Floor):
		w.breach(now, PressOnce, l.id, r.id, "%s to %s again while its lamp burns", c.Verb, c.Floor)
	}
}

func lampOf(s *elevator.Snapshot, c *elevator.Command) elevator.Seen[elevator.FloorSet] {
	switch {
	case c.Verb == elevator.CarCall:
		return s.CarCalls
	case c.Direction == elevator.Up:
		return s.UpCalls
	case c.Direction == elevator.Down:
		return s.DownCalls
	}
	return elevator.Seen[elevator.FloorSet]{}
}

func (w *Watch) answered(o *elevator.Outcome, now elevator.Instant) {
	r := w.known(o.ID.Ride)
	if r == nil {
		return
	}
	w.mix(now, mixAnswered, r.number, uint64(o.ID.N), uint64(o.Result))
	if r.live.c.ID.N != o.ID.N {
		return
	}
	r.live.answered = true
	if o.Result == elevator.NotSent || o.Result == elevator.Refused {
		r.live = press{}
	}
}
