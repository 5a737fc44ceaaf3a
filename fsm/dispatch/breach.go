package dispatch

import (
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// Breach tells a ride that a rule which always holds was about to be broken. It is no input
// from outside, but the word of who looks at what a step put out, before any of it is done.
func (s *Site) Breach(ride, detail string, now elevator.Instant, out []Output) []Output {
	st := step{Site: s, now: now, out: out}
	st.toRide(ride, fsm.Breach{Detail: detail})
	st.keep()
	return st.out
}

// Shut lets a lift take no ride any more, until [Site.Unshut]: nothing would be asked of it.
func (s *Site) Shut(lift, why string) {
	if s.shut == nil {
		s.shut = map[string]string{}
	}
	s.shut[lift] = why
}

// Unshut see [Site.Shut].
func (s *Site) Unshut(lift string) { delete(s.shut, lift) }
