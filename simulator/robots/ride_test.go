package robots

import (
	"context"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// living runs a robot in a bubble of virtual time against a scripted gateway.
func living(t *testing.T, o Options, test func(t *testing.T, g *gateway, r *Robot)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g := &gateway{}
		r := start(t, g, o)
		test(t, g, r)
	})
}

func start(t *testing.T, g *gateway, o Options) *Robot {
	o.ID, o.BaseURL, o.Token = "R1", "http://gateway", "t0ken"
	if o.Client == nil {
		o.Client = sealed(g)
	}
	o.World = g
	r := New(o)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- r.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-over; err != nil {
			t.Errorf("Run: %v", err)
		}
	})
	return r
}

func after(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

func wantKinds(t *testing.T, g *gateway, want ...string) {
	t.Helper()
	if got := g.kinds(); !slices.Equal(got, want) {
		t.Fatalf("said %v, want %v", got, want)
	}
}

func wantPlace(t *testing.T, r *Robot, want Place) {
	t.Helper()
	if got := r.Where(); got != want {
		t.Fatalf("stands at %+v, want %+v", got, want)
	}
}

// RB-1: a whole ride, as a stranger to the agent would make it.
func TestAWholeRide(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.say(waiting)
		after(time.Second)
		wantPlace(t, r, Place{Where: "landing", Floor: "G"})
		wantKinds(t, g)

		g.say(mayEnter)
		after(300 * time.Millisecond)
		wantKinds(t, g, "entering")
		wantPlace(t, r, Place{Where: "doorway", Lift: "L1", Floor: "G"})
		if got := g.feltAll(); got != "L1 front blocked=true" {
			t.Fatalf("the world felt %s", got)
		}
		after(4 * time.Second)
		wantKinds(t, g, "entering", "entered")
		wantPlace(t, r, Place{Where: "car", Lift: "L1"})

		g.say(riding)
		after(20 * time.Second)
		g.say(mayLeave)
		after(300 * time.Millisecond)
		wantKinds(t, g, "entering", "entered", "leaving")
		after(4 * time.Second)
		wantKinds(t, g, "entering", "entered", "leaving", "left")
		wantPlace(t, r, Place{Where: "landing", Floor: "3"})
		if got, want := g.feltAll(), "L1 front blocked=true, L1 front blocked=false, L1 60 kg, L1 rear blocked=true, L1 rear blocked=false, L1 0 kg"; got != want {
			t.Errorf("the world felt %s, want %s", got, want)
		}

		g.say(arrived)
		after(time.Second)
		select {
		case end := <-r.Done():
			if want := (RideEnd{Ride: "r1", Lift: "L1", State: "DONE", Phase: "arrived"}); end != want {
				t.Errorf("end %+v, want %+v", end, want)
			}
		default:
			t.Error("nobody told the end")
		}
		after(time.Second)
		if n := len(r.Done()); n != 0 {
			t.Errorf("the end was told %d times more", n)
		}
		wantWhole(t, g)
	})
}

// wantWhole checks what holds for every signal of one life.
func wantWhole(t *testing.T, g *gateway) {
	t.Helper()
	all, _ := g.everything()
	for i, h := range all {
		if h.Boot == "" || h.Boot != all[0].Boot || h.Where == "" || h.Motion == "" || h.AgeMs < 0 {
			t.Errorf("signal %d is not whole: %+v", i, h)
		}
		if i > 0 && h.Seq <= all[i-1].Seq {
			t.Errorf("signal %d has number %d after %d", i, h.Seq, all[i-1].Seq)
		}
	}
}

// RB-1
func TestWhatTheSignalsSay(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, _ *Robot) {
		g.say(mayEnterNow(t))
		after(5 * time.Second)
		g.say(riding)
		after(3 * time.Second)
		enter, in := g.all("entering")[0], g.all("entered")[0]
		if enter.path != "/v1/rides/r1/signals" || enter.Permit != "r1/7" || enter.Where != "doorway" || enter.Floor != "G" {
			t.Errorf("entering: %+v", enter)
		}
		if in.Where != "car" || in.Permit != "" || in.Floor != "" || in.FloorSure || in.Motion != "unknown" {
			t.Errorf("without senses it claims to know more than it does: %+v", in)
		}
		for _, h := range g.all("heartbeat") {
			if want := map[bool]string{true: "car", false: "landing"}[h.at.After(in.at)]; h.Where != want && h.Where != "doorway" {
				t.Errorf("a heartbeat says %s, want %s", h.Where, want)
			}
		}
	})
}

func mayEnterNow(t *testing.T) string {
	return but(t, mayEnter, `"where": "unknown"`, `"where": "outside"`)
}

func TestHeartbeatsComeAboutEachSecond(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, _ *Robot) {
		after(10 * time.Second)
		n := len(g.all("")) // with no ride they go to the robot's own address and have no kind
		if n < 8 || n > 11 {
			t.Errorf("%d heartbeats in 10 s", n)
		}
		if p := g.all("")[0].path; p != "/v1/robots/R1/heartbeat" {
			t.Errorf("heartbeat sent to %s", p)
		}
		if _, polls := g.everything(); polls < 50 || polls > 84 {
			t.Errorf("%d polls in 10 s", polls)
		}
		g.say(waiting)
		after(5 * time.Second)
		if n := len(g.all("heartbeat")); n < 4 || n > 7 {
			t.Errorf("%d heartbeats of the ride in 5 s", n)
		}
	})
}

// RD-3, IL: without a permit that is good in every part the robot stands still.
func TestItNeverMovesWithoutALivePermit(t *testing.T) {
	for name, words := range map[string]string{
		"none":            but(t, mayEnter, `"permit": {"id"`, `"permit": null, "other": {"id"`),
		"to leave":        but(t, mayEnter, `"kind": "enter"`, `"kind": "leave"`),
		"of no kind":      but(t, mayEnter, `"kind": "enter"`, `"kind": ""`),
		"elsewhere":       but(t, mayEnter, `"floor": "G"`, `"floor": "3"`),
		"over":            but(t, mayEnter, `"start_within_ms": 2000`, `"start_within_ms": 0`),
		"past":            but(t, mayEnter, `"start_within_ms": 2000`, `"start_within_ms": -5`),
		"too short":       but(t, mayEnter, `"through_within_ms": 9000`, `"through_within_ms": 3999`),
		"told to wait":    but(t, mayEnter, `"do": "enter"`, `"do": "wait"`),
		"told to back":    but(t, mayEnter, `"do": "enter"`, `"do": "back_off"`),
		"told to leave":   but(t, mayEnter, `"do": "enter"`, `"do": "leave"`),
		"a word of later": but(t, mayEnter, `"do": "enter"`, `"do": "levitate"`),
	} {
		t.Run(name, func(t *testing.T) {
			living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
				g.say(waiting)
				after(time.Second)
				g.say(words)
				after(10 * time.Second)
				wantKinds(t, g)
				wantPlace(t, r, Place{Where: "landing", Floor: "G"})
				if g.feltAll() != "" {
					t.Errorf("the world felt %s", g.feltAll())
				}
			})
		})
	}
}

// A permit that grew old on its way counts from the question, not from the answer.
func TestAPermitThatCameLateIsNotUsed(t *testing.T) {
	for name, words := range map[string]string{
		"to begin":       but(t, mayEnter, `"start_within_ms": 2000`, `"start_within_ms": 1500`),
		"to get through": but(t, mayEnter, `"through_within_ms": 9000`, `"through_within_ms": 5000`),
	} {
		t.Run(name, func(t *testing.T) {
			living(t, Options{}, func(t *testing.T, g *gateway, _ *Robot) {
				g.say(waiting)
				after(time.Second)
				g.delay(1500 * time.Millisecond)
				g.say(words)
				after(20 * time.Second)
				wantKinds(t, g)
			})
		})
	}
}

// One robot, two rides: it ends what it has begun.
func TestItKeepsToTheRideThatItServes(t *testing.T) {
	other := but(t, but(t, waiting, `"ride_id": "r1"`, `"ride_id": "r2"`), `"do": "wait"`, `"do": "go_to"`)
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.say(mayEnterNow(t))
		after(5 * time.Second)
		g.say(other, mayLeave)
		after(5 * time.Second)
		wantPlace(t, r, Place{Where: "landing", Floor: "3"})
		wantKinds(t, g, "entering", "entered", "leaving", "left")
		g.say(arrived, other)
		after(time.Second)
		wantPlace(t, r, Place{Where: "landing", Floor: "G"})
	})
}

func TestInTheCarItLeavesOnlyByALeavePermit(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.say(mayEnterNow(t))
		after(5 * time.Second)
		for _, words := range []string{mayEnter, riding, but(t, mayLeave, `"kind": "leave"`, `"kind": "enter"`), but(t, mayLeave, `"lift": "L1"`, `"lift": "L2"`)} {
			g.say(words)
			after(5 * time.Second)
			wantPlace(t, r, Place{Where: "car", Lift: "L1"})
		}
		g.say(but(t, mayLeave, `"kind": "leave", "floor": "3"`, `"kind": "evacuate", "floor": "1"`))
		after(5 * time.Second)
		wantPlace(t, r, Place{Where: "landing", Floor: "1"})
	})
}

func TestARideOfSomebodyElseIsServedToo(t *testing.T) {
	goTo := but(t, waiting, `"do": "wait"`, `"do": "go_to"`)
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.say(but(t, arrived, `"ride_id": "r1"`, `"ride_id": "r0"`), goTo)
		after(3 * time.Second)
		wantPlace(t, r, Place{Where: "landing", Floor: "G"})
		wantKinds(t, g, "ready")
		after(4 * time.Second)
		wantKinds(t, g, "ready", "ready") // still told to come: it says again that it is here
		if n := len(r.Done()); n != 0 {
			t.Errorf("told the end of %d rides that it never saw running", n)
		}
	})
}

func TestBackOffInTheDoorwayTurnsRound(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.say(mayEnterNow(t))
		after(1200 * time.Millisecond)
		g.say(but(t, but(t, mayEnter, `"do": "enter"`, `"do": "back_off"`), `"permit": {"id"`, `"permit": null, "other": {"id"`))
		after(400 * time.Millisecond)
		wantPlace(t, r, Place{Where: "doorway", Lift: "L1", Floor: "G"}) // the way back takes as long
		after(2 * time.Second)
		wantKinds(t, g, "entering", "gave_up_entering")
		wantPlace(t, r, Place{Where: "landing", Floor: "G"})
		if got := g.feltAll(); got != "L1 front blocked=true, L1 front blocked=false, L1 0 kg" {
			t.Errorf("the world felt %s", got)
		}
		after(10 * time.Second)
		wantKinds(t, g, "entering", "gave_up_entering")
	})
}

func TestBackOffWhileLeavingGoesBackIntoTheCar(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.say(mayEnterNow(t))
		after(5 * time.Second)
		g.say(mayLeave)
		after(1200 * time.Millisecond)
		g.say(but(t, mayLeave, `"do": "leave"`, `"do": "back_off"`))
		after(3 * time.Second)
		wantKinds(t, g, "entering", "entered", "leaving", "gave_up_leaving")
		wantPlace(t, r, Place{Where: "car", Lift: "L1"})
		if !strings.HasSuffix(g.feltAll(), "L1 60 kg") {
			t.Errorf("the world felt %s", g.feltAll())
		}
		g.say(mayLeave)
		after(5 * time.Second)
		wantPlace(t, r, Place{Where: "landing", Floor: "3"})
	})
}

func TestTwoRobotsOfOneMakerDoNotShareABoot(t *testing.T) {
	if a, b := New(Options{Seed: 1}), New(Options{Seed: 1}); a.boot == b.boot {
		t.Error("a new life has the boot id of the last: its signals would be taken for old ones")
	}
}
