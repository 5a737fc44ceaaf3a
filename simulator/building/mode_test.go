package building

import (
	"errors"
	"testing"

	"hoistway/fsm/elevator"
)

// RD-12: fire 1.5 s into the flight to 3 can still be met at G, where the
// motion of 3.8 m parts at 0.7143 + 0.9104 s: there at 0.5 + 4.6779 + 0.7.
func TestFireOnTheWay(t *testing.T) {
	b := bench(t)
	must(t, b.CarCall("L1", 5))
	b.Advance(at(2))
	must(t, b.SetMode("L1", elevator.Fire))
	stands(t, b, 5.8779, 2)
	turns(t, b, 7.6779, elevator.DoorOpening, elevator.DoorOpen)
	b.Advance(at(300))
	s := b.Car("L1")
	if s.Doors[elevator.Front].State != elevator.DoorOpen || s.Doors[elevator.Rear].State != elevator.DoorOpen || s.Mode != elevator.Fire {
		t.Errorf("recalled: %+v", s)
	}
	if err := b.CarCall("L1", 5); !errors.Is(err, ErrBusy) || b.Car("L1").Error != CodeBusy {
		t.Errorf("a call in fire: %v, %+v", err, b.Car("L1"))
	}
	if err := b.Hold("L1", elevator.Front, 5); !errors.Is(err, ErrBusy) {
		t.Errorf("a hold in fire: %v", err)
	}
}

// RD-12: a recall landing ahead is met without a stop before it: three floors in
// 0.5 + 7.7743 + 0.7, though G could have been had.
func TestFireRecallAhead(t *testing.T) {
	c := Bench()
	c.Cars[0].Recall = "2"
	b, err := New(c)
	must(t, err)
	must(t, b.CarCall("L1", 5))
	b.Advance(at(2))
	must(t, b.SetMode("L1", elevator.Fire))
	stands(t, b, 8.9743, 4)
}

// RD-12: half a second later G is passed; the car stops at the next landing with
// its doors closed, and comes back: at 1 after 7.4740 s, at G 0.5 + 4.6779 + 0.7 s later.
func TestFirePastTheRecall(t *testing.T) {
	b := bench(t)
	must(t, b.CarCall("L1", 5))
	b.Advance(at(2.5))
	must(t, b.SetMode("L1", elevator.Fire))
	stands(t, b, 7.4740, 3)
	if s := b.Car("L1"); s.Car != 0 || s.Doors[elevator.Front].State != elevator.DoorClosed {
		t.Errorf("on the way back: %+v", s)
	}
	stands(t, b, 7.4740+5.8779, 2)
	turns(t, b, 7.4740+5.8779+1.8, elevator.DoorOpening, elevator.DoorOpen)
}

// RD-12: an open door closes at once, hold or not, but not on an obstacle.
func TestFireAtAnOpenDoor(t *testing.T) {
	b := opened(t)
	b.Advance(at(2))
	must(t, b.Hold("L1", elevator.Front, 30))
	must(t, b.Obstruct("L1", elevator.Front, true))
	must(t, b.SetMode("L1", elevator.Fire))
	b.Advance(at(10))
	if s := b.Car("L1"); s.Doors[elevator.Front].State != elevator.DoorOpen || s.Doors[elevator.Front].Hold != 0 {
		t.Errorf("obstructed in fire: %+v", s)
	}
	must(t, b.Obstruct("L1", elevator.Front, false))
	turns(t, b, 12.4, elevator.DoorClosing, elevator.DoorClosed)
	stands(t, b, 12.4+5.8779, 2)
	must(t, b.SetMode("L1", elevator.Normal))
	b.Advance(at(60))
	if s := b.Car("L1"); s.Doors[elevator.Front].State != elevator.DoorClosed || s.Mode != elevator.Normal {
		t.Errorf("normal again: %+v", s)
	}
}

// SM-1, RD-12: the stop switch 4 s into the flight. By hand: at 4.0179 +
// 2.5·0.7857 = 5.9821 m, 2.5 m/s; 1 s and 1.25 m later it stands at 7.232 m.
func TestEmergencyStop(t *testing.T) {
	b := bench(t)
	must(t, b.CarCall("L1", 5))
	b.Advance(at(4.5))
	must(t, b.SetMode("L1", elevator.EmergencyStop))
	b.Advance(at(5.4))
	if s := b.Car("L1"); s.Motion != elevator.MovingUp || !s.Stop {
		t.Errorf("braking: %+v", s)
	}
	b.Advance(at(5.51))
	s := b.Car("L1")
	if s.Motion != elevator.Stopped || s.Floor != 0 || s.PositionMM != 7232 || s.Speed != 0 || s.Car != 0 {
		t.Errorf("stopped: %+v", s)
	}
	b.Advance(at(10))
	if got := b.Car("L1"); got != s {
		t.Errorf("changed while stopped:\n%+v\n%+v", got, s)
	}
	// 0.3679 m to the nearest landing: (32·0.3679/1.4)^⅓ = 2.0335 s.
	must(t, b.SetMode("L1", elevator.Normal))
	stands(t, b, 10+0.5+2.0335+0.7, 3)
	turns(t, b, 10+0.5+2.0335+0.7+1.8, elevator.DoorOpening, elevator.DoorOpen)
}

// SM-1: without power the panels stay where they are, and go on with it.
func TestInspectionAtAnOpenDoor(t *testing.T) {
	b := opened(t)
	b.Advance(at(0.9))
	must(t, b.SetMode("L1", elevator.Inspection))
	b.Advance(at(50))
	s := b.Car("L1")
	if s.Doors[elevator.Front].Open != 0.5 || s.Doors[elevator.Front].State != elevator.DoorOpening || s.Error != CodeNone {
		t.Errorf("in inspection: %+v", s)
	}
	must(t, b.SetMode("L1", elevator.Normal))
	turns(t, b, 50.9, elevator.DoorOpening, elevator.DoorOpen)
}

// RD-12: independent: no landing calls, and the doors wait for a car call.
func TestIndependent(t *testing.T) {
	b := bench(t)
	must(t, b.LandingCall("L1", 4, elevator.Up))
	must(t, b.SetMode("L1", elevator.Independent))
	if s := b.Car("L1"); s.Up != 0 {
		t.Errorf("a landing call outlived the switch: %+v", s)
	}
	if err := b.LandingCall("L1", 4, elevator.Up); !errors.Is(err, ErrBusy) {
		t.Errorf("a landing call: %v", err)
	}
	must(t, b.CarCall("L1", 3))
	b.Advance(at(100))
	if s := b.Car("L1"); s.Floor != 3 || s.Doors[elevator.Front].State != elevator.DoorOpen {
		t.Errorf("at the called landing: %+v", s)
	}
	must(t, b.CarCall("L1", 1))
	b.Advance(at(200))
	if s := b.Car("L1"); s.Floor != 1 {
		t.Errorf("did not leave: %+v", s)
	}
}

// RD-12: seismic and out of service stop at the next landing; the one stays open,
// the other opens once.
func TestStopAtTheNextLanding(t *testing.T) {
	for _, c := range []struct {
		mode elevator.Mode
		end  elevator.Door
	}{{elevator.Seismic, elevator.DoorOpen}, {elevator.OutOfService, elevator.DoorClosed}} {
		b := bench(t)
		must(t, b.CarCall("L1", 5))
		b.Advance(at(2.5)) // G is passed
		must(t, b.SetMode("L1", c.mode))
		stands(t, b, 7.4740, 3)
		turns(t, b, 7.4740+1.8, elevator.DoorOpening, elevator.DoorOpen)
		b.Advance(at(100))
		if s := b.Car("L1"); s.Doors[elevator.Front].State != c.end || s.Floor != 3 || b.Next() != 0 {
			t.Errorf("%v: %+v", c.mode, s)
		}
	}
}

// RD-12: doors that are open anyway are not opened once more.
func TestOutOfServiceAtAnOpenDoor(t *testing.T) {
	b := opened(t)
	b.Advance(at(2))
	must(t, b.SetMode("L1", elevator.OutOfService))
	turns(t, b, 6.2, elevator.DoorClosing, elevator.DoorClosed)
	if b.Next() != 0 {
		t.Errorf("parked, and still something is to happen at %v", b.Next())
	}
}

// RD-12: a switch turned in the start delay outranks what the car was about to do.
func TestModeInTheStartDelay(t *testing.T) {
	for _, c := range []struct {
		mode  elevator.Mode
		place int32
		door  elevator.Door
	}{
		{elevator.EmergencyStop, 0, elevator.DoorClosed},
		{elevator.Seismic, 0, elevator.DoorOpen},
		{elevator.Fire, 3800, elevator.DoorOpen},
	} {
		b := bench(t)
		must(t, b.CarCall("L1", 5))
		b.Advance(at(0.2))
		must(t, b.SetMode("L1", c.mode))
		b.Advance(at(60))
		if s := b.Car("L1"); s.PositionMM != c.place || s.Doors[elevator.Front].State != c.door || s.Target != 0 {
			t.Errorf("%v: %+v", c.mode, s)
		}
	}
}

func TestModeMustBeOne(t *testing.T) {
	b := bench(t)
	for _, m := range []elevator.Mode{elevator.ModeUnknown, elevator.OutOfService + 1} {
		if err := b.SetMode("L1", m); !errors.Is(err, ErrRange) {
			t.Errorf("mode %v: %v", m, err)
		}
	}
}
