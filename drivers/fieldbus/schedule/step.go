package schedule

import "hoistway/fsm/elevator"

// The shares bound how long the lower kinds wait: so many of the higher kinds in
// a row, then one of the lower. One read in eight is a slow one while one waits;
// one in sixteen gives way to a technician's question.
const (
	commandShare = 4
	beatShare    = 8
	echoShare    = 4
	lookShare    = 4
	slowShare    = 7
	diagShare    = 15
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
	if len(l.jobs) > 0 {
		l.expireJobs(now)
		l.expireLooks(now)
	}
	if len(l.levels) > 0 {
		l.expireLevels(now)
	}
}

func (l *Line) expireJobs(now elevator.Instant) {
	for i := len(l.jobs) - 1; i >= 0; i-- {
		j := &l.jobs[i]
		if j.Until.Reached(now) && !j.looking && !l.inFlight(j.Key) {
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
	}
	tx := l.pickEchoFirst(now)
	if tx.Kind == None && now < l.drainUntil {
		return Next{Do: Drain, Until: l.drainUntil}
	}
	if tx.Kind == None {
		tx = l.pick(now)
	}
	if tx.Kind == None {
		return Next{Until: l.wake(now)}
	}
	l.begin(tx, now)
	return Next{Do: Send, Tx: tx}
}

// pickEchoFirst lets a reply break the silence after a time-out: nobody answers
// it, so that nothing stale can be taken for its answer.
func (l *Line) pickEchoFirst(now elevator.Instant) Tx {
	if now < l.drainUntil {
		return l.pickEcho()
	}
	return Tx{}
}

func (l *Line) begin(tx Tx, now elevator.Instant) {
	l.busy, l.busyAt = tx, now
	l.echoRow++
	if tx.Kind != Echo {
		l.echoRow = 0
	}
	if tx.Kind == Write {
		l.takeOver(&l.jobs[l.job(tx.Key)])
	}
}

// pick goes through the kinds from the top.
func (l *Line) pick(now elevator.Instant) Tx {
	if l.onlyReads() {
		return l.pickOnlyRead(now)
	}
	if tx := l.pickDebt(now); tx.Kind != None {
		return tx
	}
	low := l.lower(now)
	if tx := l.upper(low.waits(), now); tx.Kind != None {
		if low.waits() {
			l.row++
		}
		return tx
	}
	if low.waits() {
		l.row = 0
		return l.take(low, now)
	}
	if len(l.echoes) > 0 {
		return l.echo()
	}
	return Tx{}
}

// onlyReads reports that nothing can wait but polls, as on most lines most of the time.
func (l *Line) onlyReads() bool {
	return len(l.jobs)+len(l.debts)+len(l.levels)+len(l.feeds)+len(l.echoes)+len(l.diags) == 0
}

// pickOnlyRead is pick where nothing but a poll can wait.
func (l *Line) pickOnlyRead(now elevator.Instant) Tx {
	best, slow := l.pickRead(now)
	if best < 0 {
		return Tx{}
	}
	l.row, l.lookRow = 0, 0
	l.countRow(best, slow, now)
	return l.read(best, now)
}

// upper picks among commands and what must be written by a period.
func (l *Line) upper(waits bool, now elevator.Instant) Tx {
	var c Tx
	stop := false
	if !waits || l.row < commandShare {
		c, stop = l.pickCommand(now)
	}
	if !stop && (!waits || l.row < beatShare) {
		if tx := l.pickPromised(now); tx.Kind != None {
			return tx
		}
	}
	return c
}

// pickPromised picks what must be on time: watchdogs, replies, levels.
func (l *Line) pickPromised(now elevator.Instant) Tx {
	if tx := l.pickFeed(now); tx.Kind != None {
		return tx
	}
	if tx := l.pickEcho(); tx.Kind != None {
		return tx
	}
	return l.pickBeat(now)
}

// asking is what would go if no upper kind did.
type asking struct {
	look             Tx
	read, slow, diag int // -1 for none
}

func (a asking) waits() bool { return a.look.Kind != None || a.read >= 0 || a.diag >= 0 }

func (l *Line) lower(now elevator.Instant) asking {
	a := asking{look: l.pickLook(now), diag: l.diag(now)}
	a.read, a.slow = l.pickRead(now)
	return a
}

// take makes the transaction: a look, else a read, else a question, each of the
// lower ones with its floor.
func (l *Line) take(a asking, now elevator.Instant) Tx {
	switch {
	case a.look.Kind != None && (a.read < 0 || l.lookRow < lookShare):
		l.lookRow++
		return a.look
	case a.read < 0 || a.diag >= 0 && l.diagRow >= diagShare:
		l.diagRow = 0
		return l.takeDiag(a.diag)
	}
	l.lookRow = 0
	if a.diag >= 0 {
		l.diagRow++
	}
	l.countRow(a.read, a.slow, now)
	return l.read(a.read, now)
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
// and a command that has begun there, block the others of that unit; but no Stop
// waits for another command's proof.
func (l *Line) pickCommand(now elevator.Instant) (tx Tx, stop bool) {
	best := -1
	for i := range l.jobs {
		if l.mayStart(i, now) && (best < 0 || l.jobs[i].Class < l.jobs[best].Class) {
			best = i
		}
	}
	if best < 0 {
		return Tx{}, false
	}
	j := &l.jobs[best]
	return Tx{Kind: Write, Unit: j.unit.id, Key: j.Key, Stage: j.next}, j.Class == Stop
}

func (l *Line) mayStart(i int, now elevator.Instant) bool {
	j := &l.jobs[i]
	if j.looking || j.unit.free() > now || !l.mayWrite(j.unit) {
		return false
	}
	for k := range l.debts {
		if l.debts[k].unit == j.unit {
			return false
		}
	}
	for k := range l.jobs {
		if o := &l.jobs[k]; k != i && o.unit == j.unit && o.begun() && !(o.looking && j.Class == Stop) {
			return false
		}
	}
	return true
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
	for i := range l.levels {
		v := &l.levels[i]
		w = sooner(w, sooner(after(now, v.end), after(now, v.from())))
	}
	for i := range l.feeds {
		w = sooner(w, after(now, l.feeds[i].from()))
	}
	for i := range l.jobs {
		if j := &l.jobs[i]; j.looking {
			w = sooner(w, sooner(after(now, j.lookBy), after(now, max(j.lookDue, j.unit.free()))))
		}
	}
	return w
}

func (l *Line) nextExpiry() elevator.Instant {
	var w elevator.Instant
	for i := range l.jobs {
		if !l.jobs[i].looking {
			w = sooner(w, l.jobs[i].Until)
		}
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
