package hooks

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// Answer is what a sender is told.
type Answer struct {
	Status int
	Type   string
	Body   []byte
	After  time.Duration // try again after it; 0: not said
}

// durableWithin is how long the door waits for the disk.
const durableWithin = 3 * time.Second

// Why a message cannot be kept now: its sender is to keep it and to bring it again.
var (
	errFull   = errors.New("too many messages wait")
	errDisk   = errors.New("nothing can be stored")
	errTooFat = errors.New("messages come too fast")
	errReplay = errors.New("its nonce came before with another message")
)

// Receive answers a message. By then one that counts is durable.
func (h *Hooks) Receive(ctx context.Context, lift string, p drivers.Push) Answer {
	d := h.desks[lift]
	if d == nil {
		return Answer{Status: 404, Type: "text/plain; charset=utf-8", Body: []byte("no messages are taken here\n")}
	}
	p.At, p.Wall = h.o.Now(), h.o.Wall()
	a := d.receive(ctx, p)
	d.answered(a.Status)
	return a
}

// Turned counts a message that the door could not even read, by what it was answered.
func (h *Hooks) Turned(lift string, status int) {
	if d := h.desks[lift]; d != nil {
		d.answered(status)
		d.refused("the door", "could not be read")
	}
}

func (d *desk) receive(ctx context.Context, p drivers.Push) Answer {
	a := d.r.Admit(p)
	out := Answer{Status: a.Status, Type: a.Type, Body: a.Body}
	if !a.Keep {
		d.sorted(a)
		return out
	}
	err := d.keep(ctx, p, a)
	switch {
	case errors.Is(err, errReplay):
		d.refused("replay", err.Error())
		return Answer{Status: 401, Type: "text/plain; charset=utf-8", Body: []byte("refused\n")}
	case errors.Is(err, errTooFat):
		return later(429, time.Second)
	case err != nil:
		return later(503, 5*time.Second)
	}
	return out
}

func later(status int, after time.Duration) Answer {
	return Answer{Status: status, Type: "text/plain; charset=utf-8", Body: []byte("try again later\n"), After: after}
}

// sorted counts what is not kept.
func (d *desk) sorted(a drivers.Admission) {
	if a.Fate == "refused" {
		d.refused("message", a.Why)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	switch a.Fate {
	case "check":
		d.counts.checks++
	case "foreign":
		d.counts.foreign++
	default:
		d.counts.other++
	}
}

// refused counts and writes down, not each of a row of them.
func (d *desk) refused(what, why string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.counts.refused++
	if now := d.h.o.Wall(); now.After(d.quiet) {
		d.quiet = now.Add(10 * time.Second)
		d.h.o.Log.Warn("a pushed message is refused", "code", "E-6030", "lift", d.id, "what", what, "why", why)
	}
}

// keep makes a message durable, unless it is already. Its error says why it is not.
func (d *desk) keep(ctx context.Context, p drivers.Push, a drivers.Admission) error {
	m, err := d.enter(p, a)
	if m == nil {
		return err
	}
	return m.durable(ctx)
}

// durable waits until a message lies in the store.
func (m *message) durable(ctx context.Context) error {
	limit := time.NewTimer(durableWithin)
	defer limit.Stop()
	select {
	case <-m.done:
		return m.err
	case <-limit.C:
		return errDisk
	case <-ctx.Done():
		return errDisk
	}
}

// enter puts a message into the queue, or finds the one that is there already. Both are
// nil for one that was taken before. d.order keeps the records in the order of the queue.
func (d *desk) enter(p drivers.Push, a drivers.Admission) (*message, error) {
	d.order.Lock()
	defer d.order.Unlock()
	m, rows, err := d.line(p, a)
	if rows == nil {
		return m, err
	}
	d.h.o.Commit(rows, func(err error) { d.ended(m, a.Nonce, err) })
	return m, nil
}

// line gives a message its place, and the records of it; none where there is nothing to
// write down.
func (d *desk) line(p drivers.Push, a drivers.Admission) (m *message, rows []shadow.Record, err error) {
	key := keyOf(p, a)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.replayed(p, a, key) {
		return nil, nil, errReplay
	}
	if m := d.waiting(key); m != nil || d.seen.has(key) {
		d.counts.duplicates++
		return m, nil, nil
	}
	if !p.Fetched && !d.flow.take(p.Wall) {
		d.counts.turned++
		return nil, nil, errTooFat
	}
	if len(d.queue) >= maxWaiting || !d.h.size.take(len(p.Body)) {
		d.counts.turned++
		return nil, nil, errFull
	}
	m = &message{seq: d.next, key: key, push: p, size: len(p.Body), done: make(chan struct{})}
	d.next++
	d.queue = append(d.queue, m)
	rows = []shadow.Record{d.record(number(m.seq), "message", stored{key, p.Wall.UnixMilli(), p.Fetched, p.Body})}
	return m, append(rows, d.noted(p, a, key)...), nil
}

// keyOf is what a message is known by. One without an id is known by its nonce; without
// either it is a message of its own each time, since the same words may come again.
func keyOf(p drivers.Push, a drivers.Admission) string {
	switch {
	case a.ID != "":
		return hashed("id " + a.ID)
	case p.Fetched: // it is asked for again and again
		return hashed("body " + string(p.Body))
	case a.Nonce != "":
		return hashed("nonce " + a.Nonce + " " + string(p.Body))
	}
	return hashed(fmt.Sprintf("at %d %s", p.Wall.UnixNano(), p.Body))
}

// replayed reports whether the nonce of a message came before with another one, or may
// have: of a message that was signed so long ago it would be forgotten.
func (d *desk) replayed(p drivers.Push, a drivers.Admission, key string) bool {
	if a.Nonce == "" {
		return false
	}
	n, again := d.nonces[hashed(a.Nonce)]
	if again {
		return n.ID != key && p.Wall.Sub(time.UnixMilli(n.Wall)) < d.plan.Nonces
	}
	return !a.Sent.IsZero() && a.Sent.UnixMilli() <= d.kept.Floor && !d.seen.has(key)
}

// noted remembers a nonce. When there are too many the oldest goes, and with it whatever
// was signed no later: so no replay finds its nonce forgotten.
func (d *desk) noted(p drivers.Push, a drivers.Admission, key string) (rows []shadow.Record) {
	if a.Nonce == "" {
		return nil
	}
	n := nonce{Wall: p.Wall.UnixMilli(), ID: key}
	if !a.Sent.IsZero() {
		n.Sent = a.Sent.UnixMilli()
	}
	d.nonces[hashed(a.Nonce)] = n
	rows = []shadow.Record{d.record(hashed(a.Nonce), "nonce", n)}
	if len(d.nonces) <= maxNonces {
		return rows
	}
	oldest := ""
	for id, o := range d.nonces {
		if oldest == "" || o.Wall < d.nonces[oldest].Wall {
			oldest = id
		}
	}
	d.kept.Floor = max(d.kept.Floor, d.nonces[oldest].Sent)
	delete(d.nonces, oldest)
	return append(rows, d.gone(oldest, "nonce"))
}

// ended tells who waits what became of a message on the disk.
func (d *desk) ended(m *message, word string, err error) {
	if err != nil {
		d.mu.Lock()
		m.err = errors.Join(errDisk, err)
		d.drop(m)
		delete(d.nonces, hashed(word))
		d.mu.Unlock()
	}
	close(m.done)
	poke(d.news)
}

func instantOf(d time.Duration) elevator.Instant { return elevator.Instant(max(0, d)) }
