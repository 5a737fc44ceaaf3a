package building

import (
	"errors"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

// The bench: opening 1.8 s, closing 2.4 s, dwell 2 s, nudging 6 s after 20 s.
// opened is a building whose L1 stands at B1 and was called there at instant 0.
func opened(t *testing.T) *Building {
	b := bench(t)
	must(t, b.LandingCall("L1", 1, elevator.Up))
	if s := b.Car("L1"); s.Up != 0 {
		t.Fatal("the lamp burns at the landing where the car opens")
	}
	return b
}

// SM-1
func TestDoorCycle(t *testing.T) {
	b := opened(t)
	turns(t, b, 1.8, elevator.DoorOpening, elevator.DoorOpen)
	turns(t, b, 3.8, elevator.DoorOpen, elevator.DoorClosing)
	turns(t, b, 6.2, elevator.DoorClosing, elevator.DoorClosed)
}

// SM-1: a press at the landing extends the dwell, and opens a closing door from
// where it is: pressed 0.5 s into closing the panels are 0.2083 shut, which takes
// 0.375 s back.
func TestPressAtTheLanding(t *testing.T) {
	b := opened(t)
	b.Advance(at(2.5))
	must(t, b.LandingCall("L1", 1, elevator.Up))
	turns(t, b, 4.5, elevator.DoorOpen, elevator.DoorClosing)
	b.Advance(at(5.0))
	near(t, "open part", b.Car("L1").Doors[elevator.Front].Open, 1-0.5/2.4, 1e-9)
	must(t, b.CarCall("L1", 1))
	turns(t, b, 5.375, elevator.DoorOpening, elevator.DoorOpen)
	turns(t, b, 7.375, elevator.DoorOpen, elevator.DoorClosing)
	if s := b.Car("L1"); s.Up|s.Car != 0 {
		t.Errorf("a lamp burns: %+v", s)
	}
}

// SM-1
func TestObstructedWhileClosing(t *testing.T) {
	b := opened(t)
	b.Advance(at(3.8 + 1.2))
	must(t, b.Obstruct("L1", elevator.Front, true))
	turns(t, b, 5.0+0.9, elevator.DoorOpening, elevator.DoorOpen)
	b.Advance(at(9))
	if s := b.Car("L1"); s.Doors[elevator.Front].State != elevator.DoorOpen || !s.Obstacle || s.Nudging {
		t.Errorf("with something in the doorway: %+v", s)
	}
	must(t, b.Obstruct("L1", elevator.Front, false))
	turns(t, b, 9+2.4, elevator.DoorClosing, elevator.DoorClosed)
}

// SM-1: obstructed from 1 s on, it nudges at 21 s, meets the obstacle half way at
// 24 s, is open again at 24.9 s, nudges again at 26.9 s; free at 27.9 s it closes
// on, slowly, until 32.9 s.
func TestNudging(t *testing.T) {
	b := opened(t)
	b.Advance(at(1))
	must(t, b.Obstruct("L1", elevator.Front, true))
	turns(t, b, 21, elevator.DoorOpen, elevator.DoorClosing)
	if !b.Car("L1").Nudging {
		t.Error("does not say that it nudges")
	}
	must(t, b.LandingCall("L1", 1, elevator.Up)) // no button stops a nudging door
	if s := b.Car("L1"); !s.Up.Has(1) || s.Doors[elevator.Front].State != elevator.DoorClosing {
		t.Errorf("a press while nudging: %+v", s)
	}
	must(t, b.CancelLanding("L1", 1))
	turns(t, b, 24, elevator.DoorClosing, elevator.DoorOpening)
	turns(t, b, 24.9, elevator.DoorOpening, elevator.DoorOpen)
	turns(t, b, 26.9, elevator.DoorOpen, elevator.DoorClosing)
	b.Advance(at(27.9))
	must(t, b.Obstruct("L1", elevator.Front, false))
	turns(t, b, 32.9, elevator.DoorClosing, elevator.DoorClosed)
	if b.Car("L1").Nudging {
		t.Error("still says that it nudges")
	}
}

// IL-10, RD-7: a hold is counted by the device and ends by itself.
func TestHold(t *testing.T) {
	b := opened(t)
	b.Advance(at(2))
	must(t, b.Hold("L1", elevator.Front, 10))
	b.Advance(at(5))
	if got := b.Car("L1").Doors[elevator.Front].Hold; got != 7*time.Second {
		t.Errorf("hold left %v, want 7s", got)
	}
	must(t, b.Hold("L1", elevator.Front, 10)) // renewed
	turns(t, b, 15, elevator.DoorOpen, elevator.DoorClosing)
	if err := b.Hold("L1", elevator.Front, 10); !errors.Is(err, ErrBusy) {
		t.Errorf("hold of a closing door: %v", err)
	}
	turns(t, b, 17.4, elevator.DoorClosing, elevator.DoorClosed)
	if err := b.Hold("L1", elevator.Front, 10); !errors.Is(err, ErrBusy) {
		t.Errorf("hold of a closed door: %v", err)
	}
}

// A hold taken is a hold kept: in the very instant in which the door sets off to
// close, its panels still open, it is too late, and the door says so.
func TestHoldAsTheDoorSetsOff(t *testing.T) {
	b := opened(t)
	if s := b.Car("L1").Doors[elevator.Front]; s.State != elevator.DoorOpening || s.Open != 0 {
		t.Fatalf("as it sets off to open: %+v", s)
	}
	b.Advance(at(3.8))
	if s := b.Car("L1").Doors[elevator.Front]; s.State != elevator.DoorClosing || s.Open != 1 {
		t.Fatalf("as it sets off to close: %+v", s)
	}
	if err := b.Hold("L1", elevator.Front, 10); !errors.Is(err, ErrBusy) {
		t.Errorf("hold: %v", err)
	}
}

// A door that is stuck shut takes no hold, whatever it was told.
func TestHoldOfADoorStuckShut(t *testing.T) {
	b := bench(t)
	must(t, b.StickDoor("L1", elevator.Front, true))
	must(t, b.LandingCall("L1", 1, elevator.Up))
	if err := b.Hold("L1", elevator.Front, 10); !errors.Is(err, ErrBusy) {
		t.Errorf("hold: %v", err)
	}
}

func TestHoldEndsNow(t *testing.T) {
	b := opened(t)
	b.Advance(at(1)) // opening is early enough
	must(t, b.Hold("L1", elevator.Front, 30))
	b.Advance(at(6))
	must(t, b.Hold("L1", elevator.Front, 0))
	turns(t, b, 6+2.4, elevator.DoorClosing, elevator.DoorClosed)
}

func TestHoldRefused(t *testing.T) {
	b := opened(t)
	b.Advance(at(2))
	for _, c := range []struct {
		side elevator.Side
		sec  int
		want error
	}{
		{elevator.Front, MaxHold + 1, ErrRange},
		{elevator.Front, -1, ErrRange},
		{elevator.Left, 5, ErrNoDoor},
		{elevator.SideUnknown, 5, ErrNoDoor},
		{elevator.Rear, 5, ErrBusy}, // there is one, but not at this landing
	} {
		if err := b.Hold("L1", c.side, c.sec); !errors.Is(err, c.want) {
			t.Errorf("hold %v for %d s: %v, want %v", c.side, c.sec, err, c.want)
		}
	}
	must(t, b.CarCall("L1", 5))
	b.Advance(at(9))
	if err := b.Hold("L1", elevator.Front, 5); !errors.Is(err, ErrBusy) {
		t.Errorf("hold in flight: %v", err)
	}
}

// RD-14: both doors open at G, each keeps its own time, and the car waits for both.
func TestTwoDoors(t *testing.T) {
	b := bench(t)
	must(t, b.CarCall("L1", 2))
	open := 0.5 + 4.6779 + 0.7 + 1.8
	b.Advance(at(open + 0.1))
	s := b.Car("L1")
	if s.Doors[elevator.Front].State != elevator.DoorOpen || s.Doors[elevator.Rear].State != elevator.DoorOpen {
		t.Fatalf("at G: %+v", s)
	}
	must(t, b.Hold("L1", elevator.Rear, 20))
	must(t, b.CarCall("L1", 5))
	turns(t, b, open+2+2.4, elevator.DoorClosing, elevator.DoorClosed)
	b.Advance(at(open + 20))
	if s := b.Car("L1"); s.Doors[elevator.Rear].State != elevator.DoorOpen || s.Motion != elevator.Stopped {
		t.Errorf("with the rear door held: %+v", s)
	}
	b.Advance(at(open + 0.1 + 20 + 2.4 + 0.5 + 1))
	if s := b.Car("L1"); s.Motion != elevator.MovingUp {
		t.Errorf("both doors closed: %+v", s)
	}
}

// SM-3: a stuck door shows code 3 once it is 3 s late, and the car stays.
func TestStuckDoor(t *testing.T) {
	b := bench(t)
	must(t, b.StickDoor("L1", elevator.Front, true))
	must(t, b.LandingCall("L1", 1, elevator.Up))
	must(t, b.CarCall("L1", 5))
	b.Advance(at(1.8 + 2.9))
	if s := b.Car("L1"); s.Error != CodeNone || s.Doors[elevator.Front].State != elevator.DoorClosed {
		t.Errorf("not yet late: %+v", s)
	}
	b.Advance(at(1.8 + 3.1))
	if s := b.Car("L1"); s.Error != CodeDoor || s.Motion != elevator.Stopped {
		t.Errorf("late: %+v", s)
	}
	b.Advance(at(100))
	must(t, b.StickDoor("L1", elevator.Front, false))
	turns(t, b, 101.8, elevator.DoorOpening, elevator.DoorOpen)
	if s := b.Car("L1"); s.Error != CodeNone {
		t.Errorf("mended: %+v", s)
	}
}

// SM-1: stuck half way while closing it stays there, and the car with it.
func TestStuckHalfWay(t *testing.T) {
	b := opened(t)
	must(t, b.CarCall("L1", 5))
	b.Advance(at(3.8 + 1.2))
	must(t, b.StickDoor("L1", elevator.Front, true))
	b.Advance(at(60))
	s := b.Car("L1")
	if s.Doors[elevator.Front].Open != 0.5 || s.Motion != elevator.Stopped || s.Error != CodeDoor {
		t.Errorf("stuck half way: %+v", s)
	}
}

// SM-1, RD-12: the bench lift may carry 630 kg and shows overload above 705.
func TestOverload(t *testing.T) {
	b := opened(t)
	must(t, b.CarCall("L1", 5))
	b.Advance(at(3.8 + 1.2))
	must(t, b.SetLoad("L1", 705))
	if s := b.Car("L1"); s.Overload || s.Doors[elevator.Front].State != elevator.DoorClosing {
		t.Errorf("705 kg: %+v", s)
	}
	must(t, b.SetLoad("L1", 706))
	turns(t, b, 5.9, elevator.DoorOpening, elevator.DoorOpen)
	b.Advance(at(60))
	if s := b.Car("L1"); !s.Overload || s.LoadKg != 706 || s.Doors[elevator.Front].State != elevator.DoorOpen {
		t.Errorf("706 kg: %+v", s)
	}
	must(t, b.SetLoad("L1", 100))
	turns(t, b, 62.4, elevator.DoorClosing, elevator.DoorClosed)
	b.Advance(at(64))
	if s := b.Car("L1"); s.Motion != elevator.MovingUp {
		t.Errorf("100 kg: %+v", s)
	}
}

// SM-1: too much gets in during the start delay: it does not leave, it opens.
func TestOverloadInTheStartDelay(t *testing.T) {
	b := bench(t)
	must(t, b.CarCall("L1", 5))
	b.Advance(at(0.2))
	must(t, b.SetLoad("L1", 706))
	turns(t, b, 2.3, elevator.DoorOpening, elevator.DoorOpen)
	b.Advance(at(60))
	if s := b.Car("L1"); s.PositionMM != 0 || !s.Car.Has(5) {
		t.Errorf("left overloaded: %+v", s)
	}
}

// SM-1: a car that stops on its way up leaves the lamp downwards lit; pressed
// where it stands open, that goes out too.
func TestLampAgainstTheWay(t *testing.T) {
	b := bench(t)
	must(t, b.CarCall("L1", 5))
	must(t, b.LandingCall("L1", 3, elevator.Up))
	must(t, b.LandingCall("L1", 3, elevator.Down))
	stands(t, b, 7.4740, 3)
	if s := b.Car("L1"); s.Up.Has(3) || !s.Down.Has(3) {
		t.Fatalf("stopped on the way up: %+v", s)
	}
	must(t, b.LandingCall("L1", 3, elevator.Down))
	if s := b.Car("L1"); s.Down.Has(3) {
		t.Errorf("pressed where it stands: %+v", s)
	}
}
