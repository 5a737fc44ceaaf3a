package fsm

import (
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

// A press of an earlier lease whose outcome has not come, with no lamp to read: once
// its life is over it may be pressed again, and the ride asks to be woken for that.
// RD-5
func TestWakesForAnEarlierPress(t *testing.T) {
	now := elevator.Instant(100 * time.Second)
	car := elevator.Snapshot{Link: elevator.Online}
	car.Floor = elevator.Seen[elevator.Floor]{Value: 1, At: now}
	car.Motion = elevator.Seen[elevator.Motion]{Value: elevator.Stopped, At: now}
	car.Mode = elevator.Seen[elevator.Mode]{Value: elevator.Normal, At: now}
	car.Doors[elevator.Front] = elevator.Seen[elevator.Door]{Value: elevator.DoorClosed, At: now}
	r := New(Request{ID: "R1", Robot: "r", Lift: "L1", From: 2, To: 3, FromSide: elevator.Front, ToSide: elevator.Front, Ready: true}, Params{}, now)
	r.NextN = 1
	r.Earlier[0] = Wish{Sent: now - 1, Presses: 1, Command: elevator.Command{
		ID: elevator.CommandID{Ride: "R1", N: 1}, Verb: elevator.LandingCall, Floor: 2, Direction: elevator.Up, Until: now.Add(700 * time.Millisecond),
	}}
	plan := Plan{Style: LandingAndCar, Confirm: ConfirmState, AcceptWithin: 5 * time.Second, Poll: time.Second}
	r, fx := Step(r, &Leased{Lift: "L1", Epoch: 1, Plan: plan, Params: DefaultParams(), Car: car}, now)
	for range 20 {
		if sends(fx) > 0 {
			break
		}
		now = NextWake(&r)
		r, fx = Step(r, Tick{}, now)
	}
	if over := r.LeaseAt.Add(700 * time.Millisecond); sends(fx) != 1 || now != over {
		t.Fatalf("%d calls at %d in %s·%s, the press's life ends at %d", sends(fx), now, r.State, r.Phase, over)
	}
}

func sends(fx []Effect) int {
	n := 0
	for _, f := range fx {
		if _, ok := f.(Send); ok {
			n++
		}
	}
	return n
}

// A lamp that was never read shows nothing of a press, also of one that was made before
// the clock of this process began.
// RD-5
func TestNeverReadIsUnread(t *testing.T) {
	r := &Ride{Plan: Plan{Confirm: ConfirmLamp}}
	w := Wish{Sent: -elevator.Instant(time.Minute), Answered: true, Command: elevator.Command{
		ID: elevator.CommandID{Ride: "R1", N: 1}, Verb: elevator.CarCall, Floor: 2,
	}}
	if !w.unreadable(r) {
		t.Error("a lamp that was never read counts as read")
	}
	r.Car.CarCalls.At = -elevator.Instant(time.Second)
	if w.unreadable(r) {
		t.Error("a lamp that was read since counts as unread")
	}
}

// A press of an earlier lease does not become the present lease's by a restart: what
// burns there may be somebody else's call, and is not taken back with the ride.
// RD-5
func TestEarlierLeaseOverARestart(t *testing.T) {
	now := elevator.Instant(100 * time.Second)
	r := New(Request{ID: "R1", Robot: "r", Lift: "L1", From: 2, To: 3, FromSide: elevator.Front, ToSide: elevator.Front, Ready: true}, DefaultParams(), now)
	r.State, r.Phase, r.Granted, r.Epoch = Requesting, Calling, true, 2
	r.Plan = Plan{Style: LandingAndCar, Confirm: ConfirmLamp, HasCancel: true, AcceptWithin: 5 * time.Second, Poll: time.Second}
	r.LeaseAt, r.NextN = now.Add(-50*time.Second), 1
	r.Earlier[0] = Wish{Sent: now.Add(-90 * time.Second), Presses: 1, Answered: true, Command: elevator.Command{
		ID: elevator.CommandID{Ride: "R1", N: 1}, Verb: elevator.LandingCall, Floor: 2, Direction: elevator.Up,
	}}
	r, _ = Step(r, Resumed{}, now)
	now = now.Add(2 * time.Second)
	car := elevator.Snapshot{Link: elevator.Online}
	car.Floor = elevator.Seen[elevator.Floor]{Value: 1, At: now}
	car.Motion = elevator.Seen[elevator.Motion]{Value: elevator.Stopped, At: now}
	car.Mode = elevator.Seen[elevator.Mode]{Value: elevator.Normal, At: now}
	car.Doors[elevator.Front] = elevator.Seen[elevator.Door]{Value: elevator.DoorClosed, At: now}
	car.UpCalls = elevator.Seen[elevator.FloorSet]{Value: elevator.FloorSet(0).With(2), At: now}
	r, fx := Step(r, &Seen{Car: car}, now)
	if r.Phase != Called || sends(fx) != 0 || r.Call.Command.ID.N != 0 {
		t.Errorf("%s·%s, %d sent, the call is command %d of this ride", r.State, r.Phase, sends(fx), r.Call.Command.ID.N)
	}
}

// A call that somebody else had placed goes out after a restart: it is pressed once it
// has stayed out, as it would have been before.
// RD-5
func TestLostCallOfSomebodyElseAfterARestart(t *testing.T) {
	r, car := keptRide(Called)
	r.NextN, r.Deadline = 1, r.Deadline.Add(time.Minute)
	r.Call = Wish{Taken: true, Confirmed: r.Since}
	away := -int64(time.Minute)
	r, _ = Step(Rebase(r, away), Resumed{}, elevator.Instant(time.Second))
	now := elevator.Instant(2 * time.Second)
	car.Floor.Value = 1
	readAt(&car, now)
	car.UpCalls.At = now
	r, fx := Step(r, &Seen{Car: car}, now)
	if sends(fx) != 0 {
		t.Errorf("%d sent at once in %v", sends(fx), fx)
	}
	now = now.Add(5 * time.Second)
	readAt(&car, now)
	car.UpCalls.At = now
	if _, fx := Step(r, &Seen{Car: car}, now); sends(fx) != 1 {
		t.Errorf("%d sent in %v", sends(fx), fx)
	}
}
