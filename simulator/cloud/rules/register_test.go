package rules

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"hoistway/sync/shadow"
)

// SH-17: the template goes by kind, and its thresholds hold for the service too; static
// facts are kept as they were told.
func TestTemplate(t *testing.T) {
	g := newStage(t, Options{Templates: map[string]Template{
		"lift-gateway": {Version: 3, ReportPeriod: 20, OfflineAfter: 100, ConnectSpread: 30, Settings: shadow.Tree{"retries": number(2)}},
	}})
	g.say(0, "presence", `{"online":true,"epoch":1,"session":4,"reason":"connect"}`)
	g.say(0, "register", `{"kind":"lift-gateway","store":"kept","instance":"i","lifts":["L1"],"static":{"building":"A"},"clientToken":"r"}`)
	g.gives("register news", `register/accepted {"clientToken":"r","created":true,"epoch":1,"server_time":1700000000,"template":{"connect_spread":30,"offline_after":100,"report_period":20,"settings":{"retries":2}},"template_version":3}`, `news|registered||||`)
	g.tick(100)
	g.inPool(true, 0)
	g.tick(101)
	g.inPool(false, 1)
	g.beat(110, 21) // older than a period
	g.inPool(true, 0)
	g.beat(200, 21)
	g.inPool(false, 1) // three periods and a minute
	g.lines = nil
	g.say(201, "register", `{"kind":"lift-gateway","store":"kept","instance":"i","lifts":["L1"],"static":{"building":"A"}}`)
	g.gives("news|registered") // nothing new
	g.say(202, "register", `{"kind":"robot","store":"kept","instance":"i"}`)
	g.gives("register", `register/accepted {"created":false,"epoch":1,"server_time":1700000202,"template_version":1}`)
	f, ok := g.s.Facts("GW-1")
	if !ok || fmt.Sprint(f.Facts) != "map[kind:robot]" {
		t.Errorf("%+v", f)
	}
	if _, ok := g.s.Facts("GW-9"); ok {
		t.Error("facts of nobody")
	}
}

// SH-17: a new device stands where another stood: it is wished what that was wished and
// what it lacks, nothing that is done once, and the old one is let in no more.
func TestReplace(t *testing.T) {
	g, d := newStage(t, Options{}), disk{}
	old := func(name, patch string) {
		t.Helper()
		tree, err := shadow.Decode([]byte(patch))
		if err != nil {
			t.Fatal(err)
		}
		r, err := g.s.Desire("GW-0", name, tree, now)
		if err != nil {
			t.Fatal(err)
		}
		d.commit(t, r)
	}
	old("", `{"wait_timeout":120,"retries":1,"_intents":{"i":{"fields":["retries"]}}}`)
	old("L1", `{"maintenance":{"on":true},"recovery":{"do":"wait"}}`)
	r, err := g.s.Desire("GW-1", "", shadow.Tree{"retries": number(5)}, now)
	if err != nil {
		t.Fatal(err)
	}
	d.commit(t, r)
	if r, err = g.s.Replace("GW-1", "GW-0", now); err != nil {
		t.Fatal(err)
	}
	d.commit(t, r)
	for name, want := range map[string]string{"": "map[retries:5 wait_timeout:120]", "L1": "map[maintenance:map[on:true]]"} {
		if doc, _ := g.s.Document("GW-1", name); fmt.Sprint(doc.Desired) != want {
			t.Errorf("%q: %v, want %s", name, doc.Desired, want)
		}
	}
	g.s = d.agrees(t, g.s)
	refused := g.s.Take(shadow.Message{Topic: "hoistway/things/GW-0/register", Payload: []byte(`{"store":"kept"}`)}, now)
	if got := string(refused.Messages[0].Payload); !strings.Contains(got, `"code":410`) {
		t.Errorf("the old one: %s", got)
	}
	var rejection *shadow.Rejection
	for code, pair := range map[int][2]string{404: {"GW-1", "GW-9"}, 409: {"GW-2", "GW-0"}} {
		if _, err := g.s.Replace(pair[0], pair[1], now); !errors.As(err, &rejection) || rejection.Code != code {
			t.Errorf("%v: %v", pair, err)
		}
	}
}
