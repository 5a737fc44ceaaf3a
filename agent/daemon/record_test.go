package daemon

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/agent/audit"
	"hoistway/agent/journal"
	"hoistway/simulator/faults"
	"hoistway/simulator/robots"
)

// record asks as the technician and gives the record, nil while there is none.
func (r *rig) record(ride string) *journal.Record {
	r.t.Helper()
	code, body := r.ask(http.MethodGet, "/v1/rides/"+ride+"/record", "")
	if code != http.StatusOK {
		return nil
	}
	var rec journal.Record
	if err := json.Unmarshal([]byte(body), &rec); err != nil {
		r.t.Fatal(err)
	}
	return &rec
}

func (r *rig) recorded(ride string, ok func(*journal.Record) bool) *journal.Record {
	r.t.Helper()
	var rec *journal.Record
	r.until("the record of "+ride, func() bool { rec = r.record(ride); return rec != nil && ok(rec) }, func() any { return rec })
	return rec
}

// RB-4: a ride over a real socket leaves a record in which each lane tells its part.
func TestRecordHasEachLane(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.robot(robots.Manner{})
	r.online()
	r.post("/v1/rides", callFromG)
	r.reaches("r1", "DONE")
	rec := r.recorded("r1", func(x *journal.Record) bool { return x.State == "DONE" })
	if out := os.Getenv("HOISTWAY_RECORD"); out != "" {
		raw, _ := json.MarshalIndent(rec, "", " ")
		_ = os.WriteFile(out, raw, 0o600)
	}
	if rec.Schema != "hoistway.record/1" || rec.Agent.Version != "test" || rec.Ride.Robot != "R1" || rec.Ride.From != "G" || rec.Profile.Hash == "" || rec.Profile.Name != "bench/modbus-lift" {
		t.Errorf("head %+v %+v %+v", rec.Agent, rec.Ride, rec.Profile)
	}
	if rec.Running || rec.Faulted || rec.EndedAt == nil || len(rec.Damage) != 0 || len(rec.Floors) != 5 {
		t.Errorf("running %v, faulted %v, ended %v, damage %v, floors %v", rec.Running, rec.Faulted, rec.EndedAt, rec.Damage, rec.Floors)
	}
	l := rec.Lanes
	var states []string
	for _, s := range l.State {
		if len(states) == 0 || states[len(states)-1] != s.State {
			states = append(states, s.State)
		}
		if s.State == "REQUESTING" && s.Why == "" {
			t.Error("no why")
		}
	}
	if got := strings.Join(states, " "); !strings.HasSuffix(got, "REQUESTING WAITING MOVING EXITING DONE") {
		t.Errorf("states %s", got)
	}
	for _, kind := range []string{"enter", "leave"} {
		if !slices.ContainsFunc(l.Permit, func(p journal.PermitSpan) bool { return p.Status == "granted" && p.Kind == kind && p.ID != "" }) {
			t.Errorf("no permit to %s", kind)
		}
	}
	withheld := slices.IndexFunc(l.Permit, func(p journal.PermitSpan) bool { return p.Status == "withheld" && len(p.Missing) > 0 })
	if withheld < 0 || l.Permit[withheld].Missing[0].Want == "" {
		t.Errorf("no permit was withheld with its reasons: %+v", l.Permit)
	}
	for _, verb := range []string{"landing_call", "car_call", "hold"} {
		i := slices.IndexFunc(l.Commands, func(c journal.CommandSpan) bool { return c.Verb == verb })
		if i < 0 || l.Commands[i].Result != "done" || l.Commands[i].TookMs == nil || l.Commands[i].Reason == "" {
			t.Errorf("no %s with its outcome", verb)
			continue
		}
		c := l.Commands[i]
		sent := slices.IndexFunc(l.Frames, func(f journal.FrameMark) bool { return f.Command == c.N && f.Out && f.TMs >= c.TMs })
		if sent < 0 {
			t.Errorf("no frame of %s %d", verb, c.N)
		}
	}
	// The landing call at G upwards is register 0 = 2: function 6 on the wire.
	if !slices.ContainsFunc(l.Frames, func(f journal.FrameMark) bool { return f.Out && strings.HasSuffix(f.Hex, "0106"+"0000"+"0002") }) {
		t.Error("the write of the landing call is not among the frames")
	}
	for _, kind := range []string{"entering", "entered", "leaving", "left"} {
		if !slices.ContainsFunc(l.Signals, func(s journal.SignalMark) bool { return s.Kind == kind }) {
			t.Errorf("no signal %s", kind)
		}
	}
	for _, door := range []string{"open", "closed"} {
		if !slices.ContainsFunc(l.Door, func(d journal.DoorSpan) bool { return d.Door == door && d.Side == "front" }) {
			t.Errorf("the door was never %s", door)
		}
	}
	if len(l.Floor) < 2 || len(l.Motion) < 2 || len(l.Lift) < 1 || len(l.Robot) < 3 {
		t.Errorf("floor %v, motion %v, lift %v, robot %v", l.Floor, l.Motion, l.Lift, l.Robot)
	}
	if len(l.Orders) == 0 || l.Orders[0].What != "create" || l.Orders[0].Result != "created" {
		t.Errorf("orders %+v", l.Orders)
	}
	if len(l.Notes) != 1 || l.Notes[0].Kind != "run" {
		t.Errorf("notes %+v", l.Notes)
	}
	if rec.SpanMs < 1000 || l.State[0].TMs < 0 {
		t.Errorf("span %v from %v", rec.SpanMs, l.State[0].TMs)
	}
	t.Logf("%d bytes on the disk, %d frames, %d commands, %d permits, %.1f s", rec.Bytes, len(l.Frames), len(l.Commands), len(l.Permit), rec.SpanMs/1000)
}

// RB-4, IL-7: after the agent has gone in mid-ride the record goes on, on one axis.
func TestRecordOutlivesARestart(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.online()
	r.post("/v1/rides", callFromG)
	r.reaches("r1", "WAITING")
	before := r.recorded("r1", func(x *journal.Record) bool { return x.State == "WAITING" })
	r.stop()
	time.Sleep(300 * time.Millisecond)
	r.start()
	r.robot(robots.Manner{})
	r.reaches("r1", "DONE")
	rec := r.recorded("r1", func(x *journal.Record) bool { return x.State == "DONE" })
	runs := 0
	for _, n := range rec.Lanes.Notes {
		if n.Kind == "run" {
			runs++
		}
	}
	if runs != 2 || rec.StartedAt != before.StartedAt || len(rec.Damage) != 0 {
		t.Errorf("%d runs, began %s, before %s, damage %v", runs, rec.StartedAt, before.StartedAt, rec.Damage)
	}
	last := 0.0
	for _, s := range rec.Lanes.State {
		if s.TMs < last {
			t.Errorf("time runs backwards at %+v", s)
		}
		last = s.TMs
	}
	if !slices.ContainsFunc(rec.Lanes.Commands, func(c journal.CommandSpan) bool { return c.Verb == "landing_call" }) || rec.Lanes.State[0].State == "DONE" {
		t.Error("what was before the restart is lost")
	}
}

// RB-4: a fault is in the record with its alarm, its reason and the silence of the line.
func TestRecordOfAFault(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.robot(robots.Manner{})
	r.online()
	r.post("/v1/rides", callFromG)
	r.reaches("r1", "MOVING")
	if err := r.lift.Play(faults.Fault{Kind: "unplugged", Target: "L1"}); err != nil {
		t.Fatal(err)
	}
	rec := r.recorded("r1", func(x *journal.Record) bool { return x.State == "FAULT" })
	if !rec.Faulted || !rec.Running || rec.LastFault != "LINK_LOST" && rec.LastFault != "STALE" || len(rec.Lanes.Alarms) == 0 {
		t.Errorf("faulted %v, running %v, %q, alarms %+v", rec.Faulted, rec.Running, rec.LastFault, rec.Lanes.Alarms)
	}
	r.lift.ClearNamed("unplugged")
	r.reaches("r1", "DONE")
	rec = r.recorded("r1", func(x *journal.Record) bool { return x.State == "DONE" })
	if !rec.Faulted || rec.Lanes.Alarms[0].UntilMs == nil {
		t.Errorf("after the end: faulted %v, alarms %+v", rec.Faulted, rec.Lanes.Alarms)
	}
}

// SE-7: each command and each act of a person stands in the audit, over a restart; when
// it cannot be written, an act is refused and a cancel is not.
func TestAuditOfARide(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.robot(robots.Manner{})
	r.online()
	r.post("/v1/rides", callFromG)
	r.reaches("r1", "DONE")
	r.post("/v1/rides/r1/reset", `{"robot_is":"outside","seen_by":"the porter"}`) // nothing to reset: refused
	r.stop()
	r.start()
	entries := func(of string) (list []audit.Entry) {
		_, body := r.ask(http.MethodGet, "/v1/audit?of="+of, "")
		if err := json.Unmarshal([]byte(body), &list); err != nil {
			t.Fatal(body)
		}
		return list
	}
	outcome := map[string][]string{}
	for _, e := range entries("outputs") {
		outcome[e.ID] = append(outcome[e.ID], e.Outcome)
		if e.Why == "" || e.Ride != "r1" || e.Lift != "L1" || e.By != "ride r1" || e.At.IsZero() {
			t.Errorf("%+v", e)
		}
	}
	if len(outcome) < 3 {
		t.Errorf("commands %v", outcome)
	}
	for id, is := range outcome {
		if len(is) != 2 || is[0] != "asked" || is[1] == "asked" {
			t.Errorf("%s: %v", id, is)
		}
	}
	acts := entries("acts")
	if len(acts) != 4 || acts[0].What != "POST /v1/rides" || acts[0].By != "t" || acts[1].Outcome != "done" ||
		acts[2].Ride != "r1" || !strings.Contains(acts[2].Detail, "the porter") || acts[3].Outcome != "refused" || acts[3].Code != "E-2111" || acts[2].ID != acts[3].ID {
		t.Errorf("acts %+v", acts)
	}

	path := filepath.Join(r.dir, audit.FileName)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if code, body := r.post("/v1/rides", strings.Replace(callFromG, "r1", "r2", 1)); code != http.StatusServiceUnavailable || !strings.Contains(body, "E-2031") {
		t.Errorf("a ride without audit: %d %s", code, body)
	}
	if code, body := r.ask(http.MethodDelete, "/v1/rides/r1", ""); code != http.StatusAccepted {
		t.Errorf("a cancel without audit: %d %s", code, body)
	}
}
