package shadow

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
)

func TestTopicsRoundTrip(t *testing.T) {
	const prefix = "$aws/things/GW-1/shadow"
	for _, c := range []struct{ name, op, topic string }{
		{"", OpUpdate, prefix + "/update"},
		{"L1", OpUpdateDelta, prefix + "/name/L1/update/delta"},
		{"L1", OpGetAccepted, prefix + "/name/L1/get/accepted"},
	} {
		if got := ShadowTopic(prefix, c.name, c.op); got != c.topic {
			t.Errorf("%q %s: %s", c.name, c.op, got)
		}
		name, op, ok := ParseShadowTopic(prefix, c.topic)
		if !ok || name != c.name || op != c.op {
			t.Errorf("%s: %q %s %v", c.topic, name, op, ok)
		}
	}
	for _, bad := range []string{
		prefix + "/name//update", prefix + "/name/L1", prefix + "/name/a+b/update", prefix + "/updates",
		prefix + "/", prefix, "other/update", prefix + "/name/" + strings.Repeat("x", 65) + "/update",
	} {
		if name, op, ok := ParseShadowTopic(prefix, bad); ok {
			t.Errorf("%s was read as %q %s", bad, name, op)
		}
	}
}

// ST-6: names of shadows become parts of a key, in lower case, and stay apart.
func TestKeysKeepToTheGrammar(t *testing.T) {
	seen := map[string]string{}
	for _, name := range []string{"", "-", "L1", "l1", "^l1", "a:b", "a%3ab", "a_b", strings.Repeat("A", 64), strings.Repeat("B", 64)} {
		key := shadowKey(name, "consumed")
		if other, taken := seen[key]; taken {
			t.Errorf("%q and %q share %s", name, other, key)
		}
		seen[key] = name
		if len(key) > 128 || strings.ToLower(key) != key || strings.Count(key, ":") != 3 {
			t.Errorf("%q: %s is no key", name, key)
		}
	}
}

func TestTopicsToSubscribe(t *testing.T) {
	s := New(Config{Prefix: "p", Beside: "x", Shadows: []string{"", "L1", "L2"}})
	want := []string{
		"p/get/accepted", "p/get/rejected", "p/update/accepted", "p/update/rejected", "p/update/delta", "p/delete/accepted",
		"p/name/+/get/accepted", "p/name/+/get/rejected", "p/name/+/update/accepted", "p/name/+/update/rejected",
		"p/name/+/update/delta", "p/name/+/delete/accepted",
		"x/presence", "x/register/accepted", "x/register/rejected", "x/heartbeat/reply",
		"x/events/accepted", "x/events/rejected", "x/resync",
		"x/commands/+/request", "x/commands/+/response/accepted", "x/commands/+/response/rejected", "x/commands/pending/get/accepted",
	}
	if got := s.Topics(); !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

// SH-16, ST-4: offline, the memory of what must be said does not grow with time.
func TestOfflineStaysBounded(t *testing.T) {
	s := newStage(t)
	s.happen(`report L1 {"state":"IDLE"}`)
	s.happen("up 1")
	s.settle()
	s.happen("down")
	s.happen("offline 5")
	before := len(s.records[shadowKey("L1", "want")].Value)
	s.take()
	s.happen("offline 2000")
	after := len(s.records[shadowKey("L1", "want")].Value)
	if after > before+8 || len(s.session.View().Shadows[1].Pending) != 2 {
		t.Errorf("%d bytes became %d, pending %v", before, after, s.session.View().Shadows[1].Pending)
	}
}

// SH-7: at most two reported writes a second, five in a burst; the last value gets through.
func TestReportBudget(t *testing.T) {
	s := newStage(t)
	s.happen("up 1")
	s.settle()
	s.take()
	const reports = 200
	for i := range reports {
		s.step(Report{Shadow: "L1", Fields: Tree{"n": i}})
		s.settle()
		s.wait(50 * millisecond)
	}
	writes := strings.Count(strings.Join(s.take(), ""), "L1/update")
	// 10 s at 2 a second, and the burst of 5.
	if writes > 25 || writes < 20 {
		t.Errorf("%d writes of %d reports in 10 s", writes, reports)
	}
	s.answered = true
	s.wait(2 * second)
	if got := s.model.docs["L1"].Reported["n"]; !Equal(got, reports-1) {
		t.Errorf("the service has %v", got)
	}
}

// SH-12: a link that comes and goes does not turn into a storm of gets.
func TestFlappingLink(t *testing.T) {
	s := newStage(t)
	for i := range 60 {
		s.happen(fmt.Sprintf("up %d", i+1))
		s.settle()
		s.wait(500 * millisecond)
		s.happen("down")
		s.wait(400 * millisecond)
	}
	said := strings.Join(s.take(), "")
	if n := strings.Count(said, "name/L1/get "); n > 2 {
		t.Errorf("%d gets of one shadow in 54 s", n)
	}
}

// SH-18: a report that would make the document too large is refused before it is
// sent, told once, and does not hold up the next one.
func TestTooLargeReport(t *testing.T) {
	s := newStage(t)
	s.happen("up 1")
	s.settle()
	s.take()
	s.step(Report{Shadow: "L1", Fields: Tree{"blob": strings.Repeat("x", MaxDocument)}})
	s.wait(minute)
	said := strings.Join(s.take(), "")
	if strings.Count(said, "note refused") != 1 || strings.Contains(said, "L1/update") {
		t.Errorf("said %.400s", said)
	}
	s.step(Report{Shadow: "L1", Fields: Tree{"blob": nil, "state": "IDLE"}})
	s.settle()
	if got := string(Encode(s.model.docs["L1"].Reported)); got != `{"state":"IDLE"}` {
		t.Errorf("the service has %s", got)
	}
}

// SH-18: a value that JSON cannot hold is left out, the others go.
func TestUnspeakableReport(t *testing.T) {
	s := newStage(t)
	s.happen("up 1")
	s.settle()
	s.step(Report{Shadow: "L1", Fields: Tree{"bad": func() {}, "good": 1}})
	s.step(Report{Shadow: "nobody", Fields: Tree{"x": 1}})
	s.settle()
	if got := string(Encode(s.model.docs["L1"].Reported)); got != `{"good":1}` {
		t.Errorf("the service has %s", got)
	}
}

// A message that the broker did not take is said again, with what is newer.
func TestUnsentIsSaidAgain(t *testing.T) {
	s := newStage(t)
	s.happen("up 1")
	s.settle()
	s.step(Report{Shadow: "L1", Fields: Tree{"a": 1}})
	token := s.wire[len(s.wire)-1].Token
	s.wire = nil
	s.step(Sent{Token: token, Err: errors.New("connection lost")})
	s.step(Report{Shadow: "L1", Fields: Tree{"a": 2}})
	s.answered = true
	s.wait(3 * second)
	if got := string(Encode(s.model.docs["L1"].Reported)); got != `{"a":2}` {
		t.Errorf("the service has %s", got)
	}
}

// ST-3: records that cannot be read are named and left out; the rest is taken.
func TestDamagedRecords(t *testing.T) {
	s := newStage(t)
	s.happen(`report L1 {"state":"IDLE"}`)
	s.happen("up 1")
	s.settle()
	s.happen("down")
	for _, k := range sortedKeys(s.records) {
		if strings.HasSuffix(k, ":want") || strings.HasSuffix(k, ":version") {
			r := s.records[k]
			r.Value = []byte(`{"cut`)
			s.records[k] = r
		}
	}
	s.take()
	s.happen("restart")
	if n := strings.Count(strings.Join(s.take(), ""), "note store"); n == 0 {
		t.Error("nobody said that records are damaged")
	}
	s.happen(`report L1 {"state":"WAITING"}`)
	s.happen("up 2")
	s.settle()
	if got := string(Encode(s.model.docs["L1"].Reported)); got != `{"state":"WAITING"}` {
		t.Errorf("the service has %s", got)
	}
}

// Same inputs, same outputs, to the byte.
func TestDeterministic(t *testing.T) {
	run := func() string {
		s := newStage(t)
		for _, line := range []string{
			`report - {"wait_timeout":90,"retries":3,"b":1,"a":2}`, `report L1 {"z":1,"y":2,"x":3}`, "up 1",
		} {
			s.happen(line)
		}
		s.settle()
		s.happen(`operator - {"wait_timeout":1,"retries":2,"_intents":{"i-2":{"fields":["retries"]},"i-1":{"fields":["wait_timeout"]}}}`)
		s.settle()
		s.happen("wait 5m")
		return strings.Join(s.take(), "")
	}
	first := run()
	for range 20 {
		if again := run(); again != first {
			t.Fatalf("said\n%s\nand then\n%s", first, again)
		}
	}
}

// A pending result (202) is answered; what became of it later replaces the ack.
func TestPendingResult(t *testing.T) {
	s := newStage(t)
	s.happen(`report - {"firmware":"1.0"}`)
	s.happen("up 1")
	s.settle()
	s.happen("judges firmware 202 - after ride r-17")
	s.happen(`operator - {"firmware":"2.0","_intents":{"i-9":{"fields":["firmware"]}}}`)
	s.settle()
	ack, _ := s.model.docs[""].Reported[ackKey].(Tree)
	if got := string(Encode(ack)); got != `{"firmware":{"ac":202,"ad":"after ride r-17","av":2,"id":"i-9"}}` {
		t.Fatalf("ack %s", got)
	}
	if v := s.session.View().Shadows[0]; v.Settled || len(v.Delta) == 0 {
		t.Error("what is pending counts as settled")
	}
	s.step(Applied{Shadow: "", Intent: "i-9", Results: []Result{{Path: "firmware", Code: 200, Value: "2.0"}}})
	s.settle()
	if got := string(Encode(s.model.docs[""].Delta())); got != `{}` || s.model.docs[""].Reported[ackKey] != nil {
		t.Errorf("delta %s, reported %s", got, Encode(s.model.docs[""].Reported))
	}
}
