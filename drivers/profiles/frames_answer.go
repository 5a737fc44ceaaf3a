package profiles

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Answer is what came to a question.
type Answer struct {
	Message string
	Refused bool
	Busy    bool   // refused for now: another has the controller
	Code    string // of a refusal, as it came
	Tells   string // the message whose points it feeds; "" for none
	vals    map[string]Raw
}

// Get gives a value of the answer by its path: floor, status.door.
func (a Answer) Get(path string) Raw { return a.vals[path] }

// Values lists what the answer says, sorted, for people.
func (a Answer) Values() string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(a.vals)) {
		out = append(out, k+"="+said(a.vals[k]))
	}
	return strings.Join(out, " ")
}

func said(v Raw) string {
	if v.Kind != RawList {
		return v.Word()
	}
	var out []string
	for _, e := range v.List {
		out = append(out, e.Word())
	}
	return "[" + strings.Join(out, " ") + "]"
}

// Read reads a run of bytes that Hear took. The error wraps ErrMisfit for a frame
// that is no answer to this question.
func (q *Question) Read(frame []byte) (Answer, error) {
	body := q.f.inner(frame)
	for _, r := range q.f.refusals { // first: a no is never taken for an answer
		if vals, ok := q.reads(r, body, frame); ok {
			return Answer{Message: r.name, Refused: true, Busy: r.busy, Code: r.codeOf(vals), Tells: r.tells, vals: vals}, nil
		}
	}
	if vals, ok := q.reads(q.m, body, frame); ok && len(q.m.answer) > 0 {
		return Answer{Message: q.m.name, Tells: q.m.name, vals: vals}, nil
	}
	return Answer{}, fmt.Errorf("%w: not an answer to %s", ErrMisfit, q.m.name)
}

// inner is the body of a frame, nil for what is no whole frame.
func (f *Frames) inner(frame []byte) []byte {
	if f.shape.free() {
		return frame
	}
	if c := f.Cut(frame); c.Verdict != CutTake || c.N != len(frame) {
		return nil
	}
	return f.shape.body(frame)
}

// reads tries a body, and the frame itself where it may come with nothing around it.
func (q *Question) reads(m *message, body, frame []byte) (map[string]Raw, bool) {
	if body != nil && (!m.unframed || m == q.m) {
		if vals, ok := q.f.inside(m.answer, body); ok && q.echoes(m, vals) {
			return vals, true
		}
	}
	if !m.unframed {
		return nil, false
	}
	vals, n, fit := q.f.match(m.answer, frame)
	return vals, fit == fits && n == len(frame) && q.echoes(m, vals)
}

func (m *message) codeOf(vals map[string]Raw) string {
	if m.fixed {
		return m.code
	}
	return vals[m.code].Word()
}

// Decode reads a frame as the answer to a message, whatever was asked, and gives its
// values by path.
func (f *Frames) Decode(name string, frame []byte) (get func(path string) Raw, err error) {
	m := f.messages[name]
	if m == nil {
		return nil, fmt.Errorf("%w: %s", ErrNoMessage, name)
	}
	a, err := (&Question{f: f, m: m}).Read(frame)
	if err != nil || a.Refused {
		return nil, fmt.Errorf("%w: %s", ErrMisfit, name)
	}
	return a.Get, nil
}

// Unasked is what the controller said by itself.
type Unasked struct {
	Answer
	Reply []byte // what it is answered; nil for nothing
}

// Unasked reads a frame that nobody asked for; ok is false for one that the profile
// does not name or that is for somebody else.
func (f *Frames) Unasked(frame []byte) (u Unasked, ok bool) {
	c := f.Cut(frame)
	if c.Verdict != CutTake || c.N != len(frame) {
		return u, false
	}
	body := f.shape.body(frame)
	for _, name := range f.Messages() {
		m := f.messages[name]
		if !m.unasked {
			continue
		}
		vals, fit := f.inside(m.answer, body)
		if !fit {
			continue
		}
		u = Unasked{Answer: Answer{Message: name, Tells: m.tells, vals: vals}}
		if u.Tells == "" {
			u.Tells = name
		}
		u.Reply = f.replyTo(m, vals)
		return u, true
	}
	return u, false
}

// replyTo is the answer to a message that came unasked; its fields repeat what that
// said. One that cannot be said is left out: the controller repeats itself.
func (f *Frames) replyTo(m *message, vals map[string]Raw) []byte {
	if len(m.reply) == 0 {
		return nil
	}
	args := make(map[string]Raw)
	for _, x := range m.reply {
		if v, came := vals[x.name]; came && x.is.Kind == RawNone {
			args[x.name] = v
		}
	}
	body, err := f.fill(m.reply, args, 0, map[string]Raw{})
	if err != nil {
		return nil
	}
	out, err := f.shape.dress(body)
	if err != nil {
		return nil
	}
	return out
}
