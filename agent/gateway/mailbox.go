package gateway

import (
	"slices"
	"sync"

	"hoistway/fsm/elevator"
)

// mailbox brings the ends of what the loop has started back to it. Senders never
// wait; what lies in it is bounded by what the loop has under way.
type mailbox struct {
	mu    *sync.Mutex
	items *[]any
	ready chan struct{}
}

func newMailbox() mailbox {
	return mailbox{mu: &sync.Mutex{}, items: &[]any{}, ready: make(chan struct{}, 1)}
}

func (m mailbox) put(v any) {
	m.mu.Lock()
	*m.items = append(*m.items, v)
	m.mu.Unlock()
	poke(m.ready)
}

func (m mailbox) take() []any {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := *m.items
	*m.items = nil
	return out
}

// latest keeps the newest reading of each lift: a loop that is late sees fewer
// readings, never old ones.
type latest struct {
	mu    sync.Mutex
	cars  []reading
	ready chan struct{}
}

type reading struct {
	lift string
	car  elevator.Snapshot
}

func newLatest() *latest { return &latest{ready: make(chan struct{}, 1)} }

func (l *latest) put(lift string, car elevator.Snapshot) {
	l.mu.Lock()
	i := slices.IndexFunc(l.cars, func(r reading) bool { return r.lift == lift })
	if i < 0 {
		l.cars = append(l.cars, reading{lift, car})
	} else {
		l.cars[i].car = car
	}
	l.mu.Unlock()
	poke(l.ready)
}

func (l *latest) take() []reading {
	l.mu.Lock()
	defer l.mu.Unlock()
	out := l.cars
	l.cars = nil
	return out
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
