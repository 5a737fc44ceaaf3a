package view

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

func clock() func() elevator.Instant {
	start := time.Now()
	return func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 }
}

func floor(n elevator.Floor, at elevator.Instant) func(*elevator.Snapshot) error {
	return func(s *elevator.Snapshot) error {
		s.Floor = elevator.Seen[elevator.Floor]{Value: n, At: at}
		return nil
	}
}

// DR-10, IL-3: silence has the link offline, dated by when it became silent; a
// good value brings it back; one that does not fit changes neither.
func TestOnlineAndOffline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := clock()
		v := New(now, 5*time.Second)
		if got := v.Snapshot(); got != (elevator.Snapshot{}) {
			t.Errorf("a new view knows %+v", got)
		}
		_ = v.Good(floor(2, now()))
		heard := now()
		time.Sleep(4 * time.Second)
		if err := v.Good(func(*elevator.Snapshot) error { return drivers.ErrProtocol }); !errors.Is(err, drivers.ErrProtocol) {
			t.Errorf("%v", err)
		}
		if v.Snapshot().Link != elevator.Online {
			t.Error("offline too soon")
		}
		time.Sleep(2 * time.Second)
		if got := v.Snapshot(); got.Link != elevator.Offline || got.LinkSince.Sub(heard) != 5*time.Second {
			t.Errorf("%s since %s", got.Link, got.LinkSince.Sub(heard))
		}
		v.Alive()
		if got := v.Snapshot(); got.Link != elevator.Online || got.Floor.Value != 2 {
			t.Errorf("%+v", got)
		}
		v.Down(func(s *elevator.Snapshot) { s.Floor.Failed = true })
		if got := v.Snapshot(); got.Link != elevator.Offline || !got.Floor.Failed {
			t.Errorf("%+v", got)
		}
	})
}

// A link that never heard its controller is offline after the silence, not unknown
// for ever.
func TestNeverHeard(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		v := New(clock(), 5*time.Second)
		time.Sleep(6 * time.Second)
		if got := v.Snapshot().Link; got != elevator.Offline {
			t.Error(got)
		}
	})
}

func TestWatch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := clock()
		v, shut := New(now, time.Hour), make(chan struct{})
		var mu sync.Mutex
		var seen []elevator.Floor
		ended := make(chan error, 1)
		go func() {
			ended <- v.Watch(context.Background(), shut, time.Second, func(s elevator.Snapshot) {
				mu.Lock()
				defer mu.Unlock()
				seen = append(seen, s.Floor.Value)
			})
		}()
		synctest.Wait()
		_ = v.Good(floor(1, now()))
		synctest.Wait()
		v.Note(func(s *elevator.Snapshot) { s.Floor.Value = 3 })
		synctest.Wait()
		time.Sleep(1100 * time.Millisecond)
		close(shut)
		if err := <-ended; !errors.Is(err, drivers.ErrClosed) {
			t.Error(err)
		}
		want := []elevator.Floor{0, 1, 3, 3}
		if len(seen) != len(want) || seen[1] != 1 || seen[2] != 3 {
			t.Errorf("delivered %v, want %v", seen, want)
		}
	})
}

// RD-11: an id acts once, and whoever asks again hears what became of it; what
// never left may be asked anew; a late or withdrawn command is not carried out.
func TestOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := clock()
		var once Once
		acts := 0
		do := func(id uint32, until elevator.Instant, r elevator.Result) elevator.Outcome {
			c := elevator.Command{ID: elevator.CommandID{Ride: "r", N: id}, Until: until}
			return once.Do(context.Background(), c, now, func(context.Context) elevator.Outcome {
				acts++
				return elevator.Outcome{ID: c.ID, Result: r, Code: "7"}
			})
		}
		do(1, 0, elevator.Refused)
		if got := do(1, 0, elevator.Done); got.Result != elevator.Refused || got.Code != "7" || acts != 1 {
			t.Errorf("asked again: %+v after %d acts", got, acts)
		}
		do(2, 0, elevator.NotSent)
		if got := do(2, 0, elevator.Done); got.Result != elevator.Done || acts != 3 {
			t.Errorf("what never left: %+v after %d acts", got, acts)
		}
		time.Sleep(time.Second)
		if got := do(3, elevator.Instant(time.Second), elevator.Done); got.Result != elevator.NotSent || acts != 3 {
			t.Errorf("past its life: %+v", got)
		}
		for n := range uint32(remembered) {
			do(100+n, 0, elevator.Done)
		}
		if len(once.acts) > remembered {
			t.Errorf("%d ids are kept", len(once.acts))
		}
	})
}

// Two askers of one id: one acts, the other waits, or leaves with unknown.
func TestOnceTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		now := clock()
		var once Once
		c := elevator.Command{ID: elevator.CommandID{Ride: "r", N: 1}}
		go once.Do(context.Background(), c, now, func(context.Context) elevator.Outcome {
			time.Sleep(time.Minute)
			return elevator.Outcome{Result: elevator.Done}
		})
		synctest.Wait()
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		never := func(context.Context) elevator.Outcome { t.Error("acted twice"); return elevator.Outcome{} }
		if got := once.Do(ctx, c, now, never); got.Result != elevator.ResultUnknown {
			t.Errorf("%+v", got)
		}
		if got := once.Do(context.Background(), c, now, never); got.Result != elevator.Done {
			t.Errorf("%+v", got)
		}
	})
}

// A proof is looked for at once, again each period, and no longer than the time that it has.
func TestAwait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start, looks := time.Now(), 0
		seen := func(at int) func(context.Context) bool {
			looks = 0
			return func(context.Context) bool { looks++; return looks == at }
		}
		if !Await(t.Context(), time.Second, 300*time.Millisecond, seen(1)) || time.Since(start) != 0 {
			t.Error("what is there at once is waited for")
		}
		if !Await(t.Context(), time.Second, 300*time.Millisecond, seen(3)) || time.Since(start) != 600*time.Millisecond {
			t.Errorf("seen after %s", time.Since(start))
		}
		if Await(t.Context(), time.Second, 300*time.Millisecond, seen(0)) || looks != 4 || time.Since(start) != 1600*time.Millisecond {
			t.Errorf("gave up after %s and %d looks", time.Since(start), looks)
		}
	})
}
