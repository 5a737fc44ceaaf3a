package localapi

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"

	"hoistway/agent/core"
	"hoistway/agent/rmf"
	"hoistway/agent/rmf/bridge"
)

// fakeRMF knows lift L1 and remembers who asked for what.
type fakeRMF struct {
	mu      sync.Mutex
	heard   []rmf.LiftRequest
	from    []rmf.Source
	outcome bridge.Outcome
	err     error
	serving bool
}

func (f *fakeRMF) State(lift string) (rmf.LiftState, bool) {
	return rmf.LiftState{LiftName: lift, AvailableFloors: []string{"G"}, AvailableModes: []rmf.Mode{1, 2}, MotionState: rmf.MotionUnknown}, lift == "L1"
}

func (f *fakeRMF) Serving(lift string) (rmf.LiftRequest, bool) {
	return rmf.LiftRequest{LiftName: lift, SessionID: "fleet/r1", RequestType: rmf.RequestAGV, DestinationFloor: "G", DoorState: rmf.DoorOpen}, f.serving
}

func (f *fakeRMF) Hear(_ context.Context, r rmf.LiftRequest, from rmf.Source) (bridge.Outcome, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.heard, f.from = append(f.heard, r), append(f.from, from)
	return f.outcome, f.err
}

const liftRequest = `{"lift_name":"L1","request_time":{"sec":1,"nanosec":2},"session_id":"fleet/r1","request_type":1,"destination_floor":"G","door_state":2}`

// RB-2, SE-1: who may speak for whom, and in which words no is said.
func TestRMFCalls(t *testing.T) {
	const away = "192.0.2.7:4000"
	no := func(code, field string) bridge.Outcome {
		return bridge.Outcome{Refused: &rmf.Refusal{Code: code, Field: field, Detail: "no"}}
	}
	for _, c := range []struct {
		name, method, path, token, remote, body string
		outcome                                 bridge.Outcome
		err                                     error
		status                                  int
		code, field                             string
	}{
		{name: "viewer", method: "GET", path: "state", status: 200},
		{name: "stranger", method: "GET", path: "state", remote: away, status: 401, code: "E-2003"},
		{name: "no such lift", method: "GET", path: "/rmf/lifts/L9/state", status: 404, code: "E-2005"},
		{name: "no request", method: "GET", path: "request", status: 204},
		{name: "request of no lift", method: "GET", path: "/rmf/lifts/L9/request", status: 404, code: "E-2005"},
		{name: "a state is not taken", method: "POST", path: "state", token: techToken, body: liftRequest, status: 405, code: "E-2008"},
		{name: "no token", method: "POST", path: "request", body: liftRequest, status: 401, code: "E-2003"},
		{name: "robot", method: "POST", path: "request", token: robotToken, body: liftRequest, status: 202},
		{name: "technician", method: "POST", path: "request", token: techToken, remote: away, body: liftRequest, status: 202},
		{name: "another lift", method: "POST", path: "request", token: robotToken, body: strings.Replace(liftRequest, "L1", "L2", 1), status: 400, code: "E-2112", field: "/lift_name"},
		{name: "bad type", method: "POST", path: "request", token: robotToken, body: strings.Replace(liftRequest, `_type":1`, `_type":7`, 1), status: 400, code: "E-2001", field: "/request_type"},
		{name: "no JSON", method: "POST", path: "request", token: robotToken, body: "x", status: 400, code: "E-2001"},
		{name: "too much", method: "POST", path: "request", token: robotToken, body: `"` + strings.Repeat("x", 70_000) + `"`, status: 413, code: "E-2002"},
		{name: "another's session", method: "POST", path: "request", token: robotToken, body: liftRequest, outcome: no("E-2004", "session_id"), status: 403, code: "E-2004", field: "/session_id"},
		{name: "unknown session", method: "POST", path: "request", token: techToken, body: liftRequest, outcome: no("E-2007", "session_id"), status: 422, code: "E-2007", field: "/session_id"},
		{name: "unknown floor", method: "POST", path: "request", token: techToken, body: liftRequest, outcome: no("E-2101", "destination_floor"), status: 422, code: "E-2101", field: "/destination_floor"},
		{name: "in a fire", method: "POST", path: "request", token: techToken, body: liftRequest, outcome: no("E-2111", ""), status: 409, code: "E-2111"},
		{name: "has a ride", method: "POST", path: "request", token: techToken, body: liftRequest, outcome: bridge.Outcome{Answer: &core.Answer{Status: core.Conflict, Code: "E-2106"}}, status: 409, code: "E-2106"},
		{name: "not known", method: "POST", path: "request", token: techToken, body: liftRequest, err: errors.New("late"), status: 503, code: "E-2015"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fakeRMF{outcome: c.outcome, err: c.err}
			h := newHouse(t, func(o *Options) { o.RMF = f })
			if !strings.HasPrefix(c.path, "/") {
				c.path = "/rmf/lifts/L1/" + c.path
			}
			got := h.do(t, request{method: c.method, path: c.path, token: c.token, body: c.body, remote: c.remote})
			if got.status != c.status || got.problem.Code != c.code || got.problem.Field != c.field {
				t.Errorf("%d %s %s: %s", got.status, got.problem.Code, got.problem.Field, got.body)
			}
			if taken := c.outcome != (bridge.Outcome{}) || c.err != nil || c.status == 202; taken != (len(f.heard) == 1) {
				t.Errorf("heard %d", len(f.heard))
			}
			if c.status == 202 {
				want := rmf.Source{Live: true}
				if c.token == robotToken {
					want.Robot = "R1"
				}
				if f.from[0] != want || f.heard[0].DestinationFloor != "G" || decoded[rmf.LiftState](t, got).LiftName != "L1" {
					t.Errorf("%+v %+v %s", f.from[0], f.heard[0], got.body)
				}
			}
		})
	}
}

// RB-2: the states' JSON is that of the message, with nothing of ours in it.
func TestRMFStateIsTheMessage(t *testing.T) {
	h := newHouse(t, func(o *Options) { o.RMF = &fakeRMF{serving: true} })
	got := h.do(t, request{method: "GET", path: "/rmf/lifts/L1/state"})
	want := `{"lift_time":{"sec":0,"nanosec":0},"lift_name":"L1","available_floors":["G"],"current_floor":"","destination_floor":"",` +
		`"door_state":0,"motion_state":3,"available_modes":[1,2],"current_mode":0,"session_id":""}`
	if strings.TrimSpace(string(got.body)) != want || got.header.Get("Content-Type") != "application/json" {
		t.Errorf("%s", got.body)
	}
	var fields map[string]any
	if err := json.Unmarshal(h.do(t, request{method: "GET", path: "/rmf/lifts/L1/request"}).body, &fields); err != nil || len(fields) != 6 {
		t.Errorf("%v %v", fields, err)
	}
}

// RB-1: the page of the API names these paths and their shapes.
func TestRMFIsDescribed(t *testing.T) {
	h := newHouse(t, func(o *Options) { o.RMF = &fakeRMF{} })
	page := string(h.do(t, request{method: "GET", path: "/openapi.json"}).body)
	for _, want := range []string{`"/rmf/lifts/{lift}/state"`, `"/rmf/lifts/{lift}/request"`, `"#/components/schemas/LiftState"`, `"available_modes":{"items":{"format":"int64","type":"integer"}`} {
		if !strings.Contains(page, want) {
			t.Errorf("no %s", want)
		}
	}
}

// Without Open-RMF there are no such paths.
func TestNoRMF(t *testing.T) {
	if got := newHouse(t).do(t, request{method: "GET", path: "/rmf/lifts/L1/state"}); got.status != 404 || got.problem.Code != asNoCall.code {
		t.Errorf("%d %s", got.status, got.body)
	}
}
