package schedule

import "hoistway/fsm/elevator"

// slowShare and commandShare bound how long the lower kinds may wait: so many
// of the higher kind in a row, then one of the lower.
const (
	slowShare    = 7
	commandShare = 4
)

// Step tells the line what happened at now and returns what to do. It is total:
// an event that does not fit changes nothing. The caller carries out Next and
// tells how it went before it expects another transaction; other events may
// come in between.
func Step(l *Line, ev Event, now elevator.Instant) Next {
	l.ended = l.ended[:0]
	ev.apply(l, now)
	l.expire(now)
	n := l.choose(now)
	n.Ended = l.ended
	return n
}

// expire ends the commands whose life is over.
func (l *Line) expire(now elevator.Instant) {
	for i := len(l.jobs) - 1; i >= 0; i-- {
		if l.jobs[i].Until.Reached(now) && !l.inFlight(l.jobs[i].Key) {
			l.abandon(i, "its life ended before it could be sent")
		}
	}
}

func (l *Line) choose(now elevator.Instant) Next {
	switch {
	case l.busy.Kind != None || l.opening || l.Idle():
		return Next{}
	case !l.up && now >= l.retryAt:
		l.opening = true
		return Next{Do: Open}
	case !l.up:
		return Next{Until: sooner(l.retryAt, l.nextExpiry())}
	case now < l.drainUntil:
		return Next{Do: Drain, Until: l.drainUntil}
	}
	if tx := l.pick(now); tx.Kind != None {
		l.busy = tx
		return Next{Do: Send, Tx: tx}
	}
	return Next{Until: l.wake(now)}
}

func (l *Line) pick(now elevator.Instant) Tx {
	if tx := l.pickDebt(now); tx.Kind != None {
		return tx
	}
	r, slow := l.pickRead(now)
	if r < 0 || l.commandRow < commandShare {
		if tx := l.pickCommand(now); tx.Kind != None {
			if r >= 0 {
				l.commandRow++
			}
			return tx
		}
	}
	if r < 0 {
		return Tx{}
	}
	l.commandRow = 0
	l.countRow(r, slow, now)
	return l.read(r, now)
}

func (l *Line) pickDebt(now elevator.Instant) Tx {
	for i := range l.debts {
		if d := &l.debts[i]; d.due <= now && d.unit.free() <= now {
			return Tx{Kind: Debt, Unit: d.unit.id, Key: d.key, Stage: d.stage}
		}
	}
	return Tx{}
}

// pickCommand takes the best class, and in it the oldest. What a unit is owed,
// and a command that has begun there, block the others of that unit.
func (l *Line) pickCommand(now elevator.Instant) Tx {
	best := -1
	for i := range l.jobs {
		if l.mayStart(i, now) && (best < 0 || l.jobs[i].Class < l.jobs[best].Class) {
			best = i
		}
	}
	if best < 0 {
		return Tx{}
	}
	j := &l.jobs[best]
	return Tx{Kind: Write, Unit: j.unit.id, Key: j.Key, Stage: j.next}
}

func (l *Line) mayStart(i int, now elevator.Instant) bool {
	j := &l.jobs[i]
	if j.unit.free() > now || !l.mayWrite(j.unit) {
		return false
	}
	for k := range l.debts {
		if l.debts[k].unit == j.unit {
			return false
		}
	}
	for k := range l.jobs {
		if k != i && l.jobs[k].unit == j.unit && l.jobs[k].next > 0 {
			return false
		}
	}
	return true
}

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
	case u.suspect && l.probing(u) == i:
		return rankFast
	case u.suspect:
		return rankNone
	case p.asked:
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

// wake is the earliest instant at which time alone changes the choice.
func (l *Line) wake(now elevator.Instant) elevator.Instant {
	w := l.nextExpiry()
	for i := range l.polls {
		p := &l.polls[i]
		w = sooner(w, after(now, max(p.due, p.unit.free())))
	}
	for i := range l.debts {
		d := &l.debts[i]
		w = sooner(w, after(now, max(d.due, d.unit.free())))
	}
	for _, u := range l.units {
		w = sooner(w, after(now, u.free()))
	}
	return w
}

func (l *Line) nextExpiry() elevator.Instant {
	var w elevator.Instant
	for i := range l.jobs {
		w = sooner(w, l.jobs[i].Until)
	}
	return w
}

// after is t if it is still to come, else never.
func after(now, t elevator.Instant) elevator.Instant {
	if t <= now {
		return 0
	}
	return t
}

// sooner is the earlier of two instants, of which either may be never.
func sooner(a, b elevator.Instant) elevator.Instant {
	if a == 0 || b != 0 && b < a {
		return b
	}
	return a
}
