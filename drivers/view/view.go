package view

import (
	"context"
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// View is the newest snapshot of one lift.
type View struct {
	now    func() elevator.Instant
	silent time.Duration

	mu    sync.Mutex
	snap  elevator.Snapshot
	since elevator.Instant // when something good last came, or the start
	subs  map[chan struct{}]bool
}

// New makes a view that is offline once nothing good came for silent.
func New(now func() elevator.Instant, silent time.Duration) *View {
	return &View{now: now, silent: silent, since: now(), subs: make(map[chan struct{}]bool)}
}

// Good lays values over the snapshot and has the link online, unless lay fails.
// lay must not block; what it changed before it failed stays.
func (v *View) Good(lay func(*elevator.Snapshot) error) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	if err := lay(&v.snap); err != nil {
		return err
	}
	v.since = v.now()
	v.turn(elevator.Online, v.since)
	v.wake()
	return nil
}

// Alive notes that the controller was heard, though it told nothing of the lift.
func (v *View) Alive() { _ = v.Good(func(*elevator.Snapshot) error { return nil }) }

// Note changes the snapshot, and leaves open whether the controller is there.
func (v *View) Note(change func(*elevator.Snapshot)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	change(&v.snap)
	v.wake()
}

// Down notes a controller that cannot be reached; change marks what it feeds as failed.
func (v *View) Down(change func(*elevator.Snapshot)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	change(&v.snap)
	v.turn(elevator.Offline, v.now())
	v.wake()
}

// Snapshot is what is known as of now.
func (v *View) Snapshot() elevator.Snapshot {
	v.mu.Lock()
	defer v.mu.Unlock()
	if end := v.since.Add(v.silent); end.Reached(v.now()) {
		v.turn(elevator.Offline, end)
	}
	return v.snap
}

func (v *View) turn(s elevator.LinkState, at elevator.Instant) {
	if v.snap.Link != s {
		v.snap.Link, v.snap.LinkSince = s, at
	}
}

// Watch delivers at once, with each change, and at least once a period. A deliver
// that is slow gets the newest and misses what lay between. It ends with ctx's
// error, or with ErrClosed when shut is closed.
func (v *View) Watch(ctx context.Context, shut <-chan struct{}, period time.Duration, deliver func(elevator.Snapshot)) error {
	news := make(chan struct{}, 1)
	v.subscribe(news, true)
	defer v.subscribe(news, false)
	t := time.NewTimer(period)
	defer t.Stop()
	for {
		deliver(v.Snapshot())
		t.Reset(period)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-shut:
			return drivers.ErrClosed
		case <-news:
		case <-t.C:
		}
	}
}

func (v *View) subscribe(news chan struct{}, on bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if on {
		v.subs[news] = true
		return
	}
	delete(v.subs, news)
}

// wake tells the watchers; v.mu is held.
func (v *View) wake() {
	for news := range v.subs {
		select {
		case news <- struct{}{}:
		default:
		}
	}
}
