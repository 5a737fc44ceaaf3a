package fieldbus

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// lone asks a row and counts how often somebody else was on the line meanwhile.
type lone struct{ on, clashes atomic.Int32 }

func (o *lone) say(row string) func(*Wire) error {
	return func(w *Wire) error {
		if o.on.Add(1) != 1 {
			o.clashes.Add(1)
		}
		defer o.on.Add(-1)
		return say(row)(w)
	}
}

func (o *lone) press(n uint32, class Class, row string) Command {
	return Command{ID: elevator.CommandID{Ride: "r", N: n}, Class: class, Writes: []Write{{Ask: o.say(row)}}}
}

// Who finds the line free asks on his own goroutine: nobody has to be woken for it.
func TestAskerServesItself(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		by := ""
		ask := func(w *Wire) error {
			by = string(debug.Stack())
			return say("1 x")(w)
		}
		p, err := ls.Join(toy, Member{Unit: 1, Timeout: time.Second, Polls: []Poll{
			{Every: 700 * time.Millisecond, Ask: func(w *Wire, _ int) error { return ask(w) }},
		}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		for what, do := range map[string]func(){
			"Do": func() {
				p.Do(context.Background(), Command{ID: elevator.CommandID{Ride: "r"}, Writes: []Write{{Ask: ask}}})
			},
			"Diag": func() { _ = p.Diag(context.Background(), ask) },
			"Read": func() { _ = p.Read(context.Background()) },
		} {
			if do(); !strings.Contains(by, "(*Port)."+what) {
				t.Errorf("%s was carried out by\n%s", what, by)
			}
		}
	})
}

// A driver that panics in its asker's hand, where somebody may catch it, ends the line:
// nobody waits for one that is in nobody's hand.
func TestPanicEndsTheLine(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := join(t, ls, toy, 1)
		time.Sleep(250 * time.Millisecond)
		func() {
			defer func() {
				if recover() == nil {
					t.Error("the panic is lost")
				}
			}()
			_ = u.Diag(context.Background(), func(*Wire) error { panic("no such word") })
		}()
		if err := u.Read(context.Background()); !errors.Is(err, drivers.ErrClosed) {
			t.Errorf("read: %v", err)
		}
		if r := u.Do(context.Background(), press(1, "1 up")); r.Result != elevator.NotSent || len(f.rows("up")) != 0 {
			t.Errorf("%+v", r)
		}
		if err := u.Close(); err != nil {
			t.Error(err)
		}
	})
}

// DR-2: what is asked while an asker has the line goes as the schedule says, behind
// the transaction that is under way and not in order of arrival.
func TestOrderBehindAnAsker(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		o := &lone{}
		u, v := join(t, ls, toy, 1), join(t, ls, toy, 2)
		time.Sleep(250 * time.Millisecond)
		f.mu.Lock()
		f.slow, f.heard = 30*time.Millisecond, nil
		f.mu.Unlock()
		var all sync.WaitGroup
		ask := func(do func()) {
			all.Go(do)
			time.Sleep(time.Millisecond)
		}
		ctx := context.Background()
		ask(func() { u.Do(ctx, o.press(1, Call, "1 first")) })
		ask(func() { _ = v.Diag(ctx, o.say("2 what")) })
		ask(func() { _ = v.Read(ctx) })
		ask(func() { v.Do(ctx, o.press(1, Call, "2 call")) })
		ask(func() { v.Do(ctx, o.press(2, Hold, "2 hold")) })
		ask(func() { u.Do(ctx, o.press(2, Stop, "1 stop")) })
		all.Wait()
		want := "1 first, 1 stop, 2 hold, 2 call, 2 read"
		if got := strings.Join(f.rows(""), ", "); !strings.HasPrefix(got, want) || !strings.Contains(got, "2 what") {
			t.Errorf("heard %q, want %q", got, want)
		}
	})
}

// Many who ask on a line that nothing else wakes: no wish is left lying.
func TestNoWishIsLost(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		p, err := ls.Join(toy, Member{Unit: 1, Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		var all sync.WaitGroup
		for k := range uint32(4) {
			all.Go(func() {
				for n := range uint32(500) {
					if r := p.Do(context.Background(), press(4*n+k, "1 up")); r.Result != elevator.Done {
						t.Errorf("%+v", r)
					}
				}
			})
		}
		all.Wait()
		p.l.own() // somebody is about to give the line away, and has looked for wishes
		all.Go(func() { p.Do(context.Background(), press(2000, "1 up")) })
		synctest.Wait()
		p.l.free()
		all.Wait()
		if n := len(f.rows("up")); n != 2001 {
			t.Errorf("%d heard", n)
		}
	})
}

// DR-11: what an asker leaves behind is done when it is due, though the owner meant to
// sleep for longer.
func TestOwnerIsWokenInTime(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		p, err := ls.Join(toy, Member{Unit: 1, Timeout: time.Second, Polls: []Poll{
			{Every: time.Hour, Ask: func(w *Wire, _ int) error { return say("1 read")(w) }},
		}})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
		c := press(1, "1 set", "1 release")
		c.Writes[0].Pause = 300 * time.Millisecond
		if r := p.Do(context.Background(), c); r.Result != elevator.Done {
			t.Errorf("%+v", r)
		}
		time.Sleep(299 * time.Millisecond)
		early := len(f.rows("release"))
		time.Sleep(2 * time.Millisecond)
		if n := len(f.rows("release")); early != 0 || n != 1 {
			t.Errorf("%d releases before the pause was over, %d after it", early, n)
		}
	})
}

// DR-11: who leaves while its set is on the wire waits for the release, whether the set
// is carried out by its asker or by the owner.
func TestCloseWhileServing(t *testing.T) {
	for _, busy := range []bool{false, true} {
		f := newFar()
		bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
			u := join(t, ls, toy, 1)
			time.Sleep(250 * time.Millisecond)
			f.mu.Lock()
			f.slow = 50 * time.Millisecond
			f.mu.Unlock()
			var all sync.WaitGroup
			if busy {
				all.Go(func() { _ = u.Diag(context.Background(), say("1 what")) })
				time.Sleep(time.Millisecond)
			}
			c := press(1, "1 set", "1 release")
			c.Writes[0].Pause = 300 * time.Millisecond
			all.Go(func() { u.Do(context.Background(), c) })
			for len(f.rows("set")) == 0 {
				time.Sleep(time.Millisecond)
			}
			if err := u.Close(); err != nil || len(f.rows("release")) != 1 {
				t.Errorf("%v, heard %v", err, f.rows("1 "))
			}
			all.Wait()
		})
	}
}

// An asker does not dial: one who is called off meanwhile need not wait for it.
func TestDiallingIsTheOwners(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		p, err := ls.Join(toy, Member{Unit: 1, Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		if err := p.Diag(context.Background(), say("1 what")); err != nil {
			t.Error(err)
		}
		time.Sleep(10 * time.Second)
		f.mu.Lock()
		f.far = time.Second
		f.conns[0].Close()
		f.mu.Unlock()
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(20*time.Millisecond, cancel)
		start := time.Now()
		r := p.Do(ctx, press(1, "1 up"))
		if r.Result == elevator.Done || time.Since(start) != 20*time.Millisecond {
			t.Errorf("%+v after %s", r, time.Since(start))
		}
	})
}

// DR-2: two askers and the polls of two lifts on one line: one transaction at a time,
// each command once, nobody starves.
func TestTwoAskersAndPolls(t *testing.T) {
	f := newFar()
	f.slow = 3 * time.Millisecond
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		o, all := &lone{}, sync.WaitGroup{}
		users := []*user{join(t, ls, toy, 1), join(t, ls, toy, 2)}
		const presses = 300
		for i, u := range users {
			all.Go(func() {
				for n := range uint32(presses) {
					if r := u.Do(context.Background(), o.press(n, Call, fmt.Sprintf("%d up %d", i, n))); r.Result != elevator.Done {
						t.Errorf("%d: %+v", n, r)
					}
					if err := u.Read(context.Background()); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		ups := f.rows("up")
		slices.Sort(ups)
		if n := len(slices.Compact(ups)); n != 2*presses || len(f.rows("up")) != n || o.clashes.Load() != 0 {
			t.Errorf("%d commands heard, %d of them different, %d clashes", len(f.rows("up")), n, o.clashes.Load())
		}
		for _, u := range users {
			if good, failed := u.count(); good < presses || failed != 0 {
				t.Errorf("%d reads good, %d failed", good, failed)
			}
		}
	})
}

// DR-8: one who asks and is called off in the middle of its own transaction waits for
// its end. The command is unknown and never said again, and the line goes on.
func TestCancelWhileServing(t *testing.T) {
	f := newFar()
	f.dead["1 up"] = true
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := join(t, ls, toy, 1)
		time.Sleep(250 * time.Millisecond)
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(50*time.Millisecond, cancel)
		start := time.Now()
		r := u.Do(ctx, press(1, "1 up"))
		if r.Result != elevator.ResultUnknown || time.Since(start) != 100*time.Millisecond {
			t.Errorf("%+v after %s", r, time.Since(start))
		}
		if r := u.Do(context.Background(), press(1, "1 up")); r.Result != elevator.ResultUnknown {
			t.Errorf("asked again: %+v", r)
		}
		if r := u.Do(context.Background(), press(2, "1 down")); r.Result != elevator.Done {
			t.Errorf("the next: %+v", r)
		}
		if got := f.rows("up"); len(got) != 1 {
			t.Errorf("heard %v", got)
		}
	})
}

// A read that is called off ends with its transaction; one that must end sooner than
// that may last does not carry it out.
func TestReadCalledOff(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := join(t, ls, toy, 1)
		for _, c := range []struct {
			ctx  func() (context.Context, context.CancelFunc)
			ends time.Duration
		}{
			{func() (context.Context, context.CancelFunc) {
				ctx, cancel := context.WithCancel(context.Background())
				time.AfterFunc(20*time.Millisecond, cancel)
				return ctx, cancel
			}, 100 * time.Millisecond},
			{func() (context.Context, context.CancelFunc) {
				return context.WithTimeout(context.Background(), 20*time.Millisecond)
			}, 20 * time.Millisecond},
		} {
			time.Sleep(2250 * time.Millisecond)
			f.mu.Lock()
			f.dead["1 read"] = true
			f.mu.Unlock()
			ctx, cancel := c.ctx()
			start := time.Now()
			if err := u.Read(ctx); !errors.Is(err, drivers.ErrTimeout) || time.Since(start) != c.ends {
				t.Errorf("%v after %s, want %s", err, time.Since(start), c.ends)
			}
			cancel()
			f.mu.Lock()
			delete(f.dead, "1 read")
			f.mu.Unlock()
		}
		time.Sleep(2 * time.Second)
		if err := u.Read(context.Background()); err != nil {
			t.Error(err)
		}
	})
}

// DR-11: askers who never pause do not keep the owner from what is due by a period: a
// level is written on time, not after its end, and dropped once.
func TestLevelUnderAFlood(t *testing.T) {
	f := newFar()
	f.slow = 2 * time.Millisecond
	bubble(t, f, func(t *testing.T, ls *Lines, env drivers.Env) {
		u := join(t, ls, toy, 1)
		time.Sleep(100 * time.Millisecond)
		end := env.Now().Add(10500 * time.Millisecond)
		if r := u.Do(context.Background(), hold(1, end)); r.Result != elevator.Done {
			t.Errorf("%+v", r)
		}
		ctx, cancel := context.WithCancel(context.Background())
		var flood sync.WaitGroup
		for k := range uint32(3) {
			flood.Go(func() {
				for n := uint32(0); ctx.Err() == nil; n++ {
					u.Do(context.Background(), press(10+3*n+k, "1 up"))
				}
			})
			flood.Go(func() {
				for ctx.Err() == nil {
					_ = u.Read(context.Background())
				}
			})
		}
		time.Sleep(10 * time.Second)
		holds := len(f.rows("hold"))
		time.Sleep(2 * time.Second)
		if after := len(f.rows("hold")); holds != 11 || after != holds || len(f.rows("drop")) != 1 {
			t.Errorf("%d holds, %d in the end, %d drops", holds, after, len(f.rows("drop")))
		}
		if s := ls.Stats()[0]; s.BeatsLate != 0 {
			t.Errorf("%d beats were late", s.BeatsLate)
		}
		cancel()
		flood.Wait()
		synctest.Wait()
	})
}
