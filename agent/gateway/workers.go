package gateway

import (
	"context"
	"sync"
	"time"

	"hoistway/fsm/elevator"
)

// workers carry out one lift's commands: doors and calls apart, so that a hold
// never waits behind a slow call, and each kind in the order it was asked.
type workers struct {
	lift  Lift
	doors chan task
	calls chan task
	done  func(elevator.Outcome)
}

type task struct {
	cmd  elevator.Command
	left time.Duration // of its life, when it was asked
}

const (
	commandBacklog = 16
	// commandLimit bounds one command whose life is not shorter.
	commandLimit = 10 * time.Second
)

func newWorkers(l Lift, done func(elevator.Outcome)) *workers {
	return &workers{lift: l, doors: make(chan task, commandBacklog), calls: make(chan task, commandBacklog), done: done}
}

func (w *workers) start(ctx context.Context, owned *sync.WaitGroup) {
	for _, c := range []chan task{w.doors, w.calls} {
		owned.Go(func() { w.work(ctx, c) })
	}
}

func (w *workers) work(ctx context.Context, tasks <-chan task) {
	for {
		select {
		case <-ctx.Done():
			return
		case t := <-tasks:
			limit, cancel := context.WithTimeout(ctx, min(t.left, commandLimit))
			out := w.lift.Link.Do(limit, t.cmd)
			cancel()
			out.ID = t.cmd.ID
			w.done(out)
		}
	}
}

// give hands a command over; false when too many wait.
func (w *workers) give(c elevator.Command, now elevator.Instant) bool {
	to := w.calls
	if c.Verb == elevator.Hold || c.Verb == elevator.Lapse {
		to = w.doors
	}
	left := commandLimit
	if c.Until != 0 {
		left = c.Until.Until(now)
	}
	select {
	case to <- task{c, left}:
		return true
	default:
		return false
	}
}
