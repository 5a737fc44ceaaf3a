package rules

import (
	"fmt"
	"testing"

	"hoistway/sync/shadow"
)

// DD-1, DD-2, DD-3: sent 1, 2, 2, 4: had 1, 2, 4, one duplicate and one gap counted, and
// the same when the service is made again from its records between any two.
func TestEventsCountOnce(t *testing.T) {
	for _, restarts := range []bool{false, true} {
		g, d := newStage(t, Options{}), disk{}
		send := func(seq int, want ...string) {
			t.Helper()
			r := g.s.Take(shadow.Message{Topic: x + "events", Payload: fmt.Appendf(nil, `{"epoch":3,"seq":%d,"kind":"ride.done","ride":"r-%d","clientToken":"t"}`, seq, seq)}, now)
			g.hear(r)
			g.gives("", want...)
			d.commit(t, r)
			if restarts {
				g.s = d.agrees(t, g.s)
			}
		}
		send(1, `events/accepted {"clientToken":"t","epoch":3,"upto":1}`, `news|ride.done||r-1|||1`)
		send(2, `events/accepted {"clientToken":"t","epoch":3,"upto":2}`, `news|ride.done||r-2|||1`)
		send(2, `events/accepted {"clientToken":"t","epoch":3,"upto":2}`)
		send(4, `events/accepted {"clientToken":"t","epoch":3,"upto":2}`, `resync {"events_from":3}`, `news|ride.done||r-4|||1`, `news|gap|||||1`)
		if w := g.s.Received("GW-1"); w.Duplicates != 1 || w.Gaps != 1 || w.Last != 4 || w.Upto() != 2 {
			t.Errorf("restarts %v: %+v", restarts, w)
		}
		// What was asked for comes, late, and closes the gap.
		send(3, `events/accepted {"clientToken":"t","epoch":3,"upto":4}`, `news|ride.done||r-3|||1`)
		send(4, `events/accepted {"clientToken":"t","epoch":3,"upto":4}`)
		if w := g.s.Received("GW-1"); w.Duplicates != 2 || w.Gaps != 1 {
			t.Errorf("restarts %v: %+v", restarts, w)
		}
	}
}

// A gap is asked for three times, a minute apart and only while the device tells; then it
// is given up, so that the device may forget what came after it.
func TestGapIsGivenUp(t *testing.T) {
	g := newStage(t, Options{})
	tell := func(at int64, seq int) {
		g.say(at, "events", fmt.Sprintf(`{"epoch":1,"seq":%d,"kind":"ride.done"}`, seq))
	}
	tell(0, 1)
	tell(1, 4)
	g.gives("events resync", `events/accepted {"epoch":1,"upto":1}`, `events/accepted {"epoch":1,"upto":1}`, `resync {"events_from":2}`)
	tell(30, 5)
	g.tick(300)
	g.gives("resync")
	tell(301, 6)
	tell(302, 7)
	tell(362, 8)
	g.gives("resync", `resync {"events_from":2}`, `resync {"events_from":2}`)
	tell(423, 9)
	g.gives("news|lost", "news|lost||||asked for three times and never told|2")
	tell(424, 10)
	g.gives("events resync", `events/accepted {"epoch":1,"upto":10}`)
}

// The first that comes is no gap, yet what may have been told before it is asked for.
func TestTheFirstIsNoGap(t *testing.T) {
	g := newStage(t, Options{})
	g.say(0, "events", `{"epoch":1,"seq":3,"kind":"ride.done"}`)
	g.gives("events resync", `events/accepted {"epoch":1,"upto":0}`, `resync {"events_from":1}`)
	if w := g.s.Received("GW-1"); w.Gaps != 0 {
		t.Errorf("%d gaps", w.Gaps)
	}
}

// What the device had to drop is no gap, and is told; a new epoch counts anew, and an
// older one is heard no more.
func TestEventsLostAndEpochs(t *testing.T) {
	g := newStage(t, Options{})
	g.say(0, "events", `{"epoch":1,"seq":1,"kind":"ride.done"}`)
	g.say(1, "events", `{"epoch":1,"seq":6,"kind":"lost","lost":4,"from":2,"to":5}`)
	g.say(2, "events", `{"epoch":2,"seq":1,"kind":"alarm","lift":"L1","code":"DOOR","first":1699999990,"last":1700000000,"count":4}`)
	g.say(3, "events", `{"epoch":1,"seq":7,"kind":"ride.done"}`)
	g.gives("events resync news",
		`events/accepted {"epoch":1,"upto":1}`, `news|ride.done|||||1`,
		`events/accepted {"epoch":1,"upto":6}`, `news|lost|||||4`,
		`events/accepted {"epoch":2,"upto":1}`, `news|alarm|L1||DOOR||4`,
		`events/accepted {"epoch":2,"upto":1}`)
	events := g.s.Events("GW-1")
	if len(events) != 3 || events[2].Lift != "L1" || events[2].At != now+2 {
		t.Errorf("%+v", events)
	}
}

// A flood fills no memory, and what is no event is refused.
func TestEventsAreBounded(t *testing.T) {
	g := newStage(t, Options{})
	for seq := range 1000 {
		g.say(0, "events", fmt.Sprintf(`{"epoch":1,"seq":%d,"kind":"ride.done"}`, seq+1))
	}
	if n := len(g.s.Events("GW-1")); n != maxEvents {
		t.Errorf("%d events kept", n)
	}
	g.lines = nil
	for _, bad := range []string{`{"epoch":1,"seq":0,"kind":"a","clientToken":"t"}`, `{"epoch":1,"kind":"a","clientToken":"t"}`, `{"epoch":1,"seq":-1,"kind":"a","clientToken":"t"}`, `{"epoch":1,"seq":1,"kind":7,"clientToken":"t"}`} {
		g.say(0, "events", bad)
		g.gives("", `events/rejected {"clientToken":"t","code":400,"message":"Invalid event","timestamp":1700000000}`)
	}
	g.say(0, "events", `{`)
	g.gives("", `events/rejected {"code":400,"message":"Invalid JSON","timestamp":1700000000}`)
}

// SH-7, OP-5: a full report is asked for on its topic.
func TestAskReport(t *testing.T) {
	g := newStage(t, Options{})
	g.hear(g.s.AskReport("GW-1"))
	g.gives("") // nobody there
	g.say(0, "shadow/get", "")
	g.lines = nil
	g.hear(g.s.AskReport("GW-1"))
	g.gives("", `resync {"report":true}`)
}
