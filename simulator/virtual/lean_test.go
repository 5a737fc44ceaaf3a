package virtual

import (
	"strconv"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/scenarios"
)

func leanSetup() Setup {
	c := Bench(1)
	c.Cloud, c.Lean = false, true
	return c
}

// leanRide asks for a ride and lets it end.
func leanRide(t testing.TB, s *Site, n int) Over {
	from, to := "G", "2"
	if n%2 == 1 {
		from, to = to, from
	}
	a := scenarios.AskRide{ID: "ride-" + strconv.Itoa(n), Robot: "R1", Lift: "L1", From: from, To: to}
	if err := s.Do(a); err != nil {
		t.Fatal(err)
	}
	for {
		if o := s.Over(); len(o) > 0 {
			return o[0]
		}
		if !s.Step() {
			t.Fatalf("%s: nothing happens any more", a.ID)
		}
	}
}

// SM-5: rides come to their end while lean, and between them nothing happens.
func TestLeanRides(t *testing.T) {
	s := open(t, leanSetup())
	for n := range 50 {
		if o := leanRide(t, s, n); o.State != fsm.Done || o.Phase != fsm.Arrived {
			t.Fatalf("%s ended as %s · %s at %v", o.Ride, o.State, o.Phase, time.Duration(s.Now()))
		}
		s.Advance(s.Now() + elevator.Instant(2*time.Minute))
		if next := s.Next(); next != 0 {
			t.Fatalf("after ride %d something is due at %v, now it is %v", n, time.Duration(next), time.Duration(s.Now()))
		}
	}
	if l := len(s.Log()); l != 0 {
		t.Errorf("%d lines of log while lean", l)
	}
	lawful(t, s)
}

// BenchmarkRideLean is one ride, its idle time before and all.
func BenchmarkRideLean(b *testing.B) {
	s := open(b, leanSetup())
	n, steps := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		if o := leanRide(b, s, n); o.Phase != fsm.Arrived {
			b.Fatalf("%+v", o)
		}
		end := s.Now() + elevator.Instant(5*time.Minute)
		for s.Next() != 0 && s.Next() <= end {
			s.Step()
			steps++
		}
		s.Advance(end)
		n++
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(n), "µs/ride")
}

// SM-5: kills and line faults while lean: every ride ends, and the robots go on.
func TestLeanWithFaults(t *testing.T) {
	s := open(t, leanSetup())
	for n := range 60 {
		from, to := "G", "2"
		if n%2 == 1 {
			from, to = to, from
		}
		a := scenarios.AskRide{ID: "ride-" + strconv.Itoa(n), Robot: "R1", Lift: "L1", From: from, To: to}
		if err := s.Do(a); err != nil {
			t.Fatal(err)
		}
		s.Advance(s.Now() + elevator.Instant(time.Duration(n)*600*time.Millisecond))
		f := fault("gateway", "kill", "1s", 0)
		if n%3 == 1 {
			f = times("L1", "silent", "", 3)
		}
		if err := s.Do(f); err != nil {
			t.Fatal(err)
		}
		end := s.Now() + elevator.Instant(30*time.Minute)
		done := Over{}
		for more := true; more && done.State != fsm.Done && s.Now() < end; more = s.Step() {
			if o := s.Over(); len(o) > 0 {
				done = o[len(o)-1]
			}
		}
		if done.State != fsm.Done && done.State != "" {
			t.Fatalf("ride %d: %+v", n, done)
		}
		if done.Ride != a.ID {
			t.Fatalf("ride %d did not end by %v: %+v", n, time.Duration(s.Now()), done)
		}
		s.Advance(s.Now() + elevator.Instant(time.Minute))
		if r, _ := s.Robot("R1"); r.Where != "landing" {
			t.Fatalf("after ride %d the robot is in the %s", n, r.Where)
		}
	}
	if len(s.FaultEvents()) < 60 {
		t.Error("nobody tells of the faults")
	}
	lawful(t, s)
}

// SM-4: while lean the same setup and acts give the same history.
func TestLeanSameHash(t *testing.T) {
	run := func(seed uint64) uint64 {
		c := leanSetup()
		c.Seed = seed
		s := open(t, c)
		for n := range 10 {
			leanRide(t, s, n)
			s.Advance(s.Now() + elevator.Instant(time.Minute))
		}
		return s.Watch().Hash()
	}
	one, again, other := run(4), run(4), run(5)
	if one != again {
		t.Error("the second run differs from the first")
	}
	if one == other {
		t.Error("another seed gave the same history")
	}
}

// SM-5: while a ride wants it, a lift is read within three seconds of the last time, or,
// while its car is awaited from elsewhere, and from when a robot crosses or rides on, within
// five, after which silence is a fault; and a stop, a door that opens for the ride, and one
// that closes on it, shows within a step of the grid.
func TestLeanReadings(t *testing.T) {
	s := open(t, leanSetup())
	if err := s.Do(scenarios.AskRide{ID: "ride", Robot: "R1", Lift: "L1", From: "G", To: "2"}); err != nil {
		t.Fatal(err)
	}
	l := s.lift("L1")
	var read, stale elevator.Instant // stale: since when the reading is not what the car is
	comes := false                   // by the last reading the car was elsewhere
	for len(s.Over()) == 0 && s.Step() {
		snap := &l.link.snap.Car
		if !l.link.joined || snap.Floor.At == 0 {
			continue
		}
		x, limit := s.agent.core.Ride("ride"), 3*time.Second
		if comes || x.State == fsm.Moving || x.State == fsm.Done || x.Where == fsm.Crossing {
			limit = 5 * time.Second
		}
		if gap := s.Now().Sub(snap.Floor.At); read != 0 && gap > limit {
			t.Errorf("%v without a reading, at %v, %s", gap, time.Duration(s.Now()), x.State)
		}
		read, comes = snap.Floor.At, x.Phase == fsm.Called && snap.Floor.Value != x.From
		c := s.b.Car("L1")
		seen, is := snap.Doors[elevator.Front].Value, c.Doors[elevator.Front].State
		same := seen == is && snap.Motion.Value == c.Motion
		if x.State == fsm.Moving { // it waits for a stop and a door that opens
			same = seen == is || is == elevator.DoorClosing || is == elevator.DoorClosed
			same = same && (snap.Motion.Value == c.Motion || c.Motion != elevator.Stopped)
		}
		switch {
		case same || x.State == fsm.Done && is != elevator.DoorClosed:
			stale = 0
		case stale == 0:
			stale = s.Now()
		case s.Now().Sub(stale) > gridOfRefreshes+10*time.Millisecond:
			t.Errorf("a change of %v is not read at %v, %s", time.Duration(stale), time.Duration(s.Now()), x.State)
		}
	}
}
