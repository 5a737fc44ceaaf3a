// Package timeline is a virtual clock with a queue of things to come.
//
// A [Timeline] holds events of one type E and hands them out in order of time.
// Two events of the same instant come out in the order in which they were
// planned, so that a run depends on nothing but its inputs: no map order, no
// scheduler, no real clock. Taking an event moves the clock to its instant;
// the clock never goes back.
//
// Times are nanoseconds from the start of the run, as a plain int64. The
// package knows nothing of lifts, and imports nothing.
//
// Events stand in one line by value, the next one last: what is planned is mostly soon, and
// finds its place near the end. With the tens that a site has waiting that takes half the
// work of a heap; with thousands it would not. A timeline has one owner; it is not safe for
// several goroutines.
package timeline

import "slices"

// Timeline is the clock and its queue. The zero Timeline is ready, at time 0.
type Timeline[E any] struct {
	now  int64
	seq  uint64
	line []entry[E] // the latest first
}

// Handle names one planned event, to take it back. The zero Handle names none.
// A handle of an event that was taken or cancelled stays harmless for ever.
type Handle struct {
	at  int64
	seq uint64
}

type entry[E any] struct {
	Handle
	event E
}

// Now is the instant of the last event taken, or that of a later [Timeline.Skip].
func (t *Timeline[E]) Now() int64 { return t.now }

// Len is how many events wait.
func (t *Timeline[E]) Len() int { return len(t.line) }

// Plan puts e at the instant at. An instant that has passed means now: the event
// then comes after those which are due already.
func (t *Timeline[E]) Plan(at int64, e E) Handle {
	at = max(at, t.now)
	t.seq++
	h := Handle{at: at, seq: t.seq}
	t.line = append(t.line, entry[E]{})
	i := len(t.line) - 1
	for ; i > 0 && t.line[i-1].at <= at; i-- {
		t.line[i] = t.line[i-1]
	}
	t.line[i] = entry[E]{h, e}
	return h
}

// Cancel takes a planned event back. It is false when the event was taken or
// cancelled before.
func (t *Timeline[E]) Cancel(h Handle) bool {
	if h.seq == 0 || h.at < t.now {
		return false
	}
	for i := len(t.line) - 1; i >= 0 && t.line[i].at <= h.at; i-- {
		if t.line[i].seq == h.seq {
			t.line = slices.Delete(t.line, i, i+1)
			return true
		}
	}
	return false
}

// Next is the instant of the earliest event; ok is false when none waits.
func (t *Timeline[E]) Next() (at int64, ok bool) {
	if len(t.line) == 0 {
		return 0, false
	}
	return t.line[len(t.line)-1].at, true
}

// Take removes the earliest event and moves the clock to it.
func (t *Timeline[E]) Take() (at int64, e E, ok bool) {
	last := len(t.line) - 1
	if last < 0 {
		return t.now, e, false
	}
	x := &t.line[last]
	t.now, at, e = x.at, x.at, x.event
	*x = entry[E]{} // let go of the event
	t.line = t.line[:last]
	return at, e, true
}

// TakeUntil is Take for an event due at or before limit. When there is none the
// clock stays.
func (t *Timeline[E]) TakeUntil(limit int64) (at int64, e E, ok bool) {
	if at, ok := t.Next(); !ok || at > limit {
		return t.now, e, false
	}
	return t.Take()
}

// Skip moves the clock forward to the instant to, but not past the next event
// nor back. It returns where the clock stands.
func (t *Timeline[E]) Skip(to int64) int64 {
	if at, ok := t.Next(); ok {
		to = min(to, at)
	}
	t.now = max(t.now, to)
	return t.now
}
