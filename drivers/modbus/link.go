package modbus

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

var (
	_ drivers.Link    = (*link)(nil)
	_ drivers.Watcher = (*link)(nil)
	_ drivers.Debtor  = (*link)(nil)
)

// link is one lift's controller.
type link struct {
	*opener
	port  *fieldbus.Port
	view  *view.View
	speak *speaker
	close sync.Once
	shut  chan struct{}

	presses presses
	probing *asker
	// readings are what is really asked, one a block; see there for who may touch them.
	readings []*reading

	mu sync.Mutex // guards the notes of the readings
	// quiet is when a wrong answer may be logged again; for who has the line.
	quiet elevator.Instant
	// period is the shortest of the read plan.
	period time.Duration
}

// poll makes the question for one block. The value is dated by when the question
// left: it cannot be older than that.
func (l *link) poll(r *reading) fieldbus.Poll {
	return fieldbus.Poll{
		Every: r.block.Every,
		Fast:  l.fast(r.block),
		Ask: func(w *fieldbus.Wire, probe int) error {
			if probe > 0 {
				q := r.probe()
				_, err := l.speak.read(w, q.Table, q.Addr, probeCount(q.Table, q.Count, probe))
				return err
			}
			return l.round(w, r)
		},
		Failed: func(err error) { l.failed(r, err) },
	}
}

// good lays a read over the snapshot.
func (l *link) good(b profiles.Block, words []uint16, at elevator.Instant) error {
	return l.view.Good(func(s *elevator.Snapshot) error {
		if err := l.prof.Decode(b, words, l.floors, at, s); err != nil {
			return fmt.Errorf("%w: %w", drivers.ErrProtocol, err)
		}
		return nil
	})
}

// failed marks what a block feeds, as far as it did not come.
func (l *link) failed(r *reading, err error) {
	l.view.Note(func(s *elevator.Snapshot) {
		for _, b := range r.bad() {
			l.prof.Fail(b, s)
		}
	})
	r.unmark()
	l.complain(r.block, err)
}

// complain writes down an answer that was wrong, as it tells a technician what to
// mend; not each of a row of them. That nobody answers is the line's to tell.
func (l *link) complain(b profiles.Block, err error) {
	now := l.env.Now()
	if l.env.Log == nil || errors.Is(err, drivers.ErrTimeout) || errors.Is(err, drivers.ErrLink) || !l.quiet.Reached(now) {
		return
	}
	l.quiet = now.Add(complainEvery)
	l.env.Log.Warn("wrong answer from the controller", "lift", l.lift, "unit", l.to.unit, "address", b.Addr, "count", b.Count, "err", err)
}

const complainEvery = 10 * time.Second

// lineState follows the line. One that cannot be opened is offline at once; one
// that broke may be back in a moment, so that only its values fail.
func (l *link) lineState(s fieldbus.LineState, _ error) {
	lose := func(into *elevator.Snapshot) {
		for _, b := range l.blocks {
			l.prof.Fail(b, into)
		}
	}
	switch s {
	case fieldbus.LineAbsent:
		l.view.Down(lose)
	case fieldbus.LineBroken:
		l.view.Note(lose)
	}
}

// snapshot is what is known as of now.
func (l *link) snapshot() elevator.Snapshot {
	s := l.view.Snapshot()
	l.prof.Age(l.env.Now(), &s)
	return s
}

// Watch see [drivers.Watcher].
func (l *link) Watch(ctx context.Context, deliver func(elevator.Snapshot)) error {
	return l.view.Watch(ctx, l.shut, l.period, func(s elevator.Snapshot) {
		l.prof.Age(l.env.Now(), &s)
		deliver(s)
	})
}

// Read reads each block once and returns the snapshot.
func (l *link) Read(ctx context.Context) (elevator.Snapshot, error) {
	err := l.port.Read(ctx)
	if err != nil {
		err = fmt.Errorf("read %s: %w", l.to.line.Address, err)
	}
	return l.snapshot(), err
}

// Do carries out one command, at most once.
func (l *link) Do(ctx context.Context, c elevator.Command) elevator.Outcome {
	act, err := l.encode(c)
	if err != nil {
		return profiles.Unsaid(c.ID, err, l.env.Now())
	}
	var sent elevator.Instant
	cmd := l.command(c, act, &sent)
	if act.Judged {
		l.pressing(c, &cmd)
	}
	if act.Confirmed > 0 {
		cmd.Prove = func(ctx context.Context, r fieldbus.Result) fieldbus.Result {
			if sent != 0 && l.proven(ctx, c, act, sent) {
				r.Result, r.Err, r.Why = elevator.Done, nil, "not answered for sure, and seen to be done"
			}
			return r
		}
	}
	r := l.port.Do(ctx, cmd)
	l.view.Note(func(s *elevator.Snapshot) { profiles.Held(c, r.Result, act.HoldUntil, s) })
	return outcome(c.ID, r)
}

func (l *link) encode(c elevator.Command) (profiles.Action, error) {
	act, err := l.prof.Encode(c, l.floors, l.env.Now())
	if err != nil {
		return act, err
	}
	if len(act.Writes) == 0 || act.Writes[0].Owed {
		return act, fmt.Errorf("%w: the profile has no write for %s", drivers.ErrNotCapable, c.Verb)
	}
	for _, w := range act.Writes {
		if err := checkWrite(w); err != nil {
			return act, fmt.Errorf("%w: %s: %w", drivers.ErrConfig, c.Verb, err)
		}
	}
	return act, nil
}

// command makes the writes of a command. sent is when the first of them left; it is
// set by who has the line and may be read when the command has ended.
func (l *link) command(c elevator.Command, act profiles.Action, sent *elevator.Instant) fieldbus.Command {
	out := fieldbus.Command{ID: c.ID, Verb: c.Verb, Class: fieldbus.ClassOf(c.Verb), Until: c.Until}
	if out.Class != fieldbus.Call {
		out.Group = uint32(c.Side) // a lapse ends what holds this door, and no call
	}
	if act.Until != 0 {
		out.Until = act.Until
	}
	for i, w := range act.Writes {
		x := l.write(w)
		if i == 0 {
			x.Ask = l.first(c, w, sent)
		}
		out.Writes = append(out.Writes, x)
	}
	return out
}

// write puts a write of the profile into the line's terms.
func (l *link) write(w profiles.Write) fieldbus.Write {
	x := fieldbus.Write{
		Pause: w.Pause, Owed: w.Owed, MayClose: w.MayClose, Level: fieldbus.Level(w.Level),
		Ask: func(wire *fieldbus.Wire) error { return l.speak.put(wire, w) },
	}
	if w.Cleared.Within > 0 {
		x.Within, x.Every = w.Cleared.Within, w.Cleared.Every
		x.Until = func(wire *fieldbus.Wire) (bool, error) {
			had, err := l.speak.read(wire, w.Table, w.Addr, 1)
			return err == nil && had[0] == w.Cleared.To, err
		}
	}
	return x
}

// first is the first write of a command, which is made only if the lift is as the
// profile wants it for that.
func (l *link) first(c elevator.Command, w profiles.Write, sent *elevator.Instant) func(*fieldbus.Wire) error {
	return func(wire *fieldbus.Wire) error {
		if *sent == 0 { // a level is written again whatever the lift does meanwhile
			if err := l.ready(c); err != nil {
				return err
			}
		}
		err := l.speak.put(wire, w)
		if *sent == 0 {
			*sent = wire.SentAt()
		}
		return err
	}
}

// ready refuses in the controller's place what it would not do, or not safely, as it
// is now. It looks at the last moment, as the first byte is about to leave.
func (l *link) ready(c elevator.Command) error {
	s := l.snapshot()
	if err := l.prof.Ready(c, &s, l.floors, l.env.Now()); err != nil {
		return &fieldbus.Refusal{Kind: drivers.ErrDevice, Text: err.Error()}
	}
	return nil
}

// proven reads until what the command brings is seen, or its time is over.
func (l *link) proven(ctx context.Context, c elevator.Command, act profiles.Action, sent elevator.Instant) bool {
	return view.Await(ctx, act.Confirmed, l.period, func(ctx context.Context) bool {
		_ = l.port.Read(ctx) // what failed is marked, and proves nothing
		s := l.snapshot()
		return l.prof.Proven(c, &s, l.floors, sent)
	})
}

// Owes see [drivers.Debtor].
func (l *link) Owes(ctx context.Context) ([]drivers.Debt, error) { return l.port.Owes(ctx) }

// Close leaves the line; what is owed is paid first where the line answers.
func (l *link) Close() error {
	l.close.Do(func() { close(l.shut) })
	return errors.Join(l.probing.close(), l.port.Close())
}
