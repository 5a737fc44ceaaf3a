package virtual

import (
	"cmp"
	"errors"
	"slices"

	"hoistway/agent/core"
	"hoistway/sync/shadow"
)

// store keeps records as the disk does: it outlives the process.
type store struct{ rows []shadow.Record }

// errDisk is what a store says that cannot.
var errDisk = errors.New("no space left on device")

// commit writes a batch as a whole, and gives back to the core what it wrote over.
func (d *store) commit(batch []shadow.Record, c *core.Core) {
	for _, r := range batch {
		c.Spent(d.put(r))
	}
}

// put hands out what stood there before.
func (d *store) put(r shadow.Record) (was shadow.Record) {
	for i := len(d.rows) - 1; i >= 0; i-- { // what is written again is mostly among the newest
		if d.rows[i].Key != r.Key || d.rows[i].Bucket != r.Bucket {
			continue
		}
		was = d.rows[i]
		if r.Deletes() {
			d.rows = slices.Delete(d.rows, i, i+1)
			return was
		}
		d.rows[i] = r
		return was
	}
	if !r.Deletes() {
		d.rows = append(d.rows, r)
	}
	return was
}

// load gives the records of some buckets, in the order of the buckets and then of
// their keys.
func (d *store) load(buckets []string) []shadow.Record {
	var out []shadow.Record
	for _, b := range buckets {
		from := len(out)
		for _, r := range d.rows {
			if r.Bucket == b {
				out = append(out, r)
			}
		}
		slices.SortFunc(out[from:], func(x, y shadow.Record) int { return cmp.Compare(x.Key, y.Key) })
	}
	return out
}
