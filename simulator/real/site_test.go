package real

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/simulator/faults"
	"hoistway/simulator/picture"
	"hoistway/simulator/scenarios"
)

func usual() Options {
	return Options{Robots: []Robot{{"R1", usualCrossing}, {"R2", usualCrossing}}, Seed: 1}
}

// inBubble plays a test on a site of its own.
func inBubble(t *testing.T, o Options, f func(t *testing.T, s *Site)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) { f(t, siteOf(t, o)) })
}

func act(t *testing.T, s *Site, a scenarios.Act) {
	t.Helper()
	if err := s.Do(a); err != nil {
		t.Fatal(err)
	}
}

func inject(t *testing.T, s *Site, kind, target, arg string, d time.Duration) {
	t.Helper()
	act(t, s, scenarios.Inject{Fault: faults.Fault{Kind: kind, Target: target, Arg: arg, For: d}})
}

// eventually looks every 100 ms for what must come within five minutes.
func eventually(t *testing.T, what string, held func() bool) {
	t.Helper()
	for range 3000 {
		if held() {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Fatalf("never: %s", what)
}

func state(s *Site, ride string) string {
	r, _ := s.Ride(ride)
	return r.State
}

func (s *Site) asks() (n uint64) {
	for _, u := range s.units {
		for _, times := range u.Requests() {
			n += times
		}
	}
	return n
}

// SM-3, RD-2: from the kill on nothing reaches the lifts, nobody answers robots, and
// the next process knows the ride from the store as it lay.
func TestKill(t *testing.T) {
	inBubble(t, usual(), func(t *testing.T, s *Site) {
		act(t, s, scenarios.AskRide{ID: "r1", Robot: "R1", From: "G", To: "3", Lift: "L1"})
		eventually(t, "a ride under way", func() bool { return state(s, "r1") == "MOVING" })
		was := s.dir
		inject(t, s, "kill", "gateway", "10s", 0)
		asked := s.asks()
		if s.dir == was {
			t.Error("the next life has the folder of the last one")
		}
		time.Sleep(9 * time.Second)
		if more := s.asks(); more != asked {
			t.Errorf("a dead process made %d requests", more-asked)
		}
		if err := s.Read("/v1/rides", nil); err == nil {
			t.Error("a dead process answers")
		}
		if r, known := s.Ride("r1"); !known || r.State != "MOVING" {
			t.Errorf("as last seen: %+v", r)
		}
		time.Sleep(2 * time.Second)
		var now AgentRide
		if err := s.Read("/v1/rides/"+s.idOf("r1"), &now); err != nil {
			t.Fatalf("the next process does not know the ride: %v", err)
		}
		eventually(t, "the end of the ride", func() bool { return state(s, "r1") == "DONE" })
		if err := s.Do(scenarios.Inject{Fault: faults.Fault{Kind: "kill", Target: "gateway", Arg: "1s"}}); err != nil {
			t.Errorf("a second kill: %v", err)
		}
	})
}

// SM-3: a site may end while its agent is away, or on its way back.
func TestCloseWhileDown(t *testing.T) {
	for _, wait := range []time.Duration{0, 5 * time.Second} {
		inBubble(t, usual(), func(t *testing.T, s *Site) {
			inject(t, s, "kill", "gateway", "5s", 0)
			time.Sleep(wait)
		})
	}
}

// SM-3: a fault that is begun anew does not end with the first one's time, one that is
// cleared ends at once, and the cloud is back after it.
func TestBrokerGoneAnew(t *testing.T) {
	inBubble(t, usual(), func(t *testing.T, s *Site) {
		online := func() bool { return s.Cloud().Online }
		reached := func() bool {
			c, err := s.o.Net.Dial(t.Context(), "tcp", strings.TrimPrefix(s.CloudURL(), "mqtt://"))
			if err == nil {
				err = c.Close()
			}
			return err == nil
		}
		eventually(t, "the cloud", online)
		inject(t, s, "broker-gone", "cloud", "", 10*time.Second)
		time.Sleep(5 * time.Second)
		inject(t, s, "broker-gone", "cloud", "", 20*time.Second)
		time.Sleep(15 * time.Second)
		if reached() {
			t.Error("the first one's end ended the second")
		}
		time.Sleep(6 * time.Second)
		if !reached() {
			t.Error("it did not end")
		}
		inject(t, s, "broker-gone", "cloud", "", 0)
		act(t, s, scenarios.Clear{Target: "cloud"})
		if !reached() {
			t.Error("it was not cleared")
		}
		eventually(t, "the cloud again", func() bool { return s.Cloud().Version > 0 && online() })
	})
}

// SM-6: who stops a run gets no verdict, and is told so.
func TestAPlayIsStopped(t *testing.T) {
	inBubble(t, usual(), func(t *testing.T, s *Site) {
		script, slips := scenarios.Parse("x.txt", []byte("lasts 1h\nalways lift L1 stopped\n"))
		if len(slips) > 0 {
			t.Fatal(slips)
		}
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		if v, err := s.Play(ctx, script, nil); !errors.Is(err, scenarios.ErrStopped) || v.Passed || v.Lasted > 2*time.Second {
			t.Errorf("%+v, %v", v, err)
		}
	})
}

// SM-3: what cannot be done to this agent is refused by name, as is what is not there.
func TestRefusals(t *testing.T) {
	o := usual()
	o.NoCloud = true
	inBubble(t, o, func(t *testing.T, s *Site) {
		for _, kind := range []string{"freeze", "clock-jump"} {
			if err := s.Inject(faults.Fault{Kind: kind, Target: "gateway"}); !errors.Is(err, ErrCannot) {
				t.Errorf("%s: %v", kind, err)
			}
		}
		for _, f := range []faults.Fault{
			{Kind: "duplicates", Target: "cloud"},
			{Kind: "cloud-forgets", Target: "cloud"},
			{Kind: "mute", Target: "R9"},
			{Kind: "late", Target: "L9"},
			{Kind: "fire", Target: "L9"},
			{Kind: "fir", Target: "L1"},
		} {
			if err := s.Inject(f); err == nil {
				t.Errorf("%+v begins", f)
			}
		}
		for _, a := range []scenarios.Act{
			scenarios.Say{Robot: "R9", Kind: "ready"},
			scenarios.Say{Robot: "R1", Kind: "ready"},
			scenarios.Clear{Target: "L9"},
			scenarios.CancelRide{ID: "r1"},
			scenarios.Desire{Path: "wait_timeout", Value: "60"},
			scenarios.AskRide{ID: "r1", Robot: "R9"},
		} {
			if err := s.Do(a); err == nil {
				t.Errorf("%+v is done", a)
			}
		}
		if on := s.timed.player.List(); len(on) > 0 {
			t.Errorf("refused, and on: %+v", on)
		}
	})
}

// SM-7: every picture of a ride among faults of each family can be recorded, and read
// again.
func TestFramesAreRecordable(t *testing.T) {
	inBubble(t, usual(), func(t *testing.T, s *Site) {
		var kept bytes.Buffer
		rec, err := picture.NewRecorder(&kept, s.Header("a ride"))
		if err != nil {
			t.Fatal(err)
		}
		frames := 0
		film := func(d time.Duration) {
			for end := s.Since() + d; s.Since() < end; time.Sleep(200 * time.Millisecond) {
				if err := rec.Frame(s.Frame()); err != nil {
					t.Fatal(err)
				}
				frames++
			}
		}
		film(time.Second)
		act(t, s, scenarios.AskRide{ID: "r1", Robot: "R1", From: "G", To: "3", Lift: "L1"})
		act(t, s, scenarios.AskRide{ID: "r2", Robot: "R2", From: "2", To: "B1", Lift: "L2"})
		act(t, s, scenarios.Crowd{Mix: "two-way", PerFiveMinute: 30, For: 30 * time.Second})
		inject(t, s, "duplicates", "cloud", "", 20*time.Second)
		inject(t, s, "store-slow", "gateway", "100ms", 20*time.Second)
		inject(t, s, "repeats", "R1", "3", 10*time.Second)
		inject(t, s, "slow", "L2", "100ms", 10*time.Second)
		inject(t, s, "door-reopens", "L1", "1", time.Minute)
		film(20 * time.Second)
		inject(t, s, "floor-unknown", "L2", "", 5*time.Second)
		inject(t, s, "kill", "gateway", "3s", 0)
		film(time.Minute)
		inject(t, s, "power-loss", "L1", "", 20*time.Second)
		film(time.Minute)
		_, read, err := picture.Read(&kept)
		if err != nil || len(read) != frames {
			t.Fatalf("read %d of %d frames: %v", len(read), frames, err)
		}
		var told []string
		rides := map[string]bool{}
		for _, f := range read {
			for _, e := range f.Events {
				told = append(told, e.Text)
			}
			for _, r := range f.Rides {
				rides[r.Robot+" "+r.State] = true
			}
		}
		for _, kind := range []string{"duplicates", "store-slow", "repeats", "slow", "door-reopens", "floor-unknown", "kill", "power-loss"} {
			if !slices.ContainsFunc(told, func(text string) bool { return strings.Contains(text, " "+kind) }) {
				t.Errorf("no picture tells of %s: %q", kind, told)
			}
		}
		if !rides["R1 MOVING"] || !rides["R2 DONE"] {
			t.Errorf("the rides are not in it: %v", rides)
		}
	})
}
