package schedule

import (
	"time"

	"hoistway/fsm/elevator"
)

// feed is the watchdog of a unit.
type feed struct {
	key   Key
	owner Owner
	unit  *unit
	every time.Duration
	due   elevator.Instant
}

// ask is a question or a reply that waits for its turn.
type ask struct {
	Ask
	unit *unit
}

func (l *Line) feedFor(e Join, u *unit, now elevator.Instant) {
	if e.Every > 0 {
		l.feeds = append(l.feeds, feed{key: e.Feed, owner: e.Owner, unit: u, every: max(e.Every, minBeat), due: now})
	}
}

// pickFeed takes the watchdog that has waited longest. One whose unit has not
// shown itself on this line is not fed: it may be another device.
func (l *Line) pickFeed(now elevator.Instant) Tx {
	var best *feed
	for i := range l.feeds {
		f := &l.feeds[i]
		if l.known(f.unit) && f.from() <= now && (best == nil || f.due < best.due) {
			best = f
		}
	}
	if best == nil {
		return Tx{}
	}
	l.lateFeeds += late(best.due, best.every, now)
	best.due = again(best.due, best.every, now)
	return Tx{Kind: Feed, Unit: best.unit.id, Key: best.key}
}

func (f *feed) from() elevator.Instant { return f.unit.beatFrom(f.due, f.every) }

// pickEcho takes the oldest reply. Four in a row, then what else may go: a device
// that never stops speaking does not keep the line to itself.
func (l *Line) pickEcho() Tx {
	if len(l.echoes) == 0 || l.echoRow >= echoShare {
		return Tx{}
	}
	return l.echo()
}

func (l *Line) echo() Tx {
	a := l.echoes[0]
	l.echoes = append(l.echoes[:0], l.echoes[1:]...)
	return Tx{Kind: Echo, Unit: a.unit.id, Key: a.Key}
}

// diag is the place of the oldest question whose unit may be asked, -1 for none.
func (l *Line) diag(now elevator.Instant) int {
	for i := range l.diags {
		u := l.diags[i].unit
		if u.free() <= now && (!u.suspect || l.probing(u) < 0) {
			return i
		}
	}
	return -1
}

func (l *Line) takeDiag(i int) Tx {
	a := l.diags[i]
	l.diags = append(l.diags[:i], l.diags[i+1:]...)
	return Tx{Kind: Diag, Unit: a.unit.id, Key: a.Key}
}

// Why a question was not asked.
const (
	WhyFull = "too many questions wait"
	WhyLost = "line lost"
)

// silence ends the questions that wait and that gone picks.
func (l *Line) silence(gone func(ask) bool, why string) {
	l.diags = drop(l.diags, func(a ask) bool {
		if !gone(a) {
			return false
		}
		l.end(Ended{Key: a.Key, Result: elevator.NotSent, Why: why})
		return true
	})
}
