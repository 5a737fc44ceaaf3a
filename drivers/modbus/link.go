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
	"hoistway/fsm/elevator"
)

var (
	_ drivers.Link    = (*link)(nil)
	_ drivers.Watcher = (*link)(nil)
)

// link is one lift's controller.
type link struct {
	*opener
	port  *fieldbus.Port
	speak *speaker
	close sync.Once
	shut  chan struct{}

	presses presses
	probing *asker
	// readings are what is really asked, one a block; see there for who may touch them.
	readings []*reading

	mu   sync.Mutex
	snap elevator.Snapshot
	// quiet is when a wrong answer may be logged again.
	quiet elevator.Instant
	// since is when a read last succeeded, or the start.
	since elevator.Instant
	subs  map[chan struct{}]bool
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
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.prof.Decode(b, words, l.floors, at, &l.snap); err != nil {
		return fmt.Errorf("%w: %w", drivers.ErrProtocol, err)
	}
	l.since = l.env.Now()
	l.turn(elevator.Online, l.since)
	l.wake()
	return nil
}

// failed marks what a block feeds, as far as it did not come.
func (l *link) failed(r *reading, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, b := range r.bad() {
		l.prof.Fail(b, &l.snap)
	}
	r.unmark()
	l.wake()
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
	l.mu.Lock()
	defer l.mu.Unlock()
	if s == fieldbus.LineOpen {
		return
	}
	for _, b := range l.blocks {
		l.prof.Fail(b, &l.snap)
	}
	if s == fieldbus.LineAbsent {
		l.turn(elevator.Offline, l.env.Now())
	}
	l.wake()
}

func (l *link) turn(s elevator.LinkState, at elevator.Instant) {
	if l.snap.Link != s {
		l.snap.Link, l.snap.LinkSince = s, at
	}
}

// view is the snapshot as of now.
func (l *link) view() elevator.Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	silent := max(offlineAfter, 2*l.period) // one that is read each 5 s is not offline between
	if end := l.since.Add(silent); end.Reached(l.env.Now()) {
		l.turn(elevator.Offline, end)
	}
	l.prof.Age(l.env.Now(), &l.snap)
	return l.snap
}

// Read reads each block once and returns the snapshot.
func (l *link) Read(ctx context.Context) (elevator.Snapshot, error) {
	err := l.port.Read(ctx)
	if err != nil {
		err = fmt.Errorf("read %s: %w", l.to.line.Address, err)
	}
	return l.view(), err
}

// Do carries out one command, at most once.
func (l *link) Do(ctx context.Context, c elevator.Command) elevator.Outcome {
	act, err := l.encode(c)
	if err != nil {
		return unsaid(c.ID, err, l.env.Now())
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
	if r.Result == elevator.Done {
		l.held(c, act)
	}
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
// set on the line's goroutine and may be read when the command has ended.
func (l *link) command(c elevator.Command, act profiles.Action, sent *elevator.Instant) fieldbus.Command {
	out := fieldbus.Command{ID: c.ID, Class: class(c.Verb), Until: c.Until}
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
	s := l.view()
	if err := l.prof.Ready(c, &s, l.floors, l.env.Now()); err != nil {
		return &fieldbus.Refusal{Kind: drivers.ErrDevice, Text: err.Error()}
	}
	return nil
}

// proven reads until what the command brings is seen, or its time is over.
func (l *link) proven(ctx context.Context, c elevator.Command, act profiles.Action, sent elevator.Instant) bool {
	ctx, cancel := context.WithTimeout(ctx, act.Confirmed)
	defer cancel()
	for {
		_ = l.port.Read(ctx) // what failed is marked, and proves nothing
		s := l.view()
		if l.prof.Proven(c, &s, l.floors, sent) {
			return true
		}
		if !sleep(ctx, l.period) {
			return false
		}
	}
}

func class(v elevator.Verb) fieldbus.Class {
	switch v {
	case elevator.Lapse:
		return fieldbus.Stop
	case elevator.Hold:
		return fieldbus.Hold
	}
	return fieldbus.Call
}

// held keeps the end of the hold that the device has acknowledged.
func (l *link) held(c elevator.Command, act profiles.Action) {
	if c.Verb != elevator.Hold && c.Verb != elevator.Lapse || int(c.Side) >= elevator.Sides {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.snap.Holds[c.Side] = act.HoldUntil
	l.wake()
}

// Close leaves the line; what is owed is paid first where the line answers.
func (l *link) Close() error {
	l.close.Do(func() { close(l.shut) })
	return errors.Join(l.probing.close(), l.port.Close())
}
