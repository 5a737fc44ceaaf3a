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
	if s.send(want, s.callFor()) {
		want.ID = elevator.CommandID{Ride: s.ID, N: s.NextN}
		want.Until = s.now.Add(s.callFor())
		w.Command = want
	}
}

// keepThere renews the level of a car that is there, to the end of the opening: a car that
// moves shows the floor before it stands there, and one whose call ends then may pass by, or
// come with its door shut.
func (s *step) keepThere(want elevator.Command) {
	if s.levels() && named(want) && s.sameLeg(want) {
		s.keepLevel(want)
	}
}

// levelDue is when the level that stands is to be renewed.
func (r *Ride) levelDue() elevator.Instant { return r.Call.Command.Until.Add(-r.overlap()) }

// callFor is the life of a call: the answer must come within it, and a level ends with it,
// no later than the line lets it go.
func (s *step) callFor() time.Duration {
	switch {
	case !s.levels():
		return s.Plan.AcceptWithin
	case s.Plan.LevelFor > 0:
		return min(s.Plan.LevelFor, s.holdFor())
	}
	return s.holdFor()
}
