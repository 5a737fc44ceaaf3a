package profiles

import (
	"fmt"
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
