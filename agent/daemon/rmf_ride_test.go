package daemon

import (
	"testing"
	"time"

	"hoistway/agent/localapi"
	"hoistway/agent/rmf"
)

// RB-2: a fleet that knows nothing but LiftState and LiftRequest takes a robot from B1 to 2 by the whole agent: in and out
// only at an OPEN door of its session, one ride, one landing call, one car call, and the lift is free in the end.
func TestRMFRide(t *testing.T) {
	if testing.Short() {
		t.Skip("a lift's own pace")
	}
	t.Parallel()
	r := newRig(t)
	s := withSite(t, r)
	r.start()
	r.online()
	const me = "fleet/r1"
	s.until("the open door at B1", asking(me, rmf.RequestAGV, "B1"), func(s rmf.LiftState) bool {
		return s.SessionID == me && s.CurrentFloor == "B1" && s.DoorState == rmf.DoorOpen
	})
	time.Sleep(500 * time.Millisecond) // it drives in
	s.until("the way to 2", asking(me, rmf.RequestAGV, "2"), func(s rmf.LiftState) bool {
		return s.SessionID == me && s.DestinationFloor == "2" && s.DoorState != rmf.DoorOpen
	})
	s.until("the open door at 2", asking(me, rmf.RequestAGV, "2"), func(s rmf.LiftState) bool {
		if s.DoorState == rmf.DoorOpen && s.CurrentFloor != "2" {
			t.Errorf("OPEN to the session at %s", s.CurrentFloor)
		}
		return s.SessionID == me && s.CurrentFloor == "2" && s.DoorState == rmf.DoorOpen && s.MotionState == rmf.MotionStopped
	})
	time.Sleep(500 * time.Millisecond) // it drives out
	s.until("the end of the session", asking(me, rmf.EndSession, "2"), func(s rmf.LiftState) bool { return s.SessionID == "" })
	s.until("a lift that is free", asking(me, rmf.EndSession, "2"), func(s rmf.LiftState) bool { return s.SessionID == "" && s.DoorState == rmf.DoorClosed })
	var rides []localapi.Ride
	if err := r.get("/v1/rides", &rides); err != nil || len(rides) != 1 || rides[0].Phase != "arrived" || rides[0].To != "2" {
		t.Errorf("%+v %v", rides, err)
	}
	t.Log(r.lift.Writes())
}

// RB-2, RD-13: the agent starts anew in the middle of a ride, the queue hands its old requests over, and the fleet goes on as if
// nothing had been: the session is there again, nothing is pressed twice.
func TestRMFRideOverARestart(t *testing.T) {
	if testing.Short() {
		t.Skip("a lift's own pace")
	}
	t.Parallel()
	r := newRig(t)
	s := withSite(t, r)
	r.start()
	r.online()
	const me = "fleet/r1"
	s.until("the open door at B1", asking(me, rmf.RequestAGV, "B1"), func(s rmf.LiftState) bool {
		return s.SessionID == me && s.CurrentFloor == "B1" && s.DoorState == rmf.DoorOpen
	})
	s.until("the way to 3", asking(me, rmf.RequestAGV, "3"), func(s rmf.LiftState) bool {
		return s.DestinationFloor == "3" && s.MotionState == rmf.MotionUp
	})
	r.stop()
	r.start()
	old := asking(me, rmf.RequestAGV, "B1")()
	old.RequestTime.Sec -= 3600
	n := 0
	s.until("the session after the restart", func() rmf.LiftRequest { n++; return old }, func(s rmf.LiftState) bool {
		return n > 0 && s.SessionID == me && s.DestinationFloor == "3" && s.CurrentMode == rmf.ModeAGV
	})
	s.until("the open door at 3", asking(me, rmf.RequestAGV, "3"), func(s rmf.LiftState) bool {
		return s.SessionID == me && s.CurrentFloor == "3" && s.DoorState == rmf.DoorOpen
	})
	s.until("the end of the session", asking(me, rmf.EndSession, "3"), func(s rmf.LiftState) bool { return s.SessionID == "" })
	if calls := r.presses(2, 5); calls != 1 {
		t.Errorf("%d car calls to 3: %v", calls, r.lift.Writes())
	}
}
