package shadow

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
)

// Encode writes a tree in its one canonical form: keys sorted, no spaces, no
// HTML escapes, numbers as they were read. A nil tree is {}.
func Encode(t Tree) []byte {
	if t == nil {
		return []byte("{}")
	}
	return encodeValue(t)
}

// encodeValue never fails for what Decode and Plain make. What JSON cannot hold
// (NaN, a channel) becomes null rather than half a document.
func encodeValue(v any) []byte {
	b, err := appendValue(make([]byte, 0, 128), v)
	if err != nil {
		return []byte("null")
	}
	return b
}

// appendValue writes what Decode makes by itself, since each message and record is
// such a value; all that is not plain goes to encoding/json.
func appendValue(b []byte, v any) ([]byte, error) {
	switch v := v.(type) {
	case nil:
		return append(b, "null"...), nil
	case bool:
		return strconv.AppendBool(b, v), nil
	case string:
		return appendText(b, v)
	case json.Number:
		if isWhole(string(v)) {
			return append(b, v...), nil
		}
	case Tree:
		if v != nil {
			return appendTree(b, v)
		}
	case []any:
		if v != nil {
			return appendList(b, v)
		}
	}
	return appendOther(b, v)
}

func appendTree(b []byte, t Tree) ([]byte, error) {
	var few [24]string // most trees need no more, and then no memory
	keys := few[:0]
	for k := range t {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	b = append(b, '{')
	var err error
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendText(b, k); err != nil {
			return nil, err
		}
		if b, err = appendValue(append(b, ':'), t[k]); err != nil {
			return nil, err
		}
	}
	return append(b, '}'), nil
}

func appendList(b []byte, list []any) ([]byte, error) {
	b = append(b, '[')
	var err error
	for i, v := range list {
		if i > 0 {
			b = append(b, ',')
		}
		if b, err = appendValue(b, v); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

func appendText(b []byte, s string) ([]byte, error) {
	if !isPlainText(s) {
		return appendOther(b, s)
	}
	b = append(append(b, '"'), s...)
	return append(b, '"'), nil
}

func appendOther(b []byte, v any) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return nil, err
	}
	return append(b, bytes.TrimSuffix(out.Bytes(), []byte("\n"))...), nil
}

// isPlainText holds for a text that JSON writes as it is.
func isPlainText(s string) bool {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
