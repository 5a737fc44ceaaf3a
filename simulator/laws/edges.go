package laws

import (
	"slices"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// states in the order of a ride.
var states = [...]fsm.State{
	fsm.Idle, fsm.Requesting, fsm.Waiting, fsm.Moving, fsm.Exiting, fsm.Done, fsm.Fault, fsm.FaultLocked,
}

// Edge is one way from a state to another, and how often it was gone.
type Edge struct {
	From  fsm.State `json:"from"`
	To    fsm.State `json:"to"`
	Count int       `json:"count"`
}

// diagram is what may follow each state: the contract's table of states, written down
// by hand. A fault that gets worse stays a FAULT.
var diagram = [...][]fsm.State{
	{fsm.Requesting, fsm.Done},
	{fsm.Waiting, fsm.Done, fsm.Fault},
	{fsm.Moving, fsm.Done, fsm.Fault},
	{fsm.Exiting, fsm.Done, fsm.Fault},
	{fsm.Done, fsm.Fault},
	{},
	{fsm.Requesting, fsm.Moving, fsm.Exiting, fsm.Done, fsm.FaultLocked, fsm.Fault},
	{fsm.Done, fsm.Fault},
}

// Edges lists every edge of the diagram with its count, the loop of FAULT left out.
func (w *Watch) Edges() []Edge {
	var out []Edge
	for i, from := range states {
		for _, to := range diagram[i] {
			if from != to {
				out = append(out, Edge{From: from, To: to, Count: w.edges[i][place(to)]})
			}
		}
	}
	return out
}

func place(s fsm.State) int { return slices.Index(states[:], s) }

// moved judges one change of state.
func (w *Watch) moved(now elevator.Instant, r *ride, from, to fsm.State) {
	if r.state != from && !r.anew {
		w.breach(now, Diagram, r.liftID, r.id, "goes from %s, but was %s", from, r.state)
	}
	r.anew = false
	i, j := place(from), place(to)
	w.mix(now, mixMoved, r.number, uint64(i), uint64(j))
	switch {
	case i < 0 || j < 0 || !slices.Contains(diagram[i], to):
		w.breach(now, Diagram, r.liftID, r.id, "no way from %s to %s", from, to)
	default:
		w.edges[i][j]++
	}
	if from == fsm.FaultLocked && w.reset != r.id {
		w.breach(now, LockedStays, r.liftID, r.id, "left FAULT_LOCKED to %s with no reset", to)
	}
	if to == fsm.Fault || to == fsm.Done {
		r.live = press{} // the attempt is over
	}
	w.changed(r, from, to)
	r.state, r.stateAt, r.exiting = to, now, to == fsm.Exiting
	if l := w.lift(r.liftID); l != nil {
		l.was(to)
	}
	w.overNow(now, r)
}
