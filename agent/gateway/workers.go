package gateway

import (
	"context"
	"sync"
	"time"

	"hoistway/fsm/elevator"
)

// workers carry out one lift's commands: doors, calls and claims apart, so that a hold
// never waits behind a slow call, nor a call that is taken back behind a claim that its
// controller thinks about for a minute; and each kind in the order it was asked.
type workers struct {
	lift   Lift
	doors  chan task
	calls  chan task
	claims chan task
	done   func(elevator.Outcome)
}

type task struct {
	cmd  elevator.Command
	left time.Duration // that it may take, when it was asked
}

const (
	commandBacklog = 16
	// commandLimit bounds one command that says no time of its own, and each at a door.
	commandLimit = 10 * time.Second
	// longest bounds a call or a claim: its own life is as long as its profile says.
	longest = 5 * time.Minute
)

func newWorkers(l Lift, done func(elevator.Outcome)) *workers {
	w := &workers{lift: l, done: done}
	w.doors, w.calls, w.claims = make(chan task, commandBacklog), make(chan task, commandBacklog), make(chan task, commandBacklog)
	return w
}

func (w *workers) start(ctx context.Context, owned *sync.WaitGroup) {
	for _, c := range []chan task{w.doors, w.calls, w.claims} {
		owned.Go(func() { w.work(ctx, c) })
	}
}

func (w *workers) work(ctx context.Context, tasks <-chan task) {
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-tasks:
			limit, cancel := context.WithTimeout(ctx, t.left)
			out := w.lift.Link.Do(limit, t.cmd)
			cancel()
			out.ID = t.cmd.ID
			w.done(out)
		}
	}
}

// give hands a command over; false when too many wait.
func (w *workers) give(c elevator.Command, now elevator.Instant) bool {
	to, most := w.calls, longest
	switch c.Verb {
	case elevator.Hold, elevator.Lapse:
		to, most = w.doors, commandLimit
	case elevator.Claim, elevator.GiveBack:
		to = w.claims
	}
	left := commandLimit
	if c.Until != 0 {
		left = min(c.Until.Until(now), most)
	}
	select {
	case to <- task{c, left}:
		return true
	default:
		return false
	}
}
