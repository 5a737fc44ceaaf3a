package shadow

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"
)

// Bounds of what is read and kept.
const (
	MaxMessage  = 128 << 10 // bytes of one message
	MaxDocument = 8 << 10   // bytes of desired and reported together, metadata not counted
	MaxDepth    = 6         // levels inside desired or reported, the section itself being one
	MaxToken    = 64        // bytes of a clientToken

	// A message wraps a section up to four levels deep (a documents message) and
	// metadata adds one at the leaf.
	maxMessageDepth = MaxDepth + 5
	maxNumber       = 64  // characters
	maxExponent     = 400 // a double ends at 308
)

// What Decode refuses.
var (
	ErrTooLarge  = errors.New("message is larger than 128 KiB")
	ErrUTF8      = errors.New("message is not UTF-8")
	ErrTooDeep   = errors.New("JSON contains too many levels of nesting")
	ErrDuplicate = errors.New("an object names a key twice")
	ErrNumber    = errors.New("a number is out of bounds")
	ErrMalformed = errors.New("message is not one JSON object")
)

// Decode reads one JSON object. Numbers stay json.Number, so nothing is rounded.
// A key given twice is refused: two readers could take different ones.
func Decode(raw []byte) (Tree, error) {
	if len(raw) > MaxMessage {
		return nil, ErrTooLarge
	}
	if !utf8.Valid(raw) {
		return nil, ErrUTF8
	}
	if t, ok := read(raw); ok {
		return t, nil
	}
	return decodeSlowly(raw)
}

// decodeSlowly reads what [reader] left, and tells what is wrong with it.
func decodeSlowly(raw []byte) (Tree, error) {
	d := decoder{json.NewDecoder(bytes.NewReader(raw))}
	d.UseNumber()
	v, err := d.value(0)
	if err != nil {
		return nil, err
	}
	t, ok := v.(Tree)
	if !ok {
		return nil, ErrMalformed
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: something follows it", ErrMalformed)
	}
	return t, nil
}

type decoder struct{ *json.Decoder }

func (d decoder) value(level int) (any, error) {
	tok, err := d.Token()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	switch tok := tok.(type) {
	case json.Delim:
		if level >= maxMessageDepth {
			return nil, ErrTooDeep
		}
		if tok == '{' {
			return d.object(level + 1)
		}
		return d.list(level + 1)
	case json.Number:
		return tok, checkNumber(tok)
	}
	return tok, nil
}

func (d decoder) object(level int) (any, error) {
	out := Tree{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
		}
		name, _ := key.(string)
		if _, twice := out[name]; twice {
			return nil, fmt.Errorf("%w: %.64q", ErrDuplicate, name)
		}
		if out[name], err = d.value(level); err != nil {
			return nil, err
		}
	}
	return out, d.end()
}

func (d decoder) list(level int) (any, error) {
	out := []any{}
	for d.More() {
		v, err := d.value(level)
		if err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, d.end()
}

func (d decoder) end() error {
	if _, err := d.Token(); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	return nil
}

func checkNumber(n json.Number) error {
	p, ok := parseNumber(string(n))
	if !ok || len(n) > maxNumber || p.exp > maxExponent || p.exp < -maxExponent {
		return fmt.Errorf("%w: %.64s", ErrNumber, string(n))
	}
	return nil
}

// Plain turns a Go value into the kinds that Decode makes, so that values from a
// program compare and print like those from the wire. Structs follow their json
// tags. What cannot be a JSON value is an error.
func Plain(v any) (any, error) {
	if p, ok := alreadyPlain(v); ok {
		return p, nil
	}
	raw, err := json.Marshal(map[string]any{"v": v})
	if err != nil {
		return nil, fmt.Errorf("make a document value: %w", err)
	}
	t, err := Decode(raw)
	if err != nil {
		return nil, fmt.Errorf("make a document value: %w", err)
	}
	return t["v"], nil
}

// alreadyPlain spares the most common values the way through JSON: leaves, and
// small trees that hold nothing else than what Decode makes.
func alreadyPlain(v any) (plain any, ok bool) {
	switch v := v.(type) {
	case nil, string, bool:
		return v, true
	case int:
		return num(v), true
	case int64:
		return num(v), true
	case json.Number:
		return v, isWhole(string(v))
	case Tree:
		if within(v, maxMessageDepth-1) {
			n, ok := sizeOf(v)
			return clone(v), ok && n < MaxMessage/8 // an escape is six times as long
		}
	}
	return nil, false
}

// within tells whether v has at most so many levels, and looks no deeper.
func within(v any, levels int) bool {
	switch v := v.(type) {
	case Tree:
		for _, e := range v {
			if levels == 0 || !within(e, levels-1) {
				return false
			}
		}
		return levels > 0
	case []any:
		for _, e := range v {
			if levels == 0 || !within(e, levels-1) {
				return false
			}
		}
		return levels > 0
	}
	return true
}
