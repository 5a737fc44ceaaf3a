package hooks

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// Lift is a lift and its link.
type Lift struct {
	ID   string
	Link drivers.Link
}

// Options are what hooks need; all of them are required.
type Options struct {
	Lifts []Lift
	// Commit makes records durable as a whole, in the order of the calls; it returns at
	// once and calls done once.
	Commit func(records []shadow.Record, done func(error))
	Load   func(bucket string) ([]shadow.Record, error)
	Now    func() elevator.Instant
	Wall   func() time.Time
	Log    *slog.Logger
}

// Hooks is the door and what stands behind it, one desk a lift. Its methods may be
// called from any goroutine.
type Hooks struct {
	o     Options
	desks map[string]*desk
	size  budget
}

// ErrNoPush is a lift whose controller pushes nothing.
var ErrNoPush = errors.New("messages are not pushed for this lift")

// New reads what is kept; Run starts the work. What cannot be read is left out and told.
func New(o Options) (*Hooks, error) {
	h := &Hooks{o: o, desks: map[string]*desk{}}
	for _, l := range o.Lifts {
		if r, ok := drivers.As[drivers.Receiver](l.Link); ok {
			h.desks[l.ID] = newDesk(h, l, r)
		}
	}
	if len(h.desks) == 0 {
		return h, nil
	}
	rows, err := o.Load(bucket)
	if err != nil {
		return nil, fmt.Errorf("read the messages that wait: %w", err)
	}
	for _, d := range h.desks {
		if left := d.load(rows); left > 0 {
			o.Log.Error("records of pushed messages can not be read; they are left out", "code", "E-4005", "lift", d.id, "records", left)
		}
		d.recall()
	}
	return h, nil
}

// Run works until ctx ends. What then waits is kept for the next start.
func (h *Hooks) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	for _, d := range h.desks {
		wg.Go(func() { d.work(ctx) })
		if m, ok := drivers.As[drivers.Mender](d.link); ok {
			wg.Go(func() { (&mending{desk: d, m: m}).run(ctx) })
			if d.plan.Queue > 0 {
				wg.Go(func() { (&mending{desk: d, m: m}).drain(ctx) })
			}
		}
	}
	wg.Wait()
	return nil
}

// Pushes reports whether messages are pushed for a lift.
func (h *Hooks) Pushes(lift string) bool { return h.desks[lift] != nil }

// Enable has the service push again, and has everything read anew. It wraps ErrNoPush or
// drivers.ErrNotCapable where only a person can; Status tells the steps.
func (h *Hooks) Enable(ctx context.Context, lift string) error {
	d := h.desks[lift]
	if d == nil {
		return ErrNoPush
	}
	m, ok := drivers.As[drivers.Mender](d.link)
	if !ok {
		return drivers.ErrNotCapable
	}
	if err := m.Enable(ctx); err != nil {
		return fmt.Errorf("have the service push again: %w", err)
	}
	d.enabled()
	return nil
}

// Notice takes what the vendor tells people of its pushes, by mail or by a short
// message: it is an alarm, and the time until the service suspends the push runs.
func (h *Hooks) Notice(lift, text string) error {
	d := h.desks[lift]
	if d == nil {
		return ErrNoPush
	}
	d.notice(text)
	return nil
}

// budget bounds the bytes that wait in all queues together.
type budget struct {
	mu   sync.Mutex
	used int
}

func (b *budget) take(n int) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.used+n > maxBytes {
		return false
	}
	b.used += n
	return true
}

func (b *budget) give(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
}

// Bounds of what waits. The store takes 16 MiB in all.
const (
	maxWaiting = 1000 // messages of a lift
	maxBytes   = 4 << 20
)
