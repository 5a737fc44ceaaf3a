package modbus

import (
	"context"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// Watch delivers at once, with each answer and each failure, and at least once a
// period. A deliver that is slow gets the newest and misses what lay between. It
// ends with ctx's error, or with ErrClosed when the link is closed.
func (l *link) Watch(ctx context.Context, deliver func(elevator.Snapshot)) error {
	news := make(chan struct{}, 1)
	l.subscribe(news, true)
	defer l.subscribe(news, false)
	t := time.NewTimer(l.period)
	defer t.Stop()
	for {
		deliver(l.view())
		t.Reset(l.period)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.shut:
			return drivers.ErrClosed
		case <-news:
		case <-t.C:
		}
	}
}

func (l *link) subscribe(news chan struct{}, on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if on {
		l.subs[news] = true
		return
	}
	delete(l.subs, news)
}

// wake tells the watchers; l.mu is held.
func (l *link) wake() {
	for news := range l.subs {
		select {
		case news <- struct{}{}:
		default:
		}
	}
}
