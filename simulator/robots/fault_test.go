package robots

import (
	"errors"
	"strings"
	"testing"
	"time"

	"hoistway/simulator/faults"
)

func begins(t *testing.T, r *Robot, kind, arg string) {
	t.Helper()
	if err := r.Play(faults.Fault{Kind: kind, Target: "R1", Arg: arg}); err != nil {
		t.Fatal(err)
	}
}

// SM-3, IL: a silent robot stands still where it is, in the doorway too, and goes on
// when it is over.
func TestSilentInTheDoorway(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.say(mayEnterNow(t))
		after(time.Second)
		wantKinds(t, g, "entering")
		begins(t, r, "robot-silent", "")
		after(time.Second) // what was on its way is heard
		all, polls := g.everything()
		after(30 * time.Second)
		if more, asks := g.everything(); len(more) != len(all) || asks != polls {
			t.Errorf("said %d words and asked %d times", len(more)-len(all), asks-polls)
		}
		wantPlace(t, r, Place{Where: "doorway", Lift: "L1", Floor: "G"})
		r.ClearNamed("robot-silent")
		after(5 * time.Second)
		wantKinds(t, g, "entering", "entered")
		wantPlace(t, r, Place{Where: "car", Lift: "L1"})
	})
}

// SM-3: it freezes for a while; told to back off it turns when it can move again.
func TestFreezesForAWhile(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		if err := r.Play(faults.Fault{Kind: "freezes", Target: "R1", For: 20 * time.Second}); err != nil {
			t.Fatal(err)
		}
		g.say(mayEnterNow(t))
		after(10 * time.Second)
		wantPlace(t, r, Place{Where: "doorway", Lift: "L1", Floor: "G"})
		g.say(but(t, mayEnter, `"do": "enter"`, `"do": "back_off"`))
		after(9 * time.Second)
		wantKinds(t, g, "entering")
		after(3 * time.Second)
		wantKinds(t, g, "entering", "gave_up_entering")
		wantPlace(t, r, Place{Where: "landing", Floor: "G"})
		if got := g.feltAll(); got != "L1 front blocked=true, L1 front blocked=false, L1 0 kg" {
			t.Errorf("the world felt %s", got)
		}
	})
}

// SM-3: 4 s as it said, 20 s in truth.
func TestCrossesSlowly(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		begins(t, r, "crosses-slowly", "20s")
		g.say(mayEnterNow(t))
		after(19 * time.Second)
		wantKinds(t, g, "entering")
		wantPlace(t, r, Place{Where: "doorway", Lift: "L1", Floor: "G"})
		after(2 * time.Second)
		wantKinds(t, g, "entering", "entered")
		if took := g.all("entered")[0].at.Sub(g.all("entering")[0].at); took != 20*time.Second {
			t.Errorf("took %v", took)
		}
	})
}

// SM-3: what died lives again when a person sees to it.
func TestDiesAndIsRevived(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		begins(t, r, "dies", "") // after entering
		g.say(mayEnterNow(t))
		after(30 * time.Second)
		wantKinds(t, g, "entering")
		wantPlace(t, r, Place{Where: "doorway", Lift: "L1", Floor: "G"})
		_, polls := g.everything()
		after(30 * time.Second)
		if _, asks := g.everything(); asks != polls {
			t.Error("a dead robot asks")
		}
		r.ClearNamed("")
		after(5 * time.Second)
		wantKinds(t, g, "entering", "entered")
		wantPlace(t, r, Place{Where: "car", Lift: "L1"})
	})
}

// SM-3: mute about its way in; afterwards its heartbeats tell where it is.
func TestMuteForAWhile(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		begins(t, r, "mute", "entered")
		g.say(mayEnterNow(t))
		after(10 * time.Second)
		wantKinds(t, g, "entering")
		if h := g.all("heartbeat"); h[len(h)-1].Where != "unknown" {
			t.Errorf("its heartbeat gives it away: %+v", h[len(h)-1])
		}
		r.ClearNamed("mute")
		after(2 * time.Second)
		if h := g.all("heartbeat"); h[len(h)-1].Where != "car" {
			t.Errorf("its heartbeat does not tell: %+v", h[len(h)-1])
		}
	})
}

// SM-3: each thing three times, under one number.
func TestRepeats(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		begins(t, r, "repeats", "3")
		g.say(mayEnterNow(t))
		after(6 * time.Second)
		wantKinds(t, g, "entering", "entering", "entering", "entered", "entered", "entered")
		said := g.all("entered")
		if said[0].Seq != said[1].Seq || said[1].Seq != said[2].Seq {
			t.Error("repeated under other numbers")
		}
		n := map[uint64]int{}
		for _, h := range g.all("heartbeat") {
			n[h.Seq]++
		}
		for seq, times := range n {
			if times != 3 {
				t.Errorf("heartbeat %d was said %d times", seq, times)
			}
		}
		wantPlace(t, r, Place{Where: "car", Lift: "L1"})
	})
}

// SM-3: a new boot numbers from one, and the old one's last word comes late, once.
func TestReboots(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.say(mayEnterNow(t))
		after(6 * time.Second)
		before, _ := g.everything()
		begins(t, r, "reboots", "")
		after(3 * time.Second)
		all, _ := g.everything()
		last, since := before[len(before)-1], all[len(before):]
		if len(since) < 3 {
			t.Fatalf("%d words since", len(since))
		}
		anew, echo, then := since[0], since[1], since[2]
		if anew.Boot == last.Boot || anew.Seq != 1 || anew.Where != "car" {
			t.Errorf("its first word: %+v", anew)
		}
		if echo.Boot != last.Boot || echo.Seq != last.Seq || echo.AgeMs != echo.at.Sub(last.at).Milliseconds() {
			t.Errorf("the old boot's last word: %+v, was %+v", echo, last)
		}
		if then.Boot != anew.Boot || then.Seq != 2 {
			t.Errorf("its second word: %+v", then)
		}
		if on := r.Faults(); len(on) != 0 {
			t.Errorf("on: %+v", on)
		}
		wantPlace(t, r, Place{Where: "car", Lift: "L1"})
	})
}

// SM-3: it says that it has left, and its body stays in the car.
func TestSaysLeftAndStays(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.say(mayEnterNow(t))
		after(6 * time.Second)
		begins(t, r, "says-left", "")
		g.say(mayLeave)
		after(10 * time.Second)
		wantKinds(t, g, "entering", "entered", "leaving", "left")
		wantPlace(t, r, Place{Where: "car", Lift: "L1"})
		if got := g.feltAll(); got != "L1 front blocked=true, L1 front blocked=false, L1 60 kg" {
			t.Errorf("the world felt %s", got)
		}
		if left, h := g.all("left")[0], g.all("heartbeat"); left.Where != "landing" || left.Floor != "3" || h[len(h)-1].Where != "landing" {
			t.Errorf("left: %+v, then %+v", left, h[len(h)-1])
		}
		g.say(riding)
		r.ClearNamed("says-left")
		after(3 * time.Second)
		if h := g.all("heartbeat"); h[len(h)-1].Where != "car" {
			t.Errorf("still lies: %+v", h[len(h)-1])
		}
	})
}

// SM-3: only a fault of robots, at this robot; and each is told.
func TestFaultsOfARobot(t *testing.T) {
	r := New(Options{ID: "R1", BaseURL: "http://gateway"})
	for _, c := range []struct {
		f    faults.Fault
		want error
	}{
		{faults.Fault{Kind: "fire", Target: "R1"}, faults.ErrKind},
		{faults.Fault{Kind: "freezess", Target: "R1"}, faults.ErrKind},
		{faults.Fault{Kind: "freezes", Target: "R2"}, faults.ErrTarget},
		{faults.Fault{Kind: "mute", Target: "R1", Arg: "barking"}, faults.ErrArg},
	} {
		if err := r.Play(c.f); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.f, err, c.want)
		}
	}
	begins(t, r, "freezes", "")
	r.ClearNamed("")
	var told []string
	for _, e := range r.FaultEvents() {
		told = append(told, e.String())
	}
	if len(told) != 2 || told[0] != "fault begins: R1 freezes" || told[1] != "fault ends, cleared: R1 freezes" {
		t.Errorf("told %q", told)
	}
}

// RB-1: a robot that somebody takes out stands at the landing, and is felt no more: out of
// the car, and out of a doorway in which it has stopped.
func TestCarriedOut(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.say(mayEnterNow(t))
		after(8 * time.Second)
		wantPlace(t, r, Place{Where: "car", Lift: "L1"})
		r.Carry("G")
		wantPlace(t, r, Place{Where: "landing", Floor: "G"})
		if felt := g.feltAll(); !strings.HasSuffix(strings.TrimSpace(felt), "L1 0 kg") {
			t.Errorf("felt %q", felt)
		}
	})
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		begins(t, r, "freezes", "")
		g.say(mayEnterNow(t))
		after(3 * time.Second)
		if at := r.Where(); at.Where != "doorway" {
			t.Fatal(at)
		}
		g.say() // else it is let in again
		r.Carry("G")
		after(time.Second)
		wantPlace(t, r, Place{Where: "landing", Floor: "G"})
	})
}
