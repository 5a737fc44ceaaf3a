package building

import (
	"errors"
	"testing"

	"hoistway/fsm/elevator"
)

// SM-3: what is shown is wrong, what is true is not.
func TestWhatIsShown(t *testing.T) {
	b := bench(t)
	ill(t, b, "floor-stuck", "")
	ill(t, b, "door-unknown", "")
	must(t, b.CarCall("L1", 3))
	b.Advance(at(20))
	s, true3 := b.Shown("L1"), b.Car("L1")
	if s.Floor != 1 || s.Doors[elevator.Front].State != DoorInvalid || s.Doors[elevator.Left].State != elevator.DoorUnknown {
		t.Errorf("shown %+v", s)
	}
	if true3.Floor != 3 || true3.Doors[elevator.Front].State != elevator.DoorClosed || s.PositionMM != 7600 {
		t.Errorf("true %+v", true3)
	}
	ill(t, b, "floor-unknown", "")
	if s := b.Shown("L1"); s.Floor != 0 {
		t.Errorf("unknown %+v", s)
	}
	b.Clear("L1", "")
	if b.Shown("L1") != b.Car("L1") {
		t.Errorf("cleared:\n%+v\n%+v", b.Shown("L1"), b.Car("L1"))
	}
	if b.Shown("L9") != (CarState{}) {
		t.Error("an unknown lift shows something")
	}
}

// SM-3: a controller that restarts in flight brakes, shows nothing for 4 s, has
// forgotten calls and holds, and goes to the nearest landing.
func TestRestart(t *testing.T) {
	b := bench(t)
	must(t, b.CarCall("L1", 5))
	b.Advance(at(4.5))
	ill(t, b, "restart", "4s")
	if s := b.Shown("L1"); s != (CarState{ID: "L1", Dark: true}) {
		t.Errorf("shows %+v", s)
	}
	if s := b.Car("L1"); s.Car != 0 || s.Speed != 2.5 || !s.Dark {
		t.Errorf("braking: %+v", s)
	}
	if err := b.CarCall("L1", 5); !errors.Is(err, ErrBusy) {
		t.Errorf("a call: %v", err)
	}
	b.Advance(at(8.4))
	if s := b.Car("L1"); s.PositionMM != 7232 || s.Motion != elevator.Stopped || s.Floor != 0 || !b.Shown("L1").Dark {
		t.Errorf("stands: %+v", s)
	}
	stands(t, b, 8.5+0.5+2.0335+0.7, 3) // as after an emergency stop there
	if s := b.Shown("L1"); s.Dark || s.Mode != elevator.Normal || s.Floor != 3 || s.Car != 0 {
		t.Errorf("back: %+v", s)
	}
}

// SM-3: power goes 4 s into a flight: it stands at 7.232 m. Back at 60 s it creeps
// down at 0.25 m/s without a landing to show. By hand: 0.25 m/s is reached by ramps
// of √(0.25/1.4) = 0.42258 s, so 7.232/0.25 + 2·0.42258 = 29.773 s; start 0.5,
// levelling 0.7.
func TestPowerLoss(t *testing.T) {
	b := bench(t)
	must(t, b.CarCall("L1", 5))
	b.Advance(at(4.5))
	ill(t, b, "power-loss", "")
	b.Advance(at(60))
	if s := b.Car("L1"); s.PositionMM != 7232 || s.Speed != 0 || s.Mode != elevator.OutOfService || !b.Shown("L1").Dark {
		t.Errorf("dark: %+v", s)
	}
	b.Clear("L1", "power-loss")
	b.Advance(at(75))
	s := b.Shown("L1")
	if s.Dark || s.Floor != 0 || s.PositionMM != 0 || s.Motion != elevator.MovingDown || s.Mode != elevator.OutOfService {
		t.Errorf("creeping: %+v", s)
	}
	near(t, "creep", b.Car("L1").Speed, -0.25, 1e-9)
	if err := b.LandingCall("L1", 3, elevator.Up); !errors.Is(err, ErrBusy) {
		t.Errorf("a call: %v", err)
	}
	stands(t, b, 60+0.5+29.773+0.7, 1)
	if s := b.Shown("L1"); s.Floor != 1 || s.Mode != elevator.Normal {
		t.Errorf("at the reference: %+v", s)
	}
	turns(t, b, 60+0.5+29.773+0.7+1.8, elevator.DoorOpening, elevator.DoorOpen)
}

// SM-3: power goes while the doors are open: they stay, close when it is back, and
// even from the lowest landing the car has to look where it is.
func TestPowerLossAtAnOpenDoor(t *testing.T) {
	b := opened(t)
	b.Advance(at(2))
	ill(t, b, "power-loss", "")
	b.Advance(at(30))
	if s := b.Car("L1"); s.Doors[elevator.Front].Open != 1 {
		t.Errorf("dark: %+v", s)
	}
	b.Clear("L1", "")
	turns(t, b, 32.4, elevator.DoorClosing, elevator.DoorClosed)
	if s := b.Shown("L1"); s.Floor != 0 {
		t.Errorf("it knows too soon: %+v", s)
	}
	b.Advance(at(34))
	if s := b.Shown("L1"); s.Floor != 1 || s.Mode != elevator.Normal {
		t.Errorf("%+v", s)
	}
}
