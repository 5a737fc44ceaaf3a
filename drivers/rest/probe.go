package rest

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// A question is the name of a message of the profile, and its values after it:
// call from=2 to=5 name="B 1". A whole number and true and false are what they look
// like; in quotes they are text.

// Peek asks a message that a point is read from, or that the profile says to read only.
func (l *link) Peek(ctx context.Context, question string) (drivers.Peeked, error) {
	name, args, err := l.question(question)
	if err != nil {
		return drivers.Peeked{}, err
	}
	if !l.reads(name) {
		return drivers.Peeked{}, fmt.Errorf("%w: no point is read by %s, so it may move something", drivers.ErrConfig, name)
	}
	if !take(ctx, l.turn) {
		return drivers.Peeked{}, drivers.ErrTimeout
	}
	defer func() { <-l.turn }()
	a, err := l.ask.message(ctx, name, args, false)
	out := drivers.Peeked{At: a.at}
	if a.Doc != nil {
		text, _ := json.MarshalIndent(a.Doc, "", "  ") // it came as JSON
		out.Text = string(text)
	}
	return out, err
}

func (l *link) reads(name string) bool {
	for _, s := range l.prof.Sources() {
		if s.Name == name {
			return true
		}
	}
	return l.ask.harmless(name)
}

// Preview gives the bytes that Poke would send, secrets left out.
func (l *link) Preview(question string) ([][]byte, error) {
	name, args, err := l.question(question)
	if err != nil {
		return nil, err
	}
	b, err := l.ask.preview(name, args)
	return [][]byte{b}, err
}

// Poke says a message, at most once for its id.
func (l *link) Poke(ctx context.Context, id elevator.CommandID, question string) elevator.Outcome {
	name, args, err := l.question(question)
	if err != nil {
		return profiles.Unsaid(id, err, l.env.Now())
	}
	return l.flow.ByHand(ctx, id, profiles.Send{Message: name, Args: args})
}

// question reads a message's name and its values.
func (l *link) question(q string) (name string, args map[string]profiles.Raw, err error) {
	name, rest, _ := strings.Cut(strings.TrimSpace(q), " ")
	wants, known := l.ask.takes(name)
	if !known {
		return "", nil, fmt.Errorf("%w: the profile has no message %q that can be said", drivers.ErrConfig, name)
	}
	args = map[string]profiles.Raw{}
	for rest = strings.TrimSpace(rest); rest != ""; rest = strings.TrimSpace(rest) {
		var k, v string
		if k, v, rest, err = word(rest); err != nil {
			return "", nil, err
		}
		args[k] = value(v)
	}
	for _, w := range wants {
		if _, ok := args[w]; !ok {
			return "", nil, fmt.Errorf("%w: %s needs %s", drivers.ErrConfig, name, strings.Join(wants, ", "))
		}
	}
	if len(args) != len(wants) {
		return "", nil, fmt.Errorf("%w: %s takes no more than %s", drivers.ErrConfig, name, strings.Join(wants, ", "))
	}
	return name, args, nil
}

// word cuts key=value off; the value may be in quotes, which it keeps.
func word(s string) (k, v, rest string, err error) {
	k, s, ok := strings.Cut(s, "=")
	if !ok || k == "" || strings.ContainsAny(k, " \"") {
		return "", "", "", fmt.Errorf("%w: name=value is expected", drivers.ErrConfig)
	}
	if !strings.HasPrefix(s, `"`) {
		v, rest, _ = strings.Cut(s, " ")
		return k, v, rest, nil
	}
	v, err = strconv.QuotedPrefix(s)
	if err != nil {
		return "", "", "", fmt.Errorf("%w: the quotes of %s do not end", drivers.ErrConfig, k)
	}
	return k, v, s[len(v):], nil
}

func value(s string) profiles.Raw {
	if t, err := strconv.Unquote(s); err == nil && strings.HasPrefix(s, `"`) {
		return profiles.RawOfText(t)
	}
	return profiles.Literal(s)
}

// Plan lists the sources.
func (l *link) Plan() []drivers.PlannedRead {
	var out []drivers.PlannedRead
	for _, s := range l.prof.Sources() {
		r := drivers.PlannedRead{Question: s.Name, Every: s.Every, Points: s.Points}
		if _, asked := l.ask.takes(s.Name); !asked {
			r.Every, r.Note = 0, "comes by itself"
		}
		out = append(out, r)
	}
	return out
}
