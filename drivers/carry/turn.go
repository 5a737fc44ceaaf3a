package carry

import (
	"context"
	"time"

	"hoistway/fsm/elevator"
)

// HandLife is how long a raw write may wait for its turn, and then for its answer.
const HandLife = 10 * time.Second

// begin waits for the turn of a command; end gives it on. What ends a claim does not wait
// for it, since a claim may be under way for minutes.
func (f *Flow) begin(ctx context.Context, v elevator.Verb) (end func(), ok bool) {
	if endsClaim(v) && f.claiming.Load() {
		return func() {}, true
	}
	if !f.take(ctx) {
		return nil, false
	}
	if v != elevator.Claim {
		return f.give, true
	}
	f.claiming.Store(true)
	return func() { f.claiming.Store(false); f.give() }, true
}

func endsClaim(v elevator.Verb) bool {
	return v == elevator.GiveBack || v == elevator.Lapse || v == elevator.CancelCall
}

func (f *Flow) take(ctx context.Context) bool {
	select {
	case f.turn <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

func (f *Flow) give() { <-f.turn }

// Still waits until no command is under way and keeps others waiting until resume is
// called. When ctx ends it has stopped those that it could.
func (f *Flow) Still(ctx context.Context) (resume func()) {
	n := 0
	for n < cap(f.turn) && f.take(ctx) {
		n++
	}
	return func() {
		for range n {
			f.give()
		}
	}
}
