package dispatch

import (
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// Breach tells a ride that a rule which always holds was about to be broken: it is no input
// from outside, but the word of who looks at what a step put out, before any of it is done.
func (s *Site) Breach(ride, detail string, now elevator.Instant, out []Output) []Output {
	st := step{Site: s, now: now, out: out}
	st.toRide(ride, fsm.Breach{Detail: detail})
	st.keep()
	return st.out
}
