package virtual

import (
	"time"

	"hoistway/drivers/fieldbus/schedule"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// question is one transaction as the wire and the device know it.
type question struct {
	n      uint64
	gen    uint32 // of the process that asked
	tx     schedule.Tx
	write  write
	asked  elevator.Instant // of the site: when it left
	by     elevator.Instant // of the site: when the master waits no longer
	fault  fate
	car    building.CarState // as the device showed it
	no     uint8             // exception of the device, 0 for none
	dark   bool              // the device was not there
	closed bool              // the master no longer waits
}

// fate is what a fault of the line does to one transaction.
type fate struct {
	lost   bool          // the question never comes
	deaf   bool          // what was asked is done, the answer does not fit or never comes
	spoilt bool          // an answer comes, and it is known at once that it is none
	hangUp bool          // and the connection closes
	no     uint8         // exception
	late   time.Duration // more time for the answer
}

// requestKinds are the faults that a request may meet, in this order.
func requestKinds() []string {
	return []string{"silent", "lost-answer", "late", "slow", "garbled", "truncated", "foreign", "exception", "split", "hang-up"}
}

// meet asks whether a fault spoils this request.
func (l *lift) meet() (f fate) {
	if !l.s.faulty {
		return f
	}
	met, ok := l.s.play.Meet(l.id, l.s.at(), requestKinds()...)
	if !ok {
		return f
	}
	l.heard.spoiled++
	l.s.faultsTold()
	switch met.Kind {
	case "silent":
		f.lost = true
	case "lost-answer", "foreign":
		f.deaf = true
	case "garbled": // on TCP another number, on a serial line a checksum that is wrong
		f.deaf = true
	case "truncated":
		f.deaf, f.spoilt = true, !l.rtu
	case "hang-up":
		f.deaf, f.hangUp = true, !l.rtu
	case "exception":
		f.no = uint8(met.Number())
	case "late", "slow":
		f.late = met.Duration()
	case "split":
		f.late = splitPause
	}
	return f
}

// gone reports a line of which there is nothing to open.
func (l *lift) gone() bool {
	if !l.s.faulty {
		return false
	}
	_, unplugged := l.s.play.On(l.id, "unplugged", l.s.at())
	_, taken := l.s.play.On(l.id, "busy-elsewhere", l.s.at())
	return unplugged || taken
}

// send puts one question on the wire.
func (k *link) send(tx schedule.Tx) {
	l, s := k.l, k.l.s
	isWrite := tx.Kind != schedule.Read
	var w write
	if isWrite {
		j := k.job(tx.Key)
		if j == nil || j.cmd.Until.Reached(s.agent.now()) {
			s.own(0, evAnswer, l.n, 0) // no byte leaves
			k.busy = unsentQuestion
			return
		}
		w = j.write
		if j.cmd.MayClose {
			s.showRides()
		}
		s.watch.Wrote(l.id, &j.cmd, s.at())
	}
	fault := l.meet()
	if !isWrite && fault == (fate{}) && k.glance(tx) {
		return
	}
	l.number++
	l.heard.asked++
	k.busy = l.number
	l.questions = append(l.questions, question{
		n: l.number, gen: s.agent.gen, tx: tx, write: w, fault: fault,
		asked: k.asked(), by: s.at() + elevator.Instant(l.patience(isWrite)),
	})
	k.carry(&l.questions[len(l.questions)-1], l.takes(isWrite))
}

// asked is when a question leaves: while lean, where time stands still between an answer
// and the next question, a moment after it. What is read in the instant of a press does
// not show it.
func (k *link) asked() elevator.Instant {
	at := k.l.s.at()
	if k.l.s.set.Lean {
		at++
	}
	return at
}

// unsentQuestion stands for a question that could not leave.
const unsentQuestion = ^uint64(0)

// carry plans when the device acts and when the master is answered.
func (k *link) carry(q *question, takes time.Duration) {
	l, s := k.l, k.l.s
	if s.set.Lean && q.fault == (fate{}) {
		s.own(takes, evAtOnce, l.n, q.n)
		return
	}
	if !q.fault.lost {
		s.in(takes/2, event{kind: evDevice, who: int32(l.n), n: q.n})
	}
	whole := q.asked + elevator.Instant(takes+q.fault.late)
	switch silent := q.fault.lost || q.fault.deaf && !q.fault.spoilt && !q.fault.hangUp; {
	case silent || whole > q.by:
		s.tl.Plan(int64(q.by), event{kind: evAnswer, gen: q.gen, who: int32(l.n), n: q.n})
		if !silent {
			s.tl.Plan(int64(whole), event{kind: evStray, gen: q.gen, who: int32(l.n), n: q.n})
		}
	default:
		s.tl.Plan(int64(whole), event{kind: evAnswer, gen: q.gen, who: int32(l.n), n: q.n})
	}
}

func (l *lift) question(n uint64) *question {
	for i := range l.questions {
		if l.questions[i].n == n {
			return &l.questions[i]
		}
	}
	return nil
}

// forget drops the questions that are over for everybody: nobody waits, and nothing
// of them is on its way any more.
func (l *lift) forget() {
	kept := l.questions[:0]
	for i := range l.questions {
		q := &l.questions[i]
		last := q.asked + elevator.Instant(q.fault.late+time.Second)
		if q.n == l.link.busy || !(q.closed && q.fault.late == 0) && last >= l.s.at() {
			kept = append(kept, *q)
		}
	}
	l.questions = kept
}

// deviceActs is the moment at which the controller reads the question.
func (l *lift) deviceActs(n uint64) {
	q := l.question(n)
	if q == nil || l.gone() {
		return
	}
	l.s.b.Advance(l.s.at())
	switch {
	case q.fault.no != 0:
		q.no = q.fault.no
	case q.tx.Kind == schedule.Read:
		l.dropLevels()
		l.s.b.Tell(l.id, &q.car)
		q.dark = q.car.Dark
		l.s.watch.Car(l.s.b.See(l.id), l.s.at())
	default:
		if q.dark = l.s.b.Dark(l.id); !q.dark {
			q.no = l.obey(q.write)
			l.heard.wrote++
			l.s.moved()
		}
	}
}

// answer ends the transaction under way, well or not.
func (k *link) answer(n uint64) {
	l := k.l
	if k.busy == unsentQuestion && n == 0 {
		k.busy = 0
		k.step(schedule.Answered{Outcome: schedule.Unsent})
		return
	}
	q := l.question(n)
	if q == nil || k.busy != n {
		return
	}
	k.busy, q.closed = 0, true
	out, lost := k.judge(q)
	tx, no := q.tx, q.no
	if tx.Kind == schedule.Read && tx.Probe == 0 && out == schedule.Good {
		k.good(&q.car, k.l.s.agent.proc(q.asked))
	}
	l.forget()
	k.finish(tx, out, no, lost)
}

// finish tells the scheduler, and marks what was not read.
func (k *link) finish(tx schedule.Tx, out schedule.Outcome, no uint8, lost bool) {
	if out == schedule.Good || out == schedule.Refused {
		k.l.heard.answered++
	}
	if tx.Kind == schedule.Read && out != schedule.Good && (tx.Probe == 0 || out == schedule.Silent) || lost {
		k.fail()
	}
	if tx.Kind == schedule.Read && tx.Probe == 0 && out == schedule.Good {
		k.look(true)
	}
	if tx.Kind == schedule.Read {
		k.tried = k.l.s.at()
	}
	if j := k.job(tx.Key); j != nil && tx.Kind == schedule.Write {
		j.no = no
	}
	k.answers = schedule.Answered{Outcome: out, Lost: lost}
	k.step(&k.answers)
}

// judge is what the master makes of the answer.
func (k *link) judge(q *question) (out schedule.Outcome, lost bool) {
	s := k.l.s
	switch {
	case q.fault.lost || q.fault.deaf || q.dark || k.l.gone() || s.at() > q.by || q.fault.late > 0 && s.at() >= q.by:
		return schedule.Silent, !k.l.rtu // nothing else on the connection has shown that it lives
	case q.no != 0 && (q.no == 5 || q.no == 11):
		return schedule.Unclear, false
	case q.no != 0:
		return schedule.Refused, false
	}
	return schedule.Good, false
}

// stray is an answer whose question is over. A connection that was closed after
// the time-out does not bring it; on a serial line it is thrown away, unless it
// fits the question that now waits.
func (k *link) stray(n uint64) {
	q := k.l.question(n)
	if q == nil || !k.l.rtu {
		return
	}
	car, asked := q.car, k.l.question(k.busy)
	fits := asked != nil && asked.tx.Kind == schedule.Read && q.tx.Kind == schedule.Read && asked.tx.Probe == 0 && q.tx.Probe == 0 && !q.dark && q.no == 0
	if !fits {
		k.l.say(false, "a late answer is thrown away")
		return
	}
	k.l.say(true, "a late answer is taken for that to a newer question")
	tx, at := asked.tx, asked.asked
	asked.closed, k.busy = true, 0
	k.good(&car, k.l.s.agent.proc(at))
	k.finish(tx, schedule.Good, 0, false)
}
