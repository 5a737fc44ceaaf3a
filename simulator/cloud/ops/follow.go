package ops

import (
	"fmt"

	"hoistway/sync/shadow"
)

func (f *Follow) name() string { return f.Batch + "/" + f.Serial + "/" + f.Shadow }

// follow takes a member in.
func (d *Desk) follow(f *Follow) {
	d.follows.put(f.name(), f)
	d.index(f)
}

func (d *Desk) index(f *Follow) {
	d.of[f.Batch] = append(d.of[f.Batch], f)
	d.by[f.Member] = append(d.by[f.Member], f)
}

func (d *Desk) set(b *Batch, f *Follow, fate Fate, code int) {
	if b.Count[f.Fate]--; b.Count[f.Fate] == 0 {
		delete(b.Count, f.Fate)
	}
	b.Count[fate]++
	f.Fate, f.Code = fate, code
	d.follows.put(f.name(), f)
}

// followed looks what a new document says of the batches that its shadow is in.
func (d *Desk) followed(m Member, doc shadow.Document, now int64) {
	for _, f := range d.by[m] {
		b := d.batches.get(f.Batch)
		if b.State == Stopped || f.Fate != Written && f.Fate != Late {
			continue
		}
		if fate, code := b.fate(doc); fate != Written {
			d.set(b, f, fate, code)
			d.judge(b, now)
		}
	}
}

// fate is what one document says of the whole batch. A late one that follows after all
// has followed.
func (b *Batch) fate(doc shadow.Document) (Fate, int) {
	all, code := InForce, 0
	for path, wished := range b.Desired {
		if !shadow.Equal(doc.Desired[path], wished) {
			continue // somebody wishes otherwise now: that is not this batch's to wait for
		}
		switch is, ac := fate(doc, path); {
		case is == Refused:
			all, code = Refused, max(code, ac)
		case is == Written && all == InForce:
			all, code = Written, ac
		}
	}
	return all, code
}

// Refused tells that the service did not take a write of this desk.
func (d *Desk) Refused(w Write, code int, now int64) Result {
	b := d.batches.get(w.Batch)
	if b == nil || b.State == Stopped {
		return d.done()
	}
	for _, f := range d.by[Member{w.Serial, w.Shadow}] {
		if f.Batch == b.ID {
			d.set(b, f, Refused, code)
		}
	}
	d.judge(b, now)
	return d.done()
}

func (d *Desk) tickBatches(now int64) {
	for _, b := range d.batches.all() {
		if b.State != Running {
			continue
		}
		changed := false
		for _, f := range d.of[b.ID] {
			if f.Fate == Written && now-f.At >= b.Limit {
				d.set(b, f, Late, 0)
				changed = true
			}
		}
		if changed {
			d.judge(b, now)
		}
	}
}

// judge stops a batch with too many failures, goes on to the next wave when this one
// has its answers, or ends it.
func (d *Desk) judge(b *Batch, now int64) {
	failed := b.Count[Refused] + b.Count[Late]
	share := float64(failed) / float64(len(d.of[b.ID]))
	switch {
	case b.State == Running && share > b.MaxFailures:
		d.stop(b, fmt.Sprintf("stopped: %d of %d members did not follow", failed, len(d.of[b.ID])), now)
		return
	case b.State == Running && b.Count[Written] == 0 && b.Count[Waiting] > 0:
		d.wave(b, now)
		return
	case b.State == Running && b.Count[Written] == 0:
		b.State, b.Ended = Done, now
	}
	d.batches.put(b.ID, b)
}

// Behind lists who has not followed after the limit, or refused: the list that the
// inspection takes up.
func (d *Desk) Behind() []Follow {
	out := []Follow{}
	for _, b := range d.batches.all() {
		for _, f := range d.of[b.ID] {
			if b.State != Stopped && (f.Fate == Late || f.Fate == Refused) {
				out = append(out, *f)
			}
		}
	}
	return out
}
