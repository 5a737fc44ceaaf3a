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
// Events live in the queue by value and the heap is written out for them, with
// no interface in between, because a soak of years takes hundreds of millions of
// steps. A timeline has one owner; it is not safe for several goroutines.
package timeline

// Timeline is the clock and its queue. The zero Timeline is ready, at time 0.
type Timeline[E any] struct {
	now   int64
	seq   uint64
	heap  []entry
	slots []slot[E]
	free  []int32
}

// Handle names one planned event, to take it back. The zero Handle names none.
// A handle of an event that was taken or cancelled stays harmless for ever: its
// slot may serve another event by then, but under another number.
type Handle struct {
	slot int32
	gen  uint64
}

type entry struct {
	at   int64
	seq  uint64
	slot int32
}

type slot[E any] struct {
	pos   int32 // index in heap
	gen   uint64
	event E
}

// Now is the instant of the last event taken, or that of a later [Timeline.Skip].
func (t *Timeline[E]) Now() int64 { return t.now }

// Len is how many events wait.
func (t *Timeline[E]) Len() int { return len(t.heap) }

// Plan puts e at the instant at. An instant that has passed means now: the event
// then comes after those which are due already.
func (t *Timeline[E]) Plan(at int64, e E) Handle {
	at = max(at, t.now)
	t.seq++
	i := t.slot()
	t.slots[i].gen, t.slots[i].event = t.seq, e
	t.heap = append(t.heap, entry{})
	t.up(len(t.heap)-1, entry{at: at, seq: t.seq, slot: i})
	return Handle{slot: i, gen: t.seq}
}

// Cancel takes a planned event back. It is false when the event was taken or
// cancelled before.
func (t *Timeline[E]) Cancel(h Handle) bool {
	if h.gen == 0 || int(h.slot) >= len(t.slots) || t.slots[h.slot].gen != h.gen {
		return false
	}
	t.remove(int(t.slots[h.slot].pos))
	return true
}

// Next is the instant of the earliest event; ok is false when none waits.
func (t *Timeline[E]) Next() (at int64, ok bool) {
	if len(t.heap) == 0 {
		return 0, false
	}
	return t.heap[0].at, true
}

// Take removes the earliest event and moves the clock to it.
func (t *Timeline[E]) Take() (at int64, e E, ok bool) {
	if len(t.heap) == 0 {
		return t.now, e, false
	}
	first := t.heap[0]
	t.now = first.at
	e = t.slots[first.slot].event
	t.remove(0)
	return first.at, e, true
}

// TakeUntil is Take for an event due at or before limit. When there is none the
// clock stays.
func (t *Timeline[E]) TakeUntil(limit int64) (at int64, e E, ok bool) {
	if len(t.heap) == 0 || t.heap[0].at > limit {
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

func (t *Timeline[E]) slot() int32 {
	if n := len(t.free); n > 0 {
		i := t.free[n-1]
		t.free = t.free[:n-1]
		return i
	}
	t.slots = append(t.slots, slot[E]{})
	return int32(len(t.slots) - 1)
}
