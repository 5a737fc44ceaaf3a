package profiles

import (
	"fmt"
	"slices"
)

// dress puts around a body what makes it a frame.
func (s *shape) dress(body []byte) ([]byte, error) {
	if s.length != nil {
		front, err := s.measured(body)
		if err != nil {
			return nil, err
		}
		return s.closed(front, body)
	}
	front := append([]byte(nil), s.start...)
	for _, c := range body {
		if e, ok := s.escape[c]; ok {
			front = append(front, e...)
			continue
		}
		front = append(front, c)
	}
	return s.closed(s.padded(front), body)
}

// measured puts start and length before a body, which has its padding then.
func (s *shape) measured(body []byte) ([]byte, error) {
	l, at := s.length, s.length.at-len(s.start)
	if at < 0 || at > len(body) {
		return nil, fmt.Errorf("%w: too short for its length", ErrArgument)
	}
	front := slices.Concat(s.start, body[:at], make([]byte, l.field.size()), body[at:])
	front = s.padded(front)
	n := len(front) - l.from + l.add
	if l.whole {
		n += s.tail()
	}
	said, err := l.field.said(RawOfInt(int64(n)))
	if err != nil {
		return nil, err
	}
	copy(front[l.at:], said)
	return front, nil
}

func (s *shape) padded(b []byte) []byte {
	for s.pad > 0 && (len(b)+s.tail())%s.pad != 0 {
		b = append(b, s.padWith)
	}
	return b
}

// closed puts the tail behind a front.
func (s *shape) closed(front, body []byte) ([]byte, error) {
	out := front
	if s.check == nil {
		out = append(out, s.end...)
	} else if s.check.withEnd {
		out = append(out, s.end...)
		out = append(out, s.check.of(out[min(s.check.from, len(out)):])...)
	} else {
		over := out[min(s.check.from, len(out)):]
		if s.check.plain {
			over = body
		}
		out = append(append(out, s.check.of(over)...), s.end...)
	}
	if len(out) > s.most || s.fixed > 0 && len(out) != s.fixed {
		return nil, fmt.Errorf("%w: a frame of %d bytes", ErrArgument, len(out))
	}
	return out, nil
}
