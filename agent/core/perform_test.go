package core

import (
	"fmt"
	"strings"
	"testing"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// online is a core whose cloud answered the registration with its time, and nothing since.
func online(t *testing.T, serverTime string) *play {
	t.Helper()
	p := newPlay(Boot{ID: "b", Wall0: 1_700_000_000_000})
	p.session = shadow.New(shadow.Config{Serial: "GW", Prefix: "x/shadow", Beside: "x", Shadows: []string{"", "L1"}, Commands: Commands()})
	p.do(&Seen{Lift: "L1", Car: car(1, 0, second)}, second)
	p.do(LinkUp{Session: 1}, second)
	p.do(message("register/accepted", `{"clientToken":"1-2","epoch":3,"server_time":`+serverTime+`}`), second)
	p.do(Tick{}, 12*second)
	return p
}

func message(topic, payload string) Incoming {
	return Incoming{Message: shadow.Message{Topic: "x/" + topic, Payload: []byte(payload)}}
}

// said is what a step publishes on a topic.
func said(r Result, topic string) (out []string) {
	for _, e := range r.After {
		if s, ok := e.(Send); ok && s.Publish.Topic == "x/"+topic {
			out = append(out, string(s.Publish.Payload))
		}
	}
	return out
}

// A fault is told as an event, in the batch of its transition, and so is an alarm. // RD-8 SH-14
func TestFaultsAreEvents(t *testing.T) {
	p := online(t, "1700000001")
	p.do(&Seen{Lift: "L1", Car: car(1, 0, 13*second)}, 13*second)
	p.do(Ordered{Token: 1, Order: order()}, 13*second)
	var events []string
	for at := 13 * second; at < 35*second; at += second { // after 30 s they are told again
		for _, in := range []Input{&Seen{Lift: "L1", Car: car(1, 0, at)}, Tick{}} {
			r := p.do(in, at)
			for _, e := range said(r, "events") {
				if len(r.Batch) == 0 {
					t.Errorf("told without a batch: %s", e)
				}
				events = append(events, e)
			}
		}
	}
	if len(events) == 0 || !strings.Contains(events[0], `"kind":"ride.fault"`) || !strings.Contains(events[0], `"ride":"Ride_1"`) ||
		!strings.Contains(events[0], `"fault_no":1`) || !strings.Contains(events[0], `"seq":1`) {
		t.Errorf("events %v", events)
	}
}

// CM-4: a snapshot tells what stands; what needs a signature is refused without one.
func TestCommandsOfTheCloud(t *testing.T) {
	p := online(t, "1700000001")
	p.do(Ordered{Token: 1, Order: order()}, 13*second)
	r := p.do(message("commands/snapshot/request", `{"id":"c-1","by":"ops","exp":1700000090}`), 14*second)
	got := strings.Join(said(r, "commands/snapshot/response"), "\n")
	for _, want := range []string{`"status":"received"`, `"status":"done"`, `"floor":"G"`, `"id":"Ride_1"`, `"shadows":{"":0,"L1":0}`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
	acts := 0
	for _, e := range r.After {
		if a, ok := e.(Act); ok && a.By == "cloud ops" && a.What == "snapshot" && a.ID == "c-1" && a.Outcome == "done" {
			acts++
		}
	}
	if acts != 1 {
		t.Errorf("%d entries for the audit", acts)
	}
	for cmd, want := range map[string]string{"reset-fault": "signature", "run-update": "no updater", "restart": "not a command"} {
		r = p.do(message("commands/"+cmd+"/request", `{"id":"c-`+cmd+`","exp":1700000090}`), 15*second)
		if got := strings.Join(said(r, "commands/"+cmd+"/response"), ""); !strings.Contains(got, `"refused"`) || !strings.Contains(got, want) {
			t.Errorf("%s: %s", cmd, got)
		}
	}
}

// A reset from afar is for the fault that its person saw.
func TestResetFromAfar(t *testing.T) {
	p := online(t, "1700000001")
	p.do(Ordered{Token: 1, Order: order()}, 13*second)
	at := 13 * second
	for ; p.Ride("Ride_1").State != fsm.FaultLocked && at < 7200*second; at += second {
		p.do(&Seen{Lift: "L1", Car: car(1, 0, at)}, at)
		p.do(Tick{}, at)
	}
	no := p.Ride("Ride_1").FaultNo
	for _, c := range []struct {
		args, status string
	}{
		{`{"ride":"Ride_9","robot_is":"outside","fault_no":1}`, "refused"},
		{`{"ride":"Ride_1","robot_is":"gone","fault_no":1}`, "refused"},
		{fmt.Sprintf(`{"ride":"Ride_1","robot_is":"outside","fault_no":%d}`, no-1), "refused"},
		{fmt.Sprintf(`{"ride":"Ride_1","robot_is":"outside","fault_no":%d}`, no), "done"},
	} {
		args, err := shadow.Decode([]byte(c.args))
		if err != nil {
			t.Fatal(err)
		}
		ps := &pass{Core: p.Core, t: p.at(at)}
		if done := ps.performed(shadow.Perform{ID: "c", Name: "reset-fault", Args: args, By: "ops"}); string(done.Status) != c.status {
			t.Errorf("%s: %+v", c.args, done)
		}
	}
	if s := p.Ride("Ride_1").State; s == fsm.FaultLocked {
		t.Errorf("the ride is still %s", s)
	}
}

// SH-15: a wall clock that is wrong is told once, and when it changes; it decides nothing.
func TestDrift(t *testing.T) {
	p := online(t, "1699999901")
	if d := p.View(p.at(12 * second)).Drift; !d.Known || d.Seconds != 100 {
		t.Fatalf("drift %+v", d)
	}
	events := func(now elevator.Instant) int { return len(said(p.do(Tick{}, now), "events")) }
	if n := events(20*second) + events(30*second); n != 0 {
		t.Errorf("told %d times more", n)
	}
	if raw := string(p.store["sync/sync:event:0:told"]); !strings.Contains(raw, `"drift_s":100`) {
		t.Errorf("stored %s", raw)
	}
	p.boot.Wall0 -= 100_000 // somebody sets it right
	if n := events(32 * second); n != 1 {
		t.Errorf("told %d times that it is right", n)
	}
	p.do(LinkDown{}, 33*second)
	p.do(Tick{}, 34*second)
	if p.View(p.at(34 * second)).Drift.Known {
		t.Error("known without a connection")
	}
}

// RD-10: that a job is done is an event of its own, stored before it is answered, and told once
// though the robot says it again.
func TestATaskIsFinished(t *testing.T) {
	p := online(t, "1700000001")
	finish := func(o FinishTask, at elevator.Instant) []string {
		t.Helper()
		r := p.do(Ordered{Token: 1, Order: o}, at)
		if a := answered(t, r); a.Status != Accepted {
			t.Errorf("%+v", a)
		}
		if tells := said(r, "events"); len(tells) > 0 && len(r.Batch) == 0 {
			t.Errorf("%v is told and not stored", tells)
		}
		return said(r, "events")
	}
	got := finish(FinishTask{"R1", "T-1", "done"}, 13*second)
	got = append(got, finish(FinishTask{"R1", "T-1", "done"}, 14*second)...)
	got = append(got, finish(FinishTask{"R1", "T-2", "failed"}, 15*second)...)
	if len(got) != 2 || !strings.Contains(got[0], `"kind":"task.finished"`) || !strings.Contains(got[0], `"task_id":"T-1"`) ||
		!strings.Contains(got[0], `"result":"done"`) || !strings.Contains(got[1], `"task_id":"T-2"`) || !strings.Contains(got[1], `"result":"failed"`) {
		t.Errorf("told %v", got)
	}
	for i := range 100 {
		finish(FinishTask{"R1", fmt.Sprint("more", i), "done"}, 20*second)
	}
	if len(p.finished) != maxFinished {
		t.Errorf("%d are remembered", len(p.finished))
	}
}
