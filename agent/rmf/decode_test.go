package rmf

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
)

// request is one as a ROS bridge writes it, by hand from the message's definition.
const request = `{"lift_name": "L1", "request_time": {"sec": 1767225600, "nanosec": 250000000}, "session_id": "fleet/r1",
	"request_type": 1, "destination_floor": "B1", "door_state": 2}`

// RB-2: field names and numbers of LiftRequest.
func TestParseRequest(t *testing.T) {
	r, err := ParseRequest([]byte(request))
	want := LiftRequest{"L1", Time{1767225600, 250000000}, "fleet/r1", RequestAGV, "B1", DoorOpen}
	if err != nil || r != want {
		t.Fatalf("%+v, %v", r, err)
	}
	if ms := r.RequestTime.millis(); ms != 1767225600250 || timeOf(ms) != r.RequestTime {
		t.Errorf("%d ms, %+v", ms, timeOf(ms))
	}
	short := `{"request_type":0,"session_id":"s","lift_name":"L1"}`
	if r, err := ParseRequest([]byte(short)); err != nil || r != (LiftRequest{LiftName: "L1", SessionID: "s"}) {
		t.Errorf("%+v, %v", r, err)
	}
	later := strings.Replace(request, `"lift_name"`, `"deck": {"n": [1]}, "lift_name"`, 1)
	if r, err := ParseRequest([]byte(later)); err != nil || r != want {
		t.Errorf("a field of a later version: %+v, %v", r, err)
	}
}

// SE-3: what is no LiftRequest, and where.
func TestBadRequests(t *testing.T) {
	for _, c := range []struct{ old, new, field, why string }{
		{request, ``, "", "not a JSON object"},
		{request, `null`, "", "not a JSON object"},
		{request, `[` + request + `]`, "", "not a JSON object"},
		{request, request + request, "", "something follows"},
		{`"door_state": 2}`, `"door_state": 2`, "", "ends early"},
		{`"B1"`, "\"B\xff\"", "", "not UTF-8"},
		{`"B1"`, `"` + strings.Repeat("x", 5000) + `"`, "", "at most 4096"},
		{`"B1"`, `"` + strings.Repeat("x", 129) + `"`, "destination_floor", "longer than 128"},
		{`"B1"`, `""`, "destination_floor", "is empty"},
		{`"B1"`, `1`, "destination_floor", "wants text"},
		{`"B1"`, `null`, "destination_floor", "has no value"},
		{`"lift_name": "L1", `, ``, "lift_name", "is missing"},
		{`"lift_name"`, `"Lift_Name"`, "lift_name", "is missing"},
		{`"lift_name"`, `"session_id"`, "session_id", "is there twice"},
		{`"fleet/r1"`, `""`, "session_id", "is empty"},
		{`"request_type": 1`, `"request_type": 3`, "request_type", "0 to 2"},
		{`"request_type": 1`, `"request_type": -1`, "request_type", "0 to 2"},
		{`"request_type": 1`, `"request_type": 1.5`, "request_type", "whole number"},
		{`"request_type": 1`, `"request_type": "1"`, "request_type", "whole number"},
		{`"request_type": 1`, `"request_type": true`, "request_type", "whole number"},
		{`"request_type": 1, `, ``, "request_type", "is missing"},
		{`, "door_state": 2`, ``, "door_state", "is missing"},
		{`"door_state": 2`, `"door_state": 1`, "door_state", "0 for closed or 2 for open"},
		{`"door_state": 2`, `"door_state": null`, "door_state", "has no value"},
		{`"sec": 1767225600`, `"sec": -1`, "request_time", "sec"},
		{`"sec": 1767225600`, `"sec": 2147483648`, "request_time", "sec"},
		{`250000000`, `1000000000`, "request_time", "nanosec"},
		{`"nanosec"`, `"nsec"`, "request_time", "sec and nanosec"},
		{`{"sec": 1767225600, "nanosec": 250000000}`, `1767225600`, "request_time", "wants an object"},
	} {
		text := strings.Replace(request, c.old, c.new, 1)
		if text == request {
			t.Fatalf("%q is not in the request", c.old)
		}
		r, err := ParseRequest([]byte(text))
		var b *BadRequest
		if !errors.As(err, &b) || b.Field != c.field || !strings.Contains(b.Why, c.why) || r != (LiftRequest{}) {
			t.Errorf("%s → %s: %v (%+v), want %s: %s", c.old, c.new, err, r, c.field, c.why)
		}
	}
	many := strings.Replace(request, `{`, `{`+strings.Repeat(`"a":0,`, 1), 1)
	for i := range 40 {
		many = strings.Replace(many, `{`, `{"k`+strings.Repeat("y", i)+`":0,`, 1)
	}
	if _, err := ParseRequest([]byte(many)); err == nil || !strings.Contains(err.Error(), "more than 32") {
		t.Errorf("%v", err)
	}
}

// RB-2: LiftState byte for byte as the message's definition has it: its fields in order,
// modes as an array of numbers. The file was written by hand.
func TestStateAsJSON(t *testing.T) {
	want, err := os.ReadFile("testdata/state.json")
	if err != nil {
		t.Fatal(err)
	}
	got, err := json.Marshal(LiftState{
		LiftTime: Time{1767225600, 250000000}, LiftName: "L1", AvailableFloors: []string{"B1", "G", "1"},
		CurrentFloor: "G", DestinationFloor: "B1", DoorState: DoorMoving, MotionState: MotionUnknown,
		AvailableModes: []Mode{ModeHuman, ModeAGV}, CurrentMode: ModeEmergency, SessionID: "fleet/r1",
	})
	if err != nil || string(got) != strings.TrimSpace(string(want)) {
		t.Errorf("%s, %v", got, err)
	}
}

// SE-3: whatever comes, it is a whole request or a refusal, and a whole one survives being written.
func FuzzParseRequest(f *testing.F) {
	f.Add([]byte(request))
	f.Add([]byte(`{"lift_name":"L1","session_id":"s","request_type":0}`))
	f.Add([]byte(`{"lift_name":"\ud800","session_id":"s","request_type":0,"request_time":{"sec":1,"nanosec":1e3}}`))
	f.Add([]byte(`{"a":{"b":[[[[`))
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, err := ParseRequest(raw)
		if err != nil {
			var b *BadRequest
			if !errors.As(err, &b) || r != (LiftRequest{}) {
				t.Fatalf("%v with %+v", err, r)
			}
			return
		}
		if r.LiftName == "" || r.SessionID == "" || r.RequestType < EndSession || r.RequestType > RequestHuman ||
			r.RequestType != EndSession && (r.DestinationFloor == "" || r.DoorState != DoorClosed && r.DoorState != DoorOpen) {
			t.Fatalf("not whole: %+v", r)
		}
		out, _ := json.Marshal(r)
		if len(out) > maxRequest {
			return // escapes can make it longer
		}
		if r.RequestType == EndSession && r.DoorState == DoorMoving {
			return
		}
		if again, err := ParseRequest(out); err != nil || again != r {
			t.Fatalf("%s: %+v, %v", out, again, err)
		}
	})
}
