package pubsub

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// Peek asks a message that feeds points, or shows the latest of one that comes by itself.
func (l *link) Peek(ctx context.Context, question string) (drivers.Peeked, error) {
	name := strings.TrimSpace(question)
	m := l.api.Topic(name)
	feeds := slices.ContainsFunc(l.prof.Sources(), func(s profiles.Source) bool { return s.Name == name })
	switch {
	case l.closed():
		return drivers.Peeked{}, drivers.ErrClosed
	case m == nil || !m.Heard && !feeds:
		return drivers.Peeked{}, fmt.Errorf("%w: %q is no message that is only read", drivers.ErrConfig, name)
	case m.Heard:
		l.mu.Lock()
		defer l.mu.Unlock()
		if b, ok := l.latest[name]; ok {
			return drivers.Peeked{Text: string(b), At: l.env.Now()}, nil
		}
		return drivers.Peeked{}, fmt.Errorf("%w: %s has not come yet", drivers.ErrTimeout, name)
	}
	a, err := l.ask(ctx, m, nil)
	return drivers.Peeked{Text: fmt.Sprint(a.Doc), At: a.at}, err
}

// Preview gives the topic and the payload.
func (l *link) Preview(question string) ([][]byte, error) {
	m, args, err := l.question(question)
	if err != nil {
		return nil, err
	}
	topic, payload, err := l.words(m, l.given(args))
	return [][]byte{[]byte(topic), payload}, err
}

// Poke says a message of the profile: NAME, then name=value for each argument.
func (l *link) Poke(ctx context.Context, id elevator.CommandID, question string) elevator.Outcome {
	m, args, err := l.question(question)
	if err != nil {
		return profiles.Unsaid(id, err, l.env.Now())
	}
	return l.flow.ByHand(ctx, id, profiles.Send{Message: m.Name, Args: args})
}

// question reads NAME name=value …; a value with spaces is in quotes, and a quoted one
// is a text whatever it looks like.
func (l *link) question(q string) (*profiles.Topic, map[string]profiles.Raw, error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(q), " ")
	m := l.api.Topic(name)
	if m == nil || !m.Publish {
		return nil, nil, fmt.Errorf("%w: the profile publishes no message %q", drivers.ErrConfig, name)
	}
	args := map[string]profiles.Raw{}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		k, v, ok := strings.Cut(rest, "=")
		if !ok || strings.Contains(k, " ") {
			return nil, nil, fmt.Errorf("%w: name=value is expected at %q", drivers.ErrConfig, rest)
		}
		if text, err := strconv.QuotedPrefix(v); err == nil {
			rest = v[len(text):]
			text, _ = strconv.Unquote(text)
			args[k] = profiles.RawOfText(text)
			continue
		}
		v, rest, _ = strings.Cut(v, " ")
		args[k] = profiles.Literal(v)
	}
	for _, a := range m.Args {
		if _, ok := args[a]; !ok {
			return nil, nil, fmt.Errorf("%w: %s needs %s", drivers.ErrConfig, name, strings.Join(m.Args, ", "))
		}
	}
	return m, args, nil
}

// Plan lists the sources.
func (l *link) Plan() []drivers.PlannedRead {
	var out []drivers.PlannedRead
	for _, s := range l.prof.Sources() {
		r := drivers.PlannedRead{Question: s.Name, Every: s.Every, Points: s.Points}
		if l.api.Topic(s.Name).Heard {
			r.Every, r.Note = 0, "comes by itself"
		}
		out = append(out, r)
	}
	return out
}
