package profiles

import "hoistway/fsm/elevator"

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
