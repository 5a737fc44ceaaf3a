package shadow

import (
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"
)

// SH-18: what cannot be kept is refused by name, before anything is stored.
func TestDecodeRefuses(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 12) + "1" + strings.Repeat("}", 12)
	for name, c := range map[string]struct {
		raw  string
		want error
	}{
		"nothing":        {"", ErrMalformed},
		"a list":         {"[1]", ErrMalformed},
		"null":           {"null", ErrMalformed},
		"cut off":        {`{"a":1`, ErrMalformed},
		"something more": {`{"a":1} {}`, ErrMalformed},
		"trailing comma": {`{"a":1,}`, ErrMalformed},
		"a key twice":    {`{"a":1,"a":2}`, ErrDuplicate},
		"twice, inside":  {`{"x":{"a":1,"\u0061":2}}`, ErrDuplicate},
		"not UTF-8":      {"{\"a\":\"\xff\"}", ErrUTF8},
		"too deep":       {deep, ErrTooDeep},
		"too deep lists": {`{"a":` + strings.Repeat("[", 100000) + "", ErrTooDeep},
		"too large":      {`{"a":"` + strings.Repeat("x", MaxMessage) + `"}`, ErrTooLarge},
		"huge exponent":  {`{"a":1e999999999}`, ErrNumber},
		"beyond int64":   {`{"a":1e99999999999999999999}`, ErrNumber},
		"long number":    {`{"a":` + strings.Repeat("9", 65) + `}`, ErrNumber},
	} {
		if _, err := Decode([]byte(c.raw)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
}

func TestDecodeKeepsNumbersAsWritten(t *testing.T) {
	const raw = `{"a":9007199254740993,"b":1.50,"c":[1e2,null,true,"<&>"],"d":{"e":""}}`
	if got := string(Encode(decode(t, raw))); got != raw {
		t.Errorf("came back as %s", got)
	}
}

func TestPlain(t *testing.T) {
	v, err := Plain(map[string]any{"n": 3, "list": []string{"a"}, "none": nil})
	if err != nil || string(encodeValue(v)) != `{"list":["a"],"n":3,"none":null}` {
		t.Errorf("got %s, %v", encodeValue(v), err)
	}
	if _, ok := v.(Tree)["n"].(json.Number); !ok {
		t.Error("a number of Go stayed one")
	}
	for _, bad := range []any{math.NaN(), make(chan int), func() {}} {
		if _, err := Plain(bad); err == nil {
			t.Errorf("%T is no JSON value and was taken", bad)
		}
	}
}

// Whatever comes from the wire: no panic, and what is accepted comes back the same.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{}`, `{"a":1e2,"b":[null,{"c":"é"}]}`, `{"state":{"reported":{"x":1}},"version":3,"clientToken":"t"}`,
		`{"a":-0.0e-5}`, `{"a":1,"a":2}`, "{\"a\":\"\xff\"}", `{"a":"\ud800"}`, `[`, `{"order":{"epoch":1,"seq":2},"state":null}`,
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		if u, err := ParseUpdate(raw); err == nil {
			if d, err := (Document{}).Apply(u, 1); err == nil && d.Size() > MaxDocument {
				t.Fatalf("a document of %d bytes was taken", d.Size())
			}
		}
		sameReading(t, raw)
		tree, err := Decode(raw)
		if err != nil {
			return
		}
		again, err := Decode(Encode(tree))
		if err != nil {
			if errors.Is(err, ErrTooLarge) {
				return // an escape may be longer than what it stands for
			}
			t.Fatalf("own words refused: %v", err)
		}
		if !Equal(tree, again) || string(Encode(tree)) != string(Encode(again)) {
			t.Fatalf("%q and %q differ", Encode(tree), Encode(again))
		}
	})
}
