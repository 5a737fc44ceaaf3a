package gateway

import (
	"errors"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// unsaved remembers the newest value of each record that the store could not
// take, so that nothing is lost when it works again.
type unsaved struct {
	seq     uint64
	flying  map[uint64][]shadow.Record
	newest  map[recordID]uint64 // batch that last wrote the record, while it may fail
	kept    map[recordID]shadow.Record
	retryAt elevator.Instant
}

type recordID struct{ bucket, key string }

// storeRetry is the pause before a failing store is tried again.
const storeRetry = 5 * time.Second

func newUnsaved() unsaved {
	return unsaved{flying: map[uint64][]shadow.Record{}, newest: map[recordID]uint64{}, kept: map[recordID]shadow.Record{}}
}

// out numbers a batch and puts what failed before under it.
func (u *unsaved) out(batch []shadow.Record) (uint64, []shadow.Record) {
	u.seq++
	all := make([]shadow.Record, 0, len(u.kept)+len(batch))
	for _, r := range u.kept {
		all = append(all, r)
	}
	clear(u.kept)
	all = append(all, batch...)
	for _, r := range all {
		u.newest[recordID{r.Bucket, r.Key}] = u.seq
	}
	u.flying[u.seq] = all
	u.retryAt = 0
	return u.seq, all
}

// back takes in what became of a batch. A record that can never be stored is
// dropped, or it would take every later batch with it; the others of its batch
// are due at once.
func (u *unsaved) back(seq uint64, err error, now elevator.Instant) {
	batch := u.flying[seq]
	delete(u.flying, seq)
	var bad *shadow.BadRecord
	poisoned := errors.As(err, &bad)
	for _, r := range batch {
		id := recordID{r.Bucket, r.Key}
		if err != nil && u.newest[id] == seq && !(poisoned && id == recordID{bad.Bucket, bad.Key}) {
			u.kept[id] = r
		}
	}
	for _, r := range batch {
		if id := (recordID{r.Bucket, r.Key}); u.newest[id] == seq {
			delete(u.newest, id)
		}
	}
	switch {
	case len(u.kept) == 0:
	case poisoned:
		u.retryAt = now
	case u.retryAt == 0:
		u.retryAt = now.Add(storeRetry)
	}
}

// due reports whether it is time to try again.
func (u *unsaved) due(now elevator.Instant) bool { return len(u.kept) > 0 && u.retryAt.Reached(now) }

// storing is when the batches under way began. They end in that order.
type storing struct {
	since []elevator.Instant
	heard elevator.Instant // when the last one ended
}

// storeLimit is how long a batch may take. Flash that tidies up takes seconds.
const storeLimit = 5 * time.Second

var errHangs = errors.New("the store does not answer")

func (s *storing) began(now elevator.Instant) { s.since = append(s.since, now) }

func (s *storing) ended(now elevator.Instant) {
	s.heard = now
	s.since = s.since[1:]
}

func (s *storing) hangs(now elevator.Instant) bool {
	return len(s.since) > 0 && max(s.since[0], s.heard).Add(storeLimit).Reached(now)
}
