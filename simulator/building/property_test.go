package building

import (
	"fmt"
	"math"
	"testing"
	"time"

	"hoistway/fsm/elevator"

	"pgregory.net/rapid"
)

func bench(t testing.TB) *Building {
	t.Helper()
	b, err := New(Bench())
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// benches are so many of one building: in a group of some control or in none, with
// advance opening or without.
func benches(t *rapid.T, n int) []*Building {
	c := Bench()
	if control := Control(rapid.IntRange(0, 4).Draw(t, "control")); control != ControlUnknown {
		c.Groups = []Group{{ID: "g", Cars: []string{"L1", "L2"}, Control: control}}
	}
	c.Cars[1].AdvanceOpening = time.Duration(rapid.IntRange(0, 700).Draw(t, "advance")) * time.Millisecond
	c.Emergency.Selected = []string{"L2"}
	list := make([]*Building, n)
	for i := range list {
		b, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		list[i] = b
	}
	return list
}

// SM-4: one big step, many small ones and steps from event to event leave the
// same state, to the last bit, with people and without.
func TestStepsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := benches(t, 3)
		big, small, hops := all[0], all[1], all[2]
		crowded(t, big, small, hops)
		compare := func(when elevator.Instant) {
			if p := big.People(); small.People() != p || hops.People() != p {
				t.Fatalf("at %v: people\n %+v\n %+v\n %+v", time.Duration(when), p, small.People(), hops.People())
			}
			for _, id := range big.IDs() {
				want := big.Car(id)
				if seen := *big.See(id); seen != want {
					t.Fatalf("at %v: seen\n %+v\nand is\n %+v", time.Duration(when), seen, want)
				}
				if got := small.Car(id); got != want {
					t.Fatalf("at %v: small steps\n %+v\nbig step\n %+v", time.Duration(when), got, want)
				}
				if big.Shown(id) != small.Shown(id) {
					t.Fatalf("at %v: shown\n %+v\n %+v", time.Duration(when), big.Shown(id), small.Shown(id))
				}
				if got := hops.Car(id); got != want {
					t.Fatalf("at %v: hops\n %+v\nbig step\n %+v", time.Duration(when), got, want)
				}
			}
			if big.Next() != small.Next() || big.Next() != hops.Next() {
				t.Fatalf("at %v: next %v, %v, %v", when, big.Next(), small.Next(), hops.Next())
			}
		}
		reach := func(at elevator.Instant) {
			big.Advance(at)
			for small.Now() < at {
				small.Advance(min(at, small.Now()+elevator.Instant(rapid.Int64Range(1, 900_000_000).Draw(t, "step"))))
			}
			for n := hops.Next(); n != 0 && n <= at && n > hops.Now(); n = hops.Next() {
				hops.Advance(n)
			}
			hops.Advance(at)
			compare(at)
		}
		deeds := drawDeeds(t, deedKinds)
		for _, d := range deeds {
			reach(d.at)
			one, two, three := d.do(big), d.do(small), d.do(hops)
			if fmt.Sprint(one) != fmt.Sprint(two) || fmt.Sprint(one) != fmt.Sprint(three) {
				t.Fatalf("%+v: %v, %v, %v", d, one, two, three)
			}
			compare(d.at)
		}
		reach(deeds[len(deeds)-1].at + elevator.Instant(40*time.Second))
	})
}

// SM-1: at any instant of any script, no car moves with a door that is not
// closed, none leaves the shaft, and speed, acceleration, jerk and doors keep
// their limits. The brake of an emergency stop knows no comfort, so modes are in
// a test of their own below.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { watch(t, drawDeeds(t, deedMode), true) })
}

// SM-1: with every mode, what safety needs still holds.
func TestInvariantsInEveryMode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) { watch(t, drawDeeds(t, deedKinds), false) })
}

const sample = elevator.Instant(20 * time.Millisecond)

func watch(t *rapid.T, deeds []deed, comfort bool) {
	b := benches(t, 1)[0]
	crowded(t, b)
	last := map[string]CarState{}
	look := func(dt float64) {
		for _, id := range b.IDs() {
			s := b.Car(id)
			if before, ok := last[id]; ok {
				checkPair(t, before, s, dt, comfort)
			}
			checkState(t, s)
			last[id] = s
		}
	}
	look(0)
	until := deeds[len(deeds)-1].at + elevator.Instant(30*time.Second)
	for len(deeds) > 0 || b.Now() < until {
		next := b.Now() + sample
		if len(deeds) > 0 && deeds[0].at <= next {
			next = deeds[0].at
		}
		dt := next.Sub(b.Now()).Seconds()
		b.Advance(next)
		look(dt)
		checkPeople(t, b)
		if len(deeds) > 0 && deeds[0].at <= next {
			_ = deeds[0].do(b) // refusals are part of the game
			deeds = deeds[1:]
			look(0) // an act may not make anything jump
		}
	}
}

func checkState(t *rapid.T, s CarState) {
	l := Bench().Cars[0].Limits
	moves := s.Speed != 0 || s.Accel != 0
	for _, d := range s.Doors {
		if moves && d.State != elevator.DoorUnknown && (d.Open != 0 || d.State != elevator.DoorClosed) {
			t.Fatalf("moves with a door open: %+v", s)
		}
		if d.Open < 0 || d.Open > 1 || d.Hold < 0 || d.Hold > MaxHold*time.Second {
			t.Fatalf("door out of its bounds: %+v", s)
		}
	}
	switch {
	case moves && s.Motion == elevator.Stopped:
		t.Fatalf("moves and says stopped: %+v", s)
	case s.Speed > 0 && s.Motion != elevator.MovingUp, s.Speed < 0 && s.Motion != elevator.MovingDown:
		t.Fatalf("says the wrong direction: %+v", s)
	case math.Abs(s.Speed) > l.Speed+1e-9:
		t.Fatalf("too fast: %+v", s)
	case s.PositionMM < 0 || s.PositionMM > 15200:
		t.Fatalf("out of the shaft: %+v", s)
	case s.Motion == elevator.Stopped && s.Floor != 0 && s.PositionMM != 3800*int32(s.Floor-1):
		t.Fatalf("stands at a landing where there is none: %+v", s)
	}
}

func checkPair(t *rapid.T, a, b CarState, dt float64, comfort bool) {
	l := Bench().Cars[0].Limits
	accel := l.Accel
	if !comfort {
		accel = brake
	}
	const eps = 1e-6
	switch {
	case math.Abs(b.Speed-a.Speed) > accel*dt+eps:
		t.Fatalf("speed jumps in %v s:\n%+v\n%+v", dt, a, b)
	case math.Abs(float64(b.PositionMM-a.PositionMM)) > l.Speed*dt*1000+1:
		t.Fatalf("place jumps in %v s:\n%+v\n%+v", dt, a, b)
	case comfort && math.Abs(b.Accel) > accel+eps:
		t.Fatalf("accelerates too much: %+v", b)
	case comfort && math.Abs(b.Accel-a.Accel) > l.Jerk*dt+eps:
		t.Fatalf("acceleration jumps in %v s:\n%+v\n%+v", dt, a, b)
	}
	for i := range a.Doors {
		if math.Abs(b.Doors[i].Open-a.Doors[i].Open) > dt/1.8+eps {
			t.Fatalf("door jumps in %v s:\n%+v\n%+v", dt, a, b)
		}
	}
}

// patience is how long a lift of c may take at worst until its last lamp goes out,
// once nothing ails it. Every flight ends in a stop that puts out a lamp, its own or the
// group's (control by destination has one for each pair of levels), and nobody
// presses any more. Before the first it waits for a hold and for nudging, or creeps
// down the shaft because it lost its place, and lets people out at a stop for nothing.
func patience(c Config) elevator.Instant {
	k := c.Cars[0]
	n := len(k.Landings)
	shaft := k.height(elevator.Floor(n))
	own, common := 3*n, n*n
	fly := NewFlight(shaft, k.Limits).Seconds()
	stop := k.StartDelay + time.Duration(fly*float64(time.Second)) + k.Levelling + k.DoorOpen +
		max(k.DwellCar, k.DwellLanding) + k.DoorClose
	before := MaxHold*time.Second + k.NudgeAfter + k.Nudge + time.Duration(shaft/creep*float64(time.Second))
	return elevator.Instant(time.Duration(own+common+2)*stop + before)
}

// SM-1: in normal mode, once nobody obstructs, overloads or breaks anything,
// every lamp goes out within the patience of the building.
func TestCallsAreServed(t *testing.T) {
	bound := patience(Bench())
	rapid.Check(t, func(t *rapid.T) {
		b := benches(t, 1)[0]
		deeds := drawDeeds(t, deedKinds)
		for _, d := range deeds {
			b.Advance(d.at)
			_ = d.do(b) // refusals are part of the game
		}
		for _, id := range b.IDs() {
			for _, side := range []elevator.Side{elevator.Front, elevator.Rear} {
				must(t, b.StickDoor(id, side, false))
				must(t, b.Obstruct(id, side, false))
			}
			must(t, b.SetLoad(id, 0))
			mend(t, b, id)
		}
		b.Advance(b.Now() + bound)
		for _, id := range b.IDs() {
			s := b.Car(id)
			if s.Up|s.Down|s.Car|s.HallUp|s.HallDown != 0 || s.Motion != elevator.Stopped || s.Floor == 0 {
				t.Fatalf("not served: %+v", s)
			}
			for _, d := range s.Doors {
				if d.State != elevator.DoorUnknown && d.State != elevator.DoorClosed {
					t.Fatalf("does not come to rest: %+v", s)
				}
			}
		}
		if b.Next() != 0 {
			t.Fatalf("at rest, and still something is to happen at %v", b.Next())
		}
	})
}

// mend ends every fault, service and mode.
func mend(t *rapid.T, b *Building, id string) {
	b.Clear(id, "")
	must(t, b.SetFirefighter(id, false))
	must(t, b.SetMode(id, elevator.Normal))
}

func must(t interface {
	Helper()
	Fatal(...any)
}, err error,
) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
