package ops

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"hoistway/sync/shadow"
)

func update(t *testing.T, reported string) shadow.Update {
	return shadow.Update{Reported: tree(t, reported)}
}

func found(r Report) string {
	var out []string
	for _, f := range r.Findings {
		out = append(out, fmt.Sprintf("%s to %s: %s %s%s: %s", f.Level, f.To, f.What, f.Serial, f.Shadow, f.Text))
	}
	return strings.Join(out, "\n")
}

// OP-5: the inspection comes at 03:00, once a night, with what is silent, what is not
// reported (touched once), and whose controller should be looked at.
func TestInspection(t *testing.T) {
	w := newWorld(t)
	w.enrol("A", "GW-1", "GW-2")
	w.after(2 * 3600) // 14:00
	w.desire("GW-1", `{"wait_timeout":120,"retries":2,"hold_limit":30}`)
	w.report("GW-1", `{"retries":2,"_ack":{"hold_limit":{"ac":400,"av":1}}}`) // one done, one refused, one open
	for range 5 {
		w.alarm("GW-1", "DOOR_TIMEOUT")
	}
	w.seen["GW-1"] = Seen{Online: true, LastSeen: night0 + 27*3600}
	w.after(13*3600 - 60) // 02:59
	w.same("reports", len(w.desk.Reports()), 0)
	w.notices = nil
	w.after(120)
	r := w.desk.Reports()
	w.same("reports", len(r), 1)
	w.same("findings", found(r[0]), `notice to operations: not_reported GW-1: shown once more
warning to maintenance: service_advised GW-1: many faults
warning to maintenance: silent GW-2: nothing heard for 15 h`)
	w.same("touched", w.touches, "[{GW-1 }]")
	w.same("sent", w.said(), `warning to maintenance: the inspection of 2 things found 2 of level warning
notice to operations: the inspection of 2 things found 1 of level notice`)
	w.after(24 * 3600)
	r = w.desk.Reports()
	w.same("the next night", len(r), 2)
	if said := found(r[1]); !strings.Contains(said, "not_reported GW-1: shown once more 24 h ago, in vain") ||
		!strings.Contains(said, "urgent to on-duty: silent GW-2: nothing heard for 39 h") || strings.Contains(said, "service_advised GW-1: many") {
		t.Error(said)
	}
	w.same("touched once", w.touches, "[{GW-1 }]")
}

// OP-5: three in the morning is that of the place.
func TestInspectionByZone(t *testing.T) {
	w := newWorld(t)
	w.desk = New(Options{Zone: 8 * 3600}, w)
	w.now = night0 + 18*3600 // 02:00 of the next day there
	w.after(3600 - 60)
	w.same("before", len(w.desk.Reports()), 0)
	w.after(60)
	w.same("at three", len(w.desk.Reports()), 1)
}

// OP-5: the controller's figures of a day.
func TestStats(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(s *Stats)
		want string
	}{
		{"online all day", func(s *Stats) {
			s.heard(Happened{Kind: Online}, 1000)
		}, ""},
		{"away for two hours of ten", func(s *Stats) {
			s.heard(Happened{Kind: Online}, 1000)
			s.heard(Happened{Kind: Offline}, 1000+8*3600)
		}, "often away"},
		{"one of twenty commands lost", func(s *Stats) {
			s.heard(Happened{Kind: Online}, 1000)
			for range 19 {
				s.heard(Happened{Kind: Command, Code: "running"}, 1000)
				s.heard(Happened{Kind: Command, Code: "done"}, 1000)
			}
			s.heard(Happened{Kind: CommandFailed}, 1000)
		}, ""},
		{"two of twenty", func(s *Stats) {
			s.heard(Happened{Kind: Online}, 1000)
			for range 18 {
				s.heard(Happened{Kind: Command, Code: "done"}, 1000)
			}
			s.heard(Happened{Kind: CommandFailed}, 1000)
			s.heard(Happened{Kind: CommandFailed}, 1000)
		}, "commands are lost"},
	} {
		var s Stats
		c.do(&s)
		if got := s.advise(1000 + 10*3600); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// OP-6: the five figures, from a day that was counted by hand.
func TestMetrics(t *testing.T) {
	w := newWorld(t)
	w.enrol("A", "GW-1", "GW-2", "GW-3")
	none, _ := json.Marshal(w.desk.Metrics(w.now))
	w.same("before anything", string(none), `{"coverage":0,"delta_success":null,"latency_p95_s":null,"accuracy":null,"self_healing":null,"conflicts":null,"wishes":0,"faults":0,"writes":0}`)
	w.seen["GW-3"] = Seen{}
	for i := range 4 { // in force after 0, 10, 20, 30 s
		w.desire("GW-1", fmt.Sprintf(`{"a":%d}`, i))
		w.now += int64(10 * i)
		w.report("GW-1", fmt.Sprintf(`{"a":%d}`, i))
	}
	w.desire("GW-2", `{"a":1}`)
	w.desire("GW-2", `{"a":2}`) // superseded: no failure
	w.report("GW-2", `{"_ack":{"a":{"ac":423,"av":2}}}`)
	for i, end := range []string{RideDone, RideDone, RideDone, RideLocked} {
		ride := fmt.Sprint(i)
		w.do(w.desk.Heard(Happened{Kind: RideFault, Serial: "GW-1", ID: ride, Code: "X"}, w.now), nil)
		w.do(w.desk.Heard(Happened{Kind: end, Serial: "GW-1", ID: ride, Code: "X"}, w.now), nil)
	}
	w.do(w.desk.Heard(Happened{Kind: RideDone, Serial: "GW-1", ID: "well"}, w.now), nil)
	w.do(w.desk.Heard(Happened{Kind: Conflict, Serial: "GW-1"}, w.now), nil)
	got, _ := json.Marshal(w.desk.Metrics(w.now))
	w.same("the day", string(got), `{"coverage":1,"delta_success":0.8,"latency_p95_s":30,"accuracy":null,"self_healing":0.75,"conflicts":0.16666666666666666,"wishes":5,"faults":4,"writes":5}`)
}

// OP-6: a device that reports in full when asked shows how true its shadow was; beyond
// the bound that is an alarm.
func TestAccuracy(t *testing.T) {
	w := newWorld(t)
	w.enrol("A", "GW-1")
	fields := shadow.Tree{}
	for i := range 100 {
		fields[fmt.Sprintf("f%02d", i)] = "x"
	}
	w.write(Member{Serial: "GW-1"}, shadow.Update{Reported: fields}, "")
	w.do(w.desk.Inspect(w.now), nil)
	w.notices = nil
	w.report("GW-1", `{"f00":"y","f01":"y"}`)
	w.report("GW-1", `{"f03":"y"}`) // a change of its own, later
	w.same("accuracy", *w.desk.Metrics(w.now).Accuracy, 0.98)
	w.do(w.desk.Inspect(w.now+60), nil)
	if said := w.said(); !strings.Contains(said, "METRIC_ACCURACY") {
		t.Error(said)
	}
	w.now += 60 + checkWithin + 1
	w.report("GW-1", `{"f04":"y"}`)
	if a := w.desk.Metrics(w.now).Accuracy; a != nil {
		t.Errorf("an answer that comes late counts: %v", *a)
	}
}
