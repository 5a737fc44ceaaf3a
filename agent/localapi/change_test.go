package localapi

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// made answers a CreateRide as the loop does: the ride is in the view.
func (h *house) made(status core.AnswerStatus) {
	h.loop.answer = func(o core.Order) (core.Answer, error) {
		c, isCreate := o.(core.CreateRide)
		if !isCreate {
			return core.Answer{Status: core.Accepted}, nil
		}
		h.loop.change(func(v *core.View) {
			t := v.Lifts[0].Floors
			r := rideView(c.Request.ID, c.Request.Robot, t, start)
			r.Ride.Task, r.Ride.Priority, r.Ride.Crossing = c.Request.Task, c.Request.Priority, c.Request.Crossing
			r.Ride.From, r.Ride.To = t.ByLabel(c.From), t.ByLabel(c.To)
			if side, named := elevator.ParseSide(c.FromDoor); named {
				r.Ride.FromSide = side
			}
			r.Ride.State, r.Ride.Phase, r.Ride.Permit, r.Place = fsm.Idle, fsm.Queued, fsm.Permit{}, 1
			v.Rides = append(v.Rides, r)
		})
		return core.Answer{Status: status, Ride: c.Request.ID}, nil
	}
}

// RB-1: a ride is made with its order carried over whole, and the same id again gives 200.
func TestCreateRide(t *testing.T) {
	h := newHouse(t)
	h.made(core.Created)
	body := `{"ride_id":"r-9","task_id":"T 1","robot":"R1","lift":"L1","from":"G","to":"2","from_door":"rear","priority":2,"ready":false,"crossing_s":5}`
	got := h.do(t, request{method: "POST", path: "/v1/rides", token: robotToken, body: body})
	r := decoded[Ride](t, got)
	if got.status != http.StatusCreated || r.ID != "r-9" || r.Place != 1 || got.header.Get("Location") != "/v1/rides/r-9" {
		t.Fatalf("%d %s %+v", got.status, got.header.Get("Location"), r)
	}
	want := core.CreateRide{
		Request: fsm.Request{ID: "r-9", Task: "T 1", Robot: "R1", Lift: "L1", Priority: 2, Crossing: 5 * time.Second},
		From:    "G", To: "2", FromDoor: "rear",
	}
	if o := h.loop.asked()[0]; o != core.Order(want) {
		t.Errorf("asked %+v, want %+v", o, want)
	}
	h.made(core.Existing)
	if got := h.do(t, request{method: "POST", path: "/v1/rides", token: robotToken, body: body}); got.status != http.StatusOK {
		t.Errorf("again: %d", got.status)
	}
}

// Defaults: a robot's own name, ready, its configured crossing, an id of ours, any lift of a group.
func TestCreateRideDefaults(t *testing.T) {
	h := newHouse(t)
	h.made(core.Created)
	got := h.do(t, request{method: "POST", path: "/v1/rides", token: robotToken, body: `{"robot":"","group":"G1","from":"G","to":"3"}`})
	if got.status != http.StatusCreated {
		t.Fatalf("%d %s", got.status, got.body)
	}
	o := h.loop.asked()[0].(core.CreateRide)
	if o.Request.Robot != "R1" || !o.Request.Ready || o.Request.Crossing != 8*time.Second || !o.Any || o.Group != "G1" || o.Request.Lift != "" {
		t.Errorf("%+v", o)
	}
	if !name(o.Request.ID) || !strings.HasPrefix(o.Request.ID, "ride-") {
		t.Errorf("id %q", o.Request.ID)
	}
	got = h.do(t, request{method: "POST", path: "/v1/rides", token: techToken, body: `{"robot":"R2","lift":"any","from":"B1","to":"1"}`})
	if o := h.loop.asked()[1].(core.CreateRide); got.status != http.StatusCreated || !o.Any || o.Request.Robot != "R2" {
		t.Errorf("%d %+v", got.status, o)
	}
}

// A ride that the loop took but no view has yet is told as new; one that is over and dropped is not.
func TestCreateRideBeforeTheViewHasIt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t)
		for status, want := range map[core.AnswerStatus]int{core.Created: 201, core.Existing: 404} {
			h.loop.answer = func(core.Order) (core.Answer, error) { return core.Answer{Status: status, Ride: "r-9"}, nil }
			got := h.do(t, request{method: "POST", path: "/v1/rides", token: robotToken, body: newRide})
			if got.status != want {
				t.Errorf("%v: %d, want %d", status, got.status, want)
			}
			if r := decoded[Ride](t, got); want == 201 && (r.ID != "r-9" || r.State != "IDLE" || r.Permit != nil || r.Do.Action != "wait") {
				t.Errorf("%+v", r)
			}
		}
	})
}

// SE-3: every bad body is a problem with a code and a field, and nothing is asked of the loop.
func TestBadBodies(t *testing.T) {
	type bad struct {
		body   string
		status int
		code   string
		field  string
	}
	ride := func(more string) string { return `{"robot":"R1","lift":"L1","from":"G","to":"2"` + more + `}` }
	deep := `{"sees_door":` + strings.Repeat("[", 40) + strings.Repeat("]", 40) + `}`
	for path, cases := range map[string][]bad{
		"/v1/rides": {
			{``, 400, asMalformed.code, ""},
			{`{"robot":`, 400, asMalformed.code, ""},
			{`[]`, 400, asMalformed.code, ""},
			{`null`, 400, asMalformed.code, ""},
			{ride("") + `{}`, 400, asMalformed.code, ""},
			{"{\"robot\":\"R1\",}", 400, asMalformed.code, ""},
			{ride(`,"to":"3"`), 400, asMalformed.code, "/to"},
			{ride(`,"colour":"red"`), 400, asMalformed.code, "/colour"},
			{`{"Robot":"R1"}`, 400, asMalformed.code, "/Robot"},
			{ride(`,"priority":"high"`), 400, asMalformed.code, "/priority"},
			{ride(`,"priority":1.5`), 400, asMalformed.code, "/priority"},
			{ride(`,"priority":1e400`), 400, asMalformed.code, "/priority"},
			{ride(`,"priority":10`), 400, asBadValue.code, "/priority"},
			{ride(`,"crossing_s":0`), 400, asBadValue.code, "/crossing_s"},
			{ride(`,"eta_s":-1`), 400, asBadValue.code, "/eta_s"},
			{ride(`,"ride_id":"a/b"`), 400, asBadValue.code, "/ride_id"},
			{ride(`,"task_id":"a\nb"`), 400, asBadValue.code, "/task_id"},
			{ride(",\"task_id\":\"\xff\""), 400, asBadValue.code, "/task_id"},
			{`{"robot":"R1","lift":"L1","to":"2"}`, 400, asMalformed.code, "/from"},
			{`{"robot":"R1","lift":"L1","from":"G"}`, 400, asMalformed.code, "/to"},
			{`{"robot":"R1","from":"G","to":"2"}`, 400, asMalformed.code, "/lift"},
			{`{"lift":"L1","from":"G","to":"2"}`, 400, asMalformed.code, "/robot"},
			{ride(`,"group":"G1"`), 400, asBadValue.code, "/group"},
			{`{"robot":"R9","lift":"L1","from":"G","to":"2"}`, 422, asUnknownRobot.code, "/robot"},
			{`{"robot":"R1","lift":"L9","from":"G","to":"2"}`, 422, asUnknownLift.code, "/lift"},
			{`{"robot":"R1","group":"G9","from":"G","to":"2"}`, 422, asUnknownLift.code, "/group"},
			{`{"robot":"R1","lift":"L1","from":"Q","to":"2"}`, 422, asUnknownFloor.code, "/from"},
			{`{"robot":"R1","lift":"any","from":"G","to":"99"}`, 422, asUnknownFloor.code, "/to"},
			{`{"robot":"R1","lift":"L1","from":"G","to":"G"}`, 422, asSamePlace.code, "/to"},
			{`{"robot":"R1","lift":"L1","from":"G","to":"G","to_door":"front"}`, 422, asSamePlace.code, "/to"},
			{ride(`,"to_door":"rear"`), 422, asUnknownDoor.code, "/to_door"},
			{ride(`,"from_door":"roof"`), 422, asUnknownDoor.code, "/from_door"},
		},
		"/v1/rides/ride-1/signals": {
			{`{"kind":"jump","boot":"b","seq":1,"age_ms":0,"where":"car"}`, 400, asBadValue.code, "/kind"},
			{`{"boot":"b","seq":1,"age_ms":0,"where":"car"}`, 400, asMalformed.code, "/kind"},
			{`{"kind":"ready","seq":1,"age_ms":0,"where":"car"}`, 400, asMalformed.code, "/boot"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":0}`, 400, asMalformed.code, "/where"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":0,"where":"roof"}`, 400, asBadValue.code, "/where"},
			{`{"kind":"ready","boot":"b","seq":-1,"age_ms":0,"where":"car"}`, 400, asMalformed.code, "/seq"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":-5,"where":"car"}`, 400, asBadValue.code, "/age_ms"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":0,"where":"car","motion":"sideways"}`, 400, asBadValue.code, "/motion"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":0,"where":"car","battery":101}`, 400, asBadValue.code, "/battery"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":0,"where":"car","floor":"Q"}`, 422, asUnknownFloor.code, "/floor"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":0,"where":"car","sees_door":{"floor":"Q","side":"front","open":true}}`, 422, asUnknownFloor.code, "/sees_door/floor"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":0,"where":"car","sees_door":{"floor":"G","side":"top","open":true}}`, 400, asBadValue.code, "/sees_door/side"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":0,"where":"car","sees_door":{"floor":"G","wide":true}}`, 400, asMalformed.code, "/sees_door/wide"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":0,"where":"car","sees_door":{"floor":"G","side":"front","open":"yes"}}`, 400, asMalformed.code, "/sees_door/open"},
			// What is left out is not known: an age is not zero, a door not shut.
			{`{"kind":"ready","boot":"b","seq":1,"where":"car"}`, 400, asMalformed.code, "/age_ms"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":null,"where":"car"}`, 400, asMalformed.code, "/age_ms"},
			{`{"kind":"ready","boot":"b","age_ms":0,"where":"car"}`, 400, asMalformed.code, "/seq"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":0,"where":"car","sees_door":{"floor":"G","side":"front"}}`, 400, asMalformed.code, "/sees_door/open"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":0,"where":"car","sees_door":{"floor":"G","side":"front","open":null}}`, 400, asMalformed.code, "/sees_door/open"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":0,"where":"car","sees_door":{"side":"front","open":true}}`, 400, asMalformed.code, "/sees_door/floor"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":0,"where":"car","sees_door":{"floor":"","side":"front","open":true}}`, 400, asMalformed.code, "/sees_door/floor"},
			{`{"kind":"ready","boot":"b","seq":1,"age_ms":0,"where":"car","sees_door":{}}`, 400, asMalformed.code, "/sees_door/floor"},
			// A word that contradicts itself.
			{`{"kind":"entered","boot":"b","seq":1,"age_ms":0,"where":"landing"}`, 400, asBadValue.code, "/where"},
			{`{"kind":"entered","boot":"b","seq":1,"age_ms":0,"where":"unknown"}`, 400, asBadValue.code, "/where"},
			{`{"kind":"left","boot":"b","seq":1,"age_ms":0,"where":"car"}`, 400, asBadValue.code, "/where"},
			{`{"kind":"left","boot":"b","seq":1,"age_ms":0,"where":"doorway"}`, 400, asBadValue.code, "/where"},
			// Two ids that differ must not become one.
			{`{"kind":"ready","boot":"\ud800","seq":1,"age_ms":0,"where":"car"}`, 400, asBadValue.code, "/boot"},
			{"{\"kind\":\"ready\",\"boot\":\"\xff\",\"seq\":1,\"age_ms\":0,\"where\":\"car\"}", 400, asBadValue.code, "/boot"},
			{deep, 400, asMalformed.code, "/sees_door"},
		},
		"/v1/robots/R1/heartbeat": {
			{`{"kind":"entered","boot":"b","seq":1,"age_ms":0,"where":"car"}`, 400, asBadValue.code, "/kind"},
			{`{"boot":"b","seq":1,"where":"landing"}`, 400, asMalformed.code, "/age_ms"},
			{`{"permit":"ride-1/7","boot":"b","seq":1,"age_ms":0,"where":"car"}`, 400, asBadValue.code, "/permit"},
		},
		"/v1/robots/R1/task-finished": {
			{`{}`, 400, asMalformed.code, "/task_id"},
			{`{"task_id":""}`, 400, asMalformed.code, "/task_id"},
			{`{"task_id":"T\n1"}`, 400, asBadValue.code, "/task_id"},
			{`{"task_id":"T-1","result":"well"}`, 400, asBadValue.code, "/result"},
		},
		"/v1/rides/ride-1/reset": {
			{`{}`, 400, asMalformed.code, "/robot_is"},
			{`{"robot_is":"lost"}`, 400, asBadValue.code, "/robot_is"},
			{`{"robot_is":"outside","car_empty":true}`, 400, asMalformed.code, "/car_empty"},
		},
	} {
		for _, c := range cases {
			h := newHouse(t)
			got := h.do(t, request{method: "POST", path: path, token: techToken, body: c.body, header: map[string]string{"Content-Type": "application/json"}})
			if got.status != c.status || got.problem.Code != c.code || got.problem.Field != c.field {
				t.Errorf("%s %s:\n  %d %s %s (%s)\n  want %d %s %s", path, c.body, got.status, got.problem.Code, got.problem.Field, got.problem.Detail, c.status, c.code, c.field)
			}
			if got.problem.Status != got.status || got.problem.Title == "" || got.problem.Instance != path {
				t.Errorf("%s: problem is incomplete: %+v", c.body, got.problem)
			}
			if asked := h.loop.asked(); len(asked) != 0 {
				t.Errorf("%s: the loop was asked %+v", c.body, asked)
			}
		}
	}
}

// RB-1: a signal arrives whole; what was not told is unknown.
func TestSignalAndHeartbeat(t *testing.T) {
	h := newHouse(t)
	body := `{"kind":"entered","boot":"b-7","seq":18446744073709551615,"age_ms":250,"where":"car","floor":"G","floor_sure":true,
		"motion":"still","odo_m":12.5,"sees_door":{"floor":"G","side":"front","open":true},"permit":"ride-1/7","battery":80}`
	got := h.do(t, request{method: "POST", path: "/v1/rides/ride-1/signals", token: robotToken, body: body})
	if got.status != http.StatusOK || decoded[Ride](t, got).ID != "ride-1" {
		t.Fatalf("%d %s", got.status, got.body)
	}
	want := core.SendSignal{Ride: "ride-1", Signal: fsm.Signal{
		Kind: fsm.Entered, Boot: "b-7", Seq: 18446744073709551615, Age: 250 * time.Millisecond, Permit: "ride-1/7", Battery: 80,
		View: fsm.RobotView{
			Where: fsm.InCar, Floor: 2, FloorSure: true, Motion: elevator.Stopped, OdoM: 12.5,
			DoorFloor: 2, DoorSide: elevator.Front, DoorOpen: elevator.Yes,
		},
	}}
	if o := h.loop.asked()[0]; o != core.Order(want) {
		t.Errorf("asked %+v\nwant %+v", o, want)
	}
	got = h.do(t, request{method: "POST", path: "/v1/robots/R1/heartbeat", token: robotToken, body: `{"boot":"b-7","seq":3,"age_ms":0,"where":"landing","floor":"3"}`})
	if heard := decoded[Heard](t, got); got.status != http.StatusOK || heard.Robot != "R1" || len(heard.Rides) != 1 || heard.Rides[0] != "ride-1" {
		t.Fatalf("%d %s", got.status, got.body)
	}
	beat := core.SendHeartbeat{Robot: "R1", Signal: fsm.Signal{Kind: fsm.Heartbeat, Boot: "b-7", Seq: 3, Battery: -1, View: fsm.RobotView{Where: fsm.AtLanding, Floor: 5}}}
	if o := h.loop.asked()[1]; o != core.Order(beat) {
		t.Errorf("asked %+v\nwant %+v", o, beat)
	}
}

func TestCancelAndReset(t *testing.T) {
	h := newHouse(t)
	if got := h.do(t, request{method: "DELETE", path: "/v1/rides/ride-1", token: robotToken}); got.status != http.StatusAccepted {
		t.Errorf("cancel: %d %s", got.status, got.body)
	}
	if got := h.do(t, request{method: "POST", path: "/v1/rides/ride-1/reset", token: techToken, body: `{"robot_is":"outside","seen_by":"guard"}`}); got.status != http.StatusOK {
		t.Errorf("reset: %d %s", got.status, got.body)
	}
	asked := h.loop.asked()
	if len(asked) != 2 || asked[0] != core.Order(core.CancelRide{Ride: "ride-1", By: "R1"}) ||
		asked[1] != core.Order(core.ResetRide{Ride: "ride-1", RobotIs: fsm.RobotOutside, By: "site-technician (seen by guard)"}) {
		t.Errorf("asked %+v", asked)
	}
}

// Every kind of answer of the loop has its status.
func TestAnswersBecomeStatuses(t *testing.T) {
	for _, c := range []struct {
		answer core.Answer
		err    error
		status int
		code   string
		field  string
	}{
		{core.Answer{Status: core.Conflict, Detail: "other floors before"}, nil, 409, asConflict.code, ""},
		{core.Answer{Status: core.Impossible, Code: "E-2110", Field: "to", Detail: "closed to robots"}, nil, 422, "E-2110", "/to"},
		{core.Answer{Status: core.NotFound}, nil, 404, asNoRide.code, ""},
		{core.Answer{Status: core.Unavailable, Detail: "nothing can be stored"}, nil, 503, asStopping.code, ""},
		{core.Answer{}, nil, 500, asInternal.code, ""},
		{core.Answer{}, context.DeadlineExceeded, 503, asNoAnswer.code, ""},
	} {
		h := newHouse(t)
		h.loop.answer = func(core.Order) (core.Answer, error) { return c.answer, c.err }
		got := h.do(t, request{method: "POST", path: "/v1/rides", token: techToken, body: `{"robot":"R1","lift":"L1","from":"G","to":"2"}`})
		if got.status != c.status || got.problem.Code != c.code || got.problem.Field != c.field || got.problem.Detail != c.answer.Detail && c.answer.Detail != "" {
			t.Errorf("%+v: %d %+v", c.answer, got.status, got.problem)
		}
	}
}
