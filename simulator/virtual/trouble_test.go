package virtual

import (
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/scenarios"
)

// RD-9: a kill in the middle of a ride: the ride comes back from the store, no call
// is pressed twice, and it ends well.
func TestKillInMidRide(t *testing.T) {
	s := open(t, Bench(1))
	play(t, s, 18*time.Second, cue{2 * time.Second, ride("L1", "G", "2")}, cue{18 * time.Second, fault("gateway", "kill", "3s", 0)})
	if s.agent.up {
		t.Fatal("the agent runs on after a kill")
	}
	until(t, s, 2*time.Minute, "the ride is over", func() bool { return stateOf(s, "r1") == "DONE" })
	s.Advance(s.Now().Add(5 * time.Second))
	log := s.Log()
	golden(t, "kill", text(without(log, "cloud")))
	if n := count(log, "agent", "started"); n != 2 {
		t.Errorf("the agent started %d times, want 2", n)
	}
	l, _ := s.Lift("L1")
	if l.Asked["car-call"] != 1 {
		t.Errorf("the car call was pressed %d times", l.Asked["car-call"])
	}
	lawful(t, s)
}

// RD-9: killed while the robot is in the doorway, at any of its moments: the ride
// ends, and no law is broken.
func TestKillAtAnyMoment(t *testing.T) {
	for at := 2 * time.Second; at < 32*time.Second; at += 700 * time.Millisecond {
		s := open(t, Bench(uint64(at)))
		play(t, s, at, cue{time.Second, ride("L1", "G", "2")}, cue{at, fault("gateway", "kill", "1s", 0)})
		until(t, s, 15*time.Minute, "the ride is over or waits for a person, killed at "+at.String(), func() bool {
			st := stateOf(s, "r1")
			return st == "DONE" || st == "FAULT_LOCKED"
		})
		if r, _ := s.Robot("R1"); r.Where != "landing" {
			t.Errorf("killed at %v: the robot is left in the %s", at, r.Where)
		}
		lawful(t, s)
	}
}

// LK-3: a line that is silent for a while: nothing is pressed twice, the lift goes
// offline and comes back.
func TestLineSilent(t *testing.T) {
	for _, lift := range []string{"L1", "L2"} {
		s := open(t, Bench(1))
		a := ride(lift, "G", "2")
		play(t, s, 14*time.Second, cue{2 * time.Second, a}, cue{6 * time.Second, fault(lift, "silent", "", 8*time.Second)})
		l, _ := s.Lift(lift)
		if l.Link != "offline" || l.SeenFloor != "" {
			t.Errorf("%s: link %s, floor %q, 8 s after it fell silent", lift, l.Link, l.SeenFloor)
		}
		until(t, s, 5*time.Minute, "the ride is over", func() bool { return stateOf(s, "r1") == "DONE" })
		log := s.Log()
		saw(t, log, lift, "link offline")
		saw(t, log, "fault", "time over: "+lift+" silent")
		if r, _ := s.Ride("r1"); r.Phase != string(fsm.Arrived) {
			t.Errorf("%s: the ride ended as %s after %v", lift, r.Phase, r.Faults)
		}
		lawful(t, s)
	}
}

// LK-4: an answer that is lost leaves the outcome unknown: it is read, and the call
// not pressed again.
func TestLostAnswerIsNoSecondPress(t *testing.T) {
	for _, lift := range []string{"L1", "L2"} {
		s := open(t, Bench(2))
		play(t, s, time.Second)
		if err := s.Do(ride(lift, "1", "3")); err != nil {
			t.Fatal(err)
		}
		// The first write is the landing call: the fault begins when it is next.
		until(t, s, time.Second, "the call is on its way", func() bool { return len(s.lift(lift).link.jobs) > 0 || s.lift(lift).asked.landing > 0 })
		if err := s.Do(times(lift, "lost-answer", "", 1)); err != nil {
			t.Fatal(err)
		}
		until(t, s, 3*time.Minute, "the ride is over", func() bool { return stateOf(s, "r1") == "DONE" })
		l, _ := s.Lift(lift)
		if l.Asked["landing-call"] != 1 {
			t.Errorf("%s: the landing call was pressed %d times", lift, l.Asked["landing-call"])
		}
		lawful(t, s)
	}
}

// SM-3: each fault of a line, once in each of two rides: the rides end.
func TestEachLineFault(t *testing.T) {
	for _, kind := range requestKinds() {
		for _, lift := range []string{"L1", "L2"} {
			s := open(t, Bench(5))
			play(t, s, 3*time.Second, cue{time.Second, ride(lift, "G", "3")}, cue{3 * time.Second, times(lift, kind, "", 3)})
			until(t, s, 5*time.Minute, kind+" on "+lift, func() bool { return stateOf(s, "r1") == "DONE" })
			if r, _ := s.Ride("r1"); r.Phase != string(fsm.Arrived) {
				t.Errorf("%s on %s: ended as %s", kind, lift, r.Phase)
			}
			saw(t, s.Log(), "fault", "worn off: "+lift+" "+kind)
			lawful(t, s)
		}
	}
}

// LK-3: unplugged in mid-ride, and back.
func TestUnplugged(t *testing.T) {
	for _, kind := range []string{"unplugged", "busy-elsewhere"} {
		for _, lift := range []string{"L1", "L2"} {
			s := open(t, Bench(1))
			play(t, s, 6500*time.Millisecond, cue{2 * time.Second, ride(lift, "G", "2")}, cue{6 * time.Second, fault(lift, kind, "", 4*time.Second)})
			if l, _ := s.Lift(lift); l.Link != "offline" {
				t.Errorf("%s: link %s half a second after it was %s", lift, l.Link, kind)
			}
			until(t, s, 5*time.Minute, kind+" on "+lift, func() bool { return stateOf(s, "r1") == "DONE" })
			lawful(t, s)
		}
	}
}

// RD-6: a robot that falls silent in the car: silence never means that it has left,
// and when it speaks again the ride goes on.
func TestRobotSilentInside(t *testing.T) {
	s := open(t, Bench(1))
	play(t, s, 90*time.Second, cue{2 * time.Second, ride("L1", "G", "2")}, cue{16 * time.Second, fault("R1", "robot-silent", "", 2*time.Minute)})
	if r, _ := s.Ride("r1"); r.Where != "inside" && r.Where != "unknown" || r.State == "DONE" {
		t.Errorf("the ride is %s and has its silent robot %s", r.State, r.Where)
	}
	if l, _ := s.Lift("L1"); l.Owner != "r1" {
		t.Errorf("the lift is owned by %q", l.Owner)
	}
	until(t, s, 10*time.Minute, "the robot is out", func() bool { r, _ := s.Robot("R1"); return r.Where == "landing" })
	until(t, s, time.Minute, "the ride is over", func() bool { return stateOf(s, "r1") == "DONE" })
	s.Advance(s.Now().Add(5 * time.Second))
	golden(t, "silent", text(without(s.Log(), "cloud")))
	lawful(t, s)
}

// SY-4: the cloud is gone for a while: the ride goes on, and the cloud catches up.
func TestCloudGoneAndBack(t *testing.T) {
	for _, kind := range []string{"broker-gone", "cloud-deaf"} {
		s := open(t, Bench(1))
		play(t, s, 70*time.Second, cue{2 * time.Second, ride("L1", "G", "2")}, cue{10 * time.Second, fault("cloud", kind, "", time.Minute)})
		if r, _ := s.Ride("r1"); r.State != "DONE" || r.Phase != "arrived" {
			t.Errorf("%s: without a cloud the ride is %s · %s", kind, r.State, r.Phase)
		}
		// Attempts to connect are up to five minutes apart.
		until(t, s, 11*time.Minute, kind+": the cloud has caught up", func() bool {
			c := s.Cloud()
			_, old := c.Reported["L1.ride.id"]
			return c.Online && c.Reported["L1.state"] == `"IDLE"` && !old
		})
		lawful(t, s)
	}
}

// SY-2: an order of the cloud's is in force, is answered, and outlives a kill.
func TestDesire(t *testing.T) {
	s := open(t, Bench(1))
	play(t, s, 10*time.Second, cue{2 * time.Second, scenarios.Desire{Path: "wait_timeout", Value: "120"}})
	if c := s.Cloud(); c.Reported["wait_timeout"] != "120" || c.Delta {
		t.Errorf("reported %s, delta %v", c.Reported["wait_timeout"], c.Delta)
	}
	play(t, s, 20*time.Second, cue{10 * time.Second, fault("gateway", "kill", "1s", 0)})
	if got := s.agent.look().Params.WaitTimeout; got != 2*time.Minute {
		t.Errorf("after a kill the limit is %v", got)
	}
	lawful(t, s)
}

// SH-8, SH-10, OP-3: the cloud stops a lift and takes it out of use; a person on site ends the
// maintenance, and the cloud is told so; what the cloud has stopped outlives a kill.
func TestTheCloudStopsALift(t *testing.T) {
	s := open(t, Bench(1))
	play(t, s, 5*time.Second, cue{time.Second, scenarios.Desire{Path: "L1.emergency", Value: "true"}},
		cue{time.Second, scenarios.Desire{Path: "L1.maintenance", Value: `{"on":true}`}})
	if c := s.Cloud(); c.Reported["L1.emergency"] != "true" || c.Reported["L1.emergency_by"] != `"cloud"` || c.Reported["L1.maintenance.by"] != `"cloud"` || c.Delta {
		t.Errorf("reported %v, delta %v", c.Reported, c.Delta)
	}
	play(t, s, 10*time.Second, cue{6 * time.Second, scenarios.Maintain{Lift: "L1", By: "kim"}})
	if c := s.Cloud(); c.Reported["L1.maintenance.on"] != "false" || c.Reported["L1._ack.maintenance.ac"] != "203" || c.Reported["L1.emergency"] != "true" {
		t.Errorf("after a person's word: %v", c.Reported)
	}
	play(t, s, 20*time.Second, cue{11 * time.Second, fault("gateway", "kill", "1s", 0)})
	if l := s.agent.look().Lifts[0]; l.Stopped == nil || !l.Stopped.Cloud || l.Maintenance != nil {
		t.Errorf("after a kill: %+v %+v", l.Stopped, l.Maintenance)
	}
	lawful(t, s)
}

// RD-9: an orderly stop waits for the robot in the doorway.
func TestStopWaitsForTheDoorway(t *testing.T) {
	s := open(t, Bench(1))
	play(t, s, time.Second, cue{time.Second, ride("L1", "G", "2")})
	until(t, s, time.Minute, "the robot is in the doorway", func() bool { r, _ := s.Robot("R1"); return r.Where == "doorway" })
	if err := s.Do(fault("gateway", "stop", "2s", 0)); err != nil {
		t.Fatal(err)
	}
	until(t, s, 30*time.Second, "the process ends", func() bool { return !s.agent.up })
	if r, _ := s.Robot("R1"); r.Where != "car" {
		t.Errorf("the process ended with the robot in the %s", r.Where)
	}
	until(t, s, 5*time.Minute, "the ride is over", func() bool { return stateOf(s, "r1") == "DONE" })
	lawful(t, s)
}

// RD-9: frozen, jumped clocks, a full disk and a slow one: the rides that run end.
func TestEachHostFault(t *testing.T) {
	for _, f := range []scenarios.Inject{
		fault("gateway", "freeze", "10s", 0), fault("gateway", "clock-jump", "-3600", 0), fault("gateway", "clock-jump", "86400", 0),
		fault("gateway", "disk-full", "", 20*time.Second), fault("gateway", "store-slow", "8s", 30*time.Second),
	} {
		for _, at := range []time.Duration{3 * time.Second, 10200 * time.Millisecond, 14 * time.Second, 25500 * time.Millisecond} {
			s := open(t, Bench(1))
			play(t, s, at, cue{2 * time.Second, ride("L1", "G", "2")}, cue{at, f})
			until(t, s, 16*time.Minute, f.Fault.String()+" at "+at.String(), func() bool { return stateOf(s, "r1") == "DONE" })
			lawful(t, s)
		}
	}
}

// SM-3: a full disk refuses new rides with its code.
func TestFullDiskRefusesRides(t *testing.T) {
	s := open(t, Bench(1))
	a := scenarios.AskRide{ID: "r2", Robot: "R2", Lift: "L2", From: "1", To: "2"}
	play(t, s, 20*time.Second, cue{time.Second, ride("L1", "G", "2")}, cue{3 * time.Second, fault("gateway", "disk-full", "", 0)}, cue{15 * time.Second, a})
	if r, _ := s.Ride("r2"); r.Refused != "E-2107" {
		t.Errorf("the new ride is %+v", r)
	}
}

// SM-3: each manner of a robot, and a person's word after it: the ride ends.
func TestEachRobotFault(t *testing.T) {
	for _, f := range []scenarios.Inject{
		fault("R1", "mute", "entered", 30*time.Second), fault("R1", "mute", "entering", 0), fault("R1", "mute", "leaving", 40*time.Second),
		fault("R1", "mute", "left", 30*time.Second), fault("R1", "dies", "entering", 0), fault("R1", "dies", "entered", 0),
		fault("R1", "dies", "leaving", 0), fault("R1", "freezes", "", 30*time.Second), fault("R1", "crosses-slowly", "15s", 0),
		times("R1", "repeats", "3", 50), fault("R1", "reboots", "", 0),
	} {
		s := open(t, Bench(1))
		at := 3 * time.Second
		if f.Fault.Kind == "reboots" {
			at = 18 * time.Second
		}
		play(t, s, at, cue{2 * time.Second, ride("L1", "G", "2")}, cue{at, f})
		// Who does not say that it goes in is taken for an obstacle, and sent back.
		locks := f.Fault.Kind == "mute" && f.Fault.Arg == "entering"
		ended := func() bool { return stateOf(s, "r1") == "DONE" || locks && stateOf(s, "r1") == "FAULT_LOCKED" }
		for end := s.Now().Add(4 * time.Minute); s.Now() < end && !ended(); {
			s.Step()
		}
		if f.Fault.Kind == "dies" {
			if ended() {
				t.Errorf("%s: the ride is over with a dead robot", f.Fault)
			}
			if l, _ := s.Lift("L1"); len(l.Alarms) == 0 {
				t.Errorf("%s: no alarm calls a person", f.Fault)
			}
			if err := s.Do(scenarios.ResetRide{ID: "r1", RobotIs: "removed", By: "Ada"}); err != nil {
				t.Fatal(err)
			}
		}
		until(t, s, 10*time.Minute, f.Fault.String(), ended)
		lawful(t, s)
	}
}

// SM-3: a robot that says that it has left, and stays in the car: it is believed only
// where it could have left, and the car's true load is not forgotten.
func TestRobotSaysLeftAndStays(t *testing.T) {
	s := open(t, Bench(1))
	play(t, s, time.Minute, cue{2 * time.Second, ride("L1", "G", "2")}, cue{3 * time.Second, fault("R1", "says-left", "", 0)})
	if r, _ := s.Robot("R1"); r.Where != "car" {
		t.Errorf("the robot is in the %s", r.Where)
	}
	if c := s.Frame().Cars[0]; c.LoadKg != robotKg {
		t.Errorf("the car weighs %d kg", c.LoadKg)
	}
	saw(t, s.Log(), "R1", "says left")
	lawful(t, s)
}

// SM-3: a robot in a car that no ride knows of is carried out by whoever names what it last
// asked for, though the agent refused that, has forgotten it, or is not there; and then it
// rides again.
func TestWhoStandsInACarIsCarriedOut(t *testing.T) {
	refused := scenarios.AskRide{ID: "refused", Robot: "R1", Lift: "L1", From: "2", To: "B1"}
	out := scenarios.ResetRide{ID: "refused", RobotIs: "removed", By: "guard"}
	for _, lean := range []bool{false, true} {
		c := Bench(1)
		c.Lean = lean
		s := open(t, c)
		play(
			t, s, 2*time.Minute, cue{2 * time.Second, ride("L1", "G", "2")}, cue{3 * time.Second, refused},
			cue{4 * time.Second, fault("R1", "says-left", "", time.Minute)},
		)
		if r, _ := s.Robot("R1"); r.Where != "car" {
			t.Fatalf("lean %t: the robot is in the %s", lean, r.Where)
		}
		if x, known := s.rideOf("refused"); known {
			t.Fatalf("lean %t: the ride was taken: %s", lean, x.Ride.State)
		}
		if err := s.Do(out); err != nil {
			t.Fatal(err)
		}
		if r, _ := s.Robot("R1"); r != (scenarios.Robot{Where: "landing", Floor: "2"}) {
			t.Errorf("lean %t: the robot is at %+v", lean, r)
		}
		again := scenarios.AskRide{ID: "again", Robot: "R1", Lift: "L2", From: "1", To: "B1"}
		play(t, s, 4*time.Minute, cue{121 * time.Second, again})
		if r, _ := s.Ride("again"); r.State != "DONE" {
			t.Errorf("lean %t: the next ride is %s %s", lean, r.State, r.Fault)
		}
		lawful(t, s)
	}
}

// SM-3: what the building plays reaches the agent: a fire is seen, and not touched.
func TestFire(t *testing.T) {
	s := open(t, Bench(1))
	play(t, s, 30*time.Second, cue{2 * time.Second, ride("L1", "1", "3")}, cue{5 * time.Second, fault("L1", "fire", "", 0)})
	if r, _ := s.Ride("r1"); r.Fault != "MODE_FIRE" {
		t.Errorf("the ride is %s with the fault %q", r.State, r.Fault)
	}
	if l, _ := s.Lift("L1"); l.SeenMode != "fire" {
		t.Errorf("the agent sees the mode %q", l.SeenMode)
	}
	if err := s.Do(scenarios.Clear{Target: "L1", Kind: "fire"}); err != nil {
		t.Fatal(err)
	}
	s.Advance(s.Now() + elevator.Instant(10*time.Second))
	if l, _ := s.Lift("L1"); l.SeenMode != "normal" {
		t.Errorf("after the fire the agent sees the mode %q", l.SeenMode)
	}
	lawful(t, s)
}

// IL-3, RD-9: while the batch of a permit is on its way to a slow disk no robot is told of
// it; killed then, the ride comes back as it was before, with the robot on its landing.
func TestKillWhileAPermitWaits(t *testing.T) {
	for _, lean := range []bool{false, true} {
		set := Bench(1)
		set.Lean = lean
		s := open(t, set)
		play(t, s, 9*time.Second, cue{2 * time.Second, ride("L1", "G", "2")}, cue{9 * time.Second, fault("gateway", "store-slow", "4s", 4*time.Second)})
		granted := func() bool { return s.agent.core.Ride("r1").Permit.N != 0 }
		until(t, s, 5*time.Second, "a permit is given", granted)
		s.Advance(s.Now().Add(900 * time.Millisecond))
		if r, _ := s.Robot("R1"); !granted() || s.robots[0].told.permit.N != 0 || r.Where != "landing" {
			t.Fatalf("lean %v: given %v, told %q, the robot in the %s", lean, granted(), s.robots[0].told.permitID, r.Where)
		}
		if err := s.Do(fault("gateway", "kill", "1s", 0)); err != nil {
			t.Fatal(err)
		}
		until(t, s, 10*time.Minute, "the ride is over", func() bool { return stateOf(s, "r1") == "DONE" })
		if r, _ := s.Robot("R1"); r.Where != "landing" {
			t.Errorf("lean %v: the robot is left in the %s", lean, r.Where)
		}
		if b := s.Breaches(); len(b) > 0 {
			t.Errorf("lean %v: %v", lean, b)
		}
	}
}
