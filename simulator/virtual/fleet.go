package virtual

import (
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// A robot of a fleet gives no signal of its own and names one landing at a time. It goes
// through a door that it is shown as open, which is while its permit stands, and its
// fleet claims afterwards what it must have done, once a second until that is believed.

const (
	claimEvery  = time.Second
	triesAgain  = 5 * time.Second // a claim that it has not got in
	endsSession = 2 * time.Second // after it is out, with nothing said in between
)

// fleetSays claims what is to be claimed now, by what the agent says of the ride.
func (r *robot) fleetSays() {
	t, now := &r.told, r.s.at()
	switch {
	case !r.fleet || t.ride == "" || r.going:
	case r.place.where == fsm.InCar:
		r.fleetIn(t)
	case !r.crossed || r.move.ride != t.ride:
		if t.where == fsm.Unknown && t.state == fsm.Fault {
			r.claim(fsm.GaveUpEntering, triesAgain)
		}
	case !r.move.entering && now.Sub(r.cameOut) >= endsSession:
		r.claim(fsm.Left, claimEvery)
	}
}

// fleetIn says where the robot wants to go, and that it is in.
func (r *robot) fleetIn(t *told) {
	if t.to == 0 && r.s.at().Sub(r.patched) >= claimEvery {
		r.patched = r.s.at()
		if k := r.s.known(t.ride); k != nil && k.goal != "" {
			r.fleetOrder("names "+k.goal+" as the place to go to", core.PatchRide{Ride: t.ride, To: k.goal, Aboard: true, By: "fleet"})
		}
	}
	if t.where != fsm.Inside {
		r.claim(fsm.Entered, claimEvery)
	}
}

func (r *robot) claim(says fsm.SignalKind, every time.Duration) {
	if r.claimed != 0 && r.s.at().Sub(r.claimed) < every {
		return
	}
	r.claimed = r.s.at()
	r.fleetOrder("claims "+string(says), core.ClaimRide{Ride: r.told.ride, Says: says, By: "fleet"})
}

func (r *robot) fleetOrder(what string, o core.Order) {
	if !r.s.agent.up {
		return
	}
	r.tell("its fleet %s", what)
	r.s.agent.order(o)
}

// fleetThrough notes the end of a crossing, in place of a word about it.
func (r *robot) fleetThrough() {
	r.crossed, r.cameOut, r.claimed = !r.move.turned, r.s.at(), 0
}

// manner of a fleet's robot, beside that of any.
type fleetman struct {
	fleet   bool
	crossed bool             // it has gone through the door that its last move was for
	cameOut elevator.Instant // when that was
	claimed elevator.Instant
	patched elevator.Instant
}
