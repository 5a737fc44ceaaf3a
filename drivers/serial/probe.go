package serial

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// spoken is a raw question: a message and its values, as "check_in floor=2".
type spoken struct {
	message string
	args    map[string]profiles.Raw
}

func (l *link) parse(question string) (spoken, error) {
	f := strings.Fields(question)
	if len(f) == 0 || !slices.Contains(l.frames.Messages(), f[0]) {
		return spoken{}, fmt.Errorf("%w: write a message of the profile and its values, as %s; there are %s",
			drivers.ErrConfig, "check_in floor=2", strings.Join(l.frames.Messages(), ", "))
	}
	s := spoken{f[0], map[string]profiles.Raw{}}
	for _, kv := range f[1:] {
		k, v, ok := strings.Cut(kv, "=")
		if !ok {
			return s, fmt.Errorf("%w: %q is no name=value", drivers.ErrConfig, kv)
		}
		s.args[k] = profiles.RawOfText(v)
		if n, err := strconv.ParseInt(v, 0, 64); err == nil {
			s.args[k] = profiles.RawOfInt(n)
		}
	}
	if _, err := l.frames.Ask(s.message, s.args, 0); err != nil {
		return s, fmt.Errorf("%w: %w", drivers.ErrConfig, err)
	}
	return s, nil
}

// Peek says a message that no command of the profile says.
func (l *link) Peek(ctx context.Context, question string) (drivers.Peeked, error) {
	s, err := l.parse(question)
	if err != nil {
		return drivers.Peeked{}, err
	}
	if !l.prof.Harmless(s.message) {
		return drivers.Peeked{}, fmt.Errorf("%w: %s may change something: write it", drivers.ErrConfig, s.message)
	}
	var out drivers.Peeked
	err = l.port.Diag(ctx, func(w *fieldbus.Wire) error {
		a, err := l.ask(w, s.message, s.args)
		out = drivers.Peeked{Text: a.Values(), At: w.SentAt()}
		if a.Refused {
			out.Text = a.Message + ": " + out.Text
			return silence(err)
		}
		return err
	})
	return out, err
}

// Preview see [drivers.Prober]. Numbers of the sequence are as for the first question.
func (l *link) Preview(question string) ([][]byte, error) {
	s, err := l.parse(question)
	if err != nil {
		return nil, err
	}
	q, err := l.frames.Ask(s.message, s.args, 0)
	if err != nil {
		return nil, err
	}
	return [][]byte{q.Bytes}, nil
}

// Poke says any message, once for its id.
func (l *link) Poke(ctx context.Context, id elevator.CommandID, question string) elevator.Outcome {
	s, err := l.parse(question)
	if err != nil {
		return profiles.Unsaid(id, err, l.env.Now())
	}
	w := l.write(profiles.Send{Message: s.message, Args: s.args})
	w.Until = nil
	say := w.Ask
	w.Ask = func(w *fieldbus.Wire) error {
		if err := drivers.Consent(ctx); err != nil {
			return err
		}
		return say(w)
	}
	return l.port.Do(ctx, fieldbus.Command{
		ID: id, Class: fieldbus.Call, Until: l.env.Now().Add(pokeLife), Writes: []fieldbus.Write{w},
	}).Outcome(id)
}

// pokeLife is how long a raw write may wait for its turn.
const pokeLife = 10 * time.Second

// Plan see [drivers.Planned].
func (l *link) Plan() (out []drivers.PlannedRead) {
	for _, r := range l.reads {
		p := drivers.PlannedRead{Question: r.Name, Every: r.Every, Points: r.Points}
		if r.each != nil {
			p.Question += fmt.Sprintf(" %s=%d", r.each.Argument, r.wire)
		}
		if q, err := l.frames.Ask(r.Name, r.args, 0); err == nil && l.line.Mode.Baud > 0 {
			p.Wire = time.Duration(len(q.Bytes)+q.Usual) * 11 * time.Second / time.Duration(l.line.Mode.Baud)
		}
		out = append(out, p)
	}
	for _, s := range l.prof.Sources() {
		if !l.prof.Harmless(s.Name) {
			out = append(out, drivers.PlannedRead{Question: s.Name, Points: s.Points, Note: "comes by itself, or with a command"})
		}
	}
	return out
}
