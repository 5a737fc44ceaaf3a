package fsm

import (
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

// keptRide waits at floor 2 for a car that stands there, at a lift with no door hold.
func keptRide(p Phase) (Ride, elevator.Snapshot) {
	now := elevator.Instant(10 * time.Second)
	r := Ride{
		Request: Request{ID: "R1", Robot: "r", Lift: "L1", From: 2, To: 3, FromSide: elevator.Front, ToSide: elevator.Front, Crossing: 8 * time.Second},
		State:   Waiting, Phase: p, Where: Outside, Granted: true, Epoch: 1, Since: now, PhaseAt: now, Watch: now, Deadline: now.Add(time.Minute),
		Plan: Plan{Style: LandingAndCar, Confirm: ConfirmLamp}.orDefault(), Params: DefaultParams(),
		Door: DoorHold{Floor: 2, Side: elevator.Front},
	}
	c := elevator.Snapshot{Link: elevator.Online}
	c.Floor.Value, c.Motion.Value, c.Mode.Value = 2, elevator.Stopped, elevator.Normal
	c.Nudging.Value, c.Overload.Value, c.Obstruction.Value = elevator.No, elevator.No, elevator.No
	c.Doors[elevator.Front].Value = elevator.DoorOpen
	readAt(&c, now)
	return r, c
}

func readAt(c *elevator.Snapshot, at elevator.Instant) {
	c.Floor.At, c.Motion.At, c.Mode.At, c.Nudging.At, c.Overload.At, c.Obstruction.At = at, at, at, at, at, at
	c.Doors[elevator.Front].At = at
}

// RD-11: a ride is written when a permit goes out, and not at each renewal of it.
func TestKeptButForThePermit(t *testing.T) {
	r, c := keptRide(Boarding)
	for i, want := range []struct {
		nudging elevator.Tri
		kept    bool
		permits uint32
	}{{elevator.Yes, true, 0}, {elevator.No, false, 1}, {elevator.No, true, 1}} {
		at := elevator.Instant(10*time.Second) + elevator.Instant(i)*elevator.Instant(200*time.Millisecond)
		readAt(&c, at)
		c.Nudging.Value = want.nudging
		done := StepInto(&r, &Seen{Car: c}, at, nil)
		if done.Kept != want.kept || r.PermitN != want.permits {
			t.Errorf("reading %d: kept %v with permit %d, robot %s", i, done.Kept, r.PermitN, r.Where)
		}
	}
}

// RD-11: that an earlier call was served is written.
func TestNotKeptWhenServed(t *testing.T) {
	r, c := keptRide(Called)
	c.Doors[elevator.Front].Value = elevator.DoorOpening
	r.Earlier[0].Command = elevator.Command{ID: elevator.CommandID{Ride: "R1", N: 1}, Verb: elevator.LandingCall, Floor: 2, Direction: elevator.Down}
	if done := StepInto(&r, &Seen{Car: c}, c.Floor.At, nil); done.Kept || r.Earlier[0].Command.ID.N != 0 {
		t.Errorf("kept %v with the earlier call %+v", done.Kept, r.Earlier[0])
	}
	readAt(&c, c.Floor.At.Add(200*time.Millisecond))
	if done := StepInto(&r, &Seen{Car: c}, c.Floor.At, nil); !done.Kept {
		t.Error("the next reading says that something durable has changed")
	}
}

// ST-4: where the car was before it came to a ride is not written; that it left with a ride
// that was boarding is.
func TestKeptWhileTheCarComes(t *testing.T) {
	for _, want := range []struct {
		phase Phase
		kept  bool
	}{{Called, true}, {Boarding, false}} {
		r, c := keptRide(want.phase)
		c.Floor.Value, c.Doors[elevator.Front].Value, r.Call.Taken = 1, elevator.DoorClosed, true
		if want.phase == Boarding {
			r.Where = Inside
		}
		if done := StepInto(&r, &Seen{Car: c}, c.Floor.At, nil); done.Kept != want.kept || r.LeftFrom == want.kept {
			t.Errorf("%s: kept %v, the car has left %v", want.phase, done.Kept, r.LeftFrom)
		}
	}
}
