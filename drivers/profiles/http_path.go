package profiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Bounds of documents and of places in them.
const (
	maxDocDepth  = 64
	maxPlaceLen  = 200
	maxListItems = 256
)

// ErrDocument is a text that is no JSON document, or one too deep to be meant.
var ErrDocument = errors.New("not a JSON document")

// Document reads one JSON document and nothing after it. Numbers stay as written.
func Document(src []byte) (any, error) {
	if depth(src) > maxDocDepth {
		return nil, fmt.Errorf("%w: nested deeper than %d", ErrDocument, maxDocDepth)
	}
	d := json.NewDecoder(bytes.NewReader(src))
	d.UseNumber()
	var doc any
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDocument, err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something follows it", ErrDocument)
	}
	return doc, nil
}

// depth counts open brackets outside of texts, before anything recurses over them.
func depth(src []byte) (most int) {
	open, quoted, escaped := 0, false, false
	for _, c := range src {
		switch {
		case escaped:
			escaped = false
		case quoted:
			escaped, quoted = c == '\\', c != '"'
		case c == '"':
			quoted = true
		case c == '[' || c == '{':
			open++
			most = max(most, open)
		case c == ']' || c == '}':
			open--
		}
	}
	return most
}

// RawOf makes a value of a part of a document. A mapping has no value of its own;
// a list counts its plain elements only, and has none if one is anything else.
func RawOf(v any) Raw {
	switch v := v.(type) {
	case nil:
		return Raw{Kind: RawNull}
	case bool:
		return RawOfBool(v)
	case string:
		return RawOfText(v)
	case int:
		return RawOfInt(int64(v))
	case float64:
		return rawFloat(v)
	case json.Number:
		if n, err := strconv.ParseInt(v.String(), 10, 64); err == nil {
			return RawOfInt(n)
		}
		f, err := v.Float64()
		if err != nil {
			return Raw{}
		}
		return rawFloat(f)
	case []any:
		return rawList(v)
	}
	return Raw{}
}

func rawFloat(f float64) Raw {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return RawOfInt(int64(f))
	}
	return RawOfFloat(f)
}

func rawList(v []any) Raw {
	if len(v) > maxListItems {
		return Raw{}
	}
	out := Raw{Kind: RawList, List: make([]Raw, 0, len(v))}
	for _, e := range v {
		r := RawOf(e)
		if r.Kind == RawNone || r.Kind == RawNull || r.Kind == RawList {
			return Raw{}
		}
		out.List = append(out.List, r)
	}
	return out
}

// Path is a place in a document: keys with dots between, [0] for an element of a
// list, [?key=value] for the one element whose key has that value, a|b for the first
// of two keys that is there, and ["a.b"] for a key with odd characters. The empty path
// is the whole document.
type Path struct{ steps []pathStep }

type pathStep struct {
	keys  []string // the first that is there
	index int
	where string // the key of the element that is looked for
	is    string // its value; with a $ the name of a site's own word
	kind  stepKind
}

type stepKind uint8

const (
	byKey stepKind = iota
	byIndex
	byWhere
)

// ParsePath reads a place.
func ParsePath(s string) (Path, error) {
	var p Path
	if len(s) > maxPlaceLen {
		return p, fmt.Errorf("a place of more than %d characters", maxPlaceLen)
	}
	for first := true; s != ""; first = false {
		var step pathStep
		var err error
		switch {
		case s[0] == '[':
			step, s, err = bracket(s)
		case first:
			step, s, err = keyStep(s)
		case s[0] == '.':
			step, s, err = keyStep(s[1:])
		default:
			err = fmt.Errorf("a dot or a bracket is expected before %q", s)
		}
		if err != nil {
			return Path{}, err
		}
		p.steps = append(p.steps, step)
	}
	return p, nil
}

func keyStep(s string) (step pathStep, rest string, err error) {
	end := strings.IndexAny(s, ".[")
	if end < 0 {
		end = len(s)
	}
	for k := range strings.SplitSeq(s[:end], "|") {
		if k == "" || strings.ContainsAny(k, "]\"= ") {
			return step, "", fmt.Errorf("no key at %q", s)
		}
		step.keys = append(step.keys, k)
	}
	return step, s[end:], nil
}

func bracket(s string) (step pathStep, rest string, err error) {
	if strings.HasPrefix(s, `["`) {
		text, err := strconv.QuotedPrefix(s[1:])
		if err != nil || !strings.HasPrefix(s[1+len(text):], "]") {
			return step, "", fmt.Errorf("no key in quotes at %q", s)
		}
		key, err := strconv.Unquote(text)
		return pathStep{keys: []string{key}}, s[len(text)+2:], err
	}
	inner, rest, closed := strings.Cut(s[1:], "]")
	if !closed {
		return step, "", fmt.Errorf("no ] after %q", s)
	}
	if cond, ok := strings.CutPrefix(inner, "?"); ok {
		k, v, ok := strings.Cut(cond, "=")
		if !ok || k == "" || v == "" {
			return step, "", fmt.Errorf("[?key=value] is expected, not [%s]", inner)
		}
		return pathStep{kind: byWhere, where: k, is: v}, rest, nil
	}
	n, err := strconv.ParseUint(inner, 10, 16)
	if err != nil {
		return step, "", fmt.Errorf("[%s] is neither a number nor [?key=value]", inner)
	}
	return pathStep{kind: byIndex, index: int(n)}, rest, nil
}

// names lists the site's own words that the path looks for.
func (p Path) names() (out []string) {
	for _, s := range p.steps {
		if name, ok := strings.CutPrefix(s.is, "$"); ok {
			out = append(out, name)
		}
	}
	return out
}

// Pick gives the value at the place; RawNone where the document has none, or two that
// fit. word gives a site's own word by its name.
func (p Path) Pick(doc any, word func(string) string) Raw {
	for _, s := range p.steps {
		var ok bool
		if doc, ok = s.from(doc, word); !ok {
			return Raw{}
		}
	}
	return RawOf(doc)
}

func (s pathStep) from(doc any, word func(string) string) (any, bool) {
	switch s.kind {
	case byIndex:
		l, ok := doc.([]any)
		if !ok || s.index >= len(l) {
			return nil, false
		}
		return l[s.index], true
	case byWhere:
		return s.one(doc, word)
	}
	m, ok := doc.(map[string]any)
	if !ok {
		return nil, false
	}
	for _, k := range s.keys {
		if v, ok := m[k]; ok {
			return v, true
		}
	}
	return nil, false
}

// one finds the element that fits; of two that fit neither is meant.
func (s pathStep) one(doc any, word func(string) string) (found any, ok bool) {
	is := s.is
	if name, own := strings.CutPrefix(is, "$"); own {
		if word == nil {
			return nil, false
		}
		is = word(name)
	}
	l, _ := doc.([]any)
	for _, e := range l {
		m, _ := e.(map[string]any)
		v, has := m[s.where]
		if !has || RawOf(v).Word() != is || is == "" {
			continue
		}
		if ok {
			return nil, false
		}
		found, ok = e, true
	}
	return found, ok
}
