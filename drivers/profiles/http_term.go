package profiles

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// ErrMissing is a value that a message needs and that nobody gave.
var ErrMissing = errors.New("has no value")

// Given is what a message is said with, beside what the profile writes.
type Given struct {
	Args    map[string]Raw    // of the command
	Site    map[string]string // the link's own words, see Params
	Secrets map[string]string
	Token   string
	Unix    int64  // the wall clock in ms
	Nonce   string // never the same twice: 32 hex digits
	ID      Raw    // of this question on its connection, where it has one
}

// builtIn are the names that every message has.
var builtIn = []string{"token", "timestamp_ms", "timestamp_s", "nonce", "nonce_upper", "request_id", "encrypted"}

// signedIn are those that a signature has beside them.
var signedIn = []string{"method", "path", "path_query", "body", "body_sha256", "body_md5"}

func (g *Given) word(name string) (Raw, bool) {
	switch name {
	case "token":
		return RawOfText(g.Token), g.Token != ""
	case "timestamp_ms":
		return RawOfInt(g.Unix), true
	case "timestamp_s":
		return RawOfInt(g.Unix / 1000), true
	case "nonce":
		return RawOfText(g.Nonce), g.Nonce != ""
	case "nonce_upper":
		return RawOfText(strings.ToUpper(g.Nonce)), g.Nonce != ""
	case "request_id":
		return g.ID, g.ID.Kind != RawNone
	}
	if r, ok := g.Args[name]; ok {
		return r, r.Kind != RawNone
	}
	if s, ok := g.Site[name]; ok {
		return RawOfText(s), true
	}
	s, ok := g.Secrets[name]
	return RawOfText(s), ok
}

// words are where the names of a message come from while it is said: what is given,
// and beside it what is reckoned from the message itself.
type words struct {
	g     *Given
	own   map[string]string
	signs func(name string) (string, bool, error)
}

func (w words) get(name string) (Raw, error) {
	if s, ok := w.own[name]; ok {
		return RawOfText(s), nil
	}
	if w.signs != nil {
		if s, is, err := w.signs(name); is || err != nil {
			return RawOfText(s), err
		}
	}
	r, ok := w.g.word(name)
	if !ok {
		return Raw{}, fmt.Errorf("$%s: %w", name, ErrMissing)
	}
	return r, nil
}

// slot is a text as it stands, a value by its name, or a text with a value at its end.
type slot struct {
	text string
	name string // "" for none
	as   string // "", text, int
}

func parseSlot(s string) (slot, error) {
	if !strings.Contains(s, "$") {
		return slot{text: s}, nil
	}
	m := termForm.FindStringSubmatch(s)
	if m == nil {
		return slot{}, fmt.Errorf("%q is neither a text without a $, nor one with $name at its end", s)
	}
	return slot{text: m[1], name: m[2], as: m[3]}, nil
}

// say is the term as a text.
func (t slot) say(w words) (string, error) {
	if t.name == "" {
		return t.text, nil
	}
	r, err := w.get(t.name)
	if err != nil {
		return "", err
	}
	return t.text + r.Word(), nil
}

// value is the term as a value of a JSON document.
func (t slot) value(w words) (any, error) {
	if t.name == "" || t.text != "" {
		return t.say(w)
	}
	r, err := w.get(t.name)
	if err != nil {
		return nil, err
	}
	n, whole := r.Whole()
	switch {
	case t.as == "text":
		return r.Word(), nil
	case t.as == "int" && !whole:
		return nil, fmt.Errorf("$%s: %q is no whole number", t.name, r.Word())
	case t.as == "int":
		return n, nil
	}
	return r.plain(), nil
}

// plain is a value as JSON writes it.
func (r Raw) plain() any {
	switch r.Kind {
	case RawInt:
		return r.Int
	case RawFloat:
		return r.Float
	case RawText:
		return r.Text
	case RawBool:
		return r.Int != 0
	}
	return nil
}

// formField is one entry of a form, a query or the headers.
type formField struct {
	name string
	term slot
}

func say(fs []formField, w words) ([][2]string, error) {
	var out [][2]string
	for _, f := range fs {
		v, err := f.term.say(w)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		out = append(out, [2]string{f.name, v})
	}
	return out, nil
}

// encode writes fields as a form or a query has them, in their order.
func encode(fs [][2]string) string {
	var b strings.Builder
	for i, f := range fs {
		if i > 0 {
			b.WriteByte('&')
		}
		b.WriteString(url.QueryEscape(f[0]) + "=" + url.QueryEscape(f[1]))
	}
	return b.String()
}

// Template is a JSON document in which a text that begins with $ stands for a value,
// as a whole: nothing is spliced into text, so that no value can end the text that it
// stands in.
type Template struct{ doc any }

// parseTemplate reads one and lists the names in it.
func parseTemplate(src string) (t Template, names []string, err error) {
	doc, err := Document([]byte(src))
	if err != nil {
		return t, nil, err
	}
	t.doc, err = terms(doc, &names)
	slices.Sort(names)
	return t, slices.Compact(names), err
}

// terms puts a term in the place of each text with a $.
func terms(v any, names *[]string) (any, error) {
	var err error
	switch v := v.(type) {
	case string:
		t, err := parseSlot(v)
		if err == nil && t.name != "" && t.text != "" {
			err = fmt.Errorf("%q: a value stands for the whole text or not at all", v)
		}
		if t.name != "" {
			*names = append(*names, t.name)
			return t, err
		}
		return v, err
	case []any:
		for i := range v {
			if v[i], err = terms(v[i], names); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for k := range v {
			if v[k], err = terms(v[k], names); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}

// fill writes the document with its values, keys in the order of the alphabet.
func (t Template) fill(w words) ([]byte, error) {
	doc, err := filled(t.doc, w)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(doc); err != nil {
		return nil, fmt.Errorf("write the document: %w", err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), nil
}

func filled(v any, w words) (any, error) {
	switch v := v.(type) {
	case slot:
		return v.value(w)
	case []any:
		out := make([]any, len(v))
		for i := range v {
			e, err := filled(v[i], w)
			if err != nil {
				return nil, err
			}
			out[i] = e
		}
		return out, nil
	case map[string]any:
		out := make(map[string]any, len(v))
		for k := range v {
			e, err := filled(v[k], w)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", k, err)
			}
			out[k] = e
		}
		return out, nil
	}
	return v, nil
}
