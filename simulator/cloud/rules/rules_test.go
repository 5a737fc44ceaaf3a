package rules

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"hoistway/sync/shadow"
)

const (
	now = 1_700_000_000
	x   = "hoistway/things/GW-1/"
)

// step is one message to the service and what it must answer, as "topic payload"
// behind the serial. The texts are written by hand from the public documentation
// of the shape, never printed by the service.
type step struct {
	topic, payload string
	want           []string
}

func run(t *testing.T, s *Service, steps ...step) {
	t.Helper()
	for i, st := range steps {
		r := s.Take(shadow.Message{Topic: x + st.topic, Payload: []byte(st.payload)}, now+int64(i))
		var got []string
		for _, m := range r.Messages {
			if m.QoS != 1 || m.Retain {
				t.Errorf("step %d: %s with QoS %d, retain %v", i, m.Topic, m.QoS, m.Retain)
			}
			got = append(got, strings.TrimPrefix(m.Topic, x)+" "+string(m.Payload))
		}
		if !slices.Equal(got, st.want) {
			t.Fatalf("step %d, %s %s\ngot  %s\nwant %s\nnote %q", i, st.topic, st.payload,
				strings.Join(got, "\n     "), strings.Join(st.want, "\n     "), r.Note)
		}
	}
}

// SH-1, SH-2: a shadow from nothing to deleted, classic and named, each answer
// in the public shape. now is 1700000000 and passes by one second a step.
func TestConversation(t *testing.T) {
	for _, name := range []string{"shadow", "shadow/name/L1"} {
		t.Run(name, func(t *testing.T) {
			run(t, New(Root),
				step{name + "/get", ``, []string{
					name + `/get/rejected {"code":404,"message":"No shadow exists with that name","timestamp":1700000000}`,
				}},
				step{name + "/update", `{"state":{"reported":{"door":"open","n":{"a":1}}},"clientToken":"t1"}`, []string{
					name + `/update/accepted {"clientToken":"t1","metadata":{"reported":{"door":{"timestamp":1700000001,"version":1},"n":{"a":{"timestamp":1700000001,"version":1}}}},"state":{"reported":{"door":"open","n":{"a":1}}},"timestamp":1700000001,"version":1}`,
					name + `/update/documents {"clientToken":"t1","current":{"last_reported":1700000001,"metadata":{"reported":{"door":{"timestamp":1700000001,"version":1},"n":{"a":{"timestamp":1700000001,"version":1}}}},"state":{"reported":{"door":"open","n":{"a":1}}},"version":1},"timestamp":1700000001}`,
				}},
				step{name + "/update", `{"state":{"desired":{"wait":120}},"version":1}`, []string{
					name + `/update/accepted {"metadata":{"desired":{"wait":{"timestamp":1700000002,"version":2}}},"state":{"desired":{"wait":120}},"timestamp":1700000002,"version":2}`,
					name + `/update/delta {"metadata":{"wait":{"timestamp":1700000002,"version":2}},"state":{"wait":120},"timestamp":1700000002,"version":2}`,
					name + `/update/documents {"current":{"last_desired":1700000002,"last_reported":1700000001,"metadata":{"desired":{"wait":{"timestamp":1700000002,"version":2}},"reported":{"door":{"timestamp":1700000001,"version":1},"n":{"a":{"timestamp":1700000001,"version":1}}}},"state":{"desired":{"wait":120},"reported":{"door":"open","n":{"a":1}}},"version":2},"previous":{"last_reported":1700000001,"metadata":{"reported":{"door":{"timestamp":1700000001,"version":1},"n":{"a":{"timestamp":1700000001,"version":1}}}},"state":{"reported":{"door":"open","n":{"a":1}}},"version":1},"timestamp":1700000002}`,
				}},
				// A delta comes after each accepted update while a difference remains.
				step{name + "/update", `{"state":{"reported":{"n":null}}}`, []string{
					name + `/update/accepted {"metadata":{"reported":{}},"state":{"reported":{"n":null}},"timestamp":1700000003,"version":3}`,
					name + `/update/delta {"metadata":{"wait":{"timestamp":1700000002,"version":2}},"state":{"wait":120},"timestamp":1700000003,"version":3}`,
					name + `/update/documents {"current":{"last_desired":1700000002,"last_reported":1700000003,"metadata":{"desired":{"wait":{"timestamp":1700000002,"version":2}},"reported":{"door":{"timestamp":1700000001,"version":1}}},"state":{"desired":{"wait":120},"reported":{"door":"open"}},"version":3},"previous":{"last_desired":1700000002,"last_reported":1700000001,"metadata":{"desired":{"wait":{"timestamp":1700000002,"version":2}},"reported":{"door":{"timestamp":1700000001,"version":1},"n":{"a":{"timestamp":1700000001,"version":1}}}},"state":{"desired":{"wait":120},"reported":{"door":"open","n":{"a":1}}},"version":2},"timestamp":1700000003}`,
				}},
				step{name + "/get", `{"clientToken":"g"}`, []string{
					name + `/get/accepted {"clientToken":"g","connection":{"last_seen":1700000003,"online":false,"semi":false},"last_desired":1700000002,"last_reported":1700000003,"metadata":{"delta":{"wait":{"timestamp":1700000002,"version":2}},"desired":{"wait":{"timestamp":1700000002,"version":2}},"reported":{"door":{"timestamp":1700000001,"version":1}}},"state":{"delta":{"wait":120},"desired":{"wait":120},"reported":{"door":"open"}},"timestamp":1700000004,"version":3}`,
				}},
				step{name + "/update", `{"state":{"reported":{"wait":1.2e2}},"version":2,"clientToken":"old"}`, []string{
					name + `/update/rejected {"clientToken":"old","code":409,"current":{"last_desired":1700000002,"last_reported":1700000003,"metadata":{"desired":{"wait":{"timestamp":1700000002,"version":2}},"reported":{"door":{"timestamp":1700000001,"version":1}}},"state":{"desired":{"wait":120},"reported":{"door":"open"}},"version":3},"message":"Version conflict","timestamp":1700000005}`,
				}},
				step{name + "/delete", `{"clientToken":"d"}`, []string{
					name + `/delete/accepted {"clientToken":"d","timestamp":1700000006,"version":4}`,
				}},
				step{name + "/delete", ``, []string{
					name + `/delete/rejected {"code":404,"message":"No shadow exists with that name","timestamp":1700000007}`,
				}},
				// A shadow made again soon goes on counting, with nothing in it.
				step{name + "/update", `{"state":{"desired":null}}`, []string{
					name + `/update/accepted {"metadata":{},"state":{"desired":null},"timestamp":1700000008,"version":5}`,
					name + `/update/documents {"current":{"last_desired":1700000008,"metadata":{},"state":{},"version":5},"timestamp":1700000008}`,
				}},
			)
		})
	}
}

// Equal numbers agree however they are spelt, and then no delta is sent.
func TestConverged(t *testing.T) {
	s := New(Root)
	take(s, "shadow/update", `{"state":{"desired":{"wait":120,"list":[1,2]}}}`)
	r := take(s, "shadow/update", `{"state":{"reported":{"wait":1.2e2,"list":[1.0,2]}}}`)
	for _, m := range r.Messages {
		if strings.HasSuffix(m.Topic, "/delta") {
			t.Errorf("%s %s", m.Topic, m.Payload)
		}
	}
	r = take(s, "shadow/update", `{"state":{"reported":{"list":[1]}}}`)
	if len(r.Messages) != 3 || !strings.Contains(string(r.Messages[1].Payload), `"state":{"list":[1,2]}`) {
		t.Errorf("an array differs as a whole: %v", r.Messages)
	}
}

func take(s *Service, topic, payload string) Result {
	return s.Take(shadow.Message{Topic: x + topic, Payload: []byte(payload)}, now)
}

// SH-18 and the public error codes: each request is refused on its own topic, with
// its token where one could be read, and changes nothing.
func TestRejected(t *testing.T) {
	deep := strings.Repeat(`{"a":`, 7) + "1" + strings.Repeat("}", 7)
	big := strings.Repeat("x", 8200)
	for name, c := range map[string]struct{ topic, payload, want string }{
		"no JSON":            {"shadow/update", `{"state":`, `"code":400`},
		"nothing":            {"shadow/update", ``, `"code":400`},
		"an array":           {"shadow/update", `[]`, `"code":400`},
		"no state":           {"shadow/update", `{"clientToken":"t"}`, `{"clientToken":"t","code":400,"message":"Missing required node: state"`},
		"state no object":    {"shadow/update", `{"state":7,"clientToken":"t"}`, `{"clientToken":"t","code":400`},
		"desired no object":  {"shadow/update", `{"state":{"desired":[]}}`, `"code":400`},
		"delta in state":     {"shadow/update", `{"state":{"delta":{}}}`, `"code":400`},
		"version no number":  {"shadow/update", `{"state":{},"version":"1"}`, `"code":400`},
		"version below zero": {"shadow/update", `{"state":{},"version":-1}`, `"code":400`},
		"token too long":     {"shadow/update", `{"state":{},"clientToken":"` + strings.Repeat("t", 65) + `"}`, `"code":400`},
		"token no text":      {"shadow/get", `{"clientToken":7}`, `"code":400`},
		"too deep":           {"shadow/update", `{"state":{"reported":` + deep + `}}`, `"code":400`},
		"null in an array":   {"shadow/update", `{"state":{"reported":{"x":[null,1]}}}`, `"code":400`},
		"other version":      {"shadow/update", `{"state":{},"version":7}`, `"code":409`},
		"too big":            {"shadow/name/L1/update", `{"state":{"reported":{"x":"` + big + `"}},"clientToken":"t"}`, `{"clientToken":"t","code":413`},
		"not UTF-8":          {"shadow/update", "{\"state\":{\"reported\":{\"x\":\"\xff\"}}}", `"code":415`},
		"get not UTF-8":      {"shadow/get", "{\"a\":\"\xff\"}", `"code":415`},
		"get malformed":      {"shadow/get", `{`, `"code":400`},
		"delete malformed":   {"shadow/delete", `x`, `"code":400`},
		"empty shadow name":  {"shadow/name//update", `{"state":{"reported":{"x":1}}}`, `"code":400,"message":"Invalid shadow name"`},
		"shadow name of 65":  {"shadow/name/" + strings.Repeat("n", 65) + "/get", ``, `"code":400`},
		"strange name":       {"shadow/name/a b/delete", ``, `"code":400`},
		"register malformed": {"register", `{`, `"code":400`},
		"register no store":  {"register", `{"clientToken":"t"}`, `{"clientToken":"t","code":400`},
		"register bad name":  {"register", `{"store":"kept","instance":7}`, `"code":400`},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(Root)
			r := take(s, c.topic, c.payload)
			if len(r.Messages) != 1 || r.Messages[0].Topic != x+c.topic+"/rejected" || !strings.Contains(string(r.Messages[0].Payload), c.want) {
				t.Fatalf("got %v, want %s on %s/rejected", r.Messages, c.want, c.topic)
			}
			if len(r.Changes) != 0 {
				t.Errorf("changed %+v", r.Changes)
			}
			if _, ok := s.Document("GW-1", ""); ok {
				t.Error("a document came of it")
			}
		})
	}
}

// The size counts after the merge, and a refused write leaves all as it was.
func TestTooBigAfterMerge(t *testing.T) {
	s := New(Root)
	half := strings.Repeat("x", 5000)
	take(s, "shadow/update", `{"state":{"reported":{"a":"`+half+`"}}}`)
	if r := take(s, "shadow/update", `{"state":{"reported":{"b":"`+half+`"}}}`); !strings.Contains(string(r.Messages[0].Payload), `"code":413`) {
		t.Errorf("%s", r.Messages[0].Payload)
	}
	if d, _ := s.Document("GW-1", ""); d.Version != 1 || d.Reported["b"] != nil {
		t.Errorf("version %d", d.Version)
	}
	if r := take(s, "shadow/update", `{"state":{"reported":{"a":null,"b":"`+half+`"}}}`); !strings.HasSuffix(r.Messages[0].Topic, "/accepted") {
		t.Errorf("what makes room first fits: %s", r.Messages[0].Payload)
	}
}

// A consumed intent: its header goes from desired by a write of the service's own,
// seen by all like any other.
func TestConsumedHeaderGoes(t *testing.T) {
	s := New(Root)
	header := `{"fields":["wait_timeout"],"priority":5,"ttl_s":3600}`
	take(s, "shadow/update", `{"state":{"desired":{"wait_timeout":120,"_intents":{"i-31":`+header+`,"i-32":{"fields":["other"]}}}}}`)
	// Keys in another order, a number in another spelling: the same header.
	r := take(s, "shadow/update", `{"state":{"reported":{"wait_timeout":120,"_intents":{"i-31":{"ttl_s":3.6e3,"priority":5,"fields":["wait_timeout"]},"i-32":{"fields":["another"]}}}}}`)
	var topics []string
	for _, m := range r.Messages {
		topics = append(topics, strings.TrimPrefix(m.Topic, x+"shadow/update/"))
	}
	if got := strings.Join(topics, " "); got != "accepted delta documents accepted delta documents" {
		t.Fatalf("sent %s", got)
	}
	want := `{"metadata":{"desired":{"_intents":{}}},"state":{"desired":{"_intents":{"i-31":null}}},"timestamp":1700000000,"version":3}`
	if got := string(r.Messages[3].Payload); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	d, _ := s.Document("GW-1", "")
	left, _ := d.Desired["_intents"].(shadow.Tree)
	if len(left) != 1 || left["i-32"] == nil {
		t.Errorf("left in desired: %v; a header written anew is not the one mirrored", left)
	}
	if len(r.Changes) != 2 || r.Changes[1].Before.Version != 2 || r.Changes[1].After.Version != 3 {
		t.Errorf("changes %+v", r.Changes)
	}
	// The last one gone, nothing is left of the subtree.
	take(s, "shadow/update", `{"state":{"reported":{"_intents":{"i-31":null,"i-32":{"fields":["other"]}}}}}`)
	if d, _ = s.Document("GW-1", ""); d.Desired["_intents"] != nil || d.Desired["wait_timeout"] == nil {
		t.Errorf("desired %v", d.Desired)
	}
}

// Headers that speak for nothing any more go with the write that took their last
// field, so that wishes for a device that is away do not fill its document.
func TestSupersededHeadersGo(t *testing.T) {
	s := New(Root)
	desire := func(patch string) {
		tree, err := shadow.Decode([]byte(patch))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Desire("GW-1", "", tree, now); err != nil {
			t.Fatalf("%s: %v", patch, err)
		}
	}
	left := func() string {
		d, _ := s.Document("GW-1", "")
		headers, _ := d.Desired["_intents"].(shadow.Tree)
		return strings.Join(slices.Sorted(maps.Keys(headers)), " ")
	}
	desire(`{"a":1,"b":1,"_intents":{"i-1":{"fields":["a","b"]}}}`)
	desire(`{"a":2,"_intents":{"i-2":{"fields":["a"]}}}`)
	if got := left(); got != "i-1 i-2" {
		t.Fatalf("left %s: i-1 still speaks for b", got)
	}
	desire(`{"a":3}`)
	if got := left(); got != "i-1" {
		t.Fatalf("left %s: a was written without i-2", got)
	}
	desire(`{"b":null}`)
	if got := left(); got != "" {
		t.Fatalf("left %s: a is written anew and b is gone", got)
	}
	for i := range 1000 {
		desire(fmt.Sprintf(`{"a":%d,"_intents":{"n-%d":{"fields":["a"]}}}`, i, i))
	}
	if got := left(); got != "n-999" {
		t.Errorf("left %s", got)
	}
}

// An operator's write goes the way of every other.
func TestDesire(t *testing.T) {
	s := New(Root)
	r, err := s.Desire("GW-1", "L1", shadow.Tree{"recovery": "retry"}, now)
	if err != nil || len(r.Messages) != 3 || !strings.HasSuffix(r.Messages[1].Topic, "GW-1/shadow/name/L1/update/delta") {
		t.Fatalf("%v, %v", err, r.Messages)
	}
	for _, bad := range []struct{ serial, name string }{{"", ""}, {"GW 1", ""}, {"GW-1", "a/b"}} {
		var rejection *shadow.Rejection
		if _, err := s.Desire(bad.serial, bad.name, shadow.Tree{"a": true}, now); !errors.As(err, &rejection) || rejection.Code != 400 {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	var rejection *shadow.Rejection
	if _, err := s.Desire("GW-1", "", shadow.Tree{"a": strings.Repeat("x", 9000)}, now); !errors.As(err, &rejection) || rejection.Code != 413 {
		t.Errorf("too big: %v", err)
	}
}

// SH-6: the device's own order decides between its late and its newer reports.
func TestOrderOfReports(t *testing.T) {
	s := New(Root)
	take(s, "shadow/update", `{"state":{"reported":{"a":1,"b":1}},"order":{"epoch":2,"seq":7}}`)
	r := take(s, "shadow/update", `{"state":{"reported":{"a":0,"c":1}},"order":{"epoch":2,"seq":6}}`)
	if !strings.Contains(string(r.Messages[0].Payload), `"state":{"reported":{"c":1}}`) {
		t.Errorf("accepted says %s", r.Messages[0].Payload)
	}
	if d, _ := s.Document("GW-1", ""); fmt.Sprint(d.Reported) != "map[a:1 b:1 c:1]" || d.Version != 2 {
		t.Errorf("%v at version %d", d.Reported, d.Version)
	}
}

// Strangers can not fill the memory.
func TestShadowsAreBounded(t *testing.T) {
	s := New(Root)
	for i := range maxShadows {
		take(s, fmt.Sprintf("shadow/name/s%d/update", i), `{"state":{"reported":{"x":1}}}`)
	}
	r := take(s, "shadow/name/more/update", `{"state":{"reported":{"x":1}}}`)
	if !strings.Contains(string(r.Messages[0].Payload), `"code":429`) {
		t.Errorf("%s", r.Messages[0].Payload)
	}
	if r := take(s, "shadow/name/s0/update", `{"state":{"reported":{"x":2}}}`); len(r.Changes) != 1 {
		t.Errorf("one that exists goes on: %v", r.Messages)
	}
}

// What is no request has no answer and no effect.
func TestIgnored(t *testing.T) {
	s := New(Root)
	for _, topic := range []string{
		x + "shadow/update/accepted", x + "shadow/other", x + "shadow/name/L1/other", x + "telemetry", x + "shadow",
		"hoistway/things//shadow/get", "hoistway/things/a b/shadow/get", "hoistway/thing/GW-1/shadow/get", "x", "",
	} {
		r := s.Take(shadow.Message{Topic: topic, Payload: []byte(`{"state":{"reported":{"a":1}}}`)}, now)
		if len(r.Messages)+len(r.Changes) != 0 || r.Note == "" {
			t.Errorf("%s: %+v", topic, r)
		}
	}
	r := s.Take(shadow.Message{Topic: x + "shadow/update", Payload: []byte(`{"state":{"reported":{"a":1}}}`), Retain: true}, now)
	if len(r.Messages)+len(r.Changes) != 0 {
		t.Errorf("a retained request was carried out: %+v", r)
	}
}

// A service that nobody hears documents of says all else, and does all as before.
func TestHushed(t *testing.T) {
	s := New(Root)
	s.Hush()
	run(t, s,
		step{"shadow/update", `{"state":{"desired":{"wait":120}}}`, []string{
			`shadow/update/accepted {"metadata":{"desired":{"wait":{"timestamp":1700000000,"version":1}}},"state":{"desired":{"wait":120}},"timestamp":1700000000,"version":1}`,
			`shadow/update/delta {"metadata":{"wait":{"timestamp":1700000000,"version":1}},"state":{"wait":120},"timestamp":1700000000,"version":1}`,
		}},
		step{"shadow/update", `{"state":{"reported":{"wait":120}}}`, []string{
			`shadow/update/accepted {"metadata":{"reported":{"wait":{"timestamp":1700000001,"version":2}}},"state":{"reported":{"wait":120}},"timestamp":1700000001,"version":2}`,
		}},
	)
	if d, ok := s.Document("GW-1", ""); !ok || d.Version != 2 {
		t.Errorf("%+v", d)
	}
}
