package fieldbus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus/schedule"
	"hoistway/fsm/elevator"
)

// open opens the line and tells its users how that went.
func (l *line) open(ctx context.Context) schedule.Event {
	var err error
	if l.spec.Network == Serial {
		l.conn, err = l.openSerial()
	} else {
		l.conn, err = l.dial(ctx)
	}
	l.in, l.tried, l.spoke, l.mute, l.active = l.in[:0], true, false, true, time.Now()
	if err != nil {
		l.conn = nil
		l.absent = fmt.Errorf("%w: open %s: %w", drivers.ErrLink, l.spec.Address, refusedHint(err))
		l.tell(LineAbsent, l.absent)
		return schedule.Opened{}
	}
	l.absent = nil
	l.meter.opened(true)
	l.tell(LineOpen, nil)
	return schedule.Opened{OK: true}
}

// notOpen is what those get who ask while the line is down: why it is, as was last seen.
func (l *line) notOpen() error {
	if l.absent == nil {
		return fmt.Errorf("%w: not open", drivers.ErrLink)
	}
	return l.absent
}

// lost hangs up and tells the users why.
func (l *line) lost(err error) {
	l.hangUp()
	// To those who ask later it is no time-out, whatever it was.
	l.absent = fmt.Errorf("%w: %s", drivers.ErrLink, strings.TrimPrefix(err.Error(), drivers.ErrLink.Error()+": "))
	l.tell(LineBroken, err)
}

func (l *line) hangUp() {
	if l.conn == nil {
		return
	}
	if err := l.conn.Close(); err != nil {
		l.log.Debug("closing the line", "err", err)
	}
	l.conn = nil
	l.in = l.in[:0]
	l.meter.opened(false)
	clear(l.replies) // they belong to the old line
	l.unasked = l.unasked[:0]
}

// tell passes the state of the line on.
func (l *line) tell(state LineState, err error) {
	for _, p := range l.ports() {
		if p.m.Line != nil {
			p.m.Line(state, err)
		}
	}
	if err == nil {
		return
	}
	l.endReaders(func(*reader) bool { return true }, err)
	if l.down {
		l.log.Debug("line is still down", "err", err)
		return
	}
	l.down = true
	l.log.Warn("line is down", "err", err)
}

// answered notes that a device on the line has spoken.
func (l *line) answered() {
	if l.down {
		l.log.Info("line answers again")
	}
	l.down = false
}

// send carries out one transaction.
func (l *line) send(tx schedule.Tx) schedule.Event {
	w := &Wire{l: l, unit: tx.Unit, timeout: l.limits[tx.Unit]}
	begun := time.Now()
	defer l.meter.occupied(begun)
	err := l.freshen(w, begun)
	if err == nil {
		err = l.ask(w, tx)
	} else {
		l.settleDiag(tx.Key, err)
	}
	o := outcome(err, w.sent)
	row := l.meter.count(tx, o, err, w.sent)
	l.meter.promised(l.sched.Late())
	if (o == schedule.Good || o == schedule.Refused || o == schedule.NotYet) && tx.Kind != schedule.Echo {
		l.answered()
		l.spoke, l.voice, l.mute = true, tx.Unit, false
	}
	gone := l.conn == nil || w.broken || o == schedule.Silent && l.spec.Network == TCP && !l.kept(tx.Unit, err)
	if gone {
		l.linger(row, err)
		l.lost(fmt.Errorf("%s: %w", l.spec.Address, l.heldHint(w, cmp.Or(err, drivers.ErrLink))))
	}
	return schedule.Answered{Outcome: o, Lost: gone}
}

// ask runs the transaction's question.
func (l *line) ask(w *Wire, tx schedule.Tx) error {
	switch tx.Kind {
	case schedule.Read:
		return l.askPoll(w, tx)
	case schedule.Diag:
		return l.askDiag(w, tx.Key)
	case schedule.Echo:
		return l.reply(w, tx.Key)
	case schedule.Feed:
		if f := l.feeds[tx.Key]; f != nil {
			return f.Ask(w)
		}
		return drivers.ErrClosed
	}
	return l.askJob(w, tx)
}

// reply sends the answer to what was overheard.
func (l *line) reply(w *Wire, k schedule.Key) error {
	b := l.replies[k]
	delete(l.replies, k)
	if b == nil {
		return drivers.ErrClosed
	}
	return w.Say(b)
}

// askJob carries out one write of a command, or one look at it.
func (l *line) askJob(w *Wire, tx schedule.Tx) error {
	j := l.jobs[tx.Key]
	if j == nil || tx.Stage >= len(j.cmd.Writes) {
		return drivers.ErrClosed
	}
	if tx.Kind == schedule.Write {
		if !j.start() {
			return context.Canceled
		}
		w.notAfter = j.cmd.Until
		if tx.Stage == 0 {
			l.meter.waited(l.now().Sub(j.asked))
		}
	}
	if tx.Kind == schedule.Look {
		return j.lookAt(w, tx.Stage)
	}
	if tx.Kind == schedule.Beat && j.cmd.Class == Hold {
		w.notAfter = j.cmd.Until
	}
	err := j.cmd.Writes[tx.Stage].Ask(w)
	if tx.Kind == schedule.Write {
		j.err = err
	}
	return err
}

// lookAt translates what a look found: a no counts only when it is for good.
func (j *job) lookAt(w *Wire, stage int) error {
	done, err := j.cmd.Writes[stage].Until(w)
	var r *Refusal
	no := errors.As(err, &r)
	switch {
	case done && err == nil:
		j.err = nil
		return nil
	case done && no:
		j.err = err
		return err
	case err == nil:
		return errNotYet
	case no:
		return fmt.Errorf("%w: %w", errNotYet, err)
	}
	return err
}

func (l *line) askPoll(w *Wire, tx schedule.Tx) error {
	p := l.polls[tx.Key]
	if p == nil {
		return drivers.ErrClosed
	}
	err := p.p.Ask(w, tx.Probe)
	switch {
	case tx.Probe > 0 && outcome(err, w.sent) == schedule.Silent:
		l.silent(tx.Unit, err)
	case err != nil:
		l.failed(p, err)
	}
	if tx.Probe == 0 {
		l.heard(tx.Key, err)
	}
	return err
}

func (l *line) failed(p *pollRef, err error) {
	if p.p.Failed != nil {
		p.p.Failed(err)
	}
}

// silent fails every poll of a unit that does not answer its probe: the others
// are not even tried.
func (l *line) silent(unit uint8, err error) {
	for k, p := range l.polls {
		if p.unit == unit {
			l.failed(p, err)
			l.heard(k, err)
		}
	}
}

// drainStep throws away what comes until t, unless somebody speaks unasked.
func (l *line) drainStep(t elevator.Instant) schedule.Event {
	if ev := l.nextUnasked(); ev != nil {
		return ev
	}
	if err := l.drain(t); err != nil {
		l.lost(fmt.Errorf("%w: %w", drivers.ErrLink, err))
		return schedule.Lost{}
	}
	return schedule.Tick{}
}

// settle tells the asker what became of a command.
func (l *line) settle(e schedule.Ended) {
	j := l.jobs[e.Key]
	if j == nil {
		l.settleDiag(e.Key, unasked(e))
		return
	}
	switch {
	case e.Level:
	case !e.Owed:
		j.finish(Result{Result: e.Result, Why: e.Why, Err: j.err, At: l.now()})
	case e.Result != elevator.Done:
		l.log.Error("what is owed could not be paid", "command", j.cmd.ID, "why", e.Why)
	}
	if !l.sched.Knows(e.Key) {
		delete(l.jobs, e.Key)
	}
}

// unasked is why a technician's question was not asked.
func unasked(e schedule.Ended) error {
	kind := drivers.ErrClosed
	switch e.Why {
	case schedule.WhyFull:
		kind = drivers.ErrBusy
	case schedule.WhyLost:
		kind = drivers.ErrLink
	}
	return fmt.Errorf("%w: %s", kind, e.Why)
}
