package elevator

import (
	"testing"
	"time"
)

// Never is no deadline: it is not reached, and adding to it does not make it one.
func TestInstant(t *testing.T) {
	const second = Instant(time.Second)
	if Instant(0).Add(time.Hour) != 0 || Instant(0).Reached(second) {
		t.Error("never became a deadline")
	}
	for _, c := range []struct {
		at, now Instant
		reached bool
		until   time.Duration
	}{
		{5 * second, 4 * second, false, time.Second},
		{5 * second, 5 * second, true, 0},
		{5 * second, 9 * second, true, 0},
		{-1, second, true, 0}, // passed in a process before this one
	} {
		if c.at.Reached(c.now) != c.reached || c.at.Until(c.now) != c.until {
			t.Errorf("%d at %d: reached %v, until %s", c.at, c.now, c.at.Reached(c.now), c.at.Until(c.now))
		}
	}
	if (7 * second).Sub(4*second) != 3*time.Second {
		t.Error("Sub")
	}
}

// RD-14: labels and controller numbers; what is not in the table is unknown.
func TestTable(t *testing.T) {
	table := Table{{Label: "B1", Wire: -1, Doors: []Side{Front}}, {Label: "G", Wire: 0, Doors: []Side{Front, Rear}}, {Label: "M", Wire: 5}}
	if table.ByLabel("G") != 2 || table.ByWire(0) != 2 || table.ByWire(-1) != 1 || table.Label(3) != "M" {
		t.Error("a landing is not found")
	}
	if table.ByLabel("g") != 0 || table.ByWire(4) != 0 || table.Label(0) != "" || table.Label(4) != "" {
		t.Error("a landing was found that is not there")
	}
	if n, ok := table.Wire(3); n != 5 || !ok {
		t.Errorf("wire %d, %v", n, ok)
	}
	if _, ok := table.Wire(0); ok {
		t.Error("the unknown floor has a number")
	}
	if !table.Opens(2, Rear) || table.Opens(1, Rear) || table.Opens(3, Front) || table.Opens(0, Front) || table.Opens(9, Front) {
		t.Error("Opens")
	}
	if Floor(0).String() != "unknown" || Floor(12).String() != "#12" {
		t.Error("String")
	}
}

func TestFloorSet(t *testing.T) {
	s := FloorSet(0).With(1).With(64).With(0).With(65)
	if !s.Has(1) || !s.Has(64) || s.Has(2) || s.Has(0) || s.Has(65) {
		t.Errorf("set %b", s)
	}
}

// DR-10, IL-3: good, stale, failed; a value that was never read is none of them.
func TestSeen(t *testing.T) {
	now := Instant(10 * time.Second)
	for _, c := range []struct {
		seen Seen[Door]
		want Quality
	}{
		{Seen[Door]{}, QualityUnknown},
		{Seen[Door]{Value: DoorOpen, At: now}, Good},
		{Seen[Door]{Value: DoorOpen, At: now - Instant(time.Second)}, Good},
		{Seen[Door]{Value: DoorOpen, At: now - Instant(time.Second) - 1}, Stale},
		{Seen[Door]{Value: DoorOpen, At: now, Failed: true}, Failed},
		{Seen[Door]{Failed: true}, Failed},
	} {
		if got := c.seen.Quality(now, time.Second); got != c.want {
			t.Errorf("%+v is %s, want %s", c.seen, got, c.want)
		}
		if c.seen.Fresh(now, time.Second) != (c.want == Good) {
			t.Errorf("%+v: Fresh %v", c.seen, c.seen.Fresh(now, time.Second))
		}
	}
}

func TestSnapshot(t *testing.T) {
	var s Snapshot
	lit := func(f Floor, d Direction) bool {
		lamp, ok := s.Lamp(&Command{Verb: LandingCall, Floor: f, Direction: d})
		return ok && lamp.Value.Has(f)
	}
	if s != (Snapshot{}) || s.AnyDoorOpen() || lit(1, Up) || s.Door(Front).Fresh(1, time.Hour) {
		t.Error("the zero snapshot knows something")
	}
	s.Doors[Rear] = Seen[Door]{Value: DoorClosing, At: 1}
	s.UpCalls.Value, s.DownCalls.Value = FloorSet(0).With(2), FloorSet(0).With(3)
	if !s.AnyDoorOpen() || s.Door(Rear).Value != DoorClosing {
		t.Error("a closing door is not shut")
	}
	if s.Door(SideUnknown) != (Seen[Door]{}) || s.Door(Side(Sides)) != (Seen[Door]{}) {
		t.Error("a door of no side")
	}
	if !lit(2, Up) || lit(2, Down) || !lit(3, Down) || lit(2, DirectionUnknown) {
		t.Error("the lamp of a landing call")
	}
	s.CarCalls.Value = FloorSet(0).With(1)
	if lamp, ok := s.Lamp(&Command{Verb: CarCall}); !ok || lamp != s.CarCalls {
		t.Error("the lamp of a car call")
	}
	if lamp, ok := s.Lamp(&Command{Verb: CancelCall, Direction: Up}); ok || lamp != (Seen[FloorSet]{}) {
		t.Error("the lamp of no call")
	}
}

func TestCommandID(t *testing.T) {
	if got := (CommandID{Ride: "r-7", N: 12}).String(); got != "r-7/12" {
		t.Errorf("%q", got)
	}
}
