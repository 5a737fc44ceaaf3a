package schedule

import (
	"time"

	"hoistway/fsm/elevator"
)

// unit is the health of one address on the line.
type unit struct {
	id      uint8
	worst   time.Duration
	quiet   elevator.Instant // end of the silence it needs after a write
	retry   elevator.Instant // end of its back-off
	since   elevator.Instant // and its begin
	silent  int              // time-outs in a row
	proven  bool             // has answered a read since the line was opened and since its last time-out
	met     bool             // has answered a read since the line was opened
	suspect bool             // a stale answer of it may come: probe first
	probes  int              // sent since it became suspect
	probe   Key              // the poll to probe with; it must be the one that went unanswered
	refused bool             // the last probe was answered by a no, which fits any question
}

func (l *Line) unitFor(id uint8) *unit {
	for _, u := range l.units {
		if u.id == id {
			return u
		}
	}
	u := &unit{id: id}
	l.units = append(l.units, u)
	return u
}

// free is the instant from which the unit may be asked.
func (u *unit) free() elevator.Instant { return max(u.quiet, u.retry) }

// heard judges the unit by what became of a transaction.
func (l *Line) heard(u *unit, tx Tx, o Outcome, now elevator.Instant) {
	if tx.Kind == Echo || o == Told {
		return // nobody has answered, nobody was to
	}
	switch o {
	case Unsent:
		if tx.Kind == Read {
			u.retry = now.Add(backoffFirst)
		}
	case Silent:
		l.unheard(u, tx, now)
	default:
		u.silent, u.retry = 0, 0
		l.fails, l.downSince = 0, 0
		if tx.Kind == Read && (tx.Probe == 0 || l.cleared(u, o, now)) {
			u.proven, u.met = true, true
		}
	}
}

// cleared ends the suspicion of u, whose probe was answered. A no has one shape
// for all questions: it may be the late answer to an older one, with the probe's
// own still under way. The line is silent once more then, and a second no stands:
// some devices refuse a block for good.
func (l *Line) cleared(u *unit, o Outcome, now elevator.Instant) bool {
	if o != Good && !u.refused {
		u.refused = true
		l.drainUntil = max(l.drainUntil, now.Add(u.worst))
		return false
	}
	u.suspect, u.refused, u.probes = false, false, 0
	return true
}

func (l *Line) unheard(u *unit, tx Tx, now elevator.Instant) {
	u.silent++
	u.proven = false
	u.since = now
	u.retry = now.Add(l.backoff(u))
	if !l.set.Blind {
		return
	}
	l.drainUntil = max(l.drainUntil, now.Add(u.worst))
	if l.shared() { // else the silence, which stops the others too, would eat the pause
		u.since = l.drainUntil
		u.retry = l.drainUntil.Add(l.backoff(u))
	}
	u.suspect, u.refused = true, false
	if tx.Kind == Read {
		u.probe = tx.Key
	}
}

// probing picks the poll to probe u with, -1 for none.
func (l *Line) probing(u *unit) int {
	first := -1
	for i := range l.polls {
		if l.polls[i].unit != u {
			continue
		}
		if l.polls[i].Key == u.probe {
			return i
		}
		if first < 0 {
			first = i
		}
	}
	return first
}

// mayWrite reports whether commands may go to u. A unit that nobody reads can
// not prove itself.
func (l *Line) mayWrite(u *unit) bool {
	return u.proven && !u.suspect || l.probing(u) < 0
}

// known reports whether u has shown itself since the line was opened. A unit that
// nobody reads can not.
func (l *Line) known(u *unit) bool { return u.met || l.probing(u) < 0 }

// wanted reports whether somebody waits for u, beside its polls.
func (l *Line) wanted(u *unit) bool {
	for i := range l.jobs {
		if l.jobs[i].unit == u {
			return true
		}
	}
	for i := range l.diags {
		if l.diags[i].unit == u {
			return true
		}
	}
	return false
}

// hurry cuts the back-off of a unit that somebody wants, once for each wish.
func (u *unit) hurry() { u.retry = min(u.retry, u.since.Add(backoffAlone)) }

// Limits of the back-off of a silent unit. One that is alone on its line delays
// nobody. One of many on a line that a time-out holds up for long is asked so
// seldom that the others do not feel it.
const (
	backoffFirst  = 250 * time.Millisecond
	backoffAlone  = time.Second
	backoffShared = 5 * time.Second
	backoffCrowd  = time.Minute

	crowd    = 8                      // units
	slowLine = 250 * time.Millisecond // and more, that a time-out costs
)

// backoff is how long to leave a unit alone after its time-outs in a row. The
// first costs nothing: one lost answer is common.
func (l *Line) backoff(u *unit) time.Duration {
	limit, n := backoffAlone, l.population()
	switch {
	case n >= crowd && l.cost(u) > slowLine:
		limit = backoffCrowd
	case n > 1:
		limit = backoffShared
	}
	if u.silent < 2 {
		return 0
	}
	return min(backoffFirst<<min(u.silent-2, 10), limit)
}

// cost is how long a time-out of u holds up the line: the wait, and on a blind
// line the silence behind it.
func (l *Line) cost(u *unit) time.Duration {
	if l.set.Blind {
		return 2 * u.worst
	}
	return u.worst
}

func (l *Line) shared() bool { return l.population() > 1 }

// population is the number of units that are used.
func (l *Line) population() (n int) {
	for i, m := range l.members {
		first := true
		for _, o := range l.members[:i] {
			first = first && o.unit != m.unit
		}
		if first {
			n++
		}
	}
	return n
}

// Limits of the pause before a line is opened anew. For the first minute it
// stays short, so that a controller that was restarted is back soon.
const (
	redialFirst = 200 * time.Millisecond
	redialSoon  = 1500 * time.Millisecond
	redialLate  = 8 * time.Second
	redialNear  = 4 * time.Second
	redialShort = time.Minute
)

// redial is the pause before the next opening, with up to a quarter of jitter.
func (l *Line) redial(now elevator.Instant) time.Duration {
	limit := redialSoon
	switch away := now.Sub(l.downSince) >= redialShort; {
	case away && l.set.Near:
		limit = redialNear
	case away:
		limit = redialLate
	}
	d := min(redialFirst<<min(l.fails, 10), limit)
	return d + time.Duration(l.random()%uint64(d/4+1))
}

// random is splitmix64.
func (l *Line) random() uint64 {
	l.rng += 0x9e3779b97f4a7c15
	z := l.rng
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}
