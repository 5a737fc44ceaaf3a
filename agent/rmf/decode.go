package rmf

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"
)

const (
	maxRequest = 4 << 10 // bytes of one request
	maxName    = 128     // bytes of a lift, a session or a floor
	maxKeys    = 32
)

// BadRequest says what keeps bytes from being a LiftRequest. Field is "" where no one
// field is at fault.
type BadRequest struct{ Field, Why string }

func (b *BadRequest) Error() string {
	if b.Field == "" {
		return "LiftRequest: " + b.Why
	}
	return "LiftRequest: " + b.Field + ": " + b.Why
}

func bad(field, format string, args ...any) error {
	return &BadRequest{field, fmt.Sprintf(format, args...)}
}

// ParseRequest reads a LiftRequest of at most 4 KiB: one object with every field in
// its exact spelling, none twice, null in none. request_time may be left out or be
// zero, and the end of a session needs neither floor nor door. Fields of later versions
// of the message are passed over. Every error is a [*BadRequest].
func ParseRequest(raw []byte) (LiftRequest, error) {
	var r LiftRequest
	if len(raw) > maxRequest {
		return r, bad("", "%d bytes, at most %d", len(raw), maxRequest)
	}
	if !utf8.Valid(raw) {
		return r, bad("", "not UTF-8")
	}
	fields, err := fieldsOf(raw)
	if err != nil {
		return r, err
	}
	f := filler{fields: fields}
	f.text("lift_name", &r.LiftName, true)
	f.text("session_id", &r.SessionID, true)
	f.number("request_type", 0, 2, func(n int64) { r.RequestType = RequestType(n) }, true)
	wanted := r.RequestType != EndSession
	f.text("destination_floor", &r.DestinationFloor, wanted)
	f.number("door_state", 0, 2, func(n int64) { r.DoorState = Door(n) }, wanted)
	f.time(&r.RequestTime)
	switch {
	case f.err != nil:
		return LiftRequest{}, f.err
	case wanted && r.DoorState == DoorMoving:
		return LiftRequest{}, bad("door_state", "0 for closed or 2 for open")
	}
	return r, nil
}

// fieldsOf splits one object into its fields, as they stand.
func fieldsOf(raw []byte) (map[string]json.RawMessage, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if first, err := dec.Token(); err != nil || first != json.Delim('{') {
		return nil, bad("", "not a JSON object")
	}
	fields := map[string]json.RawMessage{}
	for dec.More() {
		key, err := dec.Token()
		if err != nil {
			return nil, bad("", "not JSON")
		}
		name, _ := key.(string) // a decoder in an object gives strings for keys
		if _, twice := fields[name]; twice {
			return nil, bad(shown(name), "is there twice")
		}
		if len(fields) == maxKeys {
			return nil, bad("", "more than %d fields", maxKeys)
		}
		var value json.RawMessage
		if err := dec.Decode(&value); err != nil {
			return nil, bad(shown(name), "not JSON")
		}
		fields[name] = value
	}
	if _, err := dec.Token(); err != nil {
		return nil, bad("", "ends early")
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, bad("", "something follows the object")
	}
	return fields, nil
}

// shown is a foreign field's name as far as it is worth repeating.
func shown(name string) string {
	if len(name) > 32 {
		return "a field"
	}
	return name
}

// filler fills the fields in until one is at fault.
type filler struct {
	fields map[string]json.RawMessage
	err    error
}

// value is the field's bytes; ok is false for one that is absent, null or at fault.
func (f *filler) value(name string, required bool) (json.RawMessage, bool) {
	v, there := f.fields[name]
	switch {
	case f.err != nil:
		return nil, false
	case there && string(v) == "null":
		f.err = bad(name, "has no value")
	case !there && required:
		f.err = bad(name, "is missing")
	}
	return v, there && f.err == nil
}

func (f *filler) text(name string, into *string, required bool) {
	v, ok := f.value(name, required)
	if !ok {
		return
	}
	switch err := json.Unmarshal(v, into); {
	case err != nil:
		f.err = bad(name, "wants text")
	case len(*into) > maxName:
		f.err = bad(name, "longer than %d bytes", maxName)
	case required && *into == "":
		f.err = bad(name, "is empty")
	}
}

func (f *filler) number(name string, lo, hi int64, set func(int64), required bool) {
	v, ok := f.value(name, required)
	if !ok {
		return
	}
	var n int64
	if err := json.Unmarshal(v, &n); err != nil || n < lo || n > hi {
		f.err = bad(name, "wants a whole number, %d to %d", lo, hi)
		return
	}
	set(n)
}

func (f *filler) time(into *Time) {
	v, ok := f.value("request_time", false)
	if !ok {
		return
	}
	fields, err := fieldsOf(v)
	if err != nil {
		f.err = bad("request_time", "wants an object of sec and nanosec")
		return
	}
	if unknown(fields, "sec", "nanosec") {
		f.err = bad("request_time", "wants sec and nanosec alone")
		return
	}
	t := filler{fields: fields}
	t.number("sec", 0, 1<<31-1, func(n int64) { into.Sec = int32(n) }, true)
	t.number("nanosec", 0, 1e9-1, func(n int64) { into.Nanosec = uint32(n) }, true)
	if t.err != nil {
		f.err = bad("request_time", "%v", t.err)
	}
}

func unknown(fields map[string]json.RawMessage, known ...string) bool {
	for name := range fields {
		if !slices.Contains(known, name) {
			return true
		}
	}
	return false
}
