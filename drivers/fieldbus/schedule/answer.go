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
	case Good:
		j.sent = true
		j.next = tx.Stage + 1
		l.advance(i)
	case Refused:
		l.fail(i, elevator.Refused, "refused")
	case Unsent:
		l.abandon(i, "no byte left")
	default:
		j.sent = true
		l.ask(j.Owner, true)
		l.fail(i, elevator.ResultUnknown, "no proof that it was done")
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
	}
	l.finish(i, Ended{Key: j.Key, Result: r, Why: why})
}

func (l *Line) oweRest(j job, due elevator.Instant) {
	for s := j.next; s < len(j.Stages); s++ {
		if j.Stages[s].Owed {
			l.owe(j, s, due)
		}
	}
}

func (l *Line) owe(j job, stage int, due elevator.Instant) {
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
	if o == Good || d.refused >= debtTrials {
		l.debts = append(l.debts[:i], l.debts[i+1:]...)
		l.end(e)
		return
	}
	d.due = now.Add(debtPause)
}
