package daemon

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"hoistway/simulator/faults"
	"hoistway/simulator/robots"
)

const callFromG = `{"ride_id":"r1","robot":"R1","lift":"L1","from":"G","to":"1"}`

// RD-1…RD-10: one ride, end to end, on a real socket.
func TestRide(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.robot(robots.Manner{})
	r.online()
	if code, body := r.post("/v1/rides", callFromG); code != http.StatusCreated {
		t.Fatalf("%d %s", code, body)
	}
	r.reaches("r1", "DONE")
	ride := r.ride("r1")
	if ride.Phase != "arrived" {
		t.Errorf("ended %s", ride.Phase)
	}
	want := []string{"REQUESTING", "WAITING", "MOVING", "EXITING", "DONE"}
	var got []string
	for _, m := range ride.Marks {
		got = append(got, m.To)
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("went %v", got)
	}
	if n := r.presses(0, 2) + r.presses(1, 2); n != 1 {
		t.Errorf("%d landing calls at G", n)
	}
	if n := r.presses(2, 3); n != 1 {
		t.Errorf("%d car calls to 1", n)
	}
}

// RD-8, IL-7: the controller goes in mid-ride, with the robot in the car: FAULT
// with its reason, the car stays the robot's, and the ride goes on when the
// controller is back.
func TestControllerGoneInMidRide(t *testing.T) {
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
	r.reaches("r1", "FAULT")
	ride := r.ride("r1")
	if ride.Fault == nil || ride.Fault.Code != "LINK_LOST" && ride.Fault.Code != "STALE" {
		t.Fatalf("fault %+v", ride.Fault)
	}
	if ride.Permit != nil {
		t.Errorf("a permit stands: %+v", ride.Permit)
	}
	l := r.lift1()
	if !l.Occupied || l.Owner == nil || l.Owner.Ride != "r1" {
		t.Errorf("the car was given away: %+v", l)
	}
	if l.Link != "offline" {
		r.until("the lift offline", func() bool { return r.lift1().Link == "offline" }, func() any { return r.lift1() })
	}
	r.lift.ClearNamed("unplugged")
	r.reaches("r1", "DONE")
	if end := r.ride("r1").Phase; end != "arrived" && end != "returned" && end != "evacuated" {
		t.Errorf("ended %s", end)
	}
}

// RD-16: a robot that never says "entered" is never taken to be inside.
func TestNothingIsInferredFromSilence(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.robot(robots.Manner{Mute: "entered"})
	r.online()
	r.post("/v1/rides", callFromG)
	r.reaches("r1", "WAITING")
	r.until("the robot crossing", func() bool { return r.ride("r1").Where == "crossing" }, func() any { return r.ride("r1") })
	for end := time.Now().Add(6 * time.Second); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		ride := r.ride("r1")
		if ride.Where == "inside" || ride.State == "MOVING" || ride.State == "EXITING" || ride.State == "DONE" {
			t.Fatalf("inferred: %s %s, robot %s", ride.State, ride.Phase, ride.Where)
		}
	}
	if n := r.presses(2, 3); n != 0 {
		t.Errorf("%d car calls for a robot that may stand in the doorway", n)
	}
	if n := r.presses(3, 0); n != 0 {
		t.Errorf("the door was let go %d times", n)
	}
	// A person looks, and the agent need not wait for the doorway at its end.
	r.reaches("r1", "FAULT")
	if code, body := r.post("/v1/rides/r1/reset", `{"robot_is":"outside"}`); code != http.StatusOK {
		t.Errorf("reset: %d %s", code, body)
	}
}

// RD-13, SE-1: what the API must refuse changes nothing at the lift.
func TestRefusedOnTheWire(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.online()
	for body, want := range map[string]int{
		`{"robot":"R1","lift":"L1","from":"G","to":"9"}`:                    422,
		`{"robot":"R1","lift":"L9","from":"G","to":"1"}`:                    422,
		`{"robot":"R1","lift":"L1","from":"G","to":"G"}`:                    422,
		`{"robot":"R1","lift":"L1","from":"G","to":`:                        400,
		`{"robot":"` + strings.Repeat("x", 10<<20) + `"}`:                   413,
		`{"robot":"R1","lift":"L1","from":"G","to":"1","from_door":"left"}`: 422,
		`{"robot":"R1","lift":"L1","from":"G","to":"1","sound_horn":true}`:  400,
		`{"robot":"R9","lift":"L1","from":"G","to":"1"}`:                    422,
	} {
		code, answer := r.post("/v1/rides", body)
		if code != want {
			t.Errorf("%.60s: %d, want %d: %.200s", body, code, want, answer)
		}
		if !strings.Contains(answer, `"code":"E-`) {
			t.Errorf("%.60s: no code in %.200s", body, answer)
		}
	}
	if w := r.lift.Writes(); len(w) != 0 {
		t.Errorf("written: %v", w)
	}
	var rides []any
	if err := r.get("/v1/rides", &rides); err != nil || len(rides) != 0 {
		t.Errorf("rides %v, %v", rides, err)
	}
}

// CT-7: readiness tells which lift is silent; liveness is the loop's.
func TestReadiness(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.start()
	r.online()
	var ready struct {
		Ready   bool     `json:"ready"`
		Reasons []string `json:"reasons"`
	}
	if err := r.get("/readyz", &ready); err != nil || !ready.Ready {
		t.Errorf("%+v, %v", ready, err)
	}
	resp, err := http.Get(r.base + "/healthz")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		t.Errorf("healthz: %s", resp.Status)
	}
}
