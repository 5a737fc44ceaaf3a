package building

import (
	"testing"

	"hoistway/fsm/elevator"
)

// SM-1: when a lift would be there, by hand. A way takes start 0.5, the flight,
// levelling 0.7 and opening 1.8; a stop dwell 2 and closing 2.4. Flights of one, two
// and four landings: 4.6779, 6.2740, 9.2943.
func TestArrivalIsForeseen(t *testing.T) {
	const one, two, four, stop = 4.6779 + 3, 6.2740 + 3, 9.2943 + 3, 4.4
	for _, c := range []struct {
		what  string
		calls []elevator.Floor // of L1, at B1
		f     elevator.Floor
		way   elevator.Direction
		want  float64
	}{
		{"at rest", nil, 5, elevator.Down, four},
		{"on the way", []elevator.Floor{5}, 3, elevator.Up, two},
		{"beyond a stop", []elevator.Floor{3}, 5, elevator.Down, two + stop + two},
		{"on the way back", []elevator.Floor{3}, 2, elevator.Down, two + stop + one},
		{"still where it stands", []elevator.Floor{3}, 1, elevator.Up, 3},
		{"at the turning point", []elevator.Floor{3}, 3, elevator.Down, two},
		{"beyond the turning point", []elevator.Floor{2, 3}, 5, elevator.Down, one + stop + one + stop + two},
	} {
		b := grouped(t, Collective)
		for _, f := range c.calls {
			must(t, b.CarCall("L1", f))
		}
		g := b.groups[0]
		got := g.tours[0].arrival(g.cars[0], c.f, c.way, b.Now())
		near(t, c.what, got.Sub(0).Seconds(), c.want, 0.001)
	}
}

// SM-1: two seconds into its flight the landing that it left is the last.
func TestArrivalBehind(t *testing.T) {
	b := grouped(t, Collective)
	must(t, b.CarCall("L1", 3))
	b.Advance(at(2))
	g := b.groups[0]
	got := g.tours[0].arrival(g.cars[0], 1, elevator.Up, b.Now())
	near(t, "up from below", got.Sub(0).Seconds(), 2*(6.2740+3)+4.4, 0.001)
}

// SM-1: what is foreseen of a car in flight comes true, to the nanosecond.
func TestArrivalComesTrue(t *testing.T) {
	for _, call := range []elevator.Floor{3, 5} {
		b := grouped(t, Collective)
		must(t, b.CarCall("L1", 5))
		b.Advance(at(2))
		g := b.groups[0]
		want := g.tours[0].arrival(g.cars[0], call, elevator.Up, b.Now())
		must(t, b.CarCall("L1", call))
		for b.Car("L1").Doors[elevator.Front].State != elevator.DoorOpen {
			b.Advance(b.Next())
		}
		if b.Now() != want || b.Car("L1").Floor != call {
			t.Errorf("open at %v at %v, foreseen %v", b.Car("L1").Floor, b.Now(), want)
		}
	}
}

// SM-1: where it turns, a car opens for both ways at once: so it is foreseen, and so
// it comes, for a call that it has and for one that it has not. L2 stands at 2.
func TestArrivalAtTheTurnIsOnce(t *testing.T) {
	b := grouped(t, Collective)
	g := b.groups[0]
	foreseen := func() elevator.Instant { return g.tours[1].arrival(g.cars[1], 5, elevator.Down, b.Now()) }
	before := foreseen()
	must(t, b.HallCall("g", "3", elevator.Down))
	if s := b.Car("L2"); !s.HallDown.Has(5) {
		t.Fatalf("not given to L2: %+v", s)
	}
	near(t, "hand", before.Sub(0).Seconds(), 0.5+4.6779+0.7+1.8, 0.001)
	if after := foreseen(); after != before {
		t.Errorf("foreseen %v, and once it has the call %v", before, after)
	}
	for b.Car("L2").Doors[elevator.Front].State != elevator.DoorOpen {
		b.Advance(b.Next())
	}
	if b.Now() != before || b.Car("L2").HallDown != 0 {
		t.Errorf("opens at %v, foreseen %v: %+v", b.Now(), before, b.Car("L2"))
	}
}
