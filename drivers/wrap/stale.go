package wrap

import (
	"context"
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// Stale marks every part that is older than limit as failed, and says so at the
// latest limit after it came, though the link itself falls silent. It is for
// controllers whose link cannot tell: those that push.
func Stale(l drivers.Link, limit time.Duration, now func() elevator.Instant) drivers.Link {
	w := stale{l, limit, now}
	if _, ok := drivers.As[drivers.Watcher](l); ok {
		return staleWatcher{w}
	}
	return w
}

type stale struct {
	drivers.Link
	limit time.Duration
	now   func() elevator.Instant
}

func (w stale) Unwrap() drivers.Link { return w.Link }

func (w stale) Read(ctx context.Context) (elevator.Snapshot, error) {
	s, err := w.Link.Read(ctx)
	w.age(&s)
	return s, err
}

// age marks what is too old.
func (w stale) age(s *elevator.Snapshot) {
	now := w.now()
	old(&s.Floor, now, w.limit)
	old(&s.Motion, now, w.limit)
	for i := range s.Doors {
		old(&s.Doors[i], now, w.limit)
	}
	old(&s.Mode, now, w.limit)
	old(&s.Position, now, w.limit)
	for _, p := range []*elevator.Seen[elevator.Tri]{&s.Overload, &s.Nudging, &s.Obstruction, &s.EmergencyStop, &s.MayEnter, &s.MayLeave, &s.Claimed} {
		old(p, now, w.limit)
	}
	old(&s.Load, now, w.limit)
	for _, p := range []*elevator.Seen[elevator.FloorSet]{&s.UpCalls, &s.DownCalls, &s.CarCalls} {
		old(p, now, w.limit)
	}
	old(&s.Vendor, now, w.limit)
}

func old[T comparable](s *elevator.Seen[T], now elevator.Instant, limit time.Duration) {
	if s.At != 0 && now.Sub(s.At) > limit {
		s.Failed = true
	}
}

type staleWatcher struct{ stale }

// Watch delivers what the link delivers, and the last again while it is silent.
func (w staleWatcher) Watch(ctx context.Context, deliver func(elevator.Snapshot)) error {
	in, _ := drivers.As[drivers.Watcher](w.Link)
	a := ager{w: w.stale, deliver: deliver}
	done := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() { a.repeat(done) })
	defer wg.Wait()
	defer close(done)
	return in.Watch(ctx, a.take)
}

// ager delivers from two goroutines, one call at a time.
type ager struct {
	w       stale
	deliver func(elevator.Snapshot)
	mu      sync.Mutex
	last    elevator.Snapshot
	at      elevator.Instant // of the last delivery; never = none yet
}

func (a *ager) take(s elevator.Snapshot) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last = s
	a.send()
}

func (a *ager) send() {
	a.at = a.w.now()
	a.w.age(&a.last)
	a.deliver(a.last)
}

func (a *ager) repeat(done <-chan struct{}) {
	t := time.NewTicker(a.w.limit)
	defer t.Stop()
	for {
		select {
		case <-done:
			return
		case <-t.C:
		}
		a.mu.Lock()
		if a.at.Add(a.w.limit).Reached(a.w.now()) {
			a.send()
		}
		a.mu.Unlock()
	}
}
