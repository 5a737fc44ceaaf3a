package laws

import (
	"hoistway/fsm"
)

// Healing counts call failures and what became of them. A call failure begins when a ride
// whose robot is outside goes from REQUESTING or WAITING to FAULT; what fails again before
// the robot is aboard is the same one. It is recoverable when the fault is not latched and
// not of those that end the ride, and the trouble was over before the ride gave up: nothing but
// time stood in its way.
type Healing struct {
	Failures  int                `json:"failures"`  // recoverable, that came to an end
	Healed    int                `json:"healed"`    // the robot rode, and no person had been asked
	Locked    int                `json:"locked"`    // tried too often: a person
	Reset     int                `json:"reset"`     // a person, before that
	Over      int                `json:"over"`      // the ride failed or expired
	Stands    int                `json:"stands"`    // ended badly while some fault of the site was still on: in no other count
	Withdrawn int                `json:"withdrawn"` // cancelled meanwhile: in no other count
	Others    int                `json:"others"`    // not recoverable: in no other count
	ByCode    map[fsm.Code]Heals `json:"by_code"`   // of the first fault
}

// Heals are the failures by one code, and how many healed.
type Heals struct {
	Failures int `json:"failures"`
	Healed   int `json:"healed"`
}

// Rate is the share that healed, 1 where nothing failed.
func (h *Healing) Rate() float64 {
	if h.Failures == 0 {
		return 1
	}
	return float64(h.Healed) / float64(h.Failures)
}

// Healing is what was counted so far.
func (w *Watch) Healing() Healing { return w.heal }

// heals is how far the call failure of a ride has come.
type heals uint8

const (
	well   heals = iota
	failed       // its code is not known yet
	failing
	lost // not recoverable, or counted: until the robot is aboard
)

// changed takes note of a change of state.
func (w *Watch) changed(r *ride, from, to fsm.State) {
	switch {
	case to == fsm.Fault && (from == fsm.Requesting || from == fsm.Waiting) && r.heal == well:
		r.heal, r.failedBy = failed, ""
	case to == fsm.Moving || to == fsm.Exiting:
		if r.heal == failing {
			w.ended(r, &w.heal.Healed, true)
		}
		r.heal = well
	case to == fsm.FaultLocked && (r.heal == failing || r.heal == failed):
		w.ended(r, &w.heal.Locked, false)
	}
}

// heals takes note of what a ride shows after a change.
func (w *Watch) heals(s *ride, r *fsm.Ride) {
	switch {
	case s.heal == failed && (r.Latched || r.Where != fsm.Outside || r.State == fsm.Done && r.Phase != fsm.Cancelled):
		w.heal.Others++
		s.heal = lost
	case s.heal == failed:
		s.heal, s.failedBy = failing, r.Code
	case s.heal == failing && r.Latched:
		w.heal.Others++
		s.heal = lost
	}
	if s.heal != failing || r.State != fsm.Done && w.reset != s.id {
		return
	}
	switch {
	case w.reset == s.id:
		w.ended(s, &w.heal.Reset, false)
	case r.Phase == fsm.Cancelled:
		w.heal.Withdrawn++
		s.heal = lost
	default:
		w.ended(s, &w.heal.Over, false)
	}
}

func (w *Watch) ended(r *ride, how *int, healed bool) {
	if !healed && w.troubles > 0 {
		w.heal.Stands++
		r.heal = lost
		return
	}
	*how++
	w.heal.Failures++
	if w.heal.ByCode == nil {
		w.heal.ByCode = map[fsm.Code]Heals{}
	}
	c := w.heal.ByCode[r.failedBy]
	c.Failures++
	if healed {
		c.Healed++
	}
	w.heal.ByCode[r.failedBy] = c
	r.heal = lost
}
