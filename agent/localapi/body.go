package localapi

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"reflect"
	"strings"
)

const (
	maxBody  = 64 << 10
	maxDepth = 8 // of nested objects and arrays
)

type bodyKey struct{}

// readBody takes the whole body, bounded, before anything looks at it. A body
// that says its size too big is refused unread; a chunked one at the first byte
// too many.
func readBody(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, p := wholeBody(w, r)
		if p != nil {
			w.Header().Set("Connection", "close") // the rest of the body is not wanted
			writeProblem(w, r, p)
			return
		}
		next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), bodyKey{}, body)))
	})
}

// wholeMessage reads a body of any kind within its bound.
func wholeMessage(w http.ResponseWriter, r *http.Request) ([]byte, *Problem) {
	if r.ContentLength > maxBody {
		return nil, tooBig()
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		return nil, tooBig()
	case err != nil:
		return nil, refuse(asMalformed, "the body ended early or came too slowly")
	}
	return body, nil
}

func wholeBody(w http.ResponseWriter, r *http.Request) ([]byte, *Problem) {
	body, p := wholeMessage(w, r)
	if p == nil && len(body) > 0 && !isJSON(r.Header.Get("Content-Type")) {
		p = refuse(asMediaType, "send Content-Type: application/json")
	}
	return body, p
}

func tooBig() *Problem {
	return refuse(asTooBig, "at most %d bytes are read; nothing was changed", maxBody)
}

func isJSON(contentType string) bool {
	kind, params, err := mime.ParseMediaType(contentType)
	charset := params["charset"]
	return err == nil && kind == "application/json" && (charset == "" || strings.EqualFold(charset, "utf-8"))
}

// bodyOf decodes the request's body into one of the shapes. Strict: one object,
// known keys in their exact spelling, none twice, nothing after it.
func bodyOf[T any](ctx context.Context) (T, *Problem) {
	var into T
	body, _ := ctx.Value(bodyKey{}).([]byte)
	if p := scan(body, keysOf(reflect.TypeFor[T]())); p != nil {
		return into, p
	}
	err := json.Unmarshal(body, &into)
	var kind *json.UnmarshalTypeError
	switch {
	case errors.As(err, &kind):
		pointer := strings.ReplaceAll(kind.Field, ".", "/")
		return into, refuse(asMalformed, "a %s cannot be read as %s", kind.Value, kindName(kind.Type)).at(pointer)
	case err != nil:
		return into, refuse(asMalformed, "%v", err)
	}
	return into, nil
}

func kindName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "text"
	case reflect.Bool:
		return "true or false"
	case reflect.Struct:
		return "an object"
	case reflect.Float32, reflect.Float64:
		return "a number"
	}
	return "a whole number in its range"
}

// scan walks the tokens without building anything.
func scan(body []byte, known map[string]bool) *Problem {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	first, err := dec.Token()
	if errors.Is(err, io.EOF) { // nothing but blanks: it has not broken off
		return refuse(asMalformed, "this call needs a body: one JSON object with %s", strings.Join(siblings(known, ""), ", "))
	}
	if err != nil {
		return notJSON(err)
	}
	if first != json.Delim('{') {
		return refuse(asMalformed, "the body must be one JSON object")
	}
	if p := scanObject(dec, known, "", 1); p != nil {
		return p
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return refuse(asMalformed, "something follows the JSON object")
	}
	return nil
}

func scanObject(dec *json.Decoder, known map[string]bool, prefix string, depth int) *Problem {
	told := make(map[string]bool) // by key: whether it has a value
	for dec.More() {
		tok, err := dec.Token()
		if err != nil {
			return notJSON(err)
		}
		path := prefix + tok.(string) // a decoder in an object gives strings for keys
		if p := oneOf(known, told, prefix, path); p != nil {
			return p
		}
		var p *Problem
		if told[path], p = scanValue(dec, known, path, depth); p != nil {
			return p
		}
	}
	if _, err := dec.Token(); err != nil {
		return notJSON(err)
	}
	if path := lacking(known, told, prefix); path != "" {
		return missing(path)
	}
	return nil
}

// oneOf refuses a key that is not known or that was there before.
func oneOf(known, told map[string]bool, prefix, path string) *Problem {
	if _, is := known[path]; !is {
		return refuse(asMalformed, "known here: %s", strings.Join(siblings(known, prefix), ", ")).at(path)
	}
	if _, twice := told[path]; twice {
		return refuse(asMalformed, "the key comes twice").at(path)
	}
	return nil
}

// scanValue goes over one value and tells whether it is one: null is none. Only
// arrays and objects nest.
func scanValue(dec *json.Decoder, known map[string]bool, path string, depth int) (bool, *Problem) {
	tok, err := dec.Token()
	if err != nil {
		return false, notJSON(err)
	}
	if tok != json.Delim('{') && tok != json.Delim('[') {
		return tok != nil, nil
	}
	if depth++; depth > maxDepth {
		return false, refuse(asMalformed, "nested deeper than %d", maxDepth).at(path)
	}
	if tok == json.Delim('{') {
		return true, scanObject(dec, known, path+"/", depth)
	}
	for dec.More() {
		if _, p := scanValue(dec, known, path, depth); p != nil {
			return false, p
		}
	}
	_, err = dec.Token()
	return true, notJSON(err)
}

func notJSON(err error) *Problem {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return refuse(asMalformed, "the JSON ends before it is complete")
	}
	return refuse(asMalformed, "%v", err)
}
