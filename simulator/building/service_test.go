package building

import (
	"errors"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

// SM-1: fire phase 2. Recalled to G at 7.678 s; a firefighter gets in at 20 s and
// goes up: doors closed at 22.4, start 0.5, 11.4 m in 7.7743, levelling 0.7.
func TestFirefighter(t *testing.T) {
	b := bench(t)
	must(t, b.SetMode("L1", elevator.Fire))
	b.Advance(at(20))
	must(t, b.SetFirefighter("L1", true))
	b.Advance(at(20))
	if err := b.LandingCall("L1", 4, elevator.Up); !errors.Is(err, ErrBusy) {
		t.Errorf("a landing call: %v", err)
	}
	must(t, b.CarCall("L1", 3))
	must(t, b.CarCall("L1", 5)) // the last alone counts
	turns(t, b, 22.4, elevator.DoorClosing, elevator.DoorClosed)
	stands(t, b, 22.4+0.5+7.7743+0.7, 5)
	b.Advance(at(40))
	s := b.Shown("L1")
	if s.Doors[elevator.Front].State != elevator.DoorClosed || s.Mode != elevator.Fire || s.Car != 0 {
		t.Errorf("arrived: %+v", s)
	}
	must(t, b.OpenButton("L1", true)) // let go half way: 0.9 s up, 1.2 s back
	b.Advance(at(40.9))
	must(t, b.OpenButton("L1", false))
	turns(t, b, 42.1, elevator.DoorClosing, elevator.DoorClosed)
	b.Advance(at(50))
	must(t, b.OpenButton("L1", true))
	turns(t, b, 51.8, elevator.DoorOpening, elevator.DoorOpen)
	must(t, b.OpenButton("L1", false))
	if err := b.Hold("L1", elevator.Front, 5); !errors.Is(err, ErrBusy) {
		t.Errorf("a hold: %v", err)
	}
	b.Advance(at(100))
	if s := b.Car("L1"); s.Doors[elevator.Front].State != elevator.DoorOpen {
		t.Errorf("does not stay open: %+v", s)
	}
	must(t, b.SetFirefighter("L1", false)) // still fire: back to the recall landing
	b.Advance(at(130))
	if s := b.Car("L1"); s.Floor != 2 || s.Doors[elevator.Front].State != elevator.DoorOpen {
		t.Errorf("recalled again: %+v", s)
	}
}

// SM-1: the switch of phase 2 on a car that was not recalled recalls it first.
func TestFirefighterComesByTheRecall(t *testing.T) {
	b := bench(t)
	must(t, b.CarCall("L1", 5))
	b.Advance(at(20))
	must(t, b.SetFirefighter("L1", true))
	if err := b.CarCall("L1", 4); !errors.Is(err, ErrBusy) {
		t.Errorf("a car call before the recall: %v", err)
	}
	b.Advance(at(60))
	if s := b.Car("L1"); s.Floor != 2 || s.Doors[elevator.Front].State != elevator.DoorOpen || s.Mode != elevator.Fire {
		t.Errorf("recalled: %+v", s)
	}
	must(t, b.CarCall("L1", 4))
	b.Advance(at(90))
	if s := b.Car("L1"); s.Floor != 4 || s.Doors[elevator.Front].State != elevator.DoorClosed {
		t.Errorf("driven: %+v", s)
	}
}

// SM-1: on the generator the cars come to G one after another, the first from
// between landings; then only the selected one runs.
func TestEmergencyPower(t *testing.T) {
	c := Bench()
	c.Emergency = Emergency{Landing: "G", Selected: []string{"L2"}}
	b, err := New(c)
	must(t, err)
	must(t, b.CarCall("L1", 5))
	b.Advance(at(4.5))
	must(t, b.SetEmergencyPower("L2", true))
	must(t, b.SetEmergencyPower("L1", true))
	var open []string
	for n := b.Next(); n != 0; n = b.Next() {
		b.Advance(n)
		one, two := b.Car("L1"), b.Car("L2")
		if one.Motion != elevator.Stopped && two.Motion != elevator.Stopped && b.Now() > at(5.5) {
			t.Fatalf("both move:\n%+v\n%+v", one, two)
		}
		for _, s := range []CarState{one, two} {
			if s.Floor == 2 && s.Doors[elevator.Front].State == elevator.DoorOpen && (len(open) == 0 || open[len(open)-1] != s.ID) {
				open = append(open, s.ID)
			}
		}
	}
	if len(open) != 2 || open[0] == open[1] {
		t.Fatalf("opened at G: %v", open)
	}
	if err := b.CarCall("L1", 5); !errors.Is(err, ErrBusy) {
		t.Errorf("the lift that is not selected: %v", err)
	}
	must(t, b.CarCall("L2", 5))
	b.Advance(b.Now() + at(60))
	if one, two := b.Shown("L1"), b.Shown("L2"); one.Floor != 2 || two.Floor != 5 ||
		one.Mode != elevator.OutOfService || two.Mode != elevator.OutOfService {
		t.Errorf("on the generator:\n%+v\n%+v", one, two)
	}
	must(t, b.SetEmergencyPower("L1", false))
	must(t, b.SetEmergencyPower("L2", false))
	must(t, b.CarCall("L1", 5))
	b.Advance(b.Now() + at(60))
	if s := b.Shown("L1"); s.Floor != 5 || s.Mode != elevator.Normal {
		t.Errorf("mains again: %+v", s)
	}
}

// SM-1: doors begin to open 0.5 s before it is level. From when they start to
// close at 3.8 s to open at the next stop: close 2.4, start 0.5, flight 9.2943,
// levelling 0.7, open 1.8, less 0.5.
func TestAdvanceOpening(t *testing.T) {
	c := Bench()
	c.Cars[0].AdvanceOpening = 500 * time.Millisecond
	b, err := New(c)
	must(t, err)
	must(t, b.LandingCall("L1", 1, elevator.Up))
	must(t, b.CarCall("L1", 5))
	level := 3.8 + 2.4 + 0.5 + 9.2943 + 0.7
	turns(t, b, level-0.5, elevator.DoorClosed, elevator.DoorOpening)
	if s := b.Car("L1"); s.Motion != elevator.MovingUp || s.Speed != 0 || s.PositionMM != 15200 || s.Car != 0 {
		t.Errorf("opening in advance: %+v", s)
	}
	stands(t, b, level, 5)
	turns(t, b, level+1.8-0.5, elevator.DoorOpening, elevator.DoorOpen)
	turns(t, b, level+1.8-0.5+2, elevator.DoorOpen, elevator.DoorClosing)
}

// SM-1: fire in the last half second: the doors that were opening close again.
func TestFireWhileOpeningInAdvance(t *testing.T) {
	c := Bench()
	c.Cars[0].AdvanceOpening = 700 * time.Millisecond
	b, err := New(c)
	must(t, err)
	must(t, b.CarCall("L1", 5))
	b.Advance(at(0.5 + 9.2943 + 0.3))
	must(t, b.SetMode("L1", elevator.Fire))
	b.Advance(at(60))
	if s := b.Car("L1"); s.Floor != 2 || s.Doors[elevator.Front].State != elevator.DoorOpen {
		t.Errorf("%+v", s)
	}
}
