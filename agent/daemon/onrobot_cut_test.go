package daemon

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"hoistway/agent/localapi"
	"hoistway/simulator/robots"
)

// silence watches a ride that the robot's agent shows while its gateway is away: no
// permit to start on, and after a while a clear fault. It looks for so long.
func (o *onboard) silence(id string, d time.Duration) (last localapi.Ride) {
	o.t.Helper()
	faulted := false
	began := time.Now()
	for time.Since(began) < d {
		r := o.mine(id)
		switch {
		case r.ID == "":
			o.t.Error("the robot's agent does not answer its robot")
		case r.State == "DONE": // it was over before
			return r
		case r.Permit != nil && r.Where != "crossing" && time.Since(began) > time.Second:
			o.t.Errorf("a permit without a gateway after %s: %+v in %s", time.Since(began), r.Permit, r.State)
		case r.Do.Action == "enter" && r.Where != "crossing" && time.Since(began) > time.Second:
			o.t.Errorf("told to enter without a gateway: %+v", r.Do)
		case r.State == "FAULT" && r.Fault != nil && r.Fault.Code == "NETWORK_TIMEOUT":
			faulted = true
			if r.Fault.Help != "E-5013" || r.DeadlineMs != nil || r.Do.Action == "" || !strings.Contains(r.Do.Why, "has not answered") {
				o.t.Errorf("shown as %+v, %+v", r, r.Fault)
			}
		}
		last = r
		time.Sleep(50 * time.Millisecond)
	}
	if !faulted {
		o.t.Errorf("never shown as a fault: %+v", last)
	}
	return last
}

// RD-11, RD-16, RB-6: the way to the gateway is cut in each state. Nobody enters on an old
// permit, the silence is shown, and the ride goes on when the way is back.
func TestCutInEachState(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ at, do string }{
		{"IDLE standby", "wait"},
		{"REQUESTING calling", "wait"},
		{"WAITING called", "wait"},
		{"WAITING boarding", ""},
		{"MOVING registering", ""},
		{"MOVING riding", "stay"},
		{"EXITING leaving", ""},
	} {
		t.Run(c.at, func(t *testing.T) {
			t.Parallel()
			o := newOnboard(t)
			o.start()
			o.board()
			o.bothOnline()
			want := map[string]any{"ready": c.at != "IDLE standby"}
			for k, v := range wish {
				want[k] = v
			}
			if code := o.say("POST", "/v1/rides", want, nil); code != http.StatusCreated {
				t.Fatalf("%d", code)
			}
			if c.at != "IDLE standby" {
				o.walker(robots.Manner{})
			}
			for end := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
				r := o.mine("r1")
				if r.State+" "+r.Phase == c.at || c.at == "MOVING registering" && r.State == "MOVING" { // that phase is one exchange long
					break
				}
				if later := r.State == "DONE"; later || time.Now().After(end) {
					t.Fatalf("%s was not seen; %s %s", c.at, r.State, r.Phase)
				}
			}
			o.net.set(true)
			r := o.silence("r1", 8*time.Second)
			if c.do != "" && r.State != "DONE" && r.Do.Action != c.do {
				t.Errorf("told to %+v", r.Do)
			}
			o.net.set(false)
			if c.at == "IDLE standby" {
				o.walker(robots.Manner{})
			}
			end := o.shows("the end of the ride", "r1", func(r localapi.Ride) bool { return r.State == "DONE" })
			if g := o.ride("r1"); g.State != "DONE" || g.Phase != end.Phase || end.Phase != "arrived" && end.Phase != "returned" && end.Phase != "evacuated" {
				t.Errorf("here %s, at the gateway %s %s", end.Phase, g.State, g.Phase)
			}
		})
	}
}
