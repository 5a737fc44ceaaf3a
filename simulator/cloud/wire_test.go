package cloud

import (
	"strings"
	"testing"
	"time"
)

// SM-3: troubles by name on the way to a thing: late, twice, in another order, never.
func TestFaultsOnTheWay(t *testing.T) {
	c := startCloud(t, Options{})
	d := connect(t, c.URL())
	begin := func(f Fault) {
		t.Helper()
		if err := c.Trouble(f); err != nil {
			t.Fatal(err)
		}
	}
	const write, accepted, documents = `{"state":{"reported":{"a":1}}}`, "shadow/update/accepted", "shadow/update/documents"
	begin(Fault{Name: Duplicate, Serial: "GW-1", Topic: "update/accepted", Times: 1})
	d.say("shadow/update", write, accepted, accepted, documents)
	begin(Fault{Name: Lose, Topic: "update/accepted", Times: 1})
	d.say("shadow/update", write, documents)
	begin(Fault{Name: Reorder, Topic: "update/accepted", Times: 1})
	d.say("shadow/update", write, documents, accepted)
	begin(Fault{Name: Delay, Topic: "update/accepted", Times: 1, DelayMS: 300})
	began := time.Now()
	d.say("shadow/update", write, accepted, documents)
	if took := time.Since(began); took < 300*time.Millisecond {
		t.Errorf("took %v", took)
	}
	begin(Fault{Name: Lose, Serial: "GW-2"}) // another thing's
	d.say("shadow/update", write, accepted, documents)
	begin(Fault{Name: Reorder, Topic: "get/rejected", Times: 1})
	d.say("shadow/name/L1/get", ``, "shadow/name/L1/get/rejected") // nothing follows: it comes a moment later
	begin(Fault{Name: "refuse", Topic: "update", Times: 1, Code: 503})
	expect(t, d.say("shadow/update", write, "shadow/update/rejected")[0], "code=503")
	if on := c.Troubles(); len(on) != 1 || on[0].Serial != "GW-2" {
		t.Errorf("on: %+v", on)
	}
	c.Calm()
	if on := c.Troubles(); len(on) != 0 {
		t.Errorf("on: %+v", on)
	}
	for what, f := range map[string]Fault{
		"a name": {Name: "explode"}, "a serial": {Name: Lose, Serial: "a/b"}, "times": {Name: Lose, Times: -1},
		"an hour": {Name: Delay, DelayMS: time.Hour.Milliseconds()}, "a code": {Name: "refuse", Code: 200},
	} {
		if err := c.Trouble(f); err == nil {
			t.Errorf("%s was taken", what)
		}
	}
}

// A fault is written in a line: its name, then what narrows it.
func TestParseFault(t *testing.T) {
	got, err := ParseFault("delay,serial=GW-1,topic=update/delta,times=3,delay=500ms")
	if want := (Fault{Name: Delay, Serial: "GW-1", Topic: "update/delta", Times: 3, DelayMS: 500}); err != nil || got != want {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{"", "explode", "lose,times=x", "lose,often", "delay,delay=soon", "lose,colour=red"} {
		if _, err := ParseFault(text); err == nil || !strings.Contains(err.Error(), "fault") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
