package carry

import (
	"context"
	"sync"
	"time"

	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// debts are messages that end what a command began.
type debts struct {
	mu   sync.Mutex
	list []debt
	more chan struct{} // there is another, or the way is open again
}

type debt struct {
	send   profiles.Send
	due    time.Time
	failed bool // it was tried, and could not be paid
}

// Which debts are paid.
type which func(*debt) bool

func due(d *debt) bool   { return !time.Now().Before(d.due) }
func tried(d *debt) bool { return d.failed || due(d) }
func whole(d *debt) bool { return true }

const (
	// maxDebts bounds them; the oldest go first, since a newer one ends the same thing.
	maxDebts = 64
	// again is the pause before a debt that could not be paid is tried anew.
	again = time.Second
)

// owe keeps those of the sends that end what began, without one that may close a door:
// that is only said by a command of its own.
func (f *Flow) owe(sends []profiles.Send, after time.Duration) {
	f.debts.mu.Lock()
	at := time.Now().Add(after)
	for _, x := range sends {
		if x.Owed && !x.MayClose {
			f.debts.list = append(f.debts.list, debt{send: x, due: at})
			at = at.Add(x.Pause)
		}
	}
	if n := len(f.debts.list) - maxDebts; n > 0 {
		f.debts.list = f.debts.list[n:]
	}
	f.debts.mu.Unlock()
	f.debts.wake()
}

func (d *debts) wake() {
	select {
	case d.more <- struct{}{}:
	default:
	}
}

// next is how long until one is due.
func (d *debts) next() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	wait := time.Hour
	for _, x := range d.list {
		wait = min(wait, time.Until(x.due))
	}
	return wait
}

// take takes some out of the list.
func (d *debts) take(of which) (out []debt) {
	d.mu.Lock()
	defer d.mu.Unlock()
	var rest []debt
	for _, x := range d.list {
		if of(&x) {
			out = append(out, x)
		} else {
			rest = append(rest, x)
		}
	}
	d.list = rest
	return out
}

// put brings back what could not be paid, before what came since.
func (d *debts) put(list []debt) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i := range list {
		list[i].due, list[i].failed = time.Now().Add(again), true
	}
	d.list = append(list, d.list...)
}

// pay sends what is owed, in its order; false where one could not leave. One
// that is not answered stays owed; to one that is refused there is nothing more to be done.
func (f *Flow) pay(ctx context.Context, of which) (left bool) {
	list, unpaid := f.debts.take(of), []debt(nil)
	left = true
	for _, d := range list {
		switch out := f.payOne(ctx, d.send); {
		case out.Result == elevator.NotSent:
			left = false
			unpaid = append(unpaid, d)
		case out.Result == elevator.ResultUnknown && !f.SayOnce:
			unpaid = append(unpaid, d)
		}
	}
	f.debts.put(unpaid)
	return left
}

func (f *Flow) payOne(ctx context.Context, x profiles.Send) elevator.Outcome {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return f.not(elevator.CommandID{}, err.Error())
	}
	return f.Send(ctx, elevator.CommandID{}, x)
}

// Run pays what is owed in its time, until ctx ends.
func (f *Flow) Run(ctx context.Context) {
	for ctx.Err() == nil {
		t := time.NewTimer(max(f.debts.next(), time.Millisecond))
		select {
		case <-ctx.Done():
		case <-t.C:
			f.pay(ctx, due)
		case <-f.debts.more:
		}
		t.Stop()
	}
}

// Back says that the way is open again: what could not leave is tried now.
func (f *Flow) Back(ctx context.Context) { f.pay(ctx, tried) }

// Close takes no more commands, and pays all that is owed while ctx lives.
func (f *Flow) Close(ctx context.Context) {
	f.shut.Do(func() { close(f.ended) })
	f.pay(ctx, whole)
}
