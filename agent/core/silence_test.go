package core

import (
	"slices"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// IL-5, IL-1: a robot that got a permit to enter and is never heard again may stand in the
// doorway. A person is called in time, the robot is told to clear the door or to get help, and neither the car
// nor its lease goes to anybody until a person has looked.
func TestARobotThatIsNeverHeardAgainIsLookedFor(t *testing.T) {
	l := boarding(t)
	began := l.now
	var called elevator.Instant
	for l.now < began.Add(3*time.Minute) {
		l.see(200*time.Millisecond, same)
		v := l.View(l.at())
		if on := slices.ContainsFunc(v.Lifts[0].Alarms, func(a fsm.Alarm) bool { return a.On }); on && called == 0 {
			called = l.now
		}
	}
	r := l.Ride(l.ride())
	limit := r.Request.Crossing + 30*time.Second
	if called == 0 || called.Sub(began) > limit {
		t.Errorf("a person is called after %v, not within %v", called.Sub(began), limit)
	}
	if r.State != fsm.Fault || r.Where != fsm.Unknown || !r.Granted {
		t.Errorf("%s, the robot %s, lease %v", r.State, r.Where, r.Granted)
	}
	if a := fsm.Advise(r, l.now); a.Do != fsm.DoGetHelp && a.Do != fsm.DoClearDoor {
		t.Errorf("the robot is told to %s: %s", a.Do, a.Why)
	}
	l.Step(Ordered{Order: ResetRide{Ride: l.ride(), RobotIs: fsm.RobotOutside, By: "kim"}}, l.at())
	if r := l.Ride(l.ride()); r != nil && r.State != fsm.Done && r.State != fsm.Fault {
		t.Errorf("after a person's word: %s", r.State)
	}
}
