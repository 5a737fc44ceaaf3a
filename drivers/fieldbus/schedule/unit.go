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
	silent  int              // time-outs in a row
	proven  bool             // has answered a read since the line was opened and since its last time-out
	suspect bool             // a stale answer of it may come: probe first
	probes  int              // sent since it became suspect
	probe   Key              // the poll to probe with; it must be the one that went unanswered
}

func (l *Line) unitFor(id uint8) *unit {
	for i := range l.units {
		if l.units[i].id == id {
			return &l.units[i]
		}
	}
	l.units = append(l.units, unit{id: id})
	return &l.units[len(l.units)-1]
}

// free is the instant from which the unit may be asked.
func (u *unit) free() elevator.Instant { return max(u.quiet, u.retry) }

// heard judges the unit by what became of a transaction.
func (l *Line) heard(u *unit, tx Tx, o Outcome, now elevator.Instant) {
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
		if tx.Kind == Read {
			u.proven = true
			if tx.Probe > 0 {
				u.suspect, u.probes = false, 0
			}
		}
	}
}

func (l *Line) unheard(u *unit, tx Tx, now elevator.Instant) {
	u.silent++
	u.proven = false
	u.retry = now.Add(l.backoff(u.silent))
	if !l.set.Blind {
		return
	}
	l.drainUntil = max(l.drainUntil, now.Add(u.worst))
	u.suspect = true
	if tx.Kind == Read {
		u.probe = tx.Key
	}
}

// probing picks the poll to probe u with, -1 for none.
func (l *Line) probing(u *unit) int {
	first := -1
	for i := range l.polls {
		if l.polls[i].unit != u.id {
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

// Limits of the back-off of a silent unit. One that is alone on its line delays
// nobody.
const (
	backoffFirst  = 250 * time.Millisecond
	backoffAlone  = time.Second
	backoffShared = 5 * time.Second
)

// backoff is how long to leave a unit alone after n time-outs in a row. The
// first costs nothing: one lost answer is common.
func (l *Line) backoff(n int) time.Duration {
	limit := backoffAlone
	if l.shared() {
		limit = backoffShared
	}
	if n < 2 {
		return 0
	}
	return min(backoffFirst<<min(n-2, 10), limit)
}

func (l *Line) shared() bool {
	for _, m := range l.members {
		if m.unit != l.members[0].unit {
			return true
		}
	}
	return false
}

// Limits of the pause before a line is opened anew. For the first minute it
// stays short, so that a controller that was restarted is back soon.
const (
	redialFirst = 200 * time.Millisecond
	redialSoon  = 1500 * time.Millisecond
	redialLate  = 8 * time.Second
	redialShort = time.Minute
)

// redial is the pause before the next opening, with up to a quarter of jitter.
func (l *Line) redial(now elevator.Instant) time.Duration {
	limit := redialSoon
	if now.Sub(l.downSince) >= redialShort {
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
