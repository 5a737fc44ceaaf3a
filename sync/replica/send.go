package replica

import (
	"context"
	"time"

	"hoistway/sync/shadow"
)

type message struct {
	shadow.Publish
	due  time.Time
	err  error // it was refused
	done func(token string, err error)
}

// send works one lane off, one message after the other.
func (r *Replica) send(ctx context.Context, lane *queue[message]) {
	for {
		select {
		case <-lane.filled:
			for _, m := range lane.take() {
				m.done(m.Token, r.sendOne(ctx, m))
			}
		case <-ctx.Done():
			r.giveUp(lane)
			return
		}
	}
}

func (r *Replica) giveUp(lane *queue[message]) {
	for {
		left, closed := lane.finish()
		if closed {
			return
		}
		for _, m := range left {
			m.done(m.Token, ErrStopped)
		}
		r.log.Debug("messages given up at the end", "count", len(left))
	}
}

func (r *Replica) sendOne(ctx context.Context, m message) error {
	switch {
	case m.err != nil:
		return m.err
	case r.uplink == nil:
		return ErrNoUplink
	}
	ctx, cancel := context.WithDeadline(ctx, m.due)
	defer cancel()
	return r.uplink.Publish(ctx, m.Message)
}
