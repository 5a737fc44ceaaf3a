package rules

import "testing"

// Troubles on demand: the next so many requests of one kind and one thing, and no others.
func TestTroubles(t *testing.T) {
	g := newStage(t, Options{})
	if g.s.Trouble(Trouble{Kind: "eat"}) {
		t.Error("a trouble that nobody knows")
	}
	g.s.Trouble(Trouble{Kind: RefuseTrouble, Serial: "GW-1", Request: "update", Times: 2, Code: 503})
	g.s.Trouble(Trouble{Kind: ThrottleTrouble, Request: "register", Times: 1})
	g.s.Trouble(Trouble{Kind: RefuseTrouble, Serial: "GW-2"})
	const update = `{"state":{"reported":{"a":1}},"clientToken":"t"}`
	g.say(0, "shadow/update", update)
	g.say(1, "shadow/name/L1/update", update)
	g.say(2, "register", `{"store":"kept"}`)
	g.gives("", `shadow/update/rejected {"clientToken":"t","code":503,"message":"Refused on demand","timestamp":1700000000}`,
		`shadow/name/L1/update/rejected {"clientToken":"t","code":503,"message":"Refused on demand","timestamp":1700000001}`,
		`register/rejected {"code":429,"message":"Too many requests","timestamp":1700000002}`)
	if _, ok := g.s.Document("GW-1", ""); ok {
		t.Error("a refused update counted")
	}
	g.say(3, "shadow/update", update)
	g.gives("", `shadow/update/accepted {"clientToken":"t","metadata":{"reported":{"a":{"timestamp":1700000003,"version":1}}},"state":{"reported":{"a":1}},"timestamp":1700000003,"version":1}`)
	if left := g.s.Troubles(); len(left) != 1 || left[0].Serial != "GW-2" {
		t.Errorf("left %v", left)
	}
}

// A wrong version is told, and is not so; calm ends what has no end of its own.
func TestWrongVersion(t *testing.T) {
	g := newStage(t, Options{})
	g.s.Trouble(Trouble{Kind: VersionTrouble})
	g.say(0, "shadow/update", `{"state":{"reported":{"a":1}}}`)
	g.gives("", `shadow/update/accepted {"metadata":{"reported":{"a":{"timestamp":1700000000,"version":1}}},"state":{"reported":{"a":1}},"timestamp":1700000000,"version":1001}`)
	if d, _ := g.s.Document("GW-1", ""); d.Version != 1 {
		t.Errorf("version %d", d.Version)
	}
	g.s.Calm()
	g.say(1, "shadow/update", `{"state":{"reported":{"a":null}}}`)
	g.gives("", `shadow/update/accepted {"metadata":{"reported":{}},"state":{"reported":{"a":null}},"timestamp":1700000001,"version":2}`)
}
