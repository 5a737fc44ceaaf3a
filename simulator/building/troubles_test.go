package building

import (
	"errors"
	"fmt"
	"reflect"
	"testing"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"
)

func ill(t *testing.T, b *Building, kind, arg string) {
	t.Helper()
	must(t, b.Inject(faults.Fault{Kind: kind, Target: "L1", Arg: arg}))
}

// SM-3: a fault of a mode is the mode while it is on, and normal use after it; of
// two the graver one shows.
func TestFaultsThatAreModes(t *testing.T) {
	for kind, want := range map[string]elevator.Mode{
		"fire": elevator.Fire, "fire-phase-2": elevator.Fire, "inspection": elevator.Inspection,
		"independent": elevator.Independent, "seismic": elevator.Seismic, "emergency-stop": elevator.EmergencyStop,
		"emergency-power": elevator.OutOfService, "out-of-service": elevator.OutOfService,
	} {
		b := bench(t)
		must(t, b.CarCall("L1", 5))
		b.Advance(at(3))
		ill(t, b, "independent", "")
		must(t, b.Inject(faults.Fault{Kind: kind, Target: "L1", For: 20 * time.Second}))
		if got := b.Shown("L1").Mode; got != want {
			t.Errorf("%s shows %v, want %v", kind, got, want)
		}
		if b.Car("L2").Mode != elevator.Normal {
			t.Errorf("%s: the other lift is %v", kind, b.Car("L2").Mode)
		}
		b.Advance(at(23.1))
		rest := elevator.Independent
		if kind == "independent" { // begun anew, with an end
			rest = elevator.Normal
		}
		if got := b.Shown("L1").Mode; got != rest {
			t.Errorf("after %s: %v, want %v", kind, got, rest)
		}
		b.Clear("L1", "")
		if b.Shown("L1").Mode != elevator.Normal || len(b.Faults()) != 0 {
			t.Errorf("cleared: %v, %+v", b.Shown("L1").Mode, b.Faults())
		}
		b.Advance(at(60))
		must(t, b.CarCall("L1", 3))
		b.Advance(at(120))
		if s := b.Car("L1"); s.Car != 0 || s.Floor != 3 {
			t.Errorf("after %s no ride: %+v", kind, s)
		}
	}
}

// SM-3: calls are taken, their lamps burn, and the car stays where it is, even for
// one at its own landing.
func TestNoShow(t *testing.T) {
	b := bench(t)
	ill(t, b, "no-show", "")
	must(t, b.LandingCall("L1", 4, elevator.Up))
	must(t, b.CarCall("L1", 1))
	b.Advance(at(300))
	s := b.Shown("L1")
	if !s.Up.Has(4) || !s.Car.Has(1) || s.PositionMM != 0 || s.Doors[elevator.Front].State != elevator.DoorClosed || s.Error != CodeNone {
		t.Errorf("%+v", s)
	}
	b.Clear("L1", "no-show")
	b.Advance(at(330))
	if s := b.Car("L1"); s.Up|s.Car != 0 || s.Floor != 4 {
		t.Errorf("cleared: %+v", s)
	}
}

// SM-3: the first of two flights ends one landing too far, opens there, and takes
// the call for answered; the place shown is the true one. At the top it can only be
// one short.
func TestWrongFloor(t *testing.T) {
	for _, c := range []struct{ call, opens elevator.Floor }{{3, 4}, {5, 4}} {
		b := bench(t)
		must(t, b.Inject(faults.Fault{Kind: "wrong-floor", Target: "L1", Times: 1}))
		must(t, b.CarCall("L1", c.call))
		b.Advance(at(12))
		s := b.Shown("L1")
		if s.Floor != c.opens || s.PositionMM != 3800*int32(c.opens-1) || s.Car != 0 || s.Doors[elevator.Front].State != elevator.DoorOpen {
			t.Errorf("called to %v: %+v", c.call, s)
		}
		if len(b.Faults()) != 0 {
			t.Errorf("still on: %+v", b.Faults())
		}
		b.Advance(at(60))
		must(t, b.CarCall("L1", c.call))
		b.Advance(at(120))
		if s := b.Car("L1"); s.Floor != c.call || s.Car != 0 {
			t.Errorf("the second flight to %v: %+v", c.call, s)
		}
	}
}

// SM-3: a taken call burns for 2 s, and is gone.
func TestCallDrops(t *testing.T) {
	b := bench(t)
	must(t, b.Inject(faults.Fault{Kind: "call-drops", Target: "L2", Times: 1, From: 2}))
	must(t, b.Inject(faults.Fault{Kind: "no-show", Target: "L2"})) // so that it stays
	must(t, b.LandingCall("L2", 4, elevator.Up))
	b.Advance(at(3))
	must(t, b.LandingCall("L2", 5, elevator.Down))
	b.Advance(at(4.9))
	if s := b.Car("L2"); !s.Down.Has(5) {
		t.Errorf("gone too soon: %+v", s)
	}
	b.Advance(at(5.1))
	if s := b.Car("L2"); s.Down != 0 {
		t.Errorf("still there: %+v", s)
	}
	must(t, b.LandingCall("L2", 5, elevator.Down))
	b.Advance(at(9))
	if s := b.Car("L2"); !s.Down.Has(5) {
		t.Errorf("the third call: %+v", s)
	}
}

// SM-3
func TestCallRefused(t *testing.T) {
	b := bench(t)
	ill(t, b, "call-refused", "2")
	ill(t, b, "call-refused", "3")
	if err := b.CarCall("L1", 4); !errors.Is(err, ErrLocked) || b.Shown("L1").Error != CodeLocked {
		t.Errorf("%v, code %d", err, b.Shown("L1").Error)
	}
	must(t, b.CarCall("L1", 3))
	if s := b.Car("L1"); !s.Locked.Has(4) || !s.Locked.Has(5) || s.Locked.Has(3) {
		t.Errorf("locked %b", s.Locked)
	}
	b.Clear("L1", "call-refused")
	must(t, b.CarCall("L1", 4))
}

// SM-3: of three closings two meet something half way, 1.2 s after they began, and
// are open again 0.9 s later, free. Open at 1.8, closing at 3.8, again open at 5.9;
// closing at 7.9, open at 10; closing at 12, closed at 14.4.
func TestDoorReopens(t *testing.T) {
	b := bench(t)
	ill(t, b, "door-reopens", "2")
	must(t, b.LandingCall("L1", 1, elevator.Up))
	turns(t, b, 3.8, elevator.DoorOpen, elevator.DoorClosing)
	turns(t, b, 5.0, elevator.DoorClosing, elevator.DoorOpening)
	if !b.Car("L1").Obstacle {
		t.Error("nothing stands in the doorway")
	}
	turns(t, b, 5.9, elevator.DoorOpening, elevator.DoorOpen)
	if b.Car("L1").Obstacle {
		t.Error("something still stands in the doorway")
	}
	turns(t, b, 7.9, elevator.DoorOpen, elevator.DoorClosing)
	turns(t, b, 9.1, elevator.DoorClosing, elevator.DoorOpening)
	turns(t, b, 12.0, elevator.DoorOpen, elevator.DoorClosing)
	turns(t, b, 14.4, elevator.DoorClosing, elevator.DoorClosed)
}

// SM-3: what is stuck or blocked by a fault and by hand stays so until both have ended.
func TestDoorStuckAndBlocked(t *testing.T) {
	b := opened(t)
	b.Advance(at(2))
	ill(t, b, "door-blocked", "front")
	must(t, b.Obstruct("L1", elevator.Front, true))
	b.Advance(at(10))
	if s := b.Shown("L1"); !s.Obstacle || s.Doors[elevator.Front].State != elevator.DoorOpen {
		t.Errorf("blocked: %+v", s)
	}
	must(t, b.Obstruct("L1", elevator.Front, false))
	if !b.Car("L1").Obstacle {
		t.Error("taken out by hand, the fault's is gone too")
	}
	b.Clear("L1", "door-blocked")
	turns(t, b, 12.4, elevator.DoorClosing, elevator.DoorClosed)
	must(t, b.LandingCall("L1", 1, elevator.Up))
	b.Advance(b.Now() + at(0.9))
	ill(t, b, "door-stuck", "front")
	b.Advance(at(60))
	if s := b.Shown("L1"); s.Error != CodeDoor || s.Doors[elevator.Front].Open != 0.5 {
		t.Errorf("stuck: %+v", s)
	}
	b.Clear("L1", "door-stuck")
	turns(t, b, 60.9, elevator.DoorOpening, elevator.DoorOpen)
}

// SM-3: the first opening knows no dwell, unless it is held; the second does.
func TestDoorClosesEarly(t *testing.T) {
	b := bench(t)
	must(t, b.Inject(faults.Fault{Kind: "door-closes-early", Target: "L1", Times: 2}))
	must(t, b.LandingCall("L1", 1, elevator.Up))
	turns(t, b, 1.8, elevator.DoorOpening, elevator.DoorClosing)
	turns(t, b, 4.2, elevator.DoorClosing, elevator.DoorClosed)
	b.Advance(at(10))
	must(t, b.LandingCall("L1", 1, elevator.Up))
	must(t, b.Hold("L1", elevator.Front, 5))
	turns(t, b, 15, elevator.DoorOpen, elevator.DoorClosing)
	b.Advance(at(20))
	must(t, b.LandingCall("L1", 1, elevator.Up))
	turns(t, b, 23.8, elevator.DoorOpen, elevator.DoorClosing)
}

// SM-3: the first hold is acknowledged, and the door closes after its dwell.
func TestHoldIgnored(t *testing.T) {
	b := opened(t)
	must(t, b.Inject(faults.Fault{Kind: "hold-ignored", Target: "L1", Times: 1}))
	b.Advance(at(2))
	must(t, b.Hold("L1", elevator.Front, 20))
	turns(t, b, 3.8, elevator.DoorOpen, elevator.DoorClosing)
	must(t, b.LandingCall("L1", 1, elevator.Up))
	b.Advance(at(5))
	must(t, b.Hold("L1", elevator.Front, 20))
	turns(t, b, 25, elevator.DoorOpen, elevator.DoorClosing)
}

// SM-3
func TestOverloadByFault(t *testing.T) {
	b := opened(t)
	must(t, b.CarCall("L1", 5))
	b.Advance(at(5))
	ill(t, b, "overload", "")
	b.Advance(at(60))
	if s := b.Shown("L1"); !s.Overload || s.LoadKg != 0 || s.Doors[elevator.Front].State != elevator.DoorOpen {
		t.Errorf("%+v", s)
	}
	b.Clear("L1", "overload")
	b.Advance(at(80))
	if s := b.Car("L1"); s.Overload || s.Floor != 5 {
		t.Errorf("cleared: %+v", s)
	}
}

// SM-3: what cannot be is refused with its reason, and nothing has changed.
func TestFaultsThatCannotBe(t *testing.T) {
	b := bench(t)
	for _, c := range []struct {
		f    faults.Fault
		want error
	}{
		{faults.Fault{Kind: "fire", Target: "L9"}, ErrNoCar},
		{faults.Fault{Kind: "call-refused", Target: "L1", Arg: "17"}, ErrNoLanding},
		{faults.Fault{Kind: "door-stuck", Target: "L1", Arg: "left"}, ErrNoDoor},
		{faults.Fault{Kind: "door-stuck", Target: "L1", Arg: "back"}, faults.ErrArg},
		{faults.Fault{Kind: "fie", Target: "L1"}, faults.ErrKind},
	} {
		if err := b.Inject(c.f); !errors.Is(err, c.want) {
			t.Errorf("%v: %v, want %v", c.f, err, c.want)
		}
	}
	for _, k := range faults.Catalogue() {
		if k.Family != faults.Controller && b.Inject(faults.Fault{Kind: k.Name, Target: "L1"}) == nil {
			t.Errorf("%s was taken", k.Name)
		}
	}
	if len(b.Faults()) != 0 || b.Next() != 0 {
		t.Errorf("%+v", b.Faults())
	}
	b.Clear("L1", "") // nothing to clear
}

// SM-3: every kind of a controller has been carried out: the car or what it shows
// differs from a healthy one in a script that meets them all.
func TestEveryControllerFaultDoesSomething(t *testing.T) {
	script := func(f *faults.Fault) (seen []string, events int) {
		b := bench(t)
		if f != nil {
			must(t, b.Inject(*f))
		}
		_ = b.CarCall("L1", 4) // refusals show in the picture
		_ = b.LandingCall("L1", 1, elevator.Up)
		for i := range 60 {
			b.Advance(elevator.Instant(i+1) * elevator.Instant(time.Second))
			if i == 1 {
				_ = b.Hold("L1", elevator.Front, 3)
			}
			seen = append(seen, fmt.Sprintf("%+v %+v", b.Shown("L1"), b.Car("L1")))
		}
		return seen, len(b.FaultEvents())
	}
	healthy, _ := script(nil)
	for _, k := range faults.Catalogue() {
		if k.Family != faults.Controller {
			continue
		}
		f := faults.Fault{Kind: k.Name, Target: "L1", Seed: 7}
		if k.Takes == faults.Landing {
			f.Arg = "2"
		}
		one, events := script(&f)
		if reflect.DeepEqual(one, healthy) || events == 0 {
			t.Errorf("%s did nothing, %d events", k.Name, events)
		}
		if again, _ := script(&f); !reflect.DeepEqual(one, again) {
			t.Errorf("%s: the same seed gave another run", k.Name)
		}
	}
}
