package rules

import (
	"strings"
	"testing"

	"hoistway/sync/shadow"
)

// SH-17: registration is idempotent by serial, and issues the device epoch.
func TestRegister(t *testing.T) {
	const kept, fresh = `{"store":"kept","clientToken":"r"}`, `{"store":"fresh","kind":"lift-gateway","lifts":["L1"]}`
	run(t, New(Root),
		step{"register", fresh, []string{`register/accepted {"created":true,"epoch":1,"server_time":1700000000,"template_version":1}`}},
		step{"register", kept, []string{`register/accepted {"clientToken":"r","created":false,"epoch":1,"server_time":1700000001,"template_version":1}`}},
		step{"register", fresh, []string{`register/accepted {"created":false,"epoch":2,"server_time":1700000002,"template_version":1}`}},
	)
	// A service that has forgotten takes the epoch from the device, never a lower one.
	run(t, New(Root),
		step{"presence", `{"online":true,"epoch":6,"session":40,"reason":"connect"}`, nil},
		step{"register", kept, []string{`register/accepted {"clientToken":"r","created":true,"epoch":6,"server_time":1700000001,"template_version":1}`}},
	)
}

// Two live devices of one serial: the second is kept out while the first lives.
func TestRegisterTaken(t *testing.T) {
	s := New(Root)
	register := func(instance string, at int64) bool {
		t.Helper()
		r := s.Take(shadow.Message{Topic: x + "register", Payload: []byte(`{"store":"kept","instance":"` + instance + `"}`)}, at)
		if !strings.HasSuffix(r.Messages[0].Topic, "/accepted") && !strings.Contains(string(r.Messages[0].Payload), `"code":409`) {
			t.Fatalf("%s", r.Messages[0].Payload)
		}
		return strings.HasSuffix(r.Messages[0].Topic, "/accepted")
	}
	say := func(topic, payload string, at int64) {
		s.Take(shadow.Message{Topic: x + topic, Payload: []byte(payload)}, at)
	}
	say("presence", `{"online":true,"epoch":1,"session":5}`, now)
	if !register("a", now) || !register("a", now+1) {
		t.Error("the same instance again")
	}
	if register("b", now+2) {
		t.Error("a second one beside a live one")
	}
	say("heartbeat", `{"session":5,"seq":1,"versions":{}}`, now+170)
	if register("b", now+300) || !register("b", now+400) {
		t.Error("a beat holds the serial for 180 s")
	}
	say("presence", `{"online":false,"epoch":1,"session":5}`, now+401)
	if !register("a", now+402) {
		t.Error("the will frees the serial at once")
	}
}

// SH-12: equal versions are only a proof of life, told on each tenth beat.
func TestHeartbeat(t *testing.T) {
	s := New(Root)
	take(s, "shadow/update", `{"state":{"reported":{"a":1}}}`)
	take(s, "shadow/name/L1/update", `{"state":{"reported":{"a":1}}}`)
	run(t, s,
		step{"heartbeat", `{"seq":1,"versions":{"":1,"L1":1}}`, nil},
		step{"heartbeat", `{"seq":10,"versions":{"":1,"L1":1}}`, []string{`heartbeat/reply {"seq":10,"server_time":1700000001,"versions":{}}`}},
		step{"heartbeat", `{"seq":11,"versions":{"":1,"L1":0}}`, []string{`heartbeat/reply {"seq":11,"server_time":1700000002,"versions":{"L1":1}}`}},
		step{"heartbeat", `{"seq":12,"versions":{"":7}}`, []string{`heartbeat/reply {"seq":12,"server_time":1700000003,"versions":{"":1,"L1":1}}`}},
		step{"heartbeat", `{"seq":13,"versions":{"":1,"L1":1,"L2":0}}`, nil},
		step{"heartbeat", `{"seq":14,"versions":{"":1,"L1":1,"L2":4}}`, []string{`heartbeat/reply {"seq":14,"server_time":1700000005,"versions":{"L2":0}}`}},
		step{"heartbeat", `{"seq":-1,"versions":{}}`, nil},
		step{"heartbeat", `{"seq":1}`, nil},
		step{"heartbeat", `beat`, nil},
	)
}

// OP-2: online, offline and half-way are told apart by the service's own clock.
func TestPresence(t *testing.T) {
	s := New(Root)
	if _, ok := s.Presence("GW-1", now); ok {
		t.Error("one never heard of")
	}
	say := func(topic, payload string, at int64, retain bool) {
		s.Take(shadow.Message{Topic: x + topic, Payload: []byte(payload), Retain: retain}, at)
	}
	is := func(at int64, online, semi bool) {
		t.Helper()
		if p, _ := s.Presence("GW-1", at); p.Online != online || p.Semi != semi {
			t.Errorf("at +%d: %+v, want online %v semi %v", at-now, p, online, semi)
		}
	}
	say("presence", `{"online":true,"epoch":1,"session":4,"reason":"connect"}`, now, true)
	is(now, false, false) // a retained word may be old
	say("heartbeat", `{"session":4,"seq":1,"versions":{},"self_age_s":2}`, now+10, false)
	is(now+10, true, false)
	is(now+190, true, false)
	is(now+191, false, false)
	for at := int64(20); at <= 400; at += 30 { // it beats, but its loop stands still
		say("heartbeat", `{"session":4,"seq":2,"versions":{},"self_age_s":900}`, now+at, false)
	}
	is(now+250, true, false)
	is(now+251, true, true)
	say("shadow/update", `{"state":{"reported":{"a":1}}}`, now+401, false)
	is(now+401, true, false)
	say("presence", `{"online":true,"epoch":1,"session":5}`, now+402, false)
	say("presence", `{"online":false,"epoch":1,"session":4,"reason":"lost"}`, now+403, false)
	is(now+403, true, false) // the will of an older session comes late
	say("presence", `{"online":false,"epoch":1,"session":5,"reason":"stop"}`, now+404, false)
	is(now+404, false, false)
	say("presence", `{"online":true,"epoch":2,"session":1}`, now+405, false)
	say("presence", `{"online":false,"epoch":1,"session":5}`, now+406, false)
	is(now+406, true, false) // a device that lost its store counts anew in a new epoch
	for _, bad := range []string{``, `{}`, `{"online":"no","session":9,"epoch":9}`, `{"online":false,"session":-9,"epoch":9}`} {
		say("presence", bad, now+407, false)
	}
	is(now+407, true, false)
	say("presence", `{"online":false,"epoch":2,"session":1,"reason":"lost"}`, now+408, false)
	say("heartbeat", `{"epoch":2,"session":1,"seq":9,"versions":{}}`, now+409, false)
	is(now+409, false, false) // a beat that was on its way when the will came
	say("heartbeat", `{"epoch":2,"session":2,"seq":1,"versions":{}}`, now+410, false)
	is(now+410, true, false) // one of a newer session, whose word was missed
}
