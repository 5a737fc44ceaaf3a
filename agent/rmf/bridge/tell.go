package bridge

import (
	"context"
	"encoding/json"
	"time"

	"hoistway/agent/rmf"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// told is what a lift's readers heard last.
type told struct {
	state rmf.LiftState
	at    elevator.Instant
}

// tell publishes states until ctx ends.
func (b *Bridge) tell(ctx context.Context) {
	last := map[string]told{}
	wake := time.NewTimer(0)
	defer wake.Stop()
	for {
		wake.Reset(b.round(ctx, last))
		select {
		case <-ctx.Done():
			return
		case <-b.nudge:
		case <-wake.C:
		}
		if !sleep(ctx, rest) {
			return
		}
	}
}

// round publishes what is new or due, and says how long there will be nothing unless a
// new view comes.
func (b *Bridge) round(ctx context.Context, last map[string]told) time.Duration {
	b.mu.Lock()
	v, tm := b.o.Desk.View(), b.time()
	states, next := b.tr.States(v, tm), b.tr.Changes(v, tm.Now)
	afresh, answer := b.afresh, b.answer
	b.afresh, b.answer = false, map[string]bool{}
	b.mu.Unlock()
	wait := everyOnce
	if next != 0 {
		wait = min(wait, next.Until(tm.Now))
	}
	for i := range states {
		s := &states[i]
		was, known := last[s.LiftName]
		due := was.at.Add(everyOnce)
		if known && !afresh && !answer[s.LiftName] && rmf.Same(&was.state, s) && !due.Reached(tm.Now) {
			wait = min(wait, due.Until(tm.Now))
			continue
		}
		last[s.LiftName] = told{*s, tm.Now}
		b.publish(ctx, s)
	}
	return max(wait, time.Millisecond)
}

// publish sends one state, which a newer one follows soon: a loss is no news.
func (b *Bridge) publish(ctx context.Context, s *rmf.LiftState) {
	payload, err := json.Marshal(s)
	if err != nil {
		b.log.Error("a state of Open-RMF cannot be written", "lift", s.LiftName, "error", err)
		return
	}
	if err := b.o.Broker.Publish(ctx, shadow.Message{Topic: b.o.Prefix + "/lifts/" + s.LiftName + "/state", Payload: payload}); err != nil {
		b.log.Debug("a state of Open-RMF was not sent", "lift", s.LiftName, "error", err)
	}
}

func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}
