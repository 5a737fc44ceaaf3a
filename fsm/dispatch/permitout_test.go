package dispatch

import (
	"testing"
	"time"

	"hoistway/fsm"
)

// IL-3, RD-12: nobody's word that the robot is outside is taken while it may still go in by a
// permit; a moment later it is. That the car is empty is the same word.
func TestResetWaitsForThePermit(t *testing.T) {
	for _, where := range []fsm.Where{fsm.Unknown, fsm.Crossing} {
		s := site()
		s.Step(create("r1", "R1", "L1"), second, nil)
		see(s, "L1", standing(1, second), second)
		edit(t, s, "r1", func(r *fsm.Ride) {
			r.State, r.Phase, r.Code, r.Latched = fsm.Fault, fsm.Recovering, fsm.ModeFire, true
			r.Where, r.PermitWas, r.PermitOut = where, fsm.Enter, 9*second
		})
		outside := Reset{Ride: "r1", RobotIs: fsm.RobotOutside, By: "kim"}
		refused(t, s.Step(outside, 2*second+second/2, nil), Conflict, "E-2111", "wait 7 s: a permit is out")
		refused(t, s.Step(CarEmpty{Lift: "L1", By: "kim"}, 3*second, nil), Conflict, "E-2111", "wait 6 s")
		if r := s.Ride("r1"); r.State != fsm.Fault || r.Where != where || holder(s, "L1") != "r1" {
			t.Errorf("after the refusal: %s, robot %s, the car with %q", r.State, r.Where, holder(s, "L1"))
		}
		accepted(t, s.Step(outside, 9*second, nil))
		if r := s.Ride("r1"); r.State != fsm.Done || r.Where != fsm.Outside {
			t.Errorf("after the permit: %s, robot %s", r.State, r.Where)
		}
	}
}

// RB-1: a door that is held 20 s at a stop is open 17 s for a crossing. A lift whose door
// is not ours to hold takes the robot.
func TestTooSlowForTheHold(t *testing.T) {
	for _, row := range []struct {
		crossing time.Duration
		hold     bool
		taken    bool
	}{{17 * time.Second, true, true}, {17*time.Second + 1, true, false}, {90 * time.Second, true, false}, {90 * time.Second, false, true}} {
		s := site()
		s.params.HoldLimit = 20 * time.Second
		s.cars[0].Plan.HasHold = row.hold
		in := create("r1", "R1", "L1")
		in.Request.Crossing = row.crossing
		out := s.Step(in, second, nil)
		if row.taken {
			if r := lastReply(t, out); r.Status != Created {
				t.Errorf("%v: %+v", row, r)
			}
			continue
		}
		refused(t, out, Impossible, "E-2114", "holds its door for 20s")
		if r := lastReply(t, out); r.Field != "crossing_s" || s.Ride("r1") != nil {
			t.Errorf("%v: field %q, kept %v", row, r.Field, s.Ride("r1") != nil)
		}
	}
}

// OP-3: a ride that has gone over to another lift is not the last one of this.
func TestLastIsOfThisLift(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	see(s, "L1", standing(1, second), second)
	s.cars[0].owner, s.cars[0].last = nil, s.rides[0]
	if last := s.Cars()[0].Last; last == nil || last.ID != "r1" {
		t.Fatalf("the last of L1 is %v", last)
	}
	edit(t, s, "r1", func(r *fsm.Ride) { r.Lift = "L2" })
	if last := s.Cars()[0].Last; last != nil {
		t.Errorf("the last of L1 is a ride of %s", last.Lift)
	}
}

// ST-3: what runs is told that the store is lost, once, and that it is back.
func TestStoreLostReachesRides(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	for i, want := range []bool{true, true, false} {
		alarms := 0
		for _, o := range s.Step(StoreLost{Back: !want}, second, nil) {
			if a, ok := o.(Alarm); ok && a.Code == fsm.StoreAlarm && a.On == want {
				alarms++
			}
		}
		if once := []int{1, 0, 1}[i]; s.Ride("r1").NoStore != want || alarms != once {
			t.Errorf("%d: lost %v, %d alarms", i, s.Ride("r1").NoStore, alarms)
		}
	}
}
