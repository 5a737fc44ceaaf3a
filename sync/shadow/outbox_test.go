package shadow

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Each event comes to the service once, whatever the line and
// the process do. // DD-1 DD-2 DD-3 SH-16
func TestEachEventOnce(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		s := newStage(r)
		sent, session := 0, 1
		s.step(Up{Session: 1})
		for range rapid.IntRange(1, 30).Draw(r, "happenings") {
			switch rapid.SampledFrom([]string{"event", "event", "event", "answers", "takes", "drops", "loses", "wait", "down", "up", "crash", "restart"}).Draw(r, "what") {
			case "event":
				sent++
				s.step(Event{Kind: "ride.done", Alarm: rapid.Bool().Draw(r, "alarm"), Body: Tree{"no": num(sent)}})
			case "answers":
				s.settle()
			case "takes":
				s.serve()
			case "drops":
				s.model.out = nil
			case "loses":
				s.wire = nil
			case "wait":
				s.wait(int64(rapid.IntRange(1, 40).Draw(r, "s")) * second)
			case "down":
				s.happen("down")
			case "up":
				session++
				s.happen(fmt.Sprint("up ", session))
			case "crash":
				s.crash = true
				s.step(Tick{})
			case "restart":
				s.restart()
			}
		}
		session++
		s.happen(fmt.Sprint("up ", session))
		s.answered = true
		s.settle()
		s.wait(3 * minute)
		had := map[string]int{}
		for _, e := range s.model.had {
			had[fmt.Sprint(e["no"])]++
		}
		for i := range sent {
			if had[fmt.Sprint(i+1)] != 1 {
				r.Fatalf("event %d came %d times: %v", i+1, had[fmt.Sprint(i+1)], s.said)
			}
		}
		if v := s.session.View().Beside; v.Events != 0 || len(s.session.aside.outbox.slots.spent) != 0 && s.session.lazy == 0 {
			r.Fatalf("left over: %+v", v)
		}
	})
}

// 72 hours without a line: what waits is bounded, every alarm is there, and what had to go
// is said under numbers of its own. The backlog comes at five a second, alarms first. // SH-16 ST-3
func TestLongOffline(t *testing.T) {
	s := newStage(t)
	for i := range 3000 {
		s.now += second
		s.step(Event{Kind: "ride.done", Body: Tree{"no": num(i)}})
		if i%300 == 0 {
			s.step(Event{Kind: "alarm", Alarm: true, Merge: fmt.Sprint(i), Body: Tree{"code": num(i)}})
		}
	}
	if n := len(s.records); n > maxEvents+1 {
		t.Fatalf("%d records", n)
	}
	s.restart()
	if v := s.session.View().Beside; v.Events != maxEvents {
		t.Fatalf("%+v wait", v)
	}
	s.happen("up 1")
	s.answered = true
	s.settle()
	s.wait(10 * second)
	if n := len(s.model.had); n < 45 || n > 65 {
		t.Errorf("%d events in ten seconds", n)
	}
	s.wait(10 * minute)
	if len(s.model.had) != maxEvents+1 || s.model.window.Gaps != 0 {
		t.Fatalf("%d had, %+v", len(s.model.had), s.model.window)
	}
	for i, e := range s.model.had[:11] {
		if want := map[bool]string{true: EventLost, false: "alarm"}[i == 0]; e["kind"] != want {
			t.Errorf("%d is %v", i, e)
		}
	}
	if lost := s.model.had[0]; lost["lost"] != num(3010-maxEvents) || lost["from"] != num(1) || lost["to"] != num(3010-maxEvents) {
		t.Errorf("lost: %v", lost)
	}
	if had := s.model.had; had[11]["no"] != num(1010) || had[maxEvents]["no"] != num(2999) {
		t.Errorf("the oldest left is %v, the newest %v", had[11], had[maxEvents])
	}
	s.happen("down") // what was had leaves the store with the next commit
	if n := len(s.records); n > 100 {
		t.Errorf("%d records are left", n)
	}
}

// A store that fails for days is asked for no more keys than ever waited at once.
func TestEventsReuseTheirPlaces(t *testing.T) {
	s := newStage(t)
	s.happen("up 1")
	s.answered = true
	s.settle()
	keys := map[string]bool{}
	s.check = func(_ Input, p *pass) {
		for _, r := range p.puts {
			keys[r.Key] = keys[r.Key] || strings.HasPrefix(r.Key, eventPrefix)
		}
	}
	for range 50 {
		s.step(Event{Kind: "ride.done"})
		s.settle()
	}
	n := 0
	for _, event := range keys {
		if event {
			n++
		}
	}
	if len(s.model.had) != 50 || n > 2 {
		t.Errorf("%d had, in %d places", len(s.model.had), n)
	}
}

// What a store or another version gives back is never more than a fault of that record.
func FuzzLoadEvent(f *testing.F) {
	f.Add("0", []byte(`{"n":1,"seq":3,"kind":"alarm","body":{"a":1},"count":2}`))
	f.Add("1999", []byte(`{"n":1,"kind":"x","body":{"a":[1,{"b":null}]}}`))
	f.Add("-1", []byte(`{}`))
	f.Fuzz(func(t *testing.T, slot string, raw []byte) {
		s := newStage(t)
		s.step(Loaded{Records: []Record{{Bucket: Bucket, Key: eventPrefix + slot + ":told", Value: raw}}})
		s.happen("up 1")
		s.settle()
	})
}
