package ops

import (
	"fmt"
	"maps"
	"slices"

	"hoistway/sync/shadow"
)

const (
	maxBatches  = 500
	maxMembers  = 20_000  // of one batch
	maxFollows  = 200_000 // of all
	batchLimit  = 3600    // seconds, when none is given
	batchShare  = 0.1     // of failures, when none is given
	longestTime = 7 * 24 * 3600
)

// How a batch stands.
const (
	Running = "running"
	Done    = "done"
	Stopped = "stopped"
)

// Batch is one set of desired values for many shadows, written in waves. It touches
// its own members and no others.
type Batch struct {
	ID          string      `json:"id"`
	By          string      `json:"by"`
	Group       string      `json:"group"`
	Lifts       bool        `json:"lifts,omitempty"` // the shadows of lifts, not the classic ones
	Desired     shadow.Tree `json:"desired"`
	Limit       int64       `json:"limit_s,omitempty"`      // after it a member that has not followed is late
	Wave        int         `json:"wave,omitempty"`         // members at a time, 0 = all
	MaxFailures float64     `json:"max_failures,omitempty"` // share of members, refused or late, above which it stops

	State string       `json:"state"`
	Began int64        `json:"began"`
	Ended int64        `json:"ended,omitempty"`
	Why   string       `json:"why,omitempty"` // it stopped
	Count map[Fate]int `json:"count"`         // members by fate
}

// Follow is how one member follows its batch.
type Follow struct {
	Batch string `json:"batch"`
	Member
	Fate   Fate        `json:"fate"`
	Code   int         `json:"code,omitempty"` // of the ack, or of the service's refusal
	At     int64       `json:"at,omitempty"`   // written
	Stable shadow.Tree `json:"stable,omitempty"`
}

// StartBatch takes the members of its group as they are now, and writes the first wave.
func (d *Desk) StartBatch(b Batch, now int64) (Result, error) {
	if b.Limit == 0 {
		b.Limit = batchLimit
	}
	if b.MaxFailures == 0 {
		b.MaxFailures = batchShare
	}
	g, known := d.Group(b.Group)
	switch {
	case !known:
		return d.done(), fmt.Errorf("%w group: %q", ErrUnknown, b.Group)
	case !shadow.ValidName(b.ID):
		return d.done(), fmt.Errorf("%w: id of a batch %q", ErrInvalid, b.ID)
	case d.batches.get(b.ID) != nil:
		return d.done(), fmt.Errorf("batch %s %w", b.ID, ErrTaken)
	case len(b.Desired) == 0:
		return d.done(), fmt.Errorf("%w: a batch without desired values", ErrInvalid)
	case b.Limit < 1 || b.Limit > longestTime || b.Wave < 0 || b.MaxFailures < 0 || b.MaxFailures > 1:
		return d.done(), fmt.Errorf("%w: limit_s is 1 to %d, wave 0 or more, max_failures 0 to 1", ErrInvalid, longestTime)
	}
	members := d.Members(g, b.Lifts)
	if n := len(members); n == 0 || n > maxMembers {
		return d.done(), fmt.Errorf("%w: group %s has %d members, want 1 to %d", ErrInvalid, b.Group, n, maxMembers)
	}
	if !d.roomFor(len(members)) {
		return d.done(), fmt.Errorf("batch: %w", ErrFull)
	}
	b.State, b.Began, b.Ended, b.Why, b.Count = Running, now, 0, "", map[Fate]int{Waiting: len(members)}
	for _, m := range members {
		d.follow(&Follow{Batch: b.ID, Member: m, Fate: Waiting})
	}
	d.batches.put(b.ID, &b)
	d.wave(&b, now)
	return d.done(), nil
}

// roomFor forgets the oldest batches that have ended until so many members fit.
func (d *Desk) roomFor(members int) bool {
	for d.batches.full() || len(d.follows.rows)+members > maxFollows {
		i := slices.IndexFunc(d.batches.rows, func(r *row[Batch]) bool { return r.v.State != Running })
		if i < 0 {
			return false
		}
		id := d.batches.rows[i].name
		for _, f := range d.of[id] {
			d.follows.drop(f.name())
			d.by[f.Member] = slices.DeleteFunc(d.by[f.Member], func(o *Follow) bool { return o == f })
		}
		delete(d.of, id)
		d.batches.drop(id)
	}
	return true
}

// StopBatch is an operator's stop: what was written is put back.
func (d *Desk) StopBatch(id, by string, now int64) (Result, error) {
	b := d.batches.get(id)
	switch {
	case b == nil:
		return d.done(), fmt.Errorf("%w batch: %q", ErrUnknown, id)
	case b.State == Stopped:
		return d.done(), fmt.Errorf("batch %s is stopped: %w", id, ErrInvalid)
	}
	d.stop(b, "stopped by "+by, now)
	return d.done(), nil
}

// Batches are all batches; those that stop or end stay in the list for long.
func (d *Desk) Batches() []Batch {
	out := copies(d.batches)
	for i := range out {
		out[i].Count = maps.Clone(out[i].Count)
	}
	return out
}

// Batch is one of them, and how each of its members follows.
func (d *Desk) Batch(id string) (b Batch, members []Follow, ok bool) {
	if b, ok = copyOf(d.batches, id); !ok {
		return b, nil, false
	}
	b.Count = maps.Clone(b.Count)
	for _, f := range d.of[id] {
		members = append(members, *f)
	}
	return b, members, true
}

// wave writes to the next members.
func (d *Desk) wave(b *Batch, now int64) {
	n := b.Wave
	if n == 0 {
		n = len(d.of[b.ID])
	}
	for _, f := range d.of[b.ID] {
		if n == 0 {
			break
		}
		if f.Fate != Waiting {
			continue
		}
		n--
		doc, _ := d.fleet.Document(f.Serial, f.Shadow)
		f.Stable, f.At = stable(doc, b.Desired), now
		d.set(b, f, Written, 0)
		d.out.Writes = append(d.out.Writes, Write{f.Serial, f.Shadow, b.Desired, b.ID, b.ID, b.By})
	}
	d.batches.put(b.ID, b)
}

// stable are the values to go back to: of each path the wish that was in force, or what
// was in force in its place; and none where nothing was wished, so that the device's
// own file holds again.
func stable(d shadow.Document, desired shadow.Tree) shadow.Tree {
	out := shadow.Tree{}
	for path := range desired {
		old, wished := d.Desired[path]
		if f, _ := fate(d, path); wished && f != InForce {
			old = d.Reported[path]
		}
		out[path] = old
	}
	return out
}

// stop writes the last stable values back to all who were written to, whether they
// followed or not: one that is away must not follow tomorrow.
func (d *Desk) stop(b *Batch, why string, now int64) {
	b.State, b.Ended, b.Why = Stopped, now, why
	for _, f := range d.of[b.ID] {
		if f.Fate == Waiting {
			d.set(b, f, Spared, 0)
			continue
		}
		doc, _ := d.fleet.Document(f.Serial, f.Shadow)
		if back := own(doc, b.Desired, f.Stable); len(back) > 0 {
			d.out.Writes = append(d.out.Writes, Write{f.Serial, f.Shadow, back, b.ID + "-undo", b.ID, b.By})
		}
		if f.Fate == InForce {
			d.set(b, f, Undone, 0)
		}
	}
	d.batches.put(b.ID, b)
	d.notice(Notice{At: now, Level: Warning, What: "batch", ID: b.ID, Text: "batch " + b.ID + " " + why + "; the last stable values are written back"})
}

// own are the stable values of those paths that nobody has written since.
func own(d shadow.Document, desired, back shadow.Tree) shadow.Tree {
	out := maps.Clone(back)
	maps.DeleteFunc(out, func(path string, _ any) bool { return !shadow.Equal(d.Desired[path], desired[path]) })
	return out
}
