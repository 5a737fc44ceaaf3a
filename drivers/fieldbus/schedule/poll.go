package schedule

import "hoistway/fsm/elevator"

// Ranks of reads, best first.
const (
	rankAsked = iota
	rankFast  // and a probe: its unit has nothing else to send, the others have a period
	rankSlow
	rankNone
)

// pickRead chooses a poll by rank, then by how long it is due, and names the slow
// one that has waited longest; -1 for none.
func (l *Line) pickRead(now elevator.Instant) (best, slow int) {
	best, slow = -1, -1
	top := rankNone
	for i := range l.polls {
		r := l.rank(i, now)
		if r == rankNone {
			continue
		}
		if r < top || r == top && l.since(i) < l.since(best) {
			best, top = i, r
		}
		if r == rankSlow && (slow < 0 || l.since(i) < l.since(slow)) {
			slow = i
		}
	}
	if slow >= 0 && l.fastRow >= slowShare {
		return slow, slow
	}
	return best, slow
}

// since is the instant from which poll i waits; a probe waits for its unit.
func (l *Line) since(i int) elevator.Instant {
	p := &l.polls[i]
	if p.unit.suspect {
		return p.unit.free()
	}
	return p.due
}

func (l *Line) rank(i int, now elevator.Instant) int {
	p := &l.polls[i]
	u := p.unit
	switch {
	case u.free() > now:
		return rankNone
	case u.suspect && l.probing(u) == i && l.wanted(u):
		return rankAsked
	case u.suspect && l.probing(u) == i:
		return rankFast
	case u.suspect:
		return rankNone
	case p.asked, !u.proven && l.probing(u) == i && l.wanted(u):
		return rankAsked
	case p.due > now:
		return rankNone
	case p.Fast:
		return rankFast
	}
	return rankSlow
}

// read makes the transaction of poll i and sets when it is due again. A poll
// that is behind keeps its place; the lost periods are not made up for.
func (l *Line) read(i int, now elevator.Instant) Tx {
	p := &l.polls[i]
	tx := Tx{Kind: Read, Unit: p.unit.id, Key: p.Key}
	if u := p.unit; u.suspect {
		u.probes++
		tx.Probe = u.probes
	} else {
		p.again, p.asked = p.asked, false
		p.due = nextDue(p, now)
	}
	return tx
}

// nextDue leaves the period alone for a read out of turn.
func nextDue(p *poll, now elevator.Instant) elevator.Instant {
	switch next := p.due.Add(p.Every); {
	case p.due > now:
		return p.due
	case next > now:
		return next
	}
	return now.Add(p.Every)
}

// countRow counts the reads that go before a waiting slow poll.
func (l *Line) countRow(i, slow int, now elevator.Instant) {
	if slow < 0 || l.rank(i, now) == rankSlow {
		l.fastRow = 0
		return
	}
	l.fastRow++
}
