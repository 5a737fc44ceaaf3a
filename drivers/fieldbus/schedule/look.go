package schedule

import (
	"time"

	"hoistway/fsm/elevator"
)

// The period of looks, when a command names none, and the least.
const (
	lookEvery    = 100 * time.Millisecond
	lookEveryMin = 20 * time.Millisecond
)

// await begins to look whether the stage has come to pass.
func (j *job) await(stage int, now elevator.Instant) {
	j.looking, j.look = true, stage
	j.lookDue, j.lookBy = now, now.Add(j.Stages[stage].Proof.Within)
}

func (p Proof) every() time.Duration {
	if p.Every <= 0 {
		return lookEvery
	}
	return max(p.Every, lookEveryMin)
}

// pickLook takes the oldest command that waits for its proof. A unit of which a
// stale answer may come is not asked: that answer would fit.
func (l *Line) pickLook(now elevator.Instant) Tx {
	for i := range l.jobs {
		j := &l.jobs[i]
		if j.looking && j.lookDue <= now && j.unit.free() <= now && l.mayWrite(j.unit) {
			return Tx{Kind: Look, Unit: j.unit.id, Key: j.Key, Stage: j.look}
		}
	}
	return Tx{}
}

func (l *Line) lookDone(tx Tx, o Outcome, now elevator.Instant) {
	i := l.job(tx.Key)
	if i < 0 {
		return
	}
	j := &l.jobs[i]
	switch {
	case o == Good:
		j.looking, j.unproven = false, false
		l.advance(i)
	case o == Refused:
		l.fail(i, elevator.Refused, "refused")
	case l.member(j.Owner) == nil:
		l.abandon(i, "link closed")
	default:
		j.lookDue = now.Add(j.Stages[j.look].Proof.every())
	}
}

// expireLooks ends the commands whose proof did not come in time.
func (l *Line) expireLooks(now elevator.Instant) {
	for i := len(l.jobs) - 1; i >= 0; i-- {
		if j := &l.jobs[i]; j.looking && j.lookBy.Reached(now) && !l.inFlight(j.Key) {
			l.ask(j.Owner, true)
			l.fail(i, elevator.ResultUnknown, "the device does not show that it was done")
		}
	}
}
