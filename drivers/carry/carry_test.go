package carry

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

var (
	front  = []elevator.Side{elevator.Front}
	floors = elevator.Table{{Label: "G", Wire: 1, Doors: front}, {Label: "1", Wire: 2, Doors: front}, {Label: "2", Wire: 3, Doors: front}}
)

// wire is a far end that takes what is said to it.
type wire struct {
	*Flow
	now func() elevator.Instant

	mu    sync.Mutex
	said  []string
	fails map[string]elevator.Result // what becomes of a message by its name
	slow  map[string]time.Duration
}

func (w *wire) send(_ context.Context, id elevator.CommandID, x profiles.Send) elevator.Outcome {
	w.mu.Lock()
	text := x.Message
	if f, ok := x.Args["floor"]; ok {
		text += " " + f.Word()
	}
	r, bad := w.fails[x.Message]
	if !bad {
		r = elevator.Done
	}
	if r != elevator.NotSent {
		w.said = append(w.said, text)
	}
	slow := w.slow[x.Message]
	w.mu.Unlock()
	time.Sleep(slow)
	return elevator.Outcome{ID: id, Result: r, At: w.now()}
}

func (w *wire) fail(message string, r elevator.Result) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.fails[message] = r
}

func (w *wire) heard() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.said)
}

func (w *wire) command(n uint32, v elevator.Verb, f elevator.Floor) elevator.Command {
	return elevator.Command{
		ID: elevator.CommandID{Ride: "r", N: n}, Verb: v, Floor: f, Direction: elevator.Up, Side: elevator.Front, Until: w.now().Add(20 * time.Second),
	}
}

// playing has a flow on a wire, in virtual time.
func playing(t *testing.T, change func(*Way), play func(*testing.T, *wire)) {
	src, err := os.ReadFile("testdata/lift.yaml")
	if err != nil {
		t.Fatal(err)
	}
	p, faults := profiles.Parse("lift.yaml", src)
	if len(faults) > 0 {
		t.Fatal(faults)
	}
	synctest.Test(t, func(t *testing.T) {
		start := time.Now().Add(-time.Hour)
		w := &wire{now: func() elevator.Instant { return elevator.Instant(time.Since(start)) }, fails: map[string]elevator.Result{}, slow: map[string]time.Duration{}}
		v := view.New(w.now, time.Hour)
		way := Way{
			Profile: p, Floors: floors, Now: w.now, View: v, Send: w.send, After: func(elevator.Outcome) {},
			Read: func(context.Context) (elevator.Snapshot, error) { return v.Snapshot(), nil },
		}
		if change != nil {
			change(&way)
		}
		w.Flow = New(way)
		ctx, stop := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() { w.Run(ctx) })
		defer wg.Wait()
		defer stop()
		play(t, w)
	})
}

// DR-7, RD-7: what ends what a command began leaves after its pause, whatever else goes
// on; when it cannot leave it stays owed, and goes out before the next command.
func TestDebts(t *testing.T) {
	playing(t, nil, func(t *testing.T, w *wire) {
		if o := w.Do(t.Context(), w.command(1, elevator.CarCall, 2)); o.Result != elevator.Done || len(w.heard()) != 1 {
			t.Fatalf("%+v, said %v", o, w.heard())
		}
		time.Sleep(1900 * time.Millisecond)
		if got := w.heard(); len(got) != 1 {
			t.Errorf("too soon: %v", got)
		}
		time.Sleep(200 * time.Millisecond)
		if got := fmt.Sprint(w.heard()); got != "[call 2 release 2]" {
			t.Error(got)
		}
		w.fail("release", elevator.NotSent)
		w.Do(t.Context(), w.command(2, elevator.CarCall, 3))
		time.Sleep(2100 * time.Millisecond)
		if o := w.Do(t.Context(), w.command(3, elevator.LandingCall, 1)); o.Result != elevator.NotSent || !strings.Contains(o.Detail, "owes") {
			t.Errorf("%+v", o)
		}
		w.fail("release", elevator.Done)
		w.Do(t.Context(), w.command(4, elevator.LandingCall, 1))
		if got := fmt.Sprint(w.heard()[2:]); got != "[call 3 release 3 call 1]" {
			t.Error(got)
		}
	})
}

// What may have left is said again until it is answered, or never again where the way
// says so; at the end all is tried once, in its order.
func TestDebtsAtTheEnd(t *testing.T) {
	for _, once := range []bool{false, true} {
		playing(t, func(w *Way) { w.SayOnce = once }, func(t *testing.T, w *wire) {
			w.fail("release", elevator.ResultUnknown)
			w.Do(t.Context(), w.command(1, elevator.CarCall, 2))
			w.Do(t.Context(), w.command(2, elevator.CarCall, 3))
			time.Sleep(4500 * time.Millisecond)
			n := 0
			for _, s := range w.heard() {
				if s == "release 2" {
					n++
				}
			}
			if once != (n == 1) {
				t.Errorf("once %t: said %d times", once, n)
			}
			w.fail("release", elevator.Done)
			w.Do(t.Context(), w.command(3, elevator.CarCall, 1))
			w.Close(t.Context())
			got := w.heard()
			if got[len(got)-1] != "release 1" {
				t.Errorf("at the end: %v", got)
			}
			if o := w.Do(t.Context(), w.command(4, elevator.CarCall, 1)); o.Result != elevator.NotSent {
				t.Errorf("after it: %+v", o)
			}
		})
	}
}

// CT-2: a write by hand waits for the command before it, and is asked for then.
func TestByHandInItsTurn(t *testing.T) {
	playing(t, nil, func(t *testing.T, w *wire) {
		w.slow["call"] = 3 * time.Second
		var wg sync.WaitGroup
		defer wg.Wait()
		wg.Go(func() { w.Do(t.Context(), w.command(1, elevator.LandingCall, 2)) })
		synctest.Wait()
		asked := atomic.Int64{}
		ctx := drivers.AskFirst(t.Context(), func() error { asked.Store(int64(w.now())); return errors.New("ride r holds the lift") })
		begun := w.now()
		o := w.ByHand(ctx, elevator.CommandID{Ride: "hand"}, profiles.Send{Message: "claim"})
		if o.Result != elevator.NotSent || !strings.Contains(o.Detail, "ride r") || elevator.Instant(asked.Load()).Sub(begun) != 3*time.Second {
			t.Errorf("%+v, asked after %s", o, elevator.Instant(asked.Load()).Sub(begun))
		}
		if o := w.ByHand(t.Context(), elevator.CommandID{Ride: "hand"}, profiles.Send{Message: "claim"}); o.Result != elevator.Done {
			t.Errorf("%+v", o)
		}
		if got := fmt.Sprint(w.heard()); got != "[call 2 claim]" {
			t.Error(got)
		}
	})
}

// RD-17: a claim may wait for minutes; what ends it does not wait for it, all else does.
func TestClaimIsEnded(t *testing.T) {
	playing(t, nil, func(t *testing.T, w *wire) {
		w.slow["claim"] = 15 * time.Second
		var wg sync.WaitGroup
		defer wg.Wait()
		wg.Go(func() { w.Do(t.Context(), w.command(1, elevator.Claim, 2)) })
		synctest.Wait()
		if o := w.Do(t.Context(), w.command(2, elevator.GiveBack, 0)); o.Result != elevator.Done {
			t.Errorf("%+v", o)
		}
		c := w.command(3, elevator.CarCall, 2)
		c.Until = w.now().Add(5 * time.Second)
		if o := w.Do(t.Context(), c); o.Result != elevator.NotSent {
			t.Errorf("%+v", o)
		}
		if got := fmt.Sprint(w.heard()); got != "[claim give]" {
			t.Error(got)
		}
	})
}

// RD-7, WH-4: a word of a hold from before it ended brings it back for nobody, be it an
// answer that was long on its way or a message that overtook; nor does it end a newer one.
func TestHoldsAreDated(t *testing.T) {
	playing(t, nil, func(t *testing.T, w *wire) {
		end := func() elevator.Instant { s := w.View.Snapshot(); return s.Holds[elevator.Front] }
		says := func(seconds int64, at elevator.Instant) {
			_ = w.View.Good(func(s *elevator.Snapshot) error {
				w.LayPushed(profiles.Laid{Source: "status", Place: "hold_s", ToldValue: profiles.ToldValue{Raw: profiles.RawOfInt(seconds)}}, at, s)
				return nil
			})
		}
		hold := w.command(1, elevator.Hold, 2)
		asked := w.now()
		w.Do(t.Context(), hold)
		held := end()
		if left := held.Sub(w.now()); left != 19*time.Second { // whole seconds, of which one may be gone
			t.Fatalf("held for %s", left)
		}
		says(0, asked-1)
		if end() != held {
			t.Error("an older word ended it")
		}
		time.Sleep(time.Second)
		before := w.now()
		time.Sleep(time.Second)
		w.Do(t.Context(), w.command(2, elevator.Lapse, 2))
		says(25, before)
		if end() != 0 {
			t.Errorf("an older word brought it back until %d", end())
		}
		time.Sleep(time.Second)
		says(25, w.now())
		if left := end().Sub(w.now()); left != 24*time.Second {
			t.Errorf("a newer word: %s left", left)
		}
		_ = w.View.Good(func(s *elevator.Snapshot) error { w.Drop(elevator.Front, s); return nil })
		says(25, w.now()-1)
		if end() != 0 {
			t.Error("what came to nothing is brought back")
		}
	})
}

// RD-11, DR-8: an id acts once; while the way is closed nothing leaves, and it may be
// asked anew.
func TestOnceAndAway(t *testing.T) {
	away := "the server is away"
	playing(t, func(w *Way) { w.Away = func() string { return away } }, func(t *testing.T, w *wire) {
		c := w.command(1, elevator.LandingCall, 2)
		if o := w.Do(t.Context(), c); o.Result != elevator.NotSent || o.Detail != away {
			t.Errorf("%+v", o)
		}
		away = ""
		for range 2 {
			if o := w.Do(t.Context(), c); o.Result != elevator.Done {
				t.Errorf("%+v", o)
			}
		}
		if got := w.heard(); len(got) != 1 {
			t.Error(got)
		}
	})
}
