package profiles

import (
	"bytes"
	"fmt"
)

// Verdict is what a deframer makes of the bytes that came.
type Verdict uint8

const (
	CutMore   Verdict = iota // not enough to judge
	CutSkip                  // the first N bytes are no frame: throw them away and look again
	CutTake                  // the first N bytes are one frame
	CutSpoilt                // nothing that follows can be trusted
)

// Cut is a verdict. Note says why bytes are no frame.
type Cut struct {
	Verdict Verdict
	N       int
	Note    string
}

// Cut looks for one frame at the front of in. It never wants more than [Frames.Most]
// bytes, and each skip brings the front to where the next frame may begin.
func (f *Frames) Cut(in []byte) Cut {
	s := &f.shape
	if len(in) == 0 {
		return Cut{}
	}
	if n := s.garbage(in); n > 0 {
		return Cut{CutSkip, n, "between frames"}
	}
	if len(in) < len(s.start) {
		return Cut{}
	}
	switch {
	case s.length != nil:
		return s.byLength(in)
	case s.fixed > 0:
		return s.whole(in, s.fixed)
	case len(s.end) > 0:
		return s.byEnd(in)
	}
	return Cut{CutSpoilt, len(in), "only an answer that is waited for can be told"}
}

// garbage counts the bytes before the first start, or before what may be its begin.
func (s *shape) garbage(in []byte) int {
	if len(s.start) == 0 {
		return 0
	}
	if i := bytes.Index(in, s.start); i >= 0 {
		return i
	}
	for n := min(len(s.start)-1, len(in)); n > 0; n-- {
		if bytes.HasSuffix(in, s.start[:n]) {
			return len(in) - n
		}
	}
	return len(in)
}

// bad skips what only looked like a frame: its start, so that one within it is found.
func (s *shape) bad(in []byte, note string) Cut {
	if len(s.start) == 0 {
		return Cut{CutSpoilt, len(in), note}
	}
	return Cut{CutSkip, 1, note}
}

func (s *shape) byLength(in []byte) Cut {
	l := s.length
	if len(in) < l.at {
		return Cut{}
	}
	v, _, f := l.field.take(in[l.at:])
	if f == short {
		return Cut{}
	}
	n := l.from + int(v.Int) - l.add
	if !l.whole {
		n += s.tail()
	}
	if f == misfit || v.Int < 0 || n < l.at+l.field.size()+s.tail() || n > s.most {
		return s.bad(in, fmt.Sprintf("impossible length %s", v.Word()))
	}
	return s.whole(in, n)
}

// tail is what stands behind the body.
func (s *shape) tail() int { return len(s.end) + s.check.width() }

// whole takes a frame of n bytes when it is sound.
func (s *shape) whole(in []byte, n int) Cut {
	if len(in) < n {
		return Cut{}
	}
	if note := s.unsound(in[:n]); note != "" {
		return s.bad(in, note)
	}
	return Cut{CutTake, n, ""}
}

func (s *shape) byEnd(in []byte) Cut {
	for from := len(s.start); ; from++ { // a checksum may look like the end
		i := bytes.Index(in[from:min(len(in), s.most)], s.end)
		if i < 0 {
			return s.noEnd(in)
		}
		from += i
		n := from + len(s.end)
		if s.check != nil && s.check.withEnd {
			n += s.check.width()
		}
		if again := s.anew(in[:min(n, len(in))]); again > 0 {
			return Cut{CutSkip, again, begunAnew}
		}
		if n > s.most {
			return s.bad(in, "no end")
		}
		if len(in) < n {
			return Cut{}
		}
		note := s.unsound(in[:n])
		if note == "" {
			return Cut{CutTake, n, ""}
		}
		if !s.binaryTail() || len(in) <= n {
			return Cut{CutSkip, n, note}
		}
	}
}

const begunAnew = "a frame begins within another"

// noEnd judges what has no end so far.
func (s *shape) noEnd(in []byte) Cut {
	if again := s.anew(in); again > 0 {
		return Cut{CutSkip, again, begunAnew}
	}
	if len(in) >= s.most {
		return s.bad(in, "no end")
	}
	return Cut{}
}

func (s *shape) binaryTail() bool {
	return s.check != nil && !s.check.withEnd && s.check.form == "bin"
}

// anew gives the offset of the last start within in, where a frame cannot hold one.
func (s *shape) anew(in []byte) int {
	if !s.restart || len(s.start) == 0 {
		return 0
	}
	return max(0, bytes.LastIndex(in, s.start))
}

// unsound says why a run of bytes that has the length of a frame is none.
func (s *shape) unsound(b []byte) string {
	if len(b) < s.head()+s.tail() {
		return "too short"
	}
	if !bytes.HasPrefix(b, s.start) {
		return "no start"
	}
	body, check, end := s.split(b)
	if !bytes.Equal(end, s.end) {
		return "no end where its length says"
	}
	if s.check != nil && !s.check.good(s.covered(b, body), check) {
		return "bad checksum"
	}
	if s.pad > 0 && len(b)%s.pad != 0 {
		return "not padded"
	}
	return ""
}

// head is the least that stands before the body.
func (s *shape) head() int {
	if s.length != nil {
		return max(len(s.start), s.length.at+s.length.field.size())
	}
	return len(s.start)
}

// split gives the body with what stands before it, the checksum and the end.
func (s *shape) split(b []byte) (front, check, end []byte) {
	c, e := s.check.width(), len(s.end)
	n := len(b) - c - e
	if s.check != nil && s.check.withEnd {
		return b[:n], b[n+e:], b[n : n+e]
	}
	return b[:n], b[n : n+c], b[n+c:]
}

// covered is what the checksum of a frame covers.
func (s *shape) covered(b, front []byte) []byte {
	from := min(s.check.from, len(front))
	if s.check.withEnd {
		return b[from : len(front)+len(s.end)]
	}
	if s.check.plain {
		return s.unescape(front[from:])
	}
	return front[from:]
}

// body takes start, length and tail off a frame, and the escapes out of it.
func (s *shape) body(b []byte) []byte {
	front, _, _ := s.split(b)
	if l := s.length; l != nil {
		out := append([]byte(nil), front[len(s.start):max(len(s.start), l.at)]...)
		return append(out, front[l.at+l.field.size():]...)
	}
	return s.unescape(front[len(s.start):])
}

func (s *shape) unescape(b []byte) []byte {
	if len(s.escape) == 0 {
		return b
	}
	out := make([]byte, 0, len(b))
	for i := 0; i < len(b); i++ {
		if i+1 < len(b) {
			if c, ok := s.back[string(b[i:i+2])]; ok {
				out = append(out, c)
				i++
				continue
			}
		}
		out = append(out, b[i])
	}
	return out
}
