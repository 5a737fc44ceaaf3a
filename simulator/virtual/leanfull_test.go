package virtual

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/scenarios"
)

// story is what came of one ride: its transitions, and what the controllers were asked.
type story struct{ moves, asked string }

// whole is one seed played in full: what came of its rides, and when some were taken back.
type whole struct {
	rides   []story
	cancels map[int]elevator.Instant
}

// playRides lets a robot ride after the other, here and there. In full it chooses when rides
// are taken back, lean it takes them back as was.
func playRides(t *testing.T, seed uint64, lean bool, cancels map[int]elevator.Instant) whole {
	t.Helper()
	c := Bench(seed)
	c.Cloud, c.Lean = false, lean
	s := open(t, c)
	rng := rand.New(rand.NewPCG(seed, 77))
	out := whole{cancels: map[int]elevator.Instant{}}
	floors := []string{"B1", "G", "1", "2", "3"}
	const each = elevator.Instant(100 * time.Second)
	for n := range 10 {
		from := rng.IntN(len(floors))
		to := (from + 1 + rng.IntN(len(floors)-1)) % len(floors)
		a := scenarios.AskRide{ID: fmt.Sprintf("r%d", n), Robot: fmt.Sprintf("R%d", 1+n%2), Lift: fmt.Sprintf("L%d", 1+rng.IntN(2)), From: floors[from], To: floors[to]}
		s.Advance(elevator.Instant(n+1) * each)
		if err := s.Do(a); err != nil {
			t.Fatal(err)
		}
		at := s.Now().Add(time.Duration(rng.Int64N(int64(15 * time.Second))))
		if lean {
			at = cancels[n]
		}
		if n%3 == 2 {
			s.Advance(at)
			if !lean {
				quiet(s, s.lift(a.Lift), a.ID)
			}
			out.cancels[n] = s.Now()
			if err := s.Do(scenarios.CancelRide{ID: a.ID, By: "Ada"}); err != nil {
				t.Fatal(err)
			}
		}
		s.Advance(elevator.Instant(n+2)*each - 1)
		out.rides = append(out.rides, storyOf(t, s, a.ID))
	}
	lawful(t, s)
	return out
}

// quiet goes on to where nothing of the ride has turned for a while: who polls may see that
// later or sooner by a period, in full or lean.
func quiet(s *Site, l *lift, ride string) {
	for was := ""; ; {
		x := s.agent.core.Ride(ride)
		is := fmt.Sprint(l.shown.Motion, l.shown.Doors[elevator.Front].State, l.shown.Doors[elevator.Rear].State, x.State, x.Phase, x.Where)
		if is == was {
			return
		}
		was = is
		s.Advance(s.Now().Add(500 * time.Millisecond))
	}
}

func storyOf(t *testing.T, s *Site, id string) story {
	t.Helper()
	x, ok := s.rideOf(id)
	if !ok {
		t.Fatalf("%s is not known", id)
	}
	var moves []string
	for _, m := range x.Marks {
		moves = append(moves, fmt.Sprintf("%s→%s %s: %s", m.From, m.To, m.Phase, m.Why))
	}
	asked := ""
	for _, l := range s.lifts {
		asked += fmt.Sprint(l.asked, " ")
	}
	return story{strings.Join(moves, "; "), fmt.Sprint(asked, "the robot ", s.robot(x.Ride.Robot).place)}
}

// SM-5: lean or in full, each ride goes the same way for the same reasons, asks the same of
// the controllers as often, and its robot ends at the same place.
func TestLeanIsAsInFull(t *testing.T) {
	for seed := range uint64(5) {
		full := playRides(t, seed, false, nil)
		lean := playRides(t, seed, true, full.cancels)
		for i := range full.rides {
			if full.rides[i] != lean.rides[i] {
				t.Errorf("seed %d, ride %d, taken back at %v:\nfull %+v\nlean %+v", seed, i, time.Duration(full.cancels[i]), full.rides[i], lean.rides[i])
				break
			}
		}
	}
}
