package view

import (
	"context"
	"sync"

	"hoistway/fsm/elevator"
)

// remembered is how many ids are kept. Ids are never used anew, and a ride has a
// handful of commands under way: this reaches back many rides.
const remembered = 512

// Once carries each command out at most once for its id. The zero Once is ready.
type Once struct {
	mu   sync.Mutex
	acts map[elevator.CommandID]*act
	ring []elevator.CommandID
	at   int
}

type act struct {
	done chan struct{}
	out  elevator.Outcome // valid once done is closed
}

// Do carries c out by carry, unless its id was asked before: then it waits for
// that outcome and gives it. A command of which no byte left may be asked anew.
// One that is past its life, or taken back, is not carried out.
func (o *Once) Do(ctx context.Context, c elevator.Command, now func() elevator.Instant, carry func(context.Context) elevator.Outcome) elevator.Outcome {
	if why := late(ctx, c, now()); why != "" {
		return elevator.Outcome{ID: c.ID, Result: elevator.NotSent, Detail: why, At: now()}
	}
	a, mine := o.claim(c.ID)
	if mine {
		a.out = carry(ctx)
		close(a.done)
		return a.out
	}
	select {
	case <-a.done:
		out := a.out
		out.Detail = "asked before; " + out.Detail
		return out
	case <-ctx.Done():
		return elevator.Outcome{ID: c.ID, Detail: "asked before and still under way", At: now()}
	}
}

func late(ctx context.Context, c elevator.Command, now elevator.Instant) string {
	switch {
	case c.Until.Reached(now):
		return "its life ended before it could be sent"
	case ctx.Err() != nil:
		return "taken back: " + ctx.Err().Error()
	}
	return ""
}

func (o *Once) claim(id elevator.CommandID) (a *act, mine bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	had, ok := o.acts[id]
	if ok && !had.unsent() {
		return had, false
	}
	if !ok {
		o.note(id)
	}
	a = &act{done: make(chan struct{})}
	o.acts[id] = a
	return a, true
}

func (a *act) unsent() bool {
	select {
	case <-a.done:
		return a.out.Result == elevator.NotSent
	default:
		return false
	}
}

// note puts an id on the ring and forgets the one that was there.
func (o *Once) note(id elevator.CommandID) {
	if o.acts == nil {
		o.acts = make(map[elevator.CommandID]*act)
	}
	if len(o.ring) < remembered {
		o.ring = append(o.ring, id)
		return
	}
	delete(o.acts, o.ring[o.at])
	o.ring[o.at] = id
	o.at = (o.at + 1) % remembered
}
