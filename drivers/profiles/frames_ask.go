package profiles

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Question is one message as it leaves, with all that its answer is known by.
type Question struct {
	Bytes  []byte
	Usual  int  // about how many bytes the answer has
	Silent bool // the controller never answers it

	f    *Frames
	m    *message
	said map[string]Raw
}

// Ask puts a message into bytes. seq counts the questions of the line; the frames
// take from it what their sequence holds.
func (f *Frames) Ask(name string, args map[string]Raw, seq int) (*Question, error) {
	m := f.messages[name]
	if m == nil || len(m.ask) == 0 {
		return nil, fmt.Errorf("%w: %s is not one that is asked", ErrNoMessage, name)
	}
	q := &Question{f: f, m: m, Silent: m.silent, said: map[string]Raw{}}
	body, err := f.fill(m.ask, args, seq, q.said)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	for a := range args {
		if _, taken := q.said[a]; !taken {
			return nil, fmt.Errorf("%s: %w: it has no %s", name, ErrArgument, a)
		}
	}
	if q.Bytes, err = f.shape.dress(body); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	q.Usual = f.usual(m.answer)
	return q, nil
}

// Encode is the bytes of a message; see Ask.
func (f *Frames) Encode(name string, args map[string]Raw, seq int) ([]byte, error) {
	q, err := f.Ask(name, args, seq)
	if err != nil {
		return nil, err
	}
	return q.Bytes, nil
}

// fill writes fields, and notes in said what each of them says.
func (f *Frames) fill(fields []field, args map[string]Raw, seq int, said map[string]Raw) ([]byte, error) {
	var out []byte
	for _, x := range fields {
		v, err := f.valueOf(x, args, seq)
		if err == nil {
			out, err = x.put(out, v)
		}
		if err != nil {
			return nil, err
		}
		if x.name != "" {
			said[x.name] = v
		}
	}
	return out, nil
}

// valueOf finds what a field of ours says.
func (f *Frames) valueOf(x field, args map[string]Raw, seq int) (Raw, error) {
	if v := args[x.name]; x.name != "" && v.Kind != RawNone {
		return v, nil
	}
	p, own := f.params[x.name]
	switch {
	case x.is.Kind != RawNone:
		return x.is, nil
	case x.name == sequence:
		return RawOfInt(int64(f.number(seq))), nil
	case own:
		return RawOfInt(int64(p.value)), nil
	case x.def.Kind != RawNone:
		return x.def, nil
	case x.raw != nil:
		return Raw{}, nil
	}
	return Raw{}, fmt.Errorf("%w: %s is not given", ErrArgument, x.label())
}

// usual is about how long a frame of these fields is.
func (f *Frames) usual(fields []field) int {
	n := f.shape.head() + f.shape.tail()
	for _, x := range fields {
		n += max(1, x.size())
	}
	return n
}

// Hear judges what came after the question. What is a frame but not an answer to it
// is skipped, whatever it says.
func (q *Question) Hear(in []byte) Cut {
	f := q.f
	if f.shape.free() {
		return q.free(in)
	}
	raw, some := q.bare(in)
	if some && raw.Verdict == CutTake {
		return raw
	}
	c := f.Cut(in)
	switch {
	case c.Verdict == CutTake:
		if _, err := q.Read(in[:c.N]); err != nil {
			return Cut{CutSkip, c.N, err.Error()}
		}
	case c.Verdict == CutSkip && some:
		return Cut{} // perhaps the begin of an answer with nothing around it
	}
	return c
}

// free reports whether nothing but its fields tells a frame's end.
func (s *shape) free() bool { return s.length == nil && s.fixed == 0 && len(s.end) == 0 }

// free cuts an answer by the fields that it must have.
func (q *Question) free(in []byte) Cut {
	if len(in) == 0 {
		return Cut{}
	}
	waiting := false
	for _, fields := range q.answers() {
		_, n, fit := q.f.match(fields, in)
		if fit == fits && n > 0 {
			if _, err := q.Read(in[:n]); err == nil {
				return Cut{CutTake, n, ""}
			}
			fit = misfit
		}
		waiting = waiting || fit == short
	}
	if waiting && len(in) < q.f.shape.most {
		return Cut{}
	}
	return Cut{CutSpoilt, len(in), "no answer to " + q.m.name}
}

// answers are all that may come: the answer, and how the controller says no.
func (q *Question) answers() [][]field {
	out := [][]field{q.m.answer}
	for _, r := range q.f.refusals {
		out = append(out, r.answer)
	}
	return out
}

// bare looks for what comes with nothing around it; some says that one may have begun.
func (q *Question) bare(in []byte) (c Cut, some bool) {
	for _, m := range append(q.f.refusals[:len(q.f.refusals):len(q.f.refusals)], q.m) {
		if !m.unframed || len(in) == 0 {
			continue
		}
		vals, n, fit := q.f.match(m.answer, in)
		if fit == fits && n > 0 && q.echoes(m, vals) {
			return Cut{CutTake, n, ""}, true
		}
		some = some || fit == short
	}
	return Cut{}, some
}

// match reads fields off the front of b. Fields named as a parameter of the site must
// say what it is: else the frame is of another device.
func (f *Frames) match(fields []field, b []byte) (vals map[string]Raw, n int, how fit) {
	vals = make(map[string]Raw, len(fields))
	for _, x := range fields {
		v, size, how := x.take(b[n:])
		if how != fits {
			return nil, 0, how
		}
		n += size
		if p, own := f.params[x.name]; own {
			if is, ok := v.Whole(); !ok || is != int64(p.value) {
				return nil, 0, misfit
			}
		} else if x.name != "" {
			vals[x.name] = v
			x.spread(v, vals)
		}
	}
	return vals, n, fits
}

// spread adds the parts of a number under their own names.
func (x field) spread(v Raw, vals map[string]Raw) {
	for _, p := range x.parts {
		vals[x.name+"."+p.name] = RawOfInt(v.Int >> p.from & (1<<(p.to-p.from+1) - 1))
	}
}

// inside reads a whole body; bytes of padding may follow.
func (f *Frames) inside(fields []field, body []byte) (map[string]Raw, bool) {
	vals, n, how := f.match(fields, body)
	if how != fits {
		return nil, false
	}
	rest := body[n:]
	pads := f.shape.pad > 0 && len(rest) < f.shape.pad
	return vals, len(rest) == 0 || pads && !slices.ContainsFunc(rest, func(c byte) bool { return c != f.shape.padWith })
}

// echoes reports whether an answer repeats what the question said.
func (q *Question) echoes(m *message, vals map[string]Raw) bool {
	for _, name := range m.match {
		said, had := q.said[name]
		if v, came := vals[name]; had && came && !same(said, v) {
			return false
		}
	}
	return true
}

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
