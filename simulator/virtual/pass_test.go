package virtual

import (
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

// dark rides from G to 3 and takes the gateway away three seconds after the robot is in.
func dark(t *testing.T, c Setup, kind, arg string) *Site {
	t.Helper()
	s := open(t, c)
	if err := s.Do(ride("L1", "G", "3")); err != nil {
		t.Fatal(err)
	}
	until(t, s, time.Minute, "the robot is aboard", func() bool { return stateOf(s, "r1") == "MOVING" })
	s.Advance(s.Now().Add(3 * time.Second))
	if err := s.Do(fault("gateway", kind, arg, 0)); err != nil {
		t.Fatal(err)
	}
	s.Advance(s.Now().Add(2 * time.Minute))
	return s
}

// IL-5, SM-3: with no answer for long the robot leaves at its floor by its own eyes, whether
// the process is gone, stopped or stands still, and tells it when it is heard again.
func TestLeavesByItsPass(t *testing.T) {
	for _, c := range []struct{ kind, way string }{
		{"kill", "MOVING DONE"},
		{"stop", "MOVING DONE"},
		{"freeze", "FAULT DONE"}, // awake again it first sees that its readings are a minute old
	} {
		for _, lean := range []bool{false, true} {
			setup := Bench(3)
			setup.Lean = lean
			s := dark(t, setup, c.kind, "1m")
			if got := stateOf(s, "r1"); got != "DONE" {
				t.Errorf("%s, lean %v: the ride is %s\n%s", c.kind, lean, got, text(s.Log()))
			}
			edges := map[string]int{}
			for _, e := range s.Watch().Edges() {
				edges[string(e.From+" "+e.To)] = e.Count
			}
			if edges[c.way] != 1 || edges["MOVING EXITING"]+edges["FAULT EXITING"] != 0 {
				t.Errorf("%s, lean %v: went by %v", c.kind, lean, edges)
			}
			lawful(t, s)
			if lean {
				continue
			}
			log := s.Log()
			left := saw(t, log, "R1", "leaves by its pass")
			if said := saw(t, log, "R1", "says left"); said.At-left.At < elevator.Instant(20*time.Second) {
				t.Errorf("%s: left at %v and told at %v", c.kind, left.At, said.At)
			}
		}
	}
}

// IL-5: a gateway that is soon back is no reason: the robot waits for its permit.
func TestWaitsForAPermitWhenSoonAnswered(t *testing.T) {
	s := dark(t, Bench(3), "kill", "2s")
	log := s.Log()
	if n := count(log, "R1", "by its pass"); n != 0 || stateOf(s, "r1") != "DONE" {
		t.Errorf("left %d times by its pass, the ride is %s", n, stateOf(s, "r1"))
	}
	saw(t, log, "R1", "says leaving by permit r1/")
}

// IL-5: at another floor than that of its pass the robot stays in the car, dark or not.
func TestNoPassForAnotherFloor(t *testing.T) {
	s := open(t, Bench(3))
	if err := s.Do(ride("L1", "G", "3")); err != nil {
		t.Fatal(err)
	}
	until(t, s, time.Minute, "the robot is aboard", func() bool { return stateOf(s, "r1") == "MOVING" })
	s.Advance(s.Now().Add(3 * time.Second))
	if err := s.Do(times("L1", "wrong-floor", "", 1)); err != nil {
		t.Fatal(err)
	}
	if err := s.Do(fault("gateway", "kill", "1m", 0)); err != nil {
		t.Fatal(err)
	}
	until(t, s, time.Minute, "the door opens elsewhere", func() bool {
		l, _ := s.Lift("L1")
		return l.Floor != "3" && l.Floor != "G" && l.Doors["front"] == "open"
	})
	s.Advance(s.Now().Add(20 * time.Second))
	if r, _ := s.Robot("R1"); r.Where != "car" || r.Lift != "L1" {
		t.Errorf("the robot is %+v\n%s", r, text(s.Log()))
	}
	lawful(t, s)
}
