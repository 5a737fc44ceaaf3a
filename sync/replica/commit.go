package replica

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"hoistway/sync/shadow"
)

type batch struct {
	records []shadow.Record
	err     error // it was refused
	done    func(error)
}

// maxJoined bounds one transaction, in records.
const maxJoined = 4096

// Stats counts since New. Batches divided by Commits is what joining saves.
type Stats struct{ Batches, Commits, Records, Failures uint64 }

type counters struct{ batches, commits, records, failures atomic.Uint64 }

// Stats may be called at any time.
func (r *Replica) Stats() Stats {
	return Stats{
		Batches: r.stats.batches.Load(), Commits: r.stats.commits.Load(),
		Records: r.stats.records.Load(), Failures: r.stats.failures.Load(),
	}
}

// commit is the committer: it ends when ctx has and nothing waits any more.
func (r *Replica) commit(ctx context.Context) {
	for {
		select {
		case <-r.batches.filled:
			r.commitAll(r.batches.take())
		case <-ctx.Done():
			for {
				left, closed := r.batches.finish()
				if closed {
					return
				}
				r.commitAll(left)
			}
		}
	}
}

func (r *Replica) commitAll(waiting []batch) {
	for len(waiting) > 0 {
		n := together(waiting)
		r.commitTogether(waiting[:n])
		waiting = waiting[n:]
	}
}

// together is how many of the first batches go into one transaction.
func together(waiting []batch) int {
	n, records := 0, 0
	for n < len(waiting) && waiting[n].err == nil {
		records += len(waiting[n].records)
		if n > 0 && records > maxJoined {
			break
		}
		n++
	}
	return max(n, 1) // one that was refused stands alone
}

// commitTogether writes some batches in one transaction. If that fails, each is
// tried alone: one bad record must not take the others with it.
func (r *Replica) commitTogether(batches []batch) {
	if err := batches[0].err; err != nil {
		batches[0].done(err)
		return
	}
	err := r.write(join(batches))
	if err != nil && len(batches) > 1 {
		for i := range batches {
			r.commitTogether(batches[i : i+1])
		}
		return
	}
	for _, b := range batches {
		r.stats.batches.Add(1)
		b.done(err)
	}
}

func (r *Replica) write(records []shadow.Record) error {
	if len(records) == 0 {
		return nil
	}
	records, err := spelled(records)
	if err == nil {
		err = r.store.Commit(records)
	}
	if err != nil {
		r.stats.failures.Add(1)
		return err
	}
	r.stats.commits.Add(1)
	r.stats.records.Add(uint64(len(records)))
	return nil
}

// spelled gives the records as a store takes them. The batch itself stays as it is:
// it may have to be tried again, and whoever handed it in still reads it.
func spelled(records []shadow.Record) ([]shadow.Record, error) {
	out := slices.Clone(records)
	for i := range out {
		value, err := out[i].Bytes()
		if err != nil {
			return nil, fmt.Errorf("spell out %s/%s: %w", out[i].Bucket, out[i].Key, err)
		}
		out[i].Value, out[i].Body = value, nil
	}
	return out, nil
}

// join puts batches one behind the other; of a key that several write only the
// last is kept.
func join(batches []batch) []shadow.Record {
	if len(batches) == 1 {
		return batches[0].records
	}
	type id struct{ bucket, key string }
	last := map[id]int{}
	var all []shadow.Record
	for _, b := range batches {
		for _, rec := range b.records {
			at := id{rec.Bucket, rec.Key}
			if i, again := last[at]; again {
				all[i] = rec
				continue
			}
			last[at] = len(all)
			all = append(all, rec)
		}
	}
	return all
}
