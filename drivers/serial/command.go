package serial

import (
	"context"
	"errors"
	"fmt"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// Do carries out one command, at most once.
func (l *link) Do(ctx context.Context, c elevator.Command) elevator.Outcome {
	a, err := l.asking(c)
	if err != nil {
		return unsaid(c.ID, err, l.env.Now())
	}
	r := l.port.Do(ctx, l.command(c, a))
	if r.Result == elevator.Done {
		l.held(c, a)
	}
	return outcome(c.ID, r)
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
	out := fieldbus.Command{ID: c.ID, Class: class(c.Verb), Group: uint32(c.Side), Until: c.Until}
	for _, s := range a.Sends {
		out.Writes = append(out.Writes, l.write(s))
	}
	return out
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

func (l *link) write(s profiles.Send) fieldbus.Write {
	w := fieldbus.Write{Pause: s.Pause, Owed: s.Owed, Ask: func(w *fieldbus.Wire) error {
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

// held keeps the end of the hold that the device has acknowledged.
func (l *link) held(c elevator.Command, a profiles.Asking) {
	if c.Verb != elevator.Hold && c.Verb != elevator.Lapse || int(c.Side) >= elevator.Sides {
		return
	}
	l.view.Note(func(s *elevator.Snapshot) { s.Holds[c.Side] = a.HoldUntil })
}
