package serial

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
	_ drivers.Prober  = (*link)(nil)
	_ drivers.Planned = (*link)(nil)
)

// link is one lift's controller.
type link struct {
	*opener
	port  *fieldbus.Port
	view  *view.View
	close sync.Once
	shut  chan struct{}

	// Who has the line alone touches these.
	quiet elevator.Instant        // when a wrong answer may be logged again
	lamps map[string]map[int]lamp // by message and number of the landing
}

// lamp is one landing's lamp as it was last read.
type lamp struct {
	lit bool
	at  elevator.Instant
}

// poll makes the question of one reading. The value is dated by when the question
// left: it cannot be older than that.
func (l *link) poll(i int) fieldbus.Poll {
	r := l.reads[i]
	return fieldbus.Poll{
		Every: r.Every,
		Fast:  r.Fast,
		Ask: func(w *fieldbus.Wire, probe int) error {
			if probe > 0 {
				name, args := l.other(i, probe)
				_, err := l.ask(w, name, args)
				return silence(err)
			}
			a, err := l.ask(w, r.Name, r.args)
			if a.Refused && a.Tells != "" {
				return l.good(a, w.SentAt())
			}
			if err != nil {
				return err
			}
			if r.each != nil {
				return l.lamp(r, a, w.SentAt())
			}
			return l.good(a, w.SentAt())
		},
		Failed: func(err error) { l.failed(r, err) },
	}
}

// other is a question that an answer to reading i does not fit, where there is one:
// what comes late is known by that.
func (l *link) other(i, probe int) (string, map[string]profiles.Raw) {
	n := len(l.probes)
	for k := range n {
		if name := l.probes[(probe+k)%n]; name != l.reads[i].Name {
			return name, nil
		}
	}
	r := l.reads[(i+probe)%len(l.reads)]
	return r.Name, r.args
}

// silence keeps what says that nobody is there: a no to a probe is an answer.
func silence(err error) error {
	var no *fieldbus.Refusal
	if errors.As(err, &no) {
		return nil
	}
	return err
}

// good lays what came over the snapshot. A message that stands in for another one
// tells a part of it.
func (l *link) good(a profiles.Answer, at elevator.Instant) error {
	return l.view.Good(func(s *elevator.Snapshot) error {
		l.prof.Lay(a.Tells, a.Tells != a.Message, a.Get, l.floors, at, s)
		return nil
	})
}

// lamp notes one landing's lamp. The set is told when each lamp is known, and is as
// old as the oldest of them.
func (l *link) lamp(r reading, a profiles.Answer, at elevator.Instant) error {
	word := a.Get(r.each.Of).Word()
	if word != r.each.Lit && word != r.each.Dark {
		return fmt.Errorf("%w: the lamp of %d is %q", drivers.ErrProtocol, r.wire, word)
	}
	all := l.lamps[r.Name]
	if all == nil {
		all = map[int]lamp{}
		l.lamps[r.Name] = all
	}
	all[r.wire] = lamp{word == r.each.Lit, at}
	if len(all) < len(l.floors) {
		l.view.Alive()
		return nil
	}
	set := profiles.Raw{Kind: profiles.RawList}
	for wire, x := range all {
		at = min(at, x.at)
		if x.lit {
			set.List = append(set.List, profiles.RawOfInt(int64(wire)))
		}
	}
	get := func(path string) profiles.Raw {
		if path == "lit" {
			return set
		}
		return a.Get(path)
	}
	return l.view.Good(func(s *elevator.Snapshot) error {
		l.prof.Lay(r.Name, false, get, l.floors, at, s)
		return nil
	})
}

// failed marks what a reading feeds.
func (l *link) failed(r reading, err error) {
	delete(l.lamps[r.Name], r.wire)
	l.view.Note(func(s *elevator.Snapshot) { l.prof.Lose(r.Name, s) })
	now := l.env.Now()
	if l.env.Log == nil || errors.Is(err, drivers.ErrTimeout) || errors.Is(err, drivers.ErrLink) || !l.quiet.Reached(now) {
		return
	}
	l.quiet = now.Add(complainEvery)
	l.env.Log.Warn("wrong answer from the controller", "lift", l.lift, "message", r.Name, "err", err)
}

const complainEvery = 10 * time.Second

// overhear takes what came unasked.
func (l *link) overhear(frame []byte, at elevator.Instant) (reply []byte, mine bool) {
	u, ok := l.frames.Unasked(frame)
	if !ok {
		return nil, false
	}
	_ = l.good(u.Answer, at) // laying values does not fail
	return u.Reply, true
}

// lineState follows the line. One that cannot be opened is offline at once; one
// that broke may be back in a moment, so that only its values fail.
func (l *link) lineState(s fieldbus.LineState, _ error) {
	lose := func(into *elevator.Snapshot) {
		for _, src := range l.prof.Sources() {
			l.prof.Lose(src.Name, into)
		}
	}
	switch s {
	case fieldbus.LineAbsent:
		l.view.Down(lose)
	case fieldbus.LineBroken:
		l.view.Note(lose)
	}
	if s != fieldbus.LineOpen {
		clear(l.lamps)
	}
}

// Read asks each question once and returns the snapshot.
func (l *link) Read(ctx context.Context) (elevator.Snapshot, error) {
	err := l.port.Read(ctx)
	if err != nil {
		err = fmt.Errorf("read %s: %w", l.line.Address, err)
	}
	return l.view.Snapshot(), err
}

// Watch see [drivers.Watcher].
func (l *link) Watch(ctx context.Context, deliver func(elevator.Snapshot)) error {
	return l.view.Watch(ctx, l.shut, l.prof.Traits().FastPoll, deliver)
}

// Owes see [drivers.Debtor].
func (l *link) Owes(ctx context.Context) ([]drivers.Debt, error) { return l.port.Owes(ctx) }

// Close leaves the line; what is owed is paid first where the line answers.
func (l *link) Close() error {
	l.close.Do(func() { close(l.shut) })
	return l.port.Close()
}
