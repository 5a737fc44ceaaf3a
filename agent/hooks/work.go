package hooks

import (
	"context"
	"errors"
	"time"

	"hoistway/sync/shadow"
)

const (
	together = 100 // messages in one transaction
	again    = time.Second
)

// work takes what waits, in its order, until ctx ends.
func (d *desk) work(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-d.news:
		}
		for ctx.Err() == nil {
			ms := d.durable()
			if len(ms) == 0 {
				break
			}
			if err := d.take(ctx, ms); err != nil && ctx.Err() == nil {
				d.h.o.Log.Error("pushed messages wait for the store", "code", "E-4002", "lift", d.id, "error", err)
				sleep(ctx, again)
			}
		}
	}
}

// durable is the front of the queue, as far as it lies in the store.
func (d *desk) durable() (out []*message) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.queue[:min(len(d.queue), together)] {
		select {
		case <-m.done:
			out = append(out, m)
			continue
		default:
		}
		break
	}
	return out
}

// take works out what messages change, stores that with their ids in one transaction,
// and then tells the link.
func (d *desk) take(ctx context.Context, ms []*message) error {
	rows, states, late := d.weigh(ms)
	if err := d.commitAndWait(ctx, rows); err != nil {
		var bad *shadow.BadRecord
		if !errors.As(err, &bad) {
			return err
		}
		d.h.o.Log.Error("what pushes told can not be stored and is forgotten", "code", "E-4005", "lift", d.id, "error", err)
		if err := d.commitAndWait(ctx, d.dropped(ms)); err != nil {
			return err
		}
		d.forget(ms, nil)
		return nil
	}
	d.mu.Lock()
	d.counts.taken += uint64(len(ms))
	d.counts.late += uint64(late)
	d.mu.Unlock()
	d.forget(ms, states)
	return nil
}

// weigh gives the records of a transaction, and what was told before each message.
func (d *desk) weigh(ms []*message) (rows []shadow.Record, before []kept, late int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.kept
	wall := d.h.o.Wall()
	for _, m := range ms {
		before = append(before, now)
		told, n, err := d.r.Weigh(now.Told, m.push)
		if err != nil { // it was written by another version
			told, n, _ = d.r.Weigh(nil, m.push)
		}
		late += n
		now.Told, now.Heard = told, max(now.Heard, m.push.Wall.UnixMilli())
		rows = append(rows, d.gone(number(m.seq), "message"), d.record(m.key, "seen", d.remember(m.key, wall)))
	}
	before = append(before, now)
	rows = append(rows, d.record("self", "state", now))
	for _, id := range d.seen.old(wall) {
		rows = append(rows, d.gone(id, "seen"))
	}
	for id, n := range d.nonces {
		if wall.Sub(time.UnixMilli(n.Wall)) > d.plan.Nonces {
			delete(d.nonces, id)
			rows = append(rows, d.gone(id, "nonce"))
		}
	}
	return rows, before, late
}

func (d *desk) dropped(ms []*message) (rows []shadow.Record) {
	for _, m := range ms {
		rows = append(rows, d.gone(number(m.seq), "message"))
	}
	return rows
}

func (d *desk) remember(key string, wall time.Time) seenRow {
	if row, had := d.seen.rows[key]; had { // the transaction failed before and is tried again
		return row
	}
	return d.seen.add(key, wall)
}

// forget takes messages out of the queue and tells the link what they said. states holds
// what was told before each of them and after the last.
func (d *desk) forget(ms []*message, states []kept) {
	for i, m := range ms {
		if states != nil {
			d.r.Take(states[i].Told, m.push)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if states != nil {
		floor := d.kept.Floor // it may have risen meanwhile
		d.kept = states[len(ms)]
		d.kept.Floor = floor
	}
	for _, m := range ms {
		d.drop(m)
	}
}

// commitAndWait has the records durable, however long the disk takes.
func (d *desk) commitAndWait(ctx context.Context, rows []shadow.Record) error {
	done := make(chan error, 1)
	d.h.o.Commit(rows, func(err error) { done <- err })
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
		return ctx.Err()
	}
}

func sleep(ctx context.Context, wait time.Duration) {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
