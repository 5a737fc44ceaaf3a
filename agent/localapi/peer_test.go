package localapi

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/agent/core"
	"hoistway/drivers/peer/wire"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// peerView is a view in which everything that can be told is told.
func peerView(v *core.View) {
	l := &v.Lifts[0]
	car := &l.Car
	car.Doors[elevator.Rear] = elevator.Seen[elevator.Door]{Value: elevator.DoorClosed, At: start - 1, Failed: true}
	car.Load, car.Vendor = seen(int32(75), start), seen(int32(12), start)
	car.Nudging, car.Obstruction, car.EmergencyStop = seen(elevator.No, start), seen(elevator.TriUnknown, start), seen(elevator.Yes, start)
	car.DownCalls, car.CarCalls = seen(elevator.FloorSet(0), start), seen(elevator.FloorSet(0).With(1).With(5), start)
	l.Queue, l.Accepting, l.Why = []string{"ride-1"}, false, "MODE_FIRE"
	l.Alarms = []fsm.Alarm{{Code: "DOOR", On: true, Detail: "open"}, {Code: "X", On: true}}
	l.Occupied = true
	inside := rideView("ride-2", "R1", l.Floors, start)
	inside.Ride.State, inside.Ride.Phase, inside.Ride.Where, inside.Ride.Permit = fsm.Fault, fsm.Recovering, fsm.Inside, fsm.Permit{}
	inside.Ride.Code, inside.Ride.FaultNo, inside.Ride.FaultAt, inside.Ride.Latched = fsm.TravelTimeout, 3, start-elevator.Instant(time.Second), true
	inside.Ride.Task, inside.Ride.RetryN, inside.Place = "task-9", 2, 4
	v.Rides = append(v.Rides, inside)
	acted(v)
}

func peerHouse(t *testing.T) *house {
	h := newHouse(t, func(o *Options) {
		o.Help = func(string) (string, string) { return "E-5001", "look at it" }
	})
	h.loop.change(peerView)
	return h
}

// strictly decodes JSON into the other side's shape and holds what that writes
// against what came.
func strictly[T any](t *testing.T, what string, raw []byte) {
	t.Helper()
	var v T
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&v); err != nil {
		t.Fatalf("%s: %v: %s", what, err, raw)
	}
	back, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	var had, has any
	if json.Unmarshal(raw, &had) != nil || json.Unmarshal(back, &has) != nil || !reflect.DeepEqual(had, has) {
		t.Errorf("%s: said\n%s\nread as\n%s", what, raw, back)
	}
}

// RB-2: what this door says, another gateway or a robot reads to the last key.
func TestAnswersForPeers(t *testing.T) {
	h := peerHouse(t)
	get := func(path string) []byte {
		r := h.do(t, request{method: "GET", path: path, token: techToken})
		if r.status != http.StatusOK {
			t.Fatalf("%s: %d %s", path, r.status, r.body)
		}
		return r.body
	}
	strictly[[]wire.Lift](t, "lifts", get("/v1/lifts"))
	strictly[wire.Lift](t, "lift", get("/v1/lifts/L1"))
	strictly[[]wire.Ride](t, "rides", get("/v1/rides?robot=R1"))
	strictly[wire.Ride](t, "a permit", get("/v1/rides/ride-1"))
	strictly[wire.Ride](t, "a fault", get("/v1/rides/ride-2"))
	heard := h.do(t, request{method: "POST", path: "/v1/robots/R1/heartbeat", token: robotToken, body: beat})
	strictly[wire.Heard](t, "heartbeat", heard.body)
	no := h.do(t, request{method: "GET", path: "/v1/lifts/none", token: techToken})
	strictly[wire.Problem](t, "problem", no.body)
}

// RB-2: the events, from hello to gone.
func TestEventsForPeers(t *testing.T) {
	h := peerHouse(t)
	srv := httptest.NewServer(h.Handler())
	defer srv.Close()
	ctx, stop := context.WithTimeout(context.Background(), 30*time.Second)
	defer stop()
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, srv.URL+"/v1/events?lift=L1", nil)
	res, err := srv.Client().Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = res.Body.Close() }()
	got := map[string]bool{}
	var all []byte
	for len(got) < 4 {
		b := make([]byte, 4096)
		n, err := res.Body.Read(b)
		if err != nil {
			t.Fatalf("%v after %v", err, got)
		}
		all = append(all, b[:n]...)
		for {
			text, rest, whole := bytes.Cut(all, []byte("\n\n"))
			if !whole {
				break
			}
			all = rest
			name, data := eventOf(string(text))
			got[name] = true
			switch name {
			case "hello":
				strictly[wire.Hello](t, name, data)
			case "lift":
				strictly[wire.Lift](t, name, data)
			case "ride":
				strictly[wire.Ride](t, name, data)
				if !got["gone"] {
					h.loop.change(func(v *core.View) { v.Rides = nil })
					h.pass()
				}
			case "gone":
				strictly[wire.Gone](t, name, data)
			}
		}
	}
}

func eventOf(text string) (name string, data []byte) {
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimRight(line, "\n"), ": ")
		switch key {
		case "event":
			name = value
		case "data":
			data = []byte(value)
		}
	}
	return name, data
}

// RB-2: the public page lists just the keys that the other side has, in shapes that are
// read and in those that are written.
func TestOpenAPIForPeers(t *testing.T) {
	h := newHouse(t)
	var doc struct {
		Components struct {
			Schemas map[string]struct {
				Properties map[string]any `json:"properties"`
			} `json:"schemas"`
		} `json:"components"`
	}
	if err := json.Unmarshal(h.do(t, request{method: "GET", path: "/openapi.json"}).body, &doc); err != nil {
		t.Fatal(err)
	}
	for name, shape := range map[string]reflect.Type{
		"Lift": reflect.TypeFor[wire.Lift](), "Landing": reflect.TypeFor[wire.Landing](), "Calls": reflect.TypeFor[wire.Calls](),
		"Owner": reflect.TypeFor[wire.Owner](), "Waiting": reflect.TypeFor[wire.Waiting](), "Alarm": reflect.TypeFor[wire.Alarm](), "Value": reflect.TypeFor[wire.Value[string]](),
		"Ride": reflect.TypeFor[wire.Ride](), "Permit": reflect.TypeFor[wire.Permit](), "Unmet": reflect.TypeFor[wire.Unmet](),
		"LeavePass": reflect.TypeFor[wire.LeavePass](), "Do": reflect.TypeFor[wire.Do](), "Fault": reflect.TypeFor[wire.Fault](),
		"Transition": reflect.TypeFor[wire.Transition](), "NewRide": reflect.TypeFor[wire.NewRide](), "Signal": reflect.TypeFor[wire.Signal](),
		"SeesDoor": reflect.TypeFor[wire.SeesDoor](), "Heard": reflect.TypeFor[wire.Heard](), "Change": reflect.TypeFor[wire.Change](),
		"Maintenance": reflect.TypeFor[wire.Maintenance](), "Stopped": reflect.TypeFor[wire.Stopped](), "AreaAlarm": reflect.TypeFor[wire.AreaAlarm](), "Problem": reflect.TypeFor[wire.Problem](),
	} {
		var public, peer []string
		for key := range doc.Components.Schemas[name].Properties {
			public = append(public, key)
		}
		for i := range shape.NumField() {
			key, _, _ := strings.Cut(shape.Field(i).Tag.Get("json"), ",")
			peer = append(peer, key)
		}
		slices.Sort(public)
		slices.Sort(peer)
		if !slices.Equal(public, peer) {
			t.Errorf("%s: the page has\n%v\nthe other side\n%v", name, public, peer)
		}
	}
}

// RB-2: what the other side writes, with every key, is taken here as it was meant.
func TestBodiesOfPeers(t *testing.T) {
	h := newHouse(t)
	no, eta, crossing, odo, battery := false, 30, 9, 1.5, 80
	ride := wire.NewRide{
		ID: "p-1", Task: "t", Robot: "R1", Lift: "L1", From: "G", To: "3", FromDoor: "rear", ToDoor: "front", Priority: 2,
		Ready: &no, EtaS: &eta, CrossingS: &crossing,
	}
	sig := wire.Signal{
		Kind: "entering", Boot: "b", Seq: 4, AgeMs: 120, Where: "doorway", Floor: "G", FloorSure: true, Motion: "still", OdoM: &odo,
		SeesDoor: &wire.SeesDoor{Floor: "G", Side: "rear", Open: true}, Permit: "ride-1/7", Battery: &battery,
	}
	for path, body := range map[string]any{"/v1/rides": ride, "/v1/rides/ride-1/signals": sig} {
		raw, err := json.Marshal(body)
		if err != nil {
			t.Fatal(err)
		}
		if r := h.do(t, request{method: "POST", path: path, token: robotToken, body: string(raw)}); r.status/100 != 2 {
			t.Errorf("%s: %d %s", path, r.status, r.body)
		}
	}
	raw, err := json.Marshal(wire.Change{To: "3", ToDoor: "front", Aboard: true})
	if err != nil {
		t.Fatal(err)
	}
	if r := h.do(t, request{method: "PATCH", path: "/v1/rides/ride-1", token: robotToken, body: string(raw)}); r.status != 200 {
		t.Errorf("a change: %d %s", r.status, r.body)
	}
	var made core.CreateRide
	var told core.SendSignal
	var changed core.PatchRide
	for _, o := range h.loop.asked() {
		switch o := o.(type) {
		case core.CreateRide:
			made = o
		case core.SendSignal:
			told = o
		case core.PatchRide:
			changed = o
		}
	}
	want := core.CreateRide{
		Request: fsm.Request{ID: "p-1", Task: "t", Robot: "R1", Lift: "L1", Priority: 2, Crossing: 9 * time.Second},
		From:    "G", To: "3", FromDoor: "rear", ToDoor: "front", Eta: 30 * time.Second,
	}
	if made != want {
		t.Errorf("a ride %+v, want %+v", made, want)
	}
	if (changed != core.PatchRide{Ride: "ride-1", To: "3", ToDoor: "front", Aboard: true, By: "R1"}) {
		t.Errorf("a change %+v", changed)
	}
	wantSig := fsm.Signal{
		Kind: fsm.Entering, Boot: "b", Seq: 4, Age: 120 * time.Millisecond, Permit: "ride-1/7", Battery: 80,
		View: fsm.RobotView{
			Where: fsm.AtDoorway, Floor: 2, FloorSure: true, Motion: elevator.Stopped, OdoM: 1.5,
			DoorFloor: 2, DoorSide: elevator.Rear, DoorOpen: elevator.Yes,
		},
	}
	if told.Signal != wantSig {
		t.Errorf("a signal %+v, want %+v", told.Signal, wantSig)
	}
}
