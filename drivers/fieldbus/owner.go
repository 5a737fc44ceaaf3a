package fieldbus

import (
	"cmp"
	"context"
	"errors"
	"fmt"

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
	l.in, l.tried, l.spoke = l.in[:0], true, false
	if err != nil {
		l.conn = nil
		l.tell(LineAbsent, fmt.Errorf("%w: open %s: %w", drivers.ErrLink, l.spec.Address, err))
		return schedule.Opened{}
	}
	l.tell(LineOpen, nil)
	return schedule.Opened{OK: true}
}

// lost hangs up and tells the users why.
func (l *line) lost(err error) {
	l.hangUp()
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
	w := &Wire{l: l}
	err := l.ask(w, tx)
	o := outcome(err, w.sent)
	if o == schedule.Good || o == schedule.Refused {
		l.answered()
		l.spoke, l.voice = true, tx.Unit
	}
	gone := l.conn == nil || w.broken || o == schedule.Silent && l.spec.Network == TCP && !l.kept(tx.Unit, err)
	if gone {
		l.lost(fmt.Errorf("%s: %w", l.spec.Address, cmp.Or(err, drivers.ErrLink)))
	}
	return schedule.Answered{Outcome: o, Lost: gone}
}

// kept reports whether a TCP connection outlives a question that was not answered:
// when answers carry a number, so that a late one is known, and another unit has
// answered since the last time-out, so that it is the unit and not the connection.
func (l *line) kept(unit uint8, err error) bool {
	other := l.spoke && l.voice != unit
	l.spoke = false
	return other && !l.spec.Blind && len(l.in) == 0 && errors.Is(err, drivers.ErrTimeout)
}

// ask runs the transaction's question.
func (l *line) ask(w *Wire, tx schedule.Tx) error {
	if tx.Kind == schedule.Read {
		return l.askPoll(w, tx)
	}
	j := l.jobs[tx.Key]
	if j == nil || tx.Stage >= len(j.cmd.Writes) {
		return drivers.ErrClosed
	}
	if tx.Kind == schedule.Write {
		if !j.start() {
			return context.Canceled
		}
		w.notAfter = j.cmd.Until
	}
	w.timeout = l.limits[tx.Unit]
	err := j.cmd.Writes[tx.Stage].Ask(w)
	if tx.Kind == schedule.Write {
		j.err = err
	}
	return err
}

func (l *line) askPoll(w *Wire, tx schedule.Tx) error {
	p := l.polls[tx.Key]
	if p == nil {
		return drivers.ErrClosed
	}
	w.timeout = l.limits[tx.Unit]
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

// drainStep throws away what comes until t.
func (l *line) drainStep(t elevator.Instant) schedule.Event {
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
		return
	}
	switch {
	case !e.Owed:
		j.finish(Result{Result: e.Result, Why: e.Why, Err: j.err, At: l.now()})
	case e.Result != elevator.Done:
		l.log.Error("what is owed could not be paid", "command", j.cmd.ID, "why", e.Why)
	}
	if !l.sched.Knows(e.Key) {
		delete(l.jobs, e.Key)
	}
}

// reader is one Port.Read under way. Its fields belong to the line's goroutine.
type reader struct {
	owner schedule.Owner
	open  map[schedule.Key]bool
	err   error
	done  chan error
}

func newReader(n int) *reader {
	return &reader{open: make(map[schedule.Key]bool, n), done: make(chan error, 1)}
}

// listen notes which polls a reader waits for. With the line down it waits for none.
func (l *line) listen(n note) {
	n.reader.owner = n.owner
	for k, p := range l.polls {
		if p.owner == n.owner {
			n.reader.open[k] = true
		}
	}
	if l.conn == nil && l.tried {
		n.reader.done <- fmt.Errorf("%w: not open", drivers.ErrLink)
		return
	}
	if len(n.reader.open) == 0 {
		n.reader.done <- nil
		return
	}
	l.readers = append(l.readers, n.reader)
}

// heard ticks a poll off for those who wait for it.
func (l *line) heard(k schedule.Key, err error) {
	l.endReaders(func(r *reader) bool {
		if !r.open[k] {
			return false
		}
		delete(r.open, k)
		if r.err == nil {
			r.err = err
		}
		return len(r.open) == 0
	}, nil)
}

// endReaders answers the readers that over picks.
func (l *line) endReaders(over func(*reader) bool, err error) {
	kept := l.readers[:0]
	for _, r := range l.readers {
		if !over(r) {
			kept = append(kept, r)
			continue
		}
		if r.err == nil {
			r.err = err
		}
		r.done <- r.err
	}
	l.readers = kept
}
