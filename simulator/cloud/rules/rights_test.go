package rules

import (
	"errors"
	"strings"
	"testing"

	"hoistway/sync/shadow"
)

// SE-2, SE-4: what a device may write and hear: its own requests, and all under its own
// serial.
func TestRights(t *testing.T) {
	for topic, may := range map[string]bool{
		"shadow/get": true, "shadow/update": true, "shadow/name/L1/get": true, "shadow/name/L1/update": true,
		"presence": true, "heartbeat": true, "register": true, "events": true, "telemetry": true,
		"intents/get": true, "intents/i-31/get": true, "commands/pending/get": true, "commands/restart/response": true,
		"shadow/delete": false, "shadow/update/accepted": false, "shadow/update/delta": false, "shadow/name/L1/get/accepted": false,
		"register/accepted": false, "heartbeat/reply": false, "events/accepted": false, "resync": false, "shadow/name//get": false,
		"intents/a/b/get": false, "intents//get": false, "intents/+/get": false, "intents/get/accepted": false,
		"commands/restart/request": false, "commands/restart/response/accepted": false, "commands/#/response": false, "": false,
	} {
		if got := MayPublish(Root, "GW-1", x+topic); got != may {
			t.Errorf("publish %s: %v", topic, got)
		}
		if MayPublish(Root, "GW-2", x+topic) || MayPublish(Root, "+", "hoistway/things/+/"+topic) {
			t.Errorf("%s of somebody else", topic)
		}
	}
	for filter, may := range map[string]bool{
		x + "#": true, x + "shadow/name/+/update/delta": true, x + "resync": true,
		"hoistway/things/GW-10/#": false, "hoistway/things/+/#": false, "hoistway/things/#": false, "#": false, x: false,
		"hoistway/changes/GW-1": false,
	} {
		if got := MaySubscribe(Root, "GW-1", filter); got != may {
			t.Errorf("subscribe %s: %v", filter, got)
		}
	}
}

// SH-3: each section has one writer.
func TestOneWriterASection(t *testing.T) {
	g := newStage(t, Options{Guarded: true})
	for _, payload := range []string{`{"state":{"desired":{"a":1},"reported":{"a":1}},"clientToken":"t"}`, `{"state":{"desired":null},"clientToken":"t"}`, `{"state":null,"clientToken":"t"}`} {
		g.say(0, "shadow/update", payload)
		g.gives("", `shadow/update/rejected {"clientToken":"t","code":403,"message":"Desired is written by operators alone","timestamp":1700000000}`, `news|refused|||403|desired from a device`)
	}
	g.say(0, "shadow/update", `{"state":{"reported":{"a":1}}}`)
	g.gives("shadow/update/accepted", `shadow/update/accepted {"metadata":{"reported":{"a":{"timestamp":1700000000,"version":1}}},"state":{"reported":{"a":1}},"timestamp":1700000000,"version":1}`)
	g.desire(1, "", `{"a":2}`)
	stale := int64(1)
	for code, u := range map[int]shadow.Update{
		403: {Desired: shadow.Tree{"a": true}, Reported: shadow.Tree{"a": true}},
		409: {Desired: shadow.Tree{"a": true}, Version: &stale},
	} {
		var rejection *shadow.Rejection
		if _, err := g.s.Operate("GW-1", "", u, now); !errors.As(err, &rejection) || rejection.Code != code {
			t.Errorf("%d: %v", code, err)
		}
	}
	if _, err := g.s.Operate("GW-1", "", shadow.Update{ClearReported: true}, now); err == nil {
		t.Error("an operator cleared reported")
	}
	if d, _ := g.s.Document("GW-1", ""); d.Version != 2 || !shadow.Equal(d.Desired["a"], number(2)) || !shadow.Equal(d.Reported["a"], number(1)) {
		t.Errorf("%+v", d)
	}
}

// SH-13: others are told of a change by the difference only.
func TestAnnounced(t *testing.T) {
	g := newStage(t, Options{Announced: true})
	g.say(0, "shadow/name/L1/update", `{"state":{"reported":{"state":"IDLE","ride":{"id":"r-1","robot":"R1"},"list":[1,2]}}}`)
	g.say(1, "shadow/name/L1/update", `{"state":{"reported":{"state":"FAULT","ride":{"id":"r-1","robot":null},"list":[1,2]}}}`)
	g.desire(2, "", `{"a":1}`)
	g.say(3, "shadow/delete", ``)
	g.gives("hoistway/changes/",
		`hoistway/changes/GW-1 {"at":1700000000,"diff":{"reported":{"list":[1,2],"ride":{"id":"r-1","robot":"R1"},"state":"IDLE"}},"shadow":"L1","version":1}`,
		`hoistway/changes/GW-1 {"at":1700000001,"diff":{"reported":{"ride":{"robot":null},"state":"FAULT"}},"shadow":"L1","version":2}`,
		`hoistway/changes/GW-1 {"at":1700000002,"diff":{"desired":{"a":1}},"version":1}`,
		`hoistway/changes/GW-1 {"at":1700000003,"diff":{"desired":{"a":null}},"version":2}`)
	other := New("site/7/things").With(Options{Announced: true})
	r := other.Take(shadow.Message{Topic: "site/7/things/GW-1/shadow/update", Payload: []byte(`{"state":{"reported":{"a":1}}}`)}, now)
	if topic := r.Messages[len(r.Messages)-2].Topic + r.Messages[len(r.Messages)-1].Topic + r.Messages[0].Topic; !strings.Contains(topic, "site/7/changes/GW-1") {
		t.Errorf("%s", topic)
	}
}
