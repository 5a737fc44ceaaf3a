package virtual

import (
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/simulator/scenarios"
)

// SM-4, RD-1: a whole ride, as it was read line by line.
func TestWholeRide(t *testing.T) {
	s := open(t, Bench(1))
	play(t, s, 40*time.Second, cue{2 * time.Second, ride("L1", "G", "2")})
	golden(t, "ride", text(s.Log()))
	if r, _ := s.Ride("r1"); r.State != "DONE" || r.Phase != "arrived" {
		t.Errorf("ride is %s · %s", r.State, r.Phase)
	}
	if r, _ := s.Robot("R1"); r != (scenarios.Robot{Where: "landing", Floor: "2"}) {
		t.Errorf("the robot is at %+v", r)
	}
	l, _ := s.Lift("L1")
	if l.Asked["landing-call"] != 1 || l.Asked["car-call"] != 1 || l.Owner != "" {
		t.Errorf("the lift was asked %v and is owned by %q", l.Asked, l.Owner)
	}
	if c := s.Cloud(); !c.Online || c.Delta || c.Reported["L1.state"] != `"IDLE"` {
		t.Errorf("the cloud has %+v", c)
	}
	lawful(t, s)
}

// SM-4: over a serial line the same ride takes a little longer and goes the same way.
func TestWholeRideRTU(t *testing.T) {
	s := open(t, Bench(1))
	a := ride("L2", "1", "3")
	play(t, s, 40*time.Second, cue{2 * time.Second, a})
	golden(t, "rtu", text(without(s.Log(), "cloud")))
	if r, _ := s.Ride("r1"); r.State != "DONE" || r.Phase != "arrived" {
		t.Errorf("ride is %s · %s", r.State, r.Phase)
	}
	lawful(t, s)
}

// SM-4: the same setup and acts give the same bytes, another seed gives others.
func TestSameSeedSameBytes(t *testing.T) {
	run := func(seed uint64) string {
		s := open(t, Bench(seed))
		play(t, s, 4*time.Minute,
			cue{time.Second, ride("L1", "G", "2")},
			cue{time.Second, scenarios.AskRide{ID: "r2", Robot: "R2", From: "1", To: "B1"}},
			cue{2 * time.Second, scenarios.Crowd{Mix: "lunch", PerFiveMinute: 20, For: time.Minute}},
			cue{5 * time.Second, times("L1", "silent", "", 2)},
			cue{9 * time.Second, fault("gateway", "kill", "3s", 0)},
			cue{60 * time.Second, fault("cloud", "broker-gone", "", 20*time.Second)},
		)
		return text(s.Log())
	}
	one, again, other := run(7), run(7), run(8)
	if one != again {
		t.Error("the second run differs from the first")
	}
	if one == other {
		t.Error("another seed gave the same run")
	}
}

// SM-1: two robots for one car ride one after the other, never together.
func TestTwoRobotsOneCar(t *testing.T) {
	s := open(t, Bench(3))
	second := scenarios.AskRide{ID: "r2", Robot: "R2", Lift: "L1", From: "1", To: "B1"}
	play(t, s, 0, cue{time.Second, ride("L1", "G", "2")}, cue{1100 * time.Millisecond, second})
	together := false
	until(t, s, 3*time.Minute, "both rides over", func() bool {
		a, _ := s.Robot("R1")
		b, _ := s.Robot("R2")
		together = together || a.Where != "landing" && b.Where != "landing"
		return stateOf(s, "r1") == "DONE" && stateOf(s, "r2") == "DONE"
	})
	if together {
		t.Error("both robots were in the car")
	}
	for _, id := range []string{"r1", "r2"} {
		if r, _ := s.Ride(id); r.Phase != string(fsm.Arrived) {
			t.Errorf("%s ended as %s", id, r.Phase)
		}
	}
	lawful(t, s)
}
