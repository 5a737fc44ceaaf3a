package serial

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

// Do carries out one command, at most once.
func (l *link) Do(ctx context.Context, c elevator.Command) elevator.Outcome {
	a, err := l.asking(c)
	if err != nil {
		return profiles.Unsaid(c.ID, err, l.env.Now())
	}
	r := l.port.Do(ctx, l.command(c, a))
	l.view.Note(func(s *elevator.Snapshot) { profiles.Held(c, r.Result, a.HoldUntil, s) })
	return r.Outcome(c.ID)
}

// asking puts the command into messages, and each of them into bytes once: what does
// not fit is found before anything leaves.
func (l *link) asking(c elevator.Command) (profiles.Asking, error) {
	a, err := l.prof.Ask(c, l.floors, l.env.Now())
	if err != nil {
		return a, err
	}
	if len(a.Sends) == 0 || a.Sends[0].Owed {
		return a, fmt.Errorf("%w: the profile has no message for %s", drivers.ErrNotCapable, c.Verb)
	}
	for _, s := range a.Sends {
		if _, err := l.frames.Ask(s.Message, s.Args, 0); err != nil {
			return a, fmt.Errorf("%w: %s: %w", drivers.ErrConfig, c.Verb, err)
		}
	}
	return a, nil
}

func (l *link) command(c elevator.Command, a profiles.Asking) fieldbus.Command {
	out := fieldbus.Command{ID: c.ID, Verb: c.Verb, Class: fieldbus.ClassOf(c.Verb), Group: uint32(c.Side), Until: a.Until}
	for _, s := range a.Sends {
		out.Writes = append(out.Writes, l.write(s))
	}
	sent := new(elevator.Instant) // who has the line writes it, until the command has ended
	out.Writes[0].Ask = l.first(c, out.Writes[0].Ask, sent)
	if a.Confirmed > 0 {
		out.Prove = func(ctx context.Context, r fieldbus.Result) fieldbus.Result {
			if *sent != 0 && l.proven(ctx, c, a.Confirmed, *sent) {
				r.Result, r.Err, r.Why = elevator.Done, nil, "not answered for sure, and seen to be done"
			}
			return r
		}
	}
	return out
}

// first asks the first message of a command only if the lift is as the profile wants
// it for that. It looks at the last moment, as the first byte is about to leave.
func (l *link) first(c elevator.Command, ask func(*fieldbus.Wire) error, sent *elevator.Instant) func(*fieldbus.Wire) error {
	return func(w *fieldbus.Wire) error {
		s := l.view.Snapshot()
		if err := l.prof.Ready(c, &s, l.floors, l.env.Now()); err != nil {
			return &fieldbus.Refusal{Kind: drivers.ErrDevice, Text: err.Error()}
		}
		err := ask(w)
		*sent = w.SentAt()
		return err
	}
}

// proven reads until what the command brings is seen, or its time is over.
func (l *link) proven(ctx context.Context, c elevator.Command, within time.Duration, sent elevator.Instant) bool {
	return view.Await(ctx, within, l.prof.Traits().FastPoll, func(ctx context.Context) bool {
		_ = l.port.Read(ctx) // what failed is marked, and proves nothing
		s := l.view.Snapshot()
		return l.prof.Proven(c, &s, l.floors, sent)
	})
}

func (l *link) write(s profiles.Send) fieldbus.Write {
	w := fieldbus.Write{Pause: s.Pause, Owed: s.Owed, MayClose: s.MayClose, Ask: func(w *fieldbus.Wire) error {
		a, err := l.ask(w, s.Message, s.Args)
		if a.Tells != "" {
			_ = l.good(a, w.SentAt()) // laying values does not fail
		}
		return err
	}}
	u := l.frames.Until(s.Message)
	if u == nil {
		return w
	}
	w.Within, w.Every = u.Within, u.Every
	w.Until = func(w *fieldbus.Wire) (bool, error) {
		a, err := l.ask(w, u.Read, nil)
		var no *fieldbus.Refusal
		if errors.As(err, &no) {
			return false, err
		}
		return err == nil && a.Get(u.Of).Word() == u.Is, err
	}
	return w
}
