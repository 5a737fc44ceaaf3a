package conformance

import (
	"bytes"
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

// desk is a service in the same process: what it answers can be spoilt on the way.
type desk struct {
	service *rules.Service
	out     chan shadow.Message
	spoil   func(shadow.Message) []shadow.Message
}

func newDesk(spoil func(shadow.Message) []shadow.Message) *desk {
	return &desk{rules.New(rules.Root), make(chan shadow.Message, 100), spoil}
}

func (d *desk) Publish(_ context.Context, m shadow.Message) error {
	for _, m := range d.service.Take(m, 1_790_000_000).Messages {
		if d.spoil == nil {
			d.out <- m
			continue
		}
		for _, m := range d.spoil(m) {
			d.out <- m
		}
	}
	return nil
}

func (d *desk) Receive(ctx context.Context) (shadow.Message, error) {
	select {
	case m := <-d.out:
		return m, nil
	case <-ctx.Done():
		return shadow.Message{}, ctx.Err()
	}
}

// failed judges a service in virtual time and gives the names of what it does otherwise.
func failed(t *testing.T, spoil func(shadow.Message) []shadow.Message) (names []string, r Report) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var err error
		if r, err = Service(t.Context(), Options{Serial: "GW-CHECK"}, newDesk(spoil)); err != nil {
			t.Fatal(err)
		}
	})
	for _, v := range r.Cases {
		if len(v.Wrong) > 0 {
			names = append(names, v.Name)
		}
	}
	return names, r
}

// SH-1: the stand-in does all that is asked for.
func TestTheStandInConforms(t *testing.T) {
	names, r := failed(t, nil)
	var text bytes.Buffer
	if err := r.Text(&text); err != nil {
		t.Fatal(err)
	}
	if len(names) > 0 || len(r.Cases) < 20 {
		t.Error(text.String())
	}
}

// What a service does otherwise is found, in the cases that are about it and in no others.
func TestOtherServicesAreFound(t *testing.T) {
	on := func(op string, change func(*shadow.Message)) func(shadow.Message) []shadow.Message {
		return func(m shadow.Message) []shadow.Message {
			if strings.HasSuffix(m.Topic, "/"+op) {
				change(&m)
			}
			return []shadow.Message{m}
		}
	}
	replace := func(old, with string) func(*shadow.Message) {
		return func(m *shadow.Message) { // the last one: the members of metadata come before the message's own
			if i := bytes.LastIndex(m.Payload, []byte(old)); i >= 0 {
				m.Payload = slices.Concat(m.Payload[:i], []byte(with), m.Payload[i+len(old):])
			}
		}
	}
	for _, c := range []struct {
		name  string
		spoil func(shadow.Message) []shadow.Message
		want  string
	}{
		{"its refusal of a conflict has another code", on("update/rejected", replace(`"code":409`, `"code":412`)), "conflict"},
		{"says no delta", func(m shadow.Message) []shadow.Message {
			if strings.HasSuffix(m.Topic, "/update/delta") {
				return nil
			}
			return []shadow.Message{m}
		}, "delta delta-remains numbers intent-closed"},
		{"counts versions from another place", on("update/accepted", replace(`"version":2`, `"version":5`)), "every-update clear-section delta delta-remains intent-closed"},
		{"loses the token", on("get/rejected", replace(`"clientToken":"g"`, `"token":"g"`)), "get-unknown"},
		{"gives one epoch for ever", on("register/accepted", replace(`"epoch":2`, `"epoch":1`)), "register"},
		{"has its times as text", on("delete/accepted", replace(`"timestamp":1790000000`, `"timestamp":"1790000000"`)), "delete"},
	} {
		names, _ := failed(t, c.spoil)
		if got := strings.Join(names, " "); got != c.want {
			t.Errorf("%s: found %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCasesAreRead(t *testing.T) {
	for _, side := range []string{"service"} {
		cases, err := own(side)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, c := range cases {
			if len(c.Steps) == 0 || c.What == "" || slices.Contains(names, c.Name) {
				t.Errorf("%s: case %q has no steps, no sentence, or a name twice", side, c.Name)
			}
			names = append(names, c.Name)
		}
	}
	if _, err := Parse("x", "case a b\nsned S/get"); err == nil || err.Error() != `x:2: "sned S/get" is no step` {
		t.Errorf("%v", err)
	}
}

func TestMatch(t *testing.T) {
	n := names{}
	for _, c := range []struct{ pattern, got, want string }{
		{`{"a":1}`, `{"a":1.0,"b":2}`, ""},
		{`{"a":1}`, `{"a":"1"}`, `a is "1", want 1`},
		{`{"a":{"b":"$absent"}}`, `{"a":{}}`, ""},
		{`{"a":{"b":"$absent"}}`, `{"a":{"b":null}}`, `a.b is null, want "nothing"`},
		{`{"a":"$v"}`, `{"a":7}`, ""},
		{`{"a":"$v"}`, `{"a":8}`, "a is 8, want 7"},
		{`{"a":"$>v"}`, `{"a":8}`, ""},
		{`{"a":"$>v"}`, `{"a":7}`, "a is 7, want more than 7"},
		{`{"a":"$number"}`, `{"a":"7"}`, `a is "7", want "a number"`},
		{`{"a":[1,"$any"]}`, `{"a":[1]}`, `a is [1], want [1,"$any"]`},
		{`{"a":[1,"$any"]}`, `{"a":[1,null]}`, ""},
		{`{"a":null}`, `{}`, "a is missing"},
	} {
		p, err1 := shadow.Decode([]byte(c.pattern))
		g, err2 := shadow.Decode([]byte(c.got))
		if err1 != nil || err2 != nil {
			t.Fatal(err1, err2)
		}
		if wrong := n.Match(p, g); wrong != c.want {
			t.Errorf("%s in %s: %q, want %q", c.pattern, c.got, wrong, c.want)
		}
	}
}
