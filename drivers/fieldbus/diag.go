package fieldbus

import (
	"context"
	"fmt"
	"sync/atomic"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus/schedule"
)

// diag is one question of a technician under way.
type diag struct {
	ask   func(*Wire) error
	unit  uint8
	state atomic.Int32 // queued, started, withdrawn
	done  chan error
}

// Diag asks one question of the lowest rank: after commands, looks and points, of
// which every sixteenth gives way to it. ask may run on another goroutine, but never
// after Diag has returned. The error is ask's own, or wraps ErrBusy when too many
// questions wait, ErrLink when the line is down, ErrTimeout when ctx ends before
// its turn, ErrClosed.
func (p *Port) Diag(ctx context.Context, ask func(*Wire) error) error {
	d := &diag{ask: ask, unit: p.m.Unit, done: make(chan error, 1)}
	key := p.l.nextKey()
	if !p.post(ctx, note{ev: schedule.Ask{Key: key, Owner: p.owner}, diag: d}) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%w: %w", drivers.ErrTimeout, err)
		}
		return drivers.ErrClosed
	}
	p.l.help(func(tx schedule.Tx) bool { return tx.Key == key && p.patient(ctx) })
	select {
	case err := <-d.done:
		return err
	case <-p.l.ended:
		return p.tooLate(d, drivers.ErrClosed)
	case <-ctx.Done():
		p.hint(note{ev: schedule.Withdraw{Key: key}})
		return p.tooLate(d, fmt.Errorf("%w: %w", drivers.ErrTimeout, ctx.Err()))
	}
}

// tooLate takes the question back, or waits for the answer that is under way.
func (p *Port) tooLate(d *diag, err error) error {
	if d.state.CompareAndSwap(queued, withdrawn) {
		return err
	}
	return <-d.done
}

// askDiag is for who has the line.
func (l *line) askDiag(w *Wire, key schedule.Key) error {
	d := l.diags[key]
	delete(l.diags, key)
	if d == nil || !d.state.CompareAndSwap(queued, started) {
		return context.Canceled
	}
	err := d.ask(w)
	d.done <- err
	return err
}

// settleDiag ends a question that was not asked.
func (l *line) settleDiag(key schedule.Key, err error) {
	if d := l.diags[key]; d != nil {
		delete(l.diags, key)
		d.done <- err
	}
}
