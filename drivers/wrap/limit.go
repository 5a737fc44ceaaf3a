package wrap

import (
	"context"
	"fmt"
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// backlog bounds how many gaps a command is made to wait.
const backlog = 8

// Limit keeps commands at least gap apart, for a controller that drops those
// that come too fast. Whatever concerns a door or takes something back is not
// delayed. A command that would wait longer than eight gaps is not sent.
func Limit(l drivers.Link, gap time.Duration, now func() elevator.Instant) drivers.Link {
	return &limit{Link: l, gap: gap, now: now}
}

type limit struct {
	drivers.Link
	gap time.Duration
	now func() elevator.Instant

	mu   sync.Mutex
	next time.Time // from when the next command may go
}

func (l *limit) Unwrap() drivers.Link { return l.Link }

func (l *limit) Do(ctx context.Context, c elevator.Command) elevator.Outcome {
	if urgent(c.Verb) {
		return l.Link.Do(ctx, c)
	}
	wait, ok := l.place()
	if !ok {
		return l.unsent(c, "too many commands wait")
	}
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
		return l.Link.Do(ctx, c)
	case <-ctx.Done():
		return l.unsent(c, fmt.Sprintf("taken back: %v", ctx.Err()))
	}
}

func (l *limit) unsent(c elevator.Command, why string) elevator.Outcome {
	return elevator.Outcome{ID: c.ID, Result: elevator.NotSent, Advice: elevator.AdviceWait, Detail: why, At: l.now()}
}

// place takes the next free place in time.
func (l *limit) place() (wait time.Duration, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	at := now
	if l.next.After(now) {
		at = l.next
	}
	if wait = at.Sub(now); wait > backlog*l.gap {
		return 0, false
	}
	l.next = at.Add(l.gap)
	return wait, true
}

func urgent(v elevator.Verb) bool {
	switch v {
	case elevator.Hold, elevator.Lapse, elevator.CancelCall, elevator.GiveBack:
		return true
	}
	return false
}
