package virtual

import (
	"errors"
	"os"
	"reflect"
	"testing"
	"time"

	"hoistway/drivers/profiles"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/faults"
	"hoistway/simulator/scenarios"
)

// SM-4: a site that cannot be is refused with all that is wrong with it.
func TestBadSetups(t *testing.T) {
	for name, spoil := range map[string]func(*Setup){
		"no lift":      func(c *Setup) { c.Lifts = nil },
		"no such car":  func(c *Setup) { c.Lifts[0].ID = "L9" },
		"no such wire": func(c *Setup) { c.Lifts[0].Wire = "string" },
		"one id twice": func(c *Setup) { c.Robots[1].ID = "R1" },
		"no robot id":  func(c *Setup) { c.Robots[0].ID = "" },
		"slow robot":   func(c *Setup) { c.Robots[0].Crossing = time.Hour },
	} {
		c := Bench(1)
		spoil(&c)
		if _, err := New(c); !errors.Is(err, ErrSetup) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c := Bench(1)
	c.Building.Cars[0].Landings = nil
	if _, err := New(c); err == nil {
		t.Error("a car with no landings was built")
	}
}

// VP-1: what a ride is told of the controller here is what the bench profile says.
func TestPlanIsTheBenchProfiles(t *testing.T) {
	const name = "bench/modbus-lift"
	src, err := os.ReadFile("../../drivers/profiles/catalog/" + name + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, bad := profiles.Parse(name, src)
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	w := p.Traits()
	want := fsm.Plan{
		Style: fsm.CallStyle(w.Style), Confirm: fsm.Confirm(w.Confirm),
		HasHold: w.HasHold, HasLapse: w.HasLapse, HasCancel: w.HasCancel, Toggles: w.Toggles, Claims: w.Claims, Notifies: w.Notifies,
		AcceptWithin: w.AcceptWithin, ClaimWithin: w.ClaimWithin, Poll: w.FastPoll, RecallFloor: 2, SafeFloor: 2,
	}
	c := Bench(1)
	if got := c.plan("L1", building.Bench().Cars[0].Table()); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

// SM-6: a picture shows what is there, and each event once.
func TestPicture(t *testing.T) {
	s := open(t, Bench(1))
	h := s.Header("try")
	if len(h.Floors) != 5 || h.Floors[4].HeightMM != 15200 || len(h.Lifts) != 2 || len(h.Lifts[0].Doors["G"]) != 2 || !h.Virtual {
		t.Errorf("header %+v", h)
	}
	play(t, s, 15*time.Second, cue{2 * time.Second, ride("L1", "G", "2")}, cue{3 * time.Second, fault("L2", "slow", "", 30*time.Second)})
	f := s.Frame()
	if f.AtMS != 15_000 || len(f.Cars) != 2 || f.Cars[0].LoadKg != robotKg || f.Cars[0].State != "MOVING" || f.Cars[0].Owner != "r1" {
		t.Errorf("car %+v", f.Cars[0])
	}
	if len(f.Rides) != 1 || f.Rides[0].State != "MOVING" || f.Rides[0].From != "G" || f.Rides[0].To != "2" {
		t.Errorf("rides %+v", f.Rides)
	}
	if f.Robots[0].Where != "car" || f.Robots[0].Lift != "L1" || f.Robots[1].Where != "landing" {
		t.Errorf("robots %+v", f.Robots)
	}
	if len(f.Faults) != 1 || f.Faults[0].Name != "slow" || f.Faults[0].Struck == 0 || f.Faults[0].LeftMS != 18_000 {
		t.Errorf("faults %+v", f.Faults)
	}
	if len(f.RideWaits) != 1 || f.RideWaits[0] < 7000 || f.RideWaits[0] > 9000 {
		t.Errorf("waits %v", f.RideWaits)
	}
	if !f.Wires[0].Up || f.Wires[0].Wrote != 4 || f.Wires[1].Spoiled == 0 || !f.Cloud.Online {
		t.Errorf("wires %+v, cloud %+v", f.Wires, f.Cloud)
	}
	if len(f.Events) == 0 || len(s.Frame().Events) != 0 {
		t.Errorf("%d events, and then others", len(f.Events))
	}
}

// SM-4: what this stage cannot do is an error that says why, and changes nothing.
func TestActsThatCannotBe(t *testing.T) {
	s := open(t, Bench(1))
	s.Advance(elevator.Instant(time.Second))
	s.Log()
	none := Bench(1)
	none.Cloud = false
	cloudless := open(t, none)
	for name, do := range map[string]func() error{
		"robot":       func() error { return s.Do(scenarios.AskRide{ID: "r1", Robot: "R9"}) },
		"no id":       func() error { return s.Do(scenarios.AskRide{Robot: "R1"}) },
		"lift":        func() error { return s.Do(scenarios.Press{Lift: "L9", Floor: "G"}) },
		"floor":       func() error { return s.Do(scenarios.Press{Lift: "L1", Floor: "99"}) },
		"button":      func() error { return s.Do(scenarios.Press{Lift: "L1", Floor: "3", Direction: elevator.Up}) },
		"mix":         func() error { return s.Do(scenarios.Crowd{Mix: "riot"}) },
		"JSON":        func() error { return s.Do(scenarios.Desire{Path: "wait_timeout", Value: "{"}) },
		"no cloud":    func() error { return cloudless.Do(scenarios.Desire{Path: "wait_timeout", Value: "1"}) },
		"kind":        func() error { return s.Do(fault("L1", "flood", "", 0)) },
		"target":      func() error { return s.Do(fault("L9", "silent", "", 0)) },
		"fault cloud": func() error { return cloudless.Do(fault("cloud", "broker-gone", "", 0)) },
		"side":        func() error { return s.Do(fault("L1", "door-stuck", "left", 0)) },
		"no ride":     func() error { return s.Do(scenarios.Say{Robot: "R1", Kind: "ready"}) },
	} {
		if do() == nil {
			t.Errorf("%s: no error", name)
		}
	}
	if l := s.Log(); len(l) != 0 {
		t.Errorf("something happened:\n%s", text(l))
	}
	if s.FaultsOn() != 0 {
		t.Error("a fault is on")
	}
}

// SM-3: every fault of the catalogue can begin here and be cleared.
func TestEachFaultBegins(t *testing.T) {
	for _, k := range faults.Catalogue() {
		if k.Family == faults.HTTP {
			continue
		}
		s := open(t, Bench(1))
		target := map[faults.Aim]string{faults.AtLift: "L1", faults.AtRobot: "R1", faults.AtCloud: "cloud", faults.AtGateway: "gateway"}[k.Aim]
		arg := ""
		if k.Takes == faults.Landing {
			arg = "3"
		}
		play(t, s, 12*time.Second, cue{time.Second, fault(target, k.Name, arg, 0)}, cue{10 * time.Second, scenarios.Clear{Target: target}})
		saw(t, s.Log(), "fault", "fault begins: "+target+" "+k.Name)
		if s.FaultsOn() != 0 {
			t.Errorf("%s is still on", k.Name)
		}
		if news := s.FaultEvents(); len(news) < 2 || news[0].What != faults.Began {
			t.Errorf("%s: told %v", k.Name, news)
		}
	}
}

// RD-2: a robot that is not at the door yet says ready when it is made to, not before.
func TestNotReadyYet(t *testing.T) {
	s := open(t, Bench(1))
	a := ride("L1", "G", "2")
	a.NotReady = true
	play(t, s, 20*time.Second, cue{time.Second, a})
	if r, _ := s.Ride("r1"); r.State != "IDLE" || r.Phase != "standby" || r.Do != "go_to" {
		t.Fatalf("the ride is %+v", r)
	}
	if err := s.Do(scenarios.Say{Robot: "R1", Kind: "ready"}); err != nil {
		t.Fatal(err)
	}
	until(t, s, 2*time.Minute, "the ride is over", func() bool { return stateOf(s, "r1") == "DONE" })
	lawful(t, s)
}
