package gateway

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/fsm/elevator"
)

// slow is a controller that takes its time over claims, and never answers a door.
type slow struct{ link }

func (s *slow) Do(ctx context.Context, c elevator.Command) elevator.Outcome {
	wait := time.Duration(0)
	switch c.Verb {
	case elevator.Claim:
		wait = 40 * time.Second
	case elevator.Hold:
		wait = time.Hour
	}
	select {
	case <-time.After(wait):
		return elevator.Outcome{Result: elevator.Done}
	case <-ctx.Done():
		return elevator.Outcome{Result: elevator.ResultUnknown}
	}
}

// DR-8: a claim has the time that its profile gives it, and nothing else of the lift waits
// behind it: not a call that is taken back, and not a door.
func TestAClaimHasItsTimeAndHoldsNobodyUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		type end struct {
			id     elevator.CommandID
			result elevator.Result
			after  time.Duration
		}
		var mu sync.Mutex
		var ends []end
		begun := time.Now()
		w := newWorkers(Lift{ID: "L1", Link: &slow{}}, func(o elevator.Outcome) {
			mu.Lock()
			defer mu.Unlock()
			ends = append(ends, end{o.ID, o.Result, time.Since(begun)})
		})
		ctx, stop := context.WithCancel(t.Context())
		var owned sync.WaitGroup
		w.start(ctx, &owned)
		for n, verb := range []elevator.Verb{elevator.Claim, elevator.CancelCall, elevator.Hold} {
			c := elevator.Command{ID: elevator.CommandID{Ride: "r", N: uint32(n + 1)}, Verb: verb, Until: elevator.Instant(time.Minute) + 1}
			if !w.give(c, 1) {
				t.Fatal("no room for", verb)
			}
		}
		time.Sleep(2 * time.Minute)
		stop()
		owned.Wait()
		want := []end{
			{elevator.CommandID{Ride: "r", N: 2}, elevator.Done, 0},
			{elevator.CommandID{Ride: "r", N: 3}, elevator.ResultUnknown, commandLimit},
			{elevator.CommandID{Ride: "r", N: 1}, elevator.Done, 40 * time.Second},
		}
		if len(ends) != len(want) {
			t.Fatalf("ended %v", ends)
		}
		for i, e := range want {
			if ends[i] != e {
				t.Errorf("%d: %v, want %v", i, ends[i], e)
			}
		}
	})
}
