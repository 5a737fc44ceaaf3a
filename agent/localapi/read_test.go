package localapi

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// RB-1: values with age and quality; unknown is never a number.
func TestLiftTellsAgeAndQuality(t *testing.T) {
	h := newHouse(t)
	h.loop.change(func(v *core.View) {
		v.Lifts[0].Car.Load = elevator.Seen[int32]{Failed: true, Value: 75, At: start}
		v.Lifts[0].Car.Mode = elevator.Seen[elevator.Mode]{}
	})
	h.advance(1500 * time.Millisecond)
	got := h.do(t, request{method: "GET", path: "/v1/lifts/L1"})
	if got.status != http.StatusOK {
		t.Fatalf("status %d: %s", got.status, got.body)
	}
	l := decoded[Lift](t, got)
	for _, c := range []struct {
		name, quality string
		v             Value
		value         any
		age           int64 // -1: null
	}{
		{"floor", "good", l.Floor, "G", 1500},
		{"motion", "good", l.Motion, "stopped", 1500},
		{"position", "good", l.Position, 3500.0, 1500},
		{"load", "failed", l.Load, 75.0, 1500},
		{"mode", "unknown", l.Mode, nil, -1},
		{"nudging", "unknown", l.Nudging, nil, -1},
		{"overload", "good", l.Overload, false, 1500},
		{"front door", "good", l.Doors["front"], "open", 1500},
		{"rear door", "unknown", l.Doors["rear"], "unknown", -1},
	} {
		age := int64(-1)
		if c.v.AgeMs != nil {
			age = *c.v.AgeMs
		}
		if c.v.Value != c.value || c.v.Quality != c.quality || age != c.age {
			t.Errorf("%s: %v %s %d, want %v %s %d", c.name, c.v.Value, c.v.Quality, age, c.value, c.quality, c.age)
		}
	}
	if l.Owner == nil || l.Owner.Ride != "ride-1" || l.Owner.Robot != "R1" || l.State != "WAITING" || l.Phase != "boarding" {
		t.Errorf("owner %+v, state %s %s", l.Owner, l.State, l.Phase)
	}
	if up, _ := json.Marshal(l.Calls.Up.Value); string(up) != `["G"]` {
		t.Errorf("up calls %s", up)
	}
}

// IL-3, DR-10: an old value is shown as stale, and a silent lift as offline.
func TestSilentLiftGrowsStaleThenOffline(t *testing.T) {
	h := newHouse(t)
	at := func() Lift { return decoded[Lift](t, h.do(t, request{method: "GET", path: "/v1/lifts/L1"})) }
	if l := at(); l.Link != "online" || l.Floor.Quality != "good" {
		t.Fatalf("at first %s %s", l.Link, l.Floor.Quality)
	}
	h.advance(3001 * time.Millisecond)
	if l := at(); l.Link != "online" || l.Floor.Quality != "stale" || *l.HeardMs != 3001 {
		t.Fatalf("after 3 s %s %s %d", l.Link, l.Floor.Quality, *l.HeardMs)
	}
	h.advance(2 * time.Second)
	if l := at(); l.Link != "offline" {
		t.Fatalf("after 5 s %s", l.Link)
	}
}

func TestListsAndUnknownIDs(t *testing.T) {
	h := newHouse(t)
	if l := decoded[[]Lift](t, h.do(t, request{method: "GET", path: "/v1/lifts"})); len(l) != 2 || l[1].ID != "L2" || l[1].State != "IDLE" {
		t.Errorf("lifts: %+v", l)
	}
	for path, code := range map[string]string{
		"/v1/lifts/L9": asNoLift.code, "/v1/rides/none": asNoRide.code, "/v1/nothing": asNoCall.code, "/web/none.js": asNoCall.code,
		"/v1/rides/.": asNoCall.code, "/v1/rides/..": asNoCall.code, "//v1/lifts": asNoCall.code, "/v1/lifts/L1/../L2": asNoCall.code,
		"/v1/rides/%2E%2E": asNoRide.code,
	} {
		got := h.do(t, request{method: "GET", path: path})
		if got.status != http.StatusNotFound || got.problem.Code != code {
			t.Errorf("%s: %d %s", path, got.status, got.problem.Code)
		}
	}
	got := h.do(t, request{method: "PUT", path: "/v1/lifts", token: techToken, body: "{}"})
	if got.status != http.StatusMethodNotAllowed || got.problem.Code != asMethod.code || !strings.Contains(got.header.Get("Allow"), "GET") {
		t.Errorf("PUT: %d %+v", got.status, got.problem)
	}
}

// RB-1: what a robot acts on, with times from receipt.
func TestRideTellsPermitAdviceAndMarks(t *testing.T) {
	h := newHouse(t)
	h.advance(500 * time.Millisecond)
	r := decoded[Ride](t, h.do(t, request{method: "GET", path: "/v1/rides/ride-1", token: robotToken}))
	want := Permit{ID: "ride-1/7", Epoch: 3, Kind: "enter", Floor: "G", Side: "front", StartWithinMs: 1500, ThroughWithinMs: 8500}
	if r.Permit == nil || *r.Permit != want {
		t.Errorf("permit %+v, want %+v", r.Permit, want)
	}
	if r.Do.Action != "enter" || r.Do.UntilMs == nil || *r.Do.UntilMs != 2000 || *r.DeadlineMs != 29500 {
		t.Errorf("do %+v, deadline %v", r.Do, r.DeadlineMs)
	}
	if r.From != "G" || r.To != "3" || r.FromDoor != "front" || r.LeavePass != nil || len(r.Withheld) != 0 {
		t.Errorf("ride %+v", r)
	}
	if len(r.Marks) != 1 || r.Marks[0].At != "2025-06-15T15:06:40.123Z" || r.Marks[0].To != "REQUESTING" {
		t.Errorf("marks %+v", r.Marks)
	}
	h.advance(1500 * time.Millisecond) // past the end of the time to start
	if r := decoded[Ride](t, h.do(t, request{method: "GET", path: "/v1/rides/ride-1"})); r.Permit != nil {
		t.Errorf("a permit that is over is still shown: %+v", r.Permit)
	}
}

// RD-18: the words of the ride machine itself reach the robot.
func TestRideMachineSpeaksThroughTheDoor(t *testing.T) {
	h := newHouse(t)
	h.rules = machine()
	h.loop.change(func(v *core.View) {
		r := fsm.New(fsm.Request{ID: "ride-9", Robot: "R1", Lift: "L1", From: 2, To: 5, FromSide: elevator.Front, ToSide: elevator.Front, Ready: true}, fsm.DefaultParams(), start)
		v.Rides = append(v.Rides, core.RideView{Ride: r, Floors: v.Lifts[0].Floors, Place: 2})
	})
	r := decoded[Ride](t, h.do(t, request{method: "GET", path: "/v1/rides/ride-9", token: robotToken}))
	if r.State != "IDLE" || r.Phase != "queued" || r.Place != 2 || r.Do.Action != "wait" || r.Do.Why == "" || r.Permit != nil || r.LeavePass != nil {
		t.Errorf("%+v", r)
	}
}

// RB-5: a fault says what to do.
func TestFaultCarriesHelp(t *testing.T) {
	h := newHouse(t, func(o *Options) {
		o.Help = func(fault string) (string, string) { return "E-3007", "Look at " + fault + "." }
	})
	h.loop.change(func(v *core.View) {
		r := &v.Rides[0].Ride
		r.State, r.Phase, r.Code, r.FaultNo, r.FaultAt, r.Permit = fsm.Fault, fsm.Recovering, fsm.WaitTimeout, 2, start, fsm.Permit{}
	})
	h.advance(4 * time.Second)
	r := decoded[Ride](t, h.do(t, request{method: "GET", path: "/v1/rides/ride-1"}))
	want := Fault{Code: "WAIT_TIMEOUT", No: 2, AgeMs: 4000, Help: "E-3007", Todo: "Look at WAIT_TIMEOUT."}
	if r.Fault == nil || *r.Fault != want {
		t.Errorf("fault %+v, want %+v", r.Fault, want)
	}
	if len(r.Withheld) != 1 || r.Withheld[0].Source != "controller" {
		t.Errorf("withheld %+v", r.Withheld)
	}
}

// SH-2: settled is not converged.
func TestShadowTellsSync(t *testing.T) {
	h := newHouse(t)
	s := decoded[Shadow](t, h.do(t, request{method: "GET", path: "/v1/shadow"}))
	if !s.Configured || !s.Connected || s.Session != 4 || len(s.Shadows) != 2 {
		t.Fatalf("%+v", s)
	}
	if s.Shadows[0].Sync != "converged" || s.Shadows[0].State.Delta == nil || s.Shadows[1].Sync != "settled" {
		t.Errorf("%s %s", s.Shadows[0].Sync, s.Shadows[1].Sync)
	}
	h.loop.change(func(v *core.View) {
		v.Shadow.Shadows = append(v.Shadow.Shadows[:0:0], v.Shadow.Shadows[1])
		v.Shadow.Shadows[0].Settled = false
	})
	if s := decoded[Shadow](t, h.do(t, request{method: "GET", path: "/v1/shadow"})); s.Shadows[0].Sync != "differs" {
		t.Errorf("an unanswered difference is %s", s.Shadows[0].Sync)
	}
	h.loop.change(func(v *core.View) {
		v.Shadow.Shadows = append(v.Shadow.Shadows[:0:0], v.Shadow.Shadows[0])
		v.Shadow.Shadows[0].Version = 0
	})
	if s := decoded[Shadow](t, h.do(t, request{method: "GET", path: "/v1/shadow"})); s.Shadows[0].Sync != "unknown" {
		t.Errorf("a shadow never seen is %s", s.Shadows[0].Sync)
	}
}

// A landing's height is learned only from a car that stands there with an open door.
func TestHeightsAreLearnedFromStandingCars(t *testing.T) {
	h := newHouse(t)
	height := func(i int) *int32 {
		return decoded[Lift](t, h.do(t, request{method: "GET", path: "/v1/lifts/L1"})).Floors[i].HeightMm
	}
	if height(1) != nil {
		t.Fatal("known before it was seen")
	}
	h.pass()
	if mm := height(1); mm == nil || *mm != 3500 {
		t.Fatalf("G: %v", mm)
	}
	h.loop.change(func(v *core.View) {
		v.Lifts[0].Car = carAt(3, 9999, start)
		v.Lifts[0].Car.Doors[elevator.Front].Value = elevator.DoorClosed
	})
	h.pass()
	if height(2) != nil {
		t.Fatal("learned from a car with closed doors, which may stand anywhere")
	}
}

func TestHealthReadinessMetricsAndPage(t *testing.T) {
	ready := false
	h := newHouse(t, func(o *Options) {
		o.Ready = func() (bool, []string) { return ready, []string{"lift L1 was never heard"} }
	})
	got := h.do(t, request{method: "GET", path: "/readyz"})
	if a := decoded[Ready](t, got); got.status != http.StatusServiceUnavailable || a.Ready || len(a.Reasons) != 1 {
		t.Errorf("not ready: %d %+v", got.status, a)
	}
	ready = true
	if got := h.do(t, request{method: "GET", path: "/readyz"}); got.status != http.StatusOK {
		t.Errorf("ready: %d", got.status)
	}
	if got := h.do(t, request{method: "GET", path: "/healthz"}); got.status != http.StatusOK || string(got.body) != "ok\n" {
		t.Errorf("healthz: %d %q", got.status, got.body)
	}
	metrics := string(h.do(t, request{method: "GET", path: "/metrics"}).body)
	for _, line := range []string{
		`hoistway_rides{state="WAITING"} 1`, `hoistway_lift_online{lift="L1"} 1`, `hoistway_shadow_version{shadow="L1"} 9`,
		`hoistway_store_ok 1`, `hoistway_http_requests_total{method="GET",route="GET /readyz",status="503"} 1`, `hoistway_http_readers 0`,
	} {
		if !strings.Contains(metrics, line+"\n") {
			t.Errorf("metrics lack %s", line)
		}
	}
	page := h.do(t, request{method: "GET", path: "/"})
	if page.status != http.StatusOK || !strings.HasPrefix(page.header.Get("Content-Type"), "text/html") || !strings.Contains(string(page.body), "<title>hoistway</title>") {
		t.Errorf("page: %d %s", page.status, page.header.Get("Content-Type"))
	}
}
