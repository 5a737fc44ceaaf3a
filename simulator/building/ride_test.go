package building

import (
	"errors"
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

func at(sec float64) elevator.Instant { return seconds(sec) }

// tick is how far a figure worked out to four places may be off.
const tick = elevator.Instant(time.Millisecond)

// turns asks that the front door of L1 shows before until just before the
// instant sec, and after from just after it.
func turns(t *testing.T, b *Building, sec float64, before, after elevator.Door) {
	t.Helper()
	for _, c := range []struct {
		at   elevator.Instant
		want elevator.Door
	}{{at(sec) - tick, before}, {at(sec) + tick, after}} {
		b.Advance(c.at)
		if got := b.Car("L1").Doors[elevator.Front].State; got != c.want {
			t.Errorf("front door %v at %v, want %v", got, time.Duration(c.at), c.want)
		}
	}
}

func stands(t *testing.T, b *Building, sec float64, f elevator.Floor) {
	t.Helper()
	for _, c := range []struct {
		at   elevator.Instant
		want bool
	}{{at(sec) - tick, false}, {at(sec) + tick, true}} {
		b.Advance(c.at)
		s := b.Car("L1")
		if got := s.Motion == elevator.Stopped && s.Floor == f; got != c.want {
			t.Errorf("stands at %v is %v at %v, want %v: %+v", f, got, time.Duration(c.at), c.want, s)
		}
	}
}

// SM-1: a robot's whole ride, worked out by hand: car 5 floors above, start 0.5,
// flights 10.8143 and 18.4143, levelling 0.7, open 1.8, close 3.0, the robot 12 s
// to enter and to leave, 10 floors.
func TestRideTimeline(t *testing.T) {
	c := Bench()
	car := &c.Cars[0]
	car.Landings = nil
	for i := range 16 {
		car.Landings = append(car.Landings, Landing{
			Label: string(rune('a' + i)), Wire: i + 1, HeightMM: 3800 * i, Doors: []elevator.Side{elevator.Front},
		})
	}
	car.Start, car.Recall = "p", "a"
	car.DoorClose, car.DwellCar, car.DwellLanding = 3*time.Second, 12*time.Second, 12*time.Second
	b, err := New(c)
	must(t, err)
	must(t, b.LandingCall("L1", 11, elevator.Down))
	turns(t, b, 13.8143, elevator.DoorOpening, elevator.DoorOpen)
	must(t, b.CarCall("L1", 1))
	turns(t, b, 25.8143, elevator.DoorOpen, elevator.DoorClosing)
	turns(t, b, 28.8143, elevator.DoorClosing, elevator.DoorClosed)
	turns(t, b, 50.2286, elevator.DoorOpening, elevator.DoorOpen)
	turns(t, b, 62.2286, elevator.DoorOpen, elevator.DoorClosing)
	turns(t, b, 65.2286, elevator.DoorClosing, elevator.DoorClosed)
	if b.Next() != 0 {
		t.Errorf("at rest, and still something is to happen at %v", b.Next())
	}
}

// SM-1: one step from the call to the end is the same ride.
func TestMotionIsSeenLive(t *testing.T) {
	b := bench(t)
	must(t, b.CarCall("L1", 5))
	b.Advance(at(0.4))
	if s := b.Car("L1"); s.Motion != elevator.Stopped || s.PositionMM != 0 || s.Target != 5 {
		t.Errorf("in the start delay: %+v", s)
	}
	b.Advance(at(0.5 + 4.6471429)) // half of the flight of 9.2943 s
	s := b.Car("L1")
	if s.Motion != elevator.MovingUp || s.PositionMM != 7600 || s.Floor != 3 || !s.Car.Has(5) {
		t.Errorf("half way: %+v", s)
	}
	near(t, "speed half way", s.Speed, 2.5, 1e-6)
	b.Advance(at(10.0)) // levelling lasts until 10.4943
	if s := b.Car("L1"); s.Motion != elevator.MovingUp || s.Speed != 0 || s.PositionMM != 15200 {
		t.Errorf("levelling: %+v", s)
	}
	stands(t, b, 10.4943, 5)
	if s := b.Car("L1"); s.Car.Has(5) {
		t.Error("the lamp burns on after the door began to open")
	}
}

// SM-1: a call in flight is taken while the motion to it is still the same. To
// landing 3, 7.6 m, constant acceleration ends 0.7143 + 1.7084 s into the flight,
// that is 2.9227 s after the call.
func TestNearerCallInFlight(t *testing.T) {
	for _, c := range []struct {
		press  float64
		stands float64
		floor  elevator.Floor
	}{
		{2.90, 0.5 + 6.2740 + 0.7, 3},
		{2.95, 0.5 + 9.2943 + 0.7, 5},
	} {
		b := bench(t)
		must(t, b.CarCall("L1", 5))
		b.Advance(at(c.press))
		must(t, b.LandingCall("L1", 3, elevator.Up))
		stands(t, b, c.stands, c.floor)
	}
}

// SM-1: simple collective control: up past a call downwards, which is served on
// the way back.
func TestCollective(t *testing.T) {
	b := bench(t)
	must(t, b.LandingCall("L1", 3, elevator.Down))
	must(t, b.CarCall("L1", 5))
	must(t, b.LandingCall("L1", 4, elevator.Up))
	var stops []elevator.Floor
	var last elevator.Floor
	for b.Next() != 0 {
		b.Advance(b.Next())
		s := b.Car("L1")
		if f := s.Floor; s.Doors[elevator.Front].State == elevator.DoorOpen && f != last {
			stops, last = append(stops, f), f
		}
	}
	want := []elevator.Floor{4, 5, 3}
	if len(stops) != 3 || stops[0] != want[0] || stops[1] != want[1] || stops[2] != want[2] {
		t.Errorf("stopped at %v, want %v", stops, want)
	}
}

func TestCancelInFlightGoesOn(t *testing.T) {
	b := bench(t)
	must(t, b.CarCall("L1", 5))
	b.Advance(at(5))
	must(t, b.CancelCar("L1", 5))
	stands(t, b, 10.4943, 5)
	b.Advance(at(30))
	if s := b.Car("L1"); s.Doors[elevator.Front].State != elevator.DoorClosed || b.Next() != 0 {
		t.Errorf("nobody called, and it opened: %+v", s)
	}
}

func TestCancelBeforeStart(t *testing.T) {
	b := bench(t)
	must(t, b.LandingCall("L1", 4, elevator.Down))
	must(t, b.CancelLanding("L1", 4))
	b.Advance(at(60))
	if s := b.Car("L1"); s.Floor != 1 || s.PositionMM != 0 {
		t.Errorf("went to a call that was taken back: %+v", s)
	}
}

func TestButtonsThatAreNotThere(t *testing.T) {
	b := bench(t)
	for what, err := range map[string]error{
		"up at the top":      b.LandingCall("L1", 5, elevator.Up),
		"down at the bottom": b.LandingCall("L1", 1, elevator.Down),
		"no direction":       b.LandingCall("L1", 3, elevator.DirectionUnknown),
		"landing 0":          b.CarCall("L1", 0),
		"landing 6":          b.CarCall("L1", 6),
		"cancel at 6":        b.CancelCar("L1", 6),
		"lock 0":             b.LockFloor("L1", 0, true),
	} {
		if !errors.Is(err, ErrNoLanding) {
			t.Errorf("%s: %v", what, err)
		}
	}
	if err := b.CarCall("L9", 1); !errors.Is(err, ErrNoCar) {
		t.Errorf("unknown car: %v", err)
	}
	if s := b.Car("L9"); s != (CarState{}) {
		t.Errorf("unknown car shows %+v", s)
	}
	if b.Next() != 0 {
		t.Error("a refused call set something going")
	}
}

// SM-3: a locked landing refuses, and the controller shows code 1 for 5 s.
func TestLockedLanding(t *testing.T) {
	b := bench(t)
	b.Advance(at(1))
	must(t, b.LockFloor("L1", 4, true))
	if err := b.CarCall("L1", 4); !errors.Is(err, ErrLocked) {
		t.Fatal(err)
	}
	if s := b.Car("L1"); s.Error != CodeLocked || s.Car != 0 {
		t.Errorf("after the refusal: %+v", s)
	}
	b.Advance(at(6.1))
	if s := b.Car("L1"); s.Error != CodeNone {
		t.Errorf("code %d still shows", s.Error)
	}
	must(t, b.LockFloor("L1", 4, false))
	must(t, b.CarCall("L1", 4))
}

func TestConfigSaysAllThatIsWrong(t *testing.T) {
	c := Bench()
	c.Cars[1].ID = "L1"
	c.Cars[0].Landings[2].Label = "G"
	c.Cars[0].Landings[3].Wire = 1
	c.Cars[0].Landings[4].HeightMM = 0
	c.Cars[0].Landings[1].Doors = []elevator.Side{elevator.Front, elevator.Front}
	c.Cars[0].Start = "17"
	c.Cars[1].Limits.Jerk = 0
	c.Cars[1].DoorOpen = 0
	c.Cars[1].RatedKg = -1
	_, err := New(c)
	if err == nil {
		t.Fatal("accepted")
	}
	for _, want := range []string{
		`id "L1"`, `label "G"`, "number 1 is", "height 0 mm", "named twice",
		`no landing "17"`, "jerk 0", "door opening 0s", "rated load -1",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not among\n%v", want, err)
		}
	}
	if _, err := New(Config{}); err == nil {
		t.Error("a building without a car was accepted")
	}
}

// BenchmarkRide lives through a call from G to 3 and back, doors and all.
func BenchmarkRide(b *testing.B) {
	h := bench(b)
	b.ReportAllocs()
	for b.Loop() {
		for _, f := range []elevator.Floor{5, 2} {
			if err := h.CarCall("L1", f); err != nil {
				b.Fatal(err)
			}
			for n := h.Next(); n != 0; n = h.Next() {
				h.Advance(n)
			}
		}
	}
}
