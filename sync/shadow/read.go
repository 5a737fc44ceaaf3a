package shadow

import (
	"bytes"
	"encoding/json"
)

// reader reads JSON as devices and services mostly write it, without the detours
// of a general decoder: that is most of what a message costs. It gives up on all
// else, an escape, a fraction or a fault; what comes of that [decoder] decides.
type reader struct {
	raw []byte // valid UTF-8
	at  int
}

func read(raw []byte) (Tree, bool) {
	r := reader{raw: raw}
	if r.next() != '{' {
		return nil, false
	}
	t, ok := r.object(1)
	return t, ok && r.next() == 0 && r.at == len(raw)
}

// next is the byte at hand behind any spaces, 0 at the end.
func (r *reader) next() byte {
	for ; r.at < len(r.raw); r.at++ {
		switch c := r.raw[r.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

// skip goes past c if it is the next byte.
func (r *reader) skip(c byte) bool {
	if r.next() != c {
		return false
	}
	r.at++
	return true
}

func (r *reader) value(level int) (any, bool) {
	switch r.next() {
	case '{':
		if level < maxMessageDepth {
			return r.object(level + 1)
		}
	case '[':
		if level < maxMessageDepth {
			return r.list(level + 1)
		}
	case '"':
		return r.text()
	case 't':
		return true, r.word("true")
	case 'f':
		return false, r.word("false")
	case 'n':
		return nil, r.word("null")
	default:
		return r.number()
	}
	return nil, false
}

func (r *reader) object(level int) (Tree, bool) {
	out := Tree{}
	r.at++
	if r.skip('}') {
		return out, true
	}
	for {
		if r.next() != '"' {
			return nil, false
		}
		k, ok := r.text()
		if _, twice := out[k]; !ok || twice || !r.skip(':') {
			return nil, false
		}
		if out[k], ok = r.value(level); !ok {
			return nil, false
		}
		if !r.skip(',') {
			return out, r.skip('}')
		}
	}
}

func (r *reader) list(level int) ([]any, bool) {
	out := []any{}
	r.at++
	if r.skip(']') {
		return out, true
	}
	for {
		v, ok := r.value(level)
		if !ok {
			return nil, false
		}
		out = append(out, v)
		if !r.skip(',') {
			return out, r.skip(']')
		}
	}
}

// text copies: a leaf that is kept must not keep its whole message.
func (r *reader) text() (string, bool) {
	rest := r.raw[r.at+1:]
	n := bytes.IndexByte(rest, '"')
	if n < 0 {
		return "", false
	}
	for _, c := range rest[:n] {
		if c < ' ' || c == '\\' {
			return "", false
		}
	}
	r.at += n + 2
	return string(rest[:n]), true
}

func (r *reader) word(w string) bool {
	if !bytes.HasPrefix(r.raw[r.at:], []byte(w)) {
		return false
	}
	r.at += len(w)
	return true
}

func (r *reader) number() (any, bool) {
	from := r.at
	for r.at < len(r.raw) && (r.raw[r.at] == '-' || isDigit(r.raw[r.at])) {
		r.at++
	}
	n := string(r.raw[from:r.at])
	return json.Number(n), isWhole(n)
}

// isWhole holds for a whole number in its shortest form, within bounds: two of them
// are equal only if they are written the same.
func isWhole(s string) bool {
	if len(s) > maxNumber {
		return false
	}
	if len(s) > 1 && s[0] == '-' && s[1] != '0' {
		s = s[1:]
	}
	if s == "" || s[0] == '0' && len(s) > 1 {
		return false
	}
	for i := range len(s) {
		if !isDigit(s[i]) {
			return false
		}
	}
	return true
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }
