package fieldbus

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// hold holds level 7 for a while, with a drop behind it.
func hold(n uint32, until elevator.Instant) Command {
	return Command{
		ID: elevator.CommandID{Ride: "r", N: n}, Class: Hold, Group: 1, Until: until,
		Writes: []Write{
			{Ask: say("1 hold"), Level: Level{Key: 7, Every: time.Second}},
			{Ask: say("1 drop"), Owed: true},
		},
	}
}

// A level is written again each second until the hold ends, and dropped then.
func TestLevel(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, env drivers.Env) {
		u := join(t, ls, toy, 1)
		time.Sleep(100 * time.Millisecond)
		if r := u.Do(context.Background(), hold(1, env.Now().Add(3500*time.Millisecond))); r.Result != elevator.Done {
			t.Errorf("%+v", r)
		}
		time.Sleep(3200 * time.Millisecond)
		if h, d := len(f.rows("hold")), len(f.rows("drop")); h != 4 || d != 0 {
			t.Errorf("%d holds and %d drops after three seconds", h, d)
		}
		time.Sleep(5 * time.Second)
		if h, d := len(f.rows("hold")), len(f.rows("drop")); h != 4 || d != 1 {
			t.Errorf("%d holds and %d drops in the end", h, d)
		}
		if n := len(u.l.jobs); n != 0 {
			t.Errorf("%d commands are still remembered", n)
		}
	})
}

// DR-11, IL-7: a line that is lost ends the level; its drop is the first thing said
// on the next, and a lift that leaves drops what it holds.
func TestLevelEndsWithTheLine(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := join(t, ls, toy, 1)
		time.Sleep(100 * time.Millisecond)
		if r := u.Do(context.Background(), hold(1, 0)); r.Result != elevator.Done {
			t.Errorf("%+v", r)
		}
		f.conns[0].Close()
		time.Sleep(5 * time.Second)
		got := strings.Join(f.rows(""), ", ")
		if h := len(f.rows("hold")); h != 1 || !strings.Contains(got, "1 hold, 1 drop, 1 read") {
			t.Errorf("heard %q", got)
		}
		if r := u.Do(context.Background(), hold(2, 0)); r.Result != elevator.Done {
			t.Errorf("%+v", r)
		}
		u.Close()
		all := f.rows("")
		if all[len(all)-1] != "1 drop" {
			t.Errorf("the last thing heard is %q", all[len(all)-1])
		}
	})
}

// A trigger is written once and looked at until the device has cleared it.
func TestTrigger(t *testing.T) {
	for what, c := range map[string]struct {
		looks  []error // what each look finds; nil is not yet
		done   int     // which one finds it done, from 1
		want   elevator.Result
		kind   error
		owed   int
		asking int
	}{
		"cleared":       {done: 3, want: elevator.Done, owed: 1, asking: 3},
		"never cleared": {want: elevator.ResultUnknown, owed: 1, asking: 5},
		"no for good":   {looks: []error{nil, &Refusal{Code: "7", Kind: drivers.ErrBusy}}, done: 2, want: elevator.Refused, kind: drivers.ErrBusy, owed: 1, asking: 2},
		"a look that is refused is no no": {
			looks: []error{&Refusal{Code: "6", Kind: drivers.ErrBusy}, nil}, done: 3, want: elevator.Done, owed: 1, asking: 3,
		},
	} {
		t.Run(what, func(t *testing.T) {
			f := newFar()
			bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
				u := join(t, ls, toy, 1)
				time.Sleep(100 * time.Millisecond)
				n := 0
				look := func(w *Wire) (bool, error) {
					n++
					if err := say("1 look")(w); err != nil {
						return false, err
					}
					var err error
					if n <= len(c.looks) {
						err = c.looks[n-1]
					}
					return n == c.done, err
				}
				r := u.Do(context.Background(), Command{ID: elevator.CommandID{Ride: "r", N: 1}, Class: Call, Writes: []Write{
					{Ask: say("1 set"), Until: look, Within: time.Second, Every: 200 * time.Millisecond},
					{Ask: say("1 release"), Owed: true},
				}})
				if r.Result != c.want || c.kind != nil && !errors.Is(r.Err, c.kind) || r.Result == elevator.Done && r.Err != nil {
					t.Errorf("%+v", r)
				}
				time.Sleep(time.Second)
				if s, o := len(f.rows("set")), len(f.rows("release")); s != 1 || o != c.owed {
					t.Errorf("%d sets, %d releases", s, o)
				}
				if n != c.asking {
					t.Errorf("%d looks, want %d", n, c.asking)
				}
			})
		})
	}
}

// A device that never answers gets each command once, and it stays unknown.
func TestNeverAnswered(t *testing.T) {
	f := newFar()
	f.dead["1 up"], f.dead["1 release"] = true, true
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := join(t, ls, toy, 1)
		time.Sleep(100 * time.Millisecond)
		tell := func(row string) func(*Wire) error {
			return func(w *Wire) error { return errors.Join(w.Say([]byte(row+"\n")), ErrNoAnswer) }
		}
		r := u.Do(context.Background(), Command{ID: elevator.CommandID{Ride: "r", N: 1}, Class: Call, Writes: []Write{
			{Ask: tell("1 up"), Pause: 50 * time.Millisecond}, {Ask: tell("1 release"), Owed: true},
		}})
		if r.Result != elevator.ResultUnknown || !errors.Is(r.Err, ErrNoAnswer) {
			t.Errorf("%+v", r)
		}
		time.Sleep(time.Minute)
		if len(f.rows("up")) != 1 || len(f.rows("release")) != 1 || f.dialled() != 1 {
			t.Errorf("heard %v on %d connections", f.rows("1 "), f.dialled())
		}
	})
}

// A watchdog is fed on time while commands and polls want the line.
func TestFeed(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := &user{}
		p, err := ls.Join(toy, Member{
			Unit: 1, Timeout: time.Second,
			Polls: []Poll{{Every: time.Millisecond, Fast: true, Ask: func(w *Wire, _ int) error {
				time.Sleep(20 * time.Millisecond)
				return say("1 read")(w)
			}}},
			Feed: &Feed{Every: 200 * time.Millisecond, Ask: say("1 feed")},
		})
		if err != nil {
			t.Fatal(err)
		}
		u.Port = p
		ctx, cancel := context.WithCancel(context.Background())
		var callers sync.WaitGroup
		for k := range uint32(4) {
			callers.Go(func() {
				for n := uint32(1); ctx.Err() == nil; n++ {
					p.Do(ctx, press(k*10000+n, "1 up"))
					time.Sleep(time.Millisecond)
				}
			})
		}
		time.Sleep(10 * time.Second)
		cancel()
		callers.Wait()
		if n := len(f.rows("feed")); n < 49 || n > 51 {
			t.Errorf("%d feeds in ten seconds, want 50", n)
		}
		if s := ls.Stats()[0]; s.FeedsLate != 0 || s.Occupancy < 0.5 {
			t.Errorf("%+v", s)
		}
	})
}

// A question of a technician is answered behind everything else, fails at once on a
// line that is down, and is not asked after its asker has gone.
func TestDiag(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := join(t, ls, toy, 1)
		time.Sleep(300 * time.Millisecond)
		if err := u.Diag(context.Background(), say("1 what")); err != nil || len(f.rows("what")) != 1 {
			t.Errorf("%v, heard %v", err, f.rows("what"))
		}
		no := &Refusal{Code: "2", Kind: drivers.ErrConfig, Text: "no such point"}
		if err := u.Diag(context.Background(), func(*Wire) error { return no }); !errors.Is(err, drivers.ErrConfig) {
			t.Errorf("a no comes back as %v", err)
		}
		ctx, cancel := context.WithCancel(context.Background())
		var busy sync.WaitGroup
		busy.Go(func() {
			_ = u.Diag(context.Background(), func(*Wire) error { time.Sleep(time.Second); return nil })
		})
		time.Sleep(10 * time.Millisecond)
		asked := false
		busy.Go(func() {
			if err := u.Diag(ctx, func(*Wire) error { asked = true; return nil }); !errors.Is(err, drivers.ErrTimeout) {
				t.Errorf("taken back: %v", err)
			}
		})
		time.Sleep(10 * time.Millisecond)
		cancel()
		busy.Wait()
		time.Sleep(time.Second)
		if asked {
			t.Error("asked after its asker had gone")
		}
		f.mu.Lock()
		f.off = true
		f.conns[0].Close()
		f.mu.Unlock()
		time.Sleep(time.Second)
		if err := u.Diag(context.Background(), say("1 what")); !errors.Is(err, drivers.ErrLink) {
			t.Errorf("on a dead line: %v", err)
		}
		u.Close()
		if err := u.Diag(context.Background(), say("1 what")); !errors.Is(err, drivers.ErrClosed) {
			t.Errorf("on a left line: %v", err)
		}
	})
}

// More questions than fit say so.
func TestDiagBounded(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := join(t, ls, toy, 1)
		time.Sleep(100 * time.Millisecond)
		errs := make(chan error, 20)
		for range 20 {
			go func() {
				errs <- u.Diag(context.Background(), func(*Wire) error { time.Sleep(time.Second); return nil })
			}()
		}
		full := 0
		for range 20 {
			switch err := <-errs; {
			case errors.Is(err, drivers.ErrBusy):
				full++
			case err != nil:
				t.Error(err)
			}
		}
		if full < 10 || full > 12 {
			t.Errorf("%d of 20 found no room", full)
		}
	})
}

// A device that answers a fifth too late is told from a dead one, also where each
// time-out closes the connection.
func TestStatsTellLateFromDead(t *testing.T) {
	f := newFar()
	f.dead["2 read"] = true
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		other := toy
		other.Address = "lift:2"
		f.slow = 120 * time.Millisecond
		slow, dead := join(t, ls, toy, 1), join(t, ls, other, 2)
		time.Sleep(20 * time.Second)
		if good, _ := slow.count(); good != 0 {
			t.Errorf("%d late answers were taken", good)
		}
		s := ls.Stats()
		slow.Close()
		dead.Close()
		time.Sleep(time.Second)
		if late := s[0].LateBy[1]; late < 19*time.Millisecond || late > 21*time.Millisecond || !strings.Contains(s[0].Diagnosis(1), "20ms") {
			t.Errorf("late by %s, %q", late, s[0].Diagnosis(1))
		}
		if d := s[1].Diagnosis(2); !strings.Contains(d, "dead") || s[1].Reopened == 0 || s[1].Late != 0 {
			t.Errorf("%q of %+v", d, s[1])
		}
		if d := s[0].Diagnosis(9); d != "" {
			t.Errorf("of a unit that never timed out: %q", d)
		}
	})
}

// What a line has carried, counted by hand.
func TestStats(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		p, err := ls.Join(toy, Member{Unit: 3, Timeout: time.Second})
		if err != nil {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Second)
		slow := func(w *Wire) error { time.Sleep(2 * time.Second); return say("3 up")(w) }
		no := func(w *Wire) error { return errors.Join(say("3 down")(w), &Refusal{Kind: drivers.ErrBusy}) }
		var all sync.WaitGroup
		for i, ask := range []func(*Wire) error{slow, no, slow} {
			all.Go(func() {
				p.Do(context.Background(), Command{ID: elevator.CommandID{Ride: "r", N: uint32(i)}, Writes: []Write{{Ask: ask}}})
			})
			time.Sleep(10 * time.Millisecond)
		}
		all.Wait()
		s := ls.Stats()[0]
		if s.Line != "lift:1" || s.Users != 1 || !s.Up || s.Sent != 3 || s.Good != 2 || s.Refused != 1 || s.Reopened != 0 {
			t.Errorf("%+v", s)
		}
		// 4 of 24 seconds; they waited 0, 1.99 and 1.98 seconds, each one more ms for
		// the look at a connection that stood idle.
		if s.Occupancy < 0.16 || s.Occupancy > 0.17 || s.QueueWaitP50 != 1981*time.Millisecond || s.QueueWaitP99 != 1991*time.Millisecond {
			t.Errorf("occupied %v, waited %s and %s", s.Occupancy, s.QueueWaitP50, s.QueueWaitP99)
		}
	})
}

// A device that hangs up after a few idle seconds is asked on a new connection:
// nothing failed, and nobody is told.
func TestIdleClose(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		good, bad := 0, 0
		p, err := ls.Join(toy, Member{
			Unit: 1, Timeout: 100 * time.Millisecond,
			Polls: []Poll{{
				Every: 5 * time.Second, Fast: true, Failed: func(error) { bad++ },
				Ask: func(w *Wire, _ int) error {
					err := say("1 read")(w)
					if err == nil {
						good++
					}
					return err
				},
			}},
			Line: func(s LineState, _ error) {
				if s == LineBroken {
					bad++
				}
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			time.Sleep(4 * time.Second)
			f.mu.Lock()
			f.conns[len(f.conns)-1].Close()
			f.mu.Unlock()
			time.Sleep(time.Second)
		}
		if r := p.Do(context.Background(), press(1, "1 up")); r.Result != elevator.Done {
			t.Errorf("%+v", r)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if good < 5 || bad != 0 || f.dialled() < 5 {
			t.Errorf("%d good, %d failed, %d connections", good, bad, f.dialled())
		}
	})
}

// A command of unknown outcome may be proven by reading, before anybody is told.
func TestProve(t *testing.T) {
	f := newFar()
	f.dead["1 up"] = true
	bubble(t, f, func(t *testing.T, ls *Lines, _ drivers.Env) {
		u := join(t, ls, toy, 1)
		time.Sleep(100 * time.Millisecond)
		c := press(1, "1 up")
		c.Judge = func(context.Context, Result) Result { t.Error("judged"); return Result{} }
		c.Prove = func(ctx context.Context, r Result) Result {
			time.Sleep(time.Second) // the connection is opened anew
			if err := u.Read(ctx); err == nil {
				r.Result = elevator.Done
			}
			return r
		}
		var both sync.WaitGroup
		for range 2 {
			both.Go(func() {
				if r := u.Do(context.Background(), c); r.Result != elevator.Done {
					t.Errorf("%+v", r)
				}
			})
		}
		both.Wait()
		if got := f.rows("up"); len(got) != 1 {
			t.Errorf("heard %v", got)
		}
	})
}

// One that cannot be opened anew is a line that broke: what was to be asked fails
// at once, and a command has not been sent.
func TestIdleCloseForGood(t *testing.T) {
	f := newFar()
	bubble(t, f, func(t *testing.T, ls *Lines, env drivers.Env) {
		states := make(chan LineState, 64)
		p, err := ls.Join(toy, Member{Unit: 1, Timeout: time.Second, Line: func(s LineState, _ error) { states <- s }})
		if err != nil {
			t.Fatal(err)
		}
		for _, ask := range []func() bool{
			func() bool { return errors.Is(p.Diag(context.Background(), say("1 what")), drivers.ErrLink) },
			func() bool {
				c := press(1, "1 up")
				c.Until = env.Now().Add(time.Second)
				return p.Do(context.Background(), c).Result == elevator.NotSent
			},
		} {
			time.Sleep(10 * time.Second)
			f.mu.Lock()
			f.off = true
			f.conns[len(f.conns)-1].Close()
			f.mu.Unlock()
			if !ask() {
				t.Error("on a connection that is gone for good")
			}
			f.mu.Lock()
			f.off = false
			f.mu.Unlock()
			time.Sleep(time.Minute)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if first, then := <-states, <-states; first != LineOpen || then != LineBroken {
			t.Errorf("told %d, %d", first, then)
		}
		if got := f.rows(""); len(got) != 0 {
			t.Errorf("heard %v", got)
		}
	})
}
