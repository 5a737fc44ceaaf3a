package schedule

import (
	"time"

	"hoistway/fsm/elevator"
)

// A debt that the device itself refuses is tried again at this pace, so often.
const (
	debtPause  = 500 * time.Millisecond
	debtTrials = 10
)

func (e Answered) apply(l *Line, now elevator.Instant) {
	tx := l.busy
	if tx.Kind == None {
		return
	}
	l.busy = Tx{}
	l.heard(l.unitFor(tx.Unit), tx, e.Outcome, now)
	switch tx.Kind {
	case Read:
		l.readDone(tx, e.Outcome)
	case Write:
		l.writeDone(tx, e.Outcome, now)
	case Debt:
		l.debtDone(tx, e.Outcome, now)
	case Beat:
		l.beatDone(tx, e.Outcome, now)
	case Look:
		l.lookDone(tx, e.Outcome, now)
	}
	if e.Lost {
		l.lose(now)
	}
}

// readDone lets a wish for a fresh read stand until it was answered. A wish that
// came while the read was under way stands anyhow.
func (l *Line) readDone(tx Tx, o Outcome) {
	for i := range l.polls {
		if p := &l.polls[i]; p.Key == tx.Key && tx.Probe == 0 {
			p.asked = p.asked || p.again && o == Silent
			p.again = false
		}
	}
}

func (l *Line) writeDone(tx Tx, o Outcome, now elevator.Instant) {
	i := l.job(tx.Key)
	if i < 0 {
		return
	}
	j := &l.jobs[i]
	if o != Unsent {
		j.unit.quiet = now.Add(j.Stages[tx.Stage].Pause)
	}
	switch o {
	case Good, Told:
		j.sent, j.left = true, tx.Stage+1
		j.next = tx.Stage + 1
		j.unproven = j.unproven || o == Told
		l.hold(j, tx.Stage)
		if j.Stages[tx.Stage].Proof.Within > 0 {
			j.await(tx.Stage, now)
			return
		}
		l.advance(i)
	case Refused:
		drop := l.inherit(j.Key)
		l.fail(i, elevator.Refused, "refused")
		l.pay(drop)
	case Unsent:
		l.giveBack(j.Key)
		l.abandon(i, "no byte left")
	default:
		j.sent, j.left = true, tx.Stage+1
		l.ask(j.Owner, true)
		l.replace(j)
		l.fail(i, elevator.ResultUnknown, "no proof that it was done")
	}
}

// replace ends what a write of j took over that may have been done: its own drop,
// which is owed now, stands for the one before it.
func (l *Line) replace(j *job) {
	old := l.inherit(j.Key)
	if own, _ := l.dropOf(j, j.next); own == nil {
		l.pay(old)
	}
}

// beatDone keeps the silence after a beat. That the device refuses one, or does
// not answer it, ends nothing: the next is due all the same.
func (l *Line) beatDone(tx Tx, o Outcome, now elevator.Instant) {
	if o != Unsent {
		l.unitFor(tx.Unit).quiet = now.Add(l.beatPause)
	}
}

// advance turns the owed stages that come next into debts and ends the command
// when nothing else is left.
func (l *Line) advance(i int) {
	j := &l.jobs[i]
	for j.next < len(j.Stages) && j.Stages[j.next].Owed {
		l.owe(*j, j.next, j.unit.quiet)
		j.next++
	}
	switch {
	case j.next == len(j.Stages) && j.unproven:
		l.ask(j.Owner, true)
		l.finish(i, Ended{Key: j.Key, Result: elevator.ResultUnknown, Why: "the device never answers this"})
	case j.next == len(j.Stages):
		l.finish(i, Ended{Key: j.Key, Result: elevator.Done})
	case l.member(j.Owner) == nil:
		l.abandon(i, "link closed")
	}
}

// fail ends the command at i; what it owes is owed once a stage may have left.
func (l *Line) fail(i int, r elevator.Result, why string) {
	j := l.jobs[i]
	if j.sent {
		l.oweRest(j, j.unit.quiet)
		l.endLevels(func(v *level) bool { return v.key == j.Key })
	}
	l.finish(i, Ended{Key: j.Key, Result: r, Why: why})
}

// oweRest owes what stands behind the writes that may have left. The drop of a level
// that was never written stays away: somebody else may hold it.
func (l *Line) oweRest(j job, due elevator.Instant) {
	for s := j.next; s < len(j.Stages); s++ {
		if j.Stages[s].Owed && (s <= j.left || !j.drops(s)) {
			l.owe(j, s, due)
		}
	}
}

func (l *Line) owe(j job, stage int, due elevator.Instant) {
	if j.Stages[stage].MayClose {
		return
	}
	l.debts = append(l.debts, debt{
		key: j.Key, stage: stage, pause: j.Stages[stage].Pause, owner: j.Owner, unit: j.unit, due: due,
	})
}

func (l *Line) debtDone(tx Tx, o Outcome, now elevator.Instant) {
	for i := range l.debts {
		if d := &l.debts[i]; d.key == tx.Key && d.stage == tx.Stage {
			l.settle(i, o, now)
			return
		}
	}
}

// settle takes the debt at i off the list when it is paid, or hopeless.
func (l *Line) settle(i int, o Outcome, now elevator.Instant) {
	d := &l.debts[i]
	e := Ended{Key: d.key, Owed: true, Result: elevator.Done}
	if o == Refused || o == Unclear {
		d.refused++
		e.Result, e.Why = elevator.Refused, "the device refuses what it is owed"
	}
	if o != Unsent {
		d.unit.quiet = now.Add(d.pause)
	}
	if o == Good || o == Told || d.refused >= debtTrials {
		l.debts = append(l.debts[:i], l.debts[i+1:]...)
		l.end(e)
		return
	}
	d.due = now.Add(debtPause)
}
