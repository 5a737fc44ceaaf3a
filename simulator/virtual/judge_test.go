package virtual

import (
	"os"
	"strings"
	"testing"
	"time"

	"hoistway/drivers/profiles"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/scenarios"
)

// RD-3, VP-1: what a code of the controller makes of a call here is what the bench
// profile makes of it.
func TestRefusalsAreTheBenchProfiles(t *testing.T) {
	src, err := os.ReadFile("../../drivers/profiles/catalog/bench/modbus-lift.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, bad := profiles.Parse("bench/modbus-lift", src)
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	for code := int32(0); code < 50; code++ {
		c := elevator.Command{Verb: elevator.CarCall, Floor: 2}
		s := elevator.Snapshot{CarCalls: seen(elevator.FloorSet(0), 7), Vendor: seen(code, 7)}
		want, no := p.Refused(profiles.Press{Call: c, At: 6, Code: seen(int32(0), 5)}, &s) // the device here works on a call at once
		a, why := refusal(code)
		if no != (why != "") || want.Advice != a || want.Text != why {
			t.Errorf("code %d: %v %q here, %+v in the profile", code, a, why, want)
		}
	}
}

// RD-3: a landing that is locked ends the ride with the reason after one press, by
// TCP and by RTU.
func TestLockedLandingIsPressedOnce(t *testing.T) {
	for _, lift := range []string{"L1", "L2"} {
		s := open(t, Bench(1))
		play(t, s, 10*time.Second, cue{time.Second, fault(lift, "call-refused", "1", 0)}, cue{2 * time.Second, ride(lift, "1", "2")})
		r, _ := s.Ride("r1")
		if r.State != "DONE" || r.Phase != string(fsm.FailedEnd) || strings.Join(r.Faults, " ") != "CALL_REFUSED" {
			t.Errorf("%s: the ride is %s (%s) after %v", lift, r.State, r.Phase, r.Faults)
		}
		if n := count(s.Log(), lift, "landing call"); n != 1 {
			t.Errorf("%s: pressed %d times", lift, n)
		}
		lawful(t, s)
	}
}

// RD-3: what somebody else was refused at another landing a moment ago does not
// refuse a call that is taken.
func TestStaleCodeRefusesNobody(t *testing.T) {
	s := open(t, Bench(1))
	play(t, s, 3*time.Second,
		cue{time.Second, fault("L1", "call-refused", "3", 0)},
		cue{1900 * time.Millisecond, scenarios.Press{Lift: "L1", Floor: "3", Direction: elevator.Down}},
		cue{2 * time.Second, ride("L1", "1", "2")})
	if s.lift("L1").asked.landing != 1 {
		t.Fatalf("%d landing calls were taken", s.lift("L1").asked.landing)
	}
	if r, _ := s.Ride("r1"); r.State != "WAITING" || len(r.Faults) > 0 {
		t.Errorf("the ride is %s after %v", r.State, r.Faults)
	}
}

// RD-3: a reading that fails after the acknowledgement leaves it: the ride goes by
// the lamps that it reads next.
func TestRefusalThatNobodyReads(t *testing.T) {
	for _, lift := range []string{"L1", "L2"} {
		s := open(t, Bench(1))
		play(t, s, 2*time.Second, cue{time.Second, fault(lift, "call-refused", "1", 0)})
		if err := s.Do(ride(lift, "1", "2")); err != nil {
			t.Fatal(err)
		}
		until(t, s, time.Second, "the call is refused", func() bool { return s.b.Car(lift).Error == building.CodeLocked })
		until(t, s, time.Second, "it is acknowledged", func() bool { return len(s.lift(lift).link.jobs) == 1 && s.lift(lift).link.jobs[0].acked != 0 })
		s.lift(lift).link.fail()
		if n := len(s.lift(lift).link.jobs); n != 0 {
			t.Fatalf("%s: %d calls wait on", lift, n)
		}
		saw(t, s.Log(), lift, "landing call up at 1 [r1/1] done")
		lawful(t, s)
	}
}
