package localapi

import (
	"net/http"
	"strings"
	"testing"

	"hoistway/agent/core"
	"hoistway/fsm"
)

// RB-1: the same id for the same wish is the same ride; for another it is 409 with what
// differs, also where the loop itself would see no difference.
func TestTheSameIDAgain(t *testing.T) {
	const first = `{"ride_id":"r-9","robot":"R1","lift":"L1","from":"G","to":"3","task_id":"T1","priority":2,"crossing_s":5}`
	for name, c := range map[string]struct {
		edit  [2]string
		field string
		words string
	}{
		"the same":         {},
		"without crossing": {edit: [2]string{`,"crossing_s":5`, ``}},
		"any lift":         {edit: [2]string{`"L1"`, `"any"`}},
		"the door named":   {edit: [2]string{`"to":"3"`, `"to":"3","to_door":"front"`}},
		"another floor":    {[2]string{`"to":"3"`, `"to":"2"`}, "/to", `to was "3", is "2"`},
		"another door":     {[2]string{`"from":"G"`, `"from":"G","from_door":"rear"`}, "/from_door", `from_door was "front", is "rear"`},
		"another lift":     {[2]string{`"L1"`, `"L2"`}, "/lift", `lift was "L1", is "L2"`},
		"another task":     {[2]string{`"T1"`, `"T2"`}, "/task_id", `task_id was "T1", is "T2"`},
		"no task":          {[2]string{`,"task_id":"T1"`, ``}, "/task_id", `task_id was "T1", is ""`},
		"more urgent":      {[2]string{`"priority":2`, `"priority":3`}, "/priority", `priority was "2", is "3"`},
		"slower":           {[2]string{`"crossing_s":5`, `"crossing_s":6`}, "/crossing_s", `crossing_s was "5", is "6"`},
	} {
		h := newHouse(t)
		h.loop.answer = func(o core.Order) (core.Answer, error) {
			create := o.(core.CreateRide)
			if r := findRide(h.loop.View(), create.Request.ID); r != nil {
				return core.Answer{Status: core.Existing, Ride: r.Ride.ID}, nil
			}
			h.loop.change(func(v *core.View) {
				r := rideView(create.Request.ID, create.Request.Robot, v.Lifts[0].Floors, start)
				r.Ride.Task, r.Ride.Priority, r.Ride.Crossing = create.Request.Task, create.Request.Priority, create.Request.Crossing
				r.Ride.State, r.Ride.Phase = fsm.Idle, fsm.Queued
				v.Rides = append(v.Rides, r)
			})
			return core.Answer{Status: core.Created, Ride: create.Request.ID}, nil
		}
		post := func(body string) reply {
			return h.do(t, request{method: "POST", path: "/v1/rides", token: robotToken, body: body})
		}
		if got := post(first); got.status != http.StatusCreated {
			t.Fatalf("%d %s", got.status, got.body)
		}
		got := post(strings.Replace(first, c.edit[0], c.edit[1], 1))
		switch {
		case c.words == "" && got.status != http.StatusOK:
			t.Errorf("%s: %d %s", name, got.status, got.body)
		case c.words != "" && (got.status != http.StatusConflict || got.problem.Code != asOtherWish.code || got.problem.Field != c.field || !strings.HasSuffix(got.problem.Detail, c.words)):
			t.Errorf("%s: %d %+v", name, got.status, got.problem)
		}
	}
}

// RB-6: of another robot's ride nothing is told but that the id is taken.
func TestTheSameIDOfAnother(t *testing.T) {
	h := newHouse(t)
	h.loop.answer = func(core.Order) (core.Answer, error) {
		return core.Answer{Status: core.Conflict, Ride: "ride-1", Code: asOtherWish.code, Field: "ride_id", Detail: "this ride_id asked for another ride before"}, nil
	}
	got := h.do(t, request{method: "POST", path: "/v1/rides", token: otherToken, body: `{"ride_id":"ride-1","lift":"L1","from":"B1","to":"2"}`})
	if got.status != http.StatusConflict || got.problem.Field != "/ride_id" || strings.Contains(string(got.body), "R1") {
		t.Errorf("%d %s", got.status, got.body)
	}
}
