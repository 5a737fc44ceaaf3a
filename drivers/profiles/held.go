package profiles

import "hoistway/fsm/elevator"

// Holds is, by side, as of when the end of a door hold is known; a link whose words can
// overtake each other keeps one beside its snapshot. What is older changes nothing.
type Holds [elevator.Sides]elevator.Instant

// newer notes a word of time at, unless a newer one is known. Without a Holds each word is.
func (h *Holds) newer(side elevator.Side, at elevator.Instant) bool {
	if h == nil {
		return true
	}
	if int(side) >= len(h) || at < h[side] {
		return false
	}
	h[side] = at
	return true
}

// Held is [Held] for an outcome that is known at.
func (h *Holds) Held(c elevator.Command, r elevator.Result, until, at elevator.Instant, into *elevator.Snapshot) {
	if (c.Verb == elevator.Hold || c.Verb == elevator.Lapse) && r != elevator.NotSent && h.newer(c.Side, at) {
		Held(c, r, until, into)
	}
}

// Drop ends the hold of a side for us.
func (h *Holds) Drop(side elevator.Side, at elevator.Instant, into *elevator.Snapshot) {
	if h.newer(side, at) {
		into.Holds[side] = 0
	}
}

// Held keeps what a hold or a lapse that ended so makes of the instant until which the
// device is known to hold a door: never a later one than can be relied on, since a robot
// crosses by it. A lapse of which a byte may have left ends the hold for us, whatever
// came of it; a hold of unknown outcome may have replaced a longer one, and never
// lengthens it. until is the end that was asked for. Other commands change nothing.
func Held(c elevator.Command, r elevator.Result, until elevator.Instant, into *elevator.Snapshot) {
	if int(c.Side) >= elevator.Sides || r == elevator.NotSent {
		return
	}
	end := &into.Holds[c.Side]
	switch {
	case c.Verb == elevator.Lapse:
		*end = 0
	case c.Verb != elevator.Hold:
	case r == elevator.Done:
		*end = until
	case r == elevator.ResultUnknown:
		*end = min(*end, until)
	}
}
