package profiles

import (
	"slices"
)

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
