package fsm

import (
	"time"

	"hoistway/fsm/elevator"
)

// Where a call is a level and not a press, it stands only as long as somebody holds it. It
// is held as a door is: by short commands, each a new one with an end of its own, so that
// a loop that hangs calls nothing for ever. It ends by not being renewed; dropping it early
// may let a door close, and goes the way of all such commands.

func (r *Ride) levels() bool { return r.Plan.Style == LevelCall }

// keepLevel renews the level before it ends. It is one call all the while: what proved it
// taken still does.
func (s *step) keepLevel(want elevator.Command) {
	w := &s.Call
	if !s.levels() || w.Command.ID.N == 0 || s.now < s.levelDue() {
		return
	}
	if s.send(want, s.holdFor()) {
		want.ID = elevator.CommandID{Ride: s.ID, N: s.NextN}
		want.Until = s.now.Add(s.holdFor())
		w.Command = want
	}
}

// levelDue is when the level that stands is to be renewed.
func (r *Ride) levelDue() elevator.Instant { return r.Call.Command.Until.Add(-r.overlap()) }

// callFor is the life of a call: the answer must come within it, and a level ends with it.
func (s *step) callFor() time.Duration {
	if s.levels() {
		return s.holdFor()
	}
	return s.Plan.AcceptWithin
}
