package localapi

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
)

const (
	looked = `{"seen_by":"M. Weber"}`
	halt   = `{"on":true}`
	onward = `{"to":"3"}`
)

// OP-3, IL-8, IL-5, RB-1: what a person asks arrives as it was meant, with who and who has looked.
func TestActsArriveAsMeant(t *testing.T) {
	const by, saw = "site-technician", "site-technician (seen by M. Weber)"
	for _, c := range []struct {
		method, path, body string
		want               core.Order
	}{
		{"POST", "/v1/lifts/L1/maintenance", `{}`, core.MaintainLift{Lift: "L1", On: true, By: by}},
		{"POST", "/v1/lifts/L1/maintenance", `{"for_s":3600,"why":"ropes"}`, core.MaintainLift{Lift: "L1", On: true, For: time.Hour, By: by, Why: "ropes"}},
		{"POST", "/v1/lifts/L1/maintenance", `{"until":"2025-06-15T17:16:40+02:00"}`, core.MaintainLift{Lift: "L1", On: true, For: 10 * time.Minute, By: by}},
		{"DELETE", "/v1/lifts/L1/maintenance", ``, core.MaintainLift{Lift: "L1", By: by}},
		{"POST", "/v1/lifts/L2/car-empty", looked, core.AttestEmpty{Lift: "L2", By: saw}},
		{"POST", "/v1/areas/A/alarms/clear", looked, core.ClearArea{Area: "A", By: saw}},
		{"POST", "/v1/stop", `{"on":true,"why":"water"}`, core.StopAll{On: true, By: by, Why: "water"}},
		{"POST", "/v1/stop", `{"on":false,"lift":"L2"}`, core.StopAll{Lift: "L2", By: by}},
		{"PATCH", "/v1/rides/ride-1", `{"to":"G","to_door":"rear","aboard":true}`, core.PatchRide{Ride: "ride-1", To: "G", ToDoor: "rear", Aboard: true, By: by}},
		{"PATCH", "/v1/rides/ride-1", onward, core.PatchRide{Ride: "ride-1", To: "3", By: by}},
	} {
		h := newHouse(t)
		got := h.do(t, request{method: c.method, path: c.path, token: techToken, body: c.body})
		if asked := h.loop.asked(); got.status != http.StatusOK || len(asked) != 1 || asked[0] != c.want {
			t.Errorf("%s %s %s: %d %s\nasked %+v\nwant  %+v", c.method, c.path, c.body, got.status, got.body, asked, c.want)
		}
	}
}

// RB-1: what is wrong with an act by itself is told with its field, and the loop is not asked.
func TestBadActs(t *testing.T) {
	for _, c := range []struct {
		method, path, body string
		status             int
		code, field        string
	}{
		{"POST", "/v1/lifts/L9/maintenance", `{}`, 404, asNoLift.code, ""},
		{"DELETE", "/v1/lifts/L9/maintenance", ``, 404, asNoLift.code, ""},
		{"POST", "/v1/lifts/L1/maintenance", ``, 400, asMalformed.code, ""},
		{"POST", "/v1/lifts/L1/maintenance", `{"for_s":0}`, 400, asBadValue.code, "/for_s"},
		{"POST", "/v1/lifts/L1/maintenance", `{"for_s":31622401}`, 400, asBadValue.code, "/for_s"},
		{"POST", "/v1/lifts/L1/maintenance", `{"for_s":60,"until":"2025-06-15T16:00:00Z"}`, 400, asBadValue.code, "/until"},
		{"POST", "/v1/lifts/L1/maintenance", `{"until":"tomorrow"}`, 400, asBadValue.code, "/until"},
		{"POST", "/v1/lifts/L1/maintenance", `{"until":"2025-06-15T15:06:40Z"}`, 400, asBadValue.code, "/until"}, // now
		{"POST", "/v1/lifts/L1/maintenance", `{"until":"2033-01-01T00:00:00Z"}`, 400, asBadValue.code, "/until"},
		{"POST", "/v1/lifts/L1/maintenance", `{"why":"` + strings.Repeat("w", 257) + `"}`, 400, asBadValue.code, "/why"},
		{"POST", "/v1/lifts/L9/car-empty", looked, 404, asNoLift.code, ""},
		{"POST", "/v1/lifts/L1/car-empty", `{}`, 400, asMalformed.code, "/seen_by"},
		{"POST", "/v1/lifts/L1/car-empty", `{"seen_by":""}`, 400, asMalformed.code, "/seen_by"},
		{"POST", "/v1/lifts/L1/car-empty", `{"seen_by":"a\nb"}`, 400, asBadValue.code, "/seen_by"},
		{"POST", "/v1/areas/B/alarms/clear", looked, 404, asNoArea.code, ""},
		{"POST", "/v1/areas/A/alarms/clear", `{}`, 400, asMalformed.code, "/seen_by"},
		{"POST", "/v1/stop", `{}`, 400, asMalformed.code, "/on"},
		{"POST", "/v1/stop", `{"on":null}`, 400, asMalformed.code, "/on"},
		{"POST", "/v1/stop", `{"on":"yes"}`, 400, asMalformed.code, "/on"},
		{"POST", "/v1/stop", `{"on":true,"lift":"L9"}`, 422, asUnknownLift.code, "/lift"},
		{"PATCH", "/v1/rides/none", onward, 404, asNoRide.code, ""},
		{"PATCH", "/v1/rides/ride-1", `{"aboard":true}`, 400, asMalformed.code, "/to"},
		{"PATCH", "/v1/rides/ride-1", `{"to":""}`, 400, asMalformed.code, "/to"},
		{"PATCH", "/v1/rides/ride-1", `{"to":"9"}`, 422, asUnknownFloor.code, "/to"},
		{"PATCH", "/v1/rides/ride-1", `{"to":"2","to_door":"rear"}`, 422, asUnknownDoor.code, "/to_door"},
		{"PATCH", "/v1/rides/ride-1", `{"from":"2","to":"3"}`, 400, asMalformed.code, "/from"},
	} {
		h := newHouse(t)
		got := h.do(t, request{method: c.method, path: c.path, token: techToken, body: c.body})
		if got.status != c.status || got.problem.Code != c.code || got.problem.Field != c.field || len(h.loop.asked()) != 0 {
			t.Errorf("%s %s %s: %d %+v, asked %v", c.method, c.path, c.body, got.status, got.problem, h.loop.asked())
		}
	}
}

// RB-1: what the loop says to an act comes through, with its code.
func TestTheLoopRefusesAnAct(t *testing.T) {
	for _, c := range [][3]string{
		{"PATCH", "/v1/rides/ride-1", onward},
		{"POST", "/v1/lifts/L1/car-empty", looked},
		{"POST", "/v1/areas/A/alarms/clear", looked},
		{"POST", "/v1/stop", halt},
		{"DELETE", "/v1/lifts/L1/maintenance", ""},
	} {
		h := newHouse(t)
		h.loop.answer = func(core.Order) (core.Answer, error) {
			return core.Answer{Status: core.Conflict, Code: "E-2111", Detail: "L1 still shows fire"}, nil
		}
		got := h.do(t, request{method: c[0], path: c[1], token: techToken, body: c[2]})
		if got.status != http.StatusConflict || got.problem.Code != "E-2111" || got.problem.Detail != "L1 still shows fire" {
			t.Errorf("%s %s: %d %+v", c[0], c[1], got.status, got.problem)
		}
	}
}

// RB-3: a change goes where the robot fits and may go.
func TestAnotherDestinationHasToFit(t *testing.T) {
	h := sized(t, func(small, _ *CarSize) { small.Closed = []string{"2"} })
	if got := h.do(t, request{method: "PATCH", path: "/v1/rides/ride-1", token: robotToken, body: `{"to":"2"}`}); got.status != 422 || got.problem.Code != asClosed.code || got.problem.Field != "/to" {
		t.Errorf("closed: %d %+v", got.status, got.problem)
	}
	h.o.Cars[0].LoadKg = 60
	if got := h.do(t, request{method: "PATCH", path: "/v1/rides/ride-1", token: robotToken, body: onward}); got.status != 422 || got.problem.Code != asTooLarge.code {
		t.Errorf("too heavy: %d %+v", got.status, got.problem)
	}
	if n := len(h.loop.asked()); n != 0 {
		t.Errorf("the loop was asked %d times", n)
	}
}

// acted shows what stands over L1, and what a ride in its queue knows.
func acted(v *core.View) {
	l := &v.Lifts[0]
	l.Maintenance = &core.Maintenance{Since: start, Until: start.Add(time.Hour), By: "site-technician", Why: "ropes"}
	l.Stopped = &core.Stopped{Since: start.Add(-time.Minute), By: "night-watch"}
	l.AreaAlarm = &core.AreaAlarm{Kind: core.AreaFire, Latched: true, Since: start, Source: "L2"}
	l.CarID, l.Deck = "car-1", "upper"
	v.Rides[0].PlaceWhy, v.Rides[0].Eta, v.Rides[0].CarWhy, v.Rides[0].Place = "2 before it", 42*time.Second, "L1 comes soonest", 3
}

// OP-3, IL-8: who took a lift out of use, why and until when, is shown with the lift.
func TestWhatStandsOverALiftIsShown(t *testing.T) {
	h := newHouse(t)
	if got := h.do(t, request{method: "GET", path: "/v1/lifts/L1"}); !strings.Contains(string(got.body), `"maintenance":null,"stopped":null,"area_alarm":null`) {
		t.Errorf("%s", got.body)
	}
	h.loop.change(acted)
	l := decoded[Lift](t, h.do(t, request{method: "GET", path: "/v1/lifts/L1"}))
	if m := l.Maintenance; m == nil || m.By != "site-technician" || m.Why != "ropes" || m.Since != "2025-06-15T15:06:40Z" || m.Until == nil || *m.Until != "2025-06-15T16:06:40Z" {
		t.Errorf("maintenance %+v", m)
	}
	if x := l.Stopped; x == nil || *x != (Stopped{By: "night-watch", Since: "2025-06-15T15:05:40Z"}) {
		t.Errorf("stopped %+v", x)
	}
	if a := l.AreaAlarm; a == nil || *a != (AreaAlarm{Kind: "fire", Latched: true, Since: "2025-06-15T15:06:40Z", Source: "L2"}) {
		t.Errorf("alarm %+v", a)
	}
	if l.Area != "A" || l.Car != "car-1" || l.Deck != "upper" {
		t.Errorf("%q %q %q", l.Area, l.Car, l.Deck)
	}
	r := decoded[Ride](t, h.do(t, request{method: "GET", path: "/v1/rides/ride-1"}))
	if r.PlaceWhy != "2 before it" || r.EtaMs == nil || *r.EtaMs != 42000 || r.CarWhy != "L1 comes soonest" {
		t.Errorf("%+v", r)
	}
	h.loop.change(func(v *core.View) { v.Lifts[0].Maintenance = &core.Maintenance{Since: start, By: "x"} })
	if l := decoded[Lift](t, h.do(t, request{method: "GET", path: "/v1/lifts/L1"})); l.Maintenance == nil || l.Maintenance.Until != nil {
		t.Errorf("without an end: %+v", l.Maintenance)
	}
}

// RB-1: what stands over a lift, and all that a ride is told, is an event when it changes.
func TestSightSeesWhatStandsOverALift(t *testing.T) {
	for name, edit := range map[string]func(l *core.LiftView, r *core.RideView){
		"maintenance": func(l *core.LiftView, _ *core.RideView) { l.Maintenance = &core.Maintenance{By: "x"} },
		"its end": func(l *core.LiftView, _ *core.RideView) {
			l.Maintenance = &core.Maintenance{By: "technician", Since: start, Until: start + 1}
		},
		"a stop":     func(l *core.LiftView, _ *core.RideView) { l.Stopped = &core.Stopped{By: "x"} },
		"an alarm":   func(l *core.LiftView, _ *core.RideView) { l.AreaAlarm = &core.AreaAlarm{Kind: core.AreaFire} },
		"a car":      func(l *core.LiftView, _ *core.RideView) { l.CarID = "c" },
		"an area":    func(l *core.LiftView, _ *core.RideView) { l.Area = "B" },
		"the why":    func(_ *core.LiftView, r *core.RideView) { r.PlaceWhy = "x" },
		"the eta":    func(_ *core.LiftView, r *core.RideView) { r.Eta++ },
		"which car":  func(_ *core.LiftView, r *core.RideView) { r.CarWhy = "x" },
		"its place":  func(_ *core.LiftView, r *core.RideView) { r.Place++ },
		"the signal": func(_ *core.LiftView, r *core.RideView) { r.Ride.To-- },
	} {
		v := building(start)
		v.Lifts[0].Maintenance = &core.Maintenance{By: "technician", Since: start}
		var l, r sight
		l.drew(v, &v.Lifts[0], start)
		r.ride(&v.Rides[0], start)
		again := *v.Lifts[0].Maintenance
		v.Lifts[0].Maintenance = &again // each view has its own
		if l.lift(v, &v.Lifts[0], start) != same || !r.ride(&v.Rides[0], start) {
			t.Fatal("nothing has changed")
		}
		edit(&v.Lifts[0], &v.Rides[0])
		if l.lift(v, &v.Lifts[0], start) == same && r.ride(&v.Rides[0], start) {
			t.Errorf("%s is not seen", name)
		}
	}
}

// An estimate that is a second less is no news.
func TestEstimatesAreNoNews(t *testing.T) {
	at := func(ms int64) string { return string(encode(Ride{EtaMs: &ms}.ageless())) }
	if at(41_000) != at(45_000) || at(41_000) == at(46_000) || at(1) == string(encode(Ride{}.ageless())) {
		t.Error(at(41_000), at(45_000), at(46_000))
	}
}

// RB-1: a ride that was given another destination is still the ride of its first request.
func TestTheSameIDAgainAfterAChange(t *testing.T) {
	h := newHouse(t)
	h.loop.change(func(v *core.View) {
		v.Rides[0].Ride.To = 3 // was "3"
		v.Rides[0].Asked = core.Asked{Lift: "L1", From: "G", To: "3"}
	})
	h.loop.answer = func(core.Order) (core.Answer, error) { return core.Answer{Status: core.Existing, Ride: "ride-1"}, nil }
	for body, want := range map[string]int{
		`{"ride_id":"ride-1","lift":"L1","from":"G","to":"3"}`:                   200,
		`{"ride_id":"ride-1","lift":"L1","from":"G","to":"3","to_door":"front"}`: 200,
		`{"ride_id":"ride-1","lift":"L1","from":"G","to":"1"}`:                   409,
		`{"ride_id":"ride-1","lift":"L1","from":"G","to":"2"}`:                   409,
	} {
		if got := h.do(t, request{method: "POST", path: "/v1/rides", token: robotToken, body: body}); got.status != want {
			t.Errorf("%s: %d %s", body, got.status, got.body)
		}
	}
}

// RB-1: how soon the robot comes is carried over, and the answer tells how soon the car does.
func TestEtaBothWays(t *testing.T) {
	h := newHouse(t)
	h.loop.answer = func(o core.Order) (core.Answer, error) {
		h.loop.change(func(v *core.View) {
			r := rideView(o.(core.CreateRide).Request.ID, "R1", v.Lifts[0].Floors, start)
			r.Ride.State, r.Ride.Phase, r.Place, r.Eta = fsm.Idle, fsm.Standby, 1, 30*time.Second
			v.Rides = append(v.Rides, r)
		})
		return core.Answer{Status: core.Created, Ride: o.(core.CreateRide).Request.ID}, nil
	}
	got := h.do(t, request{method: "POST", path: "/v1/rides", token: robotToken, body: `{"lift":"L1","from":"G","to":"3","ready":false,"eta_s":40}`})
	if r := decoded[Ride](t, got); got.status != 201 || r.EtaMs == nil || *r.EtaMs != 30_000 || r.Place != 1 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if o := h.loop.asked()[0].(core.CreateRide); o.Eta != 40*time.Second || o.Request.Ready {
		t.Errorf("%+v", o)
	}
}

// IL-9, OP-5: a lift that the gateway shut itself says so, and the rule is counted.
func TestBreachIsShownAndCounted(t *testing.T) {
	h := newHouse(t)
	h.loop.change(func(v *core.View) {
		v.Lifts[0].Breach, v.Breaches = "invariant 7 (known-only): a permit", map[string]uint64{"known-only": 2}
	})
	if l := decoded[Lift](t, h.do(t, request{method: "GET", path: "/v1/lifts/L1"})); l.Breach != "invariant 7 (known-only): a permit" {
		t.Errorf("breach %q", l.Breach)
	}
	body := string(h.do(t, request{method: "GET", path: "/metrics"}).body)
	for _, want := range []string{`hoistway_rule_breaches_total{rule="known-only"} 2`, `hoistway_lift_shut{lift="L1"} 1`} {
		if !strings.Contains(body, want) {
			t.Errorf("no %s", want)
		}
	}
}
