package core

import (
	"errors"
	"slices"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// unsaved remembers the newest value of each record that the store could not take,
// so that nothing is lost when it works again.
type unsaved struct {
	seq     uint64
	flying  []Write // handed to the store, oldest first
	kept    []shadow.Record
	retryAt elevator.Instant
}

// storeRetry is the pause before a failing store is tried again.
const storeRetry = 5 * time.Second

// out numbers a batch and puts what failed before under it.
func (u *unsaved) out(batch []shadow.Record) Write {
	u.seq++
	w := Write{Seq: u.seq, Records: batch}
	if len(u.kept) > 0 {
		w.Records = append(u.kept, batch...)
	}
	u.kept, u.retryAt = nil, 0
	u.flying = append(u.flying, w)
	return w
}

// back takes in what became of a batch. A record that can never be stored is
// dropped, or it would take every later batch with it; the others of its batch
// are due at once.
func (u *unsaved) back(seq uint64, err error, now elevator.Instant) {
	i := slices.IndexFunc(u.flying, func(w Write) bool { return w.Seq == seq })
	if i < 0 {
		return
	}
	batch := u.flying[i].Records
	later := u.flying[i+1:]
	if err != nil {
		u.keep(batch, later, err, now)
	}
	u.flying = slices.Delete(u.flying, i, i+1)
}

func (u *unsaved) keep(batch []shadow.Record, later []Write, err error, now elevator.Instant) {
	var bad *shadow.BadRecord
	poisoned := errors.As(err, &bad)
	for _, r := range batch {
		hopeless := poisoned && r.Bucket == bad.Bucket && r.Key == bad.Key
		if !hopeless && !slices.ContainsFunc(later, func(w Write) bool { return at(w.Records, r) >= 0 }) {
			u.put(r)
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

// put keeps the newer of two values of one record.
func (u *unsaved) put(r shadow.Record) {
	if i := at(u.kept, r); i >= 0 {
		u.kept[i] = r
		return
	}
	u.kept = append(u.kept, r)
}

// at is where a list has a value of the same record, or -1.
func at(list []shadow.Record, r shadow.Record) int {
	return slices.IndexFunc(list, func(x shadow.Record) bool { return x.Key == r.Key && x.Bucket == r.Bucket })
}

// due reports whether it is time to try again.
func (u *unsaved) due(now elevator.Instant) bool { return len(u.kept) > 0 && u.retryAt.Reached(now) }
