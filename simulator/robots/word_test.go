package robots

import (
	"errors"
	"slices"
	"testing"
	"time"
)

// comes is a ride whose robot is told to come to the door.
func comes(t *testing.T, id string) string {
	t.Helper()
	come := but(t, waiting, `"do": "wait", "why": "the car comes"`, `"do": "go_to", "why": "it is your turn soon"`)
	return but(t, come, `"ride_id": "r1"`, `"ride_id": "`+id+`"`)
}

// RD-18: a robot that is on its way says ready when it is told to come, and one of
// which a word is wanted only on that word, then again as any other.
func TestReadyOnWord(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		id, err := r.Ask(t.Context(), Ride{From: "G", To: "3", Standby: true, OnWord: true})
		if err != nil {
			t.Fatal(err)
		}
		g.say(comes(t, id))
		after(time.Minute)
		wantKinds(t, g)
		if len(g.all("heartbeat")) == 0 {
			t.Error("it says nothing at all")
		}
		if err := r.Say("ready"); err != nil {
			t.Fatal(err)
		}
		after(time.Second)
		wantKinds(t, g, "ready")
		if h := g.all("ready"); h[0].path != "/v1/rides/"+id+"/signals" || h[0].Where != "landing" || h[0].Floor != "G" {
			t.Errorf("it said %+v", h[0])
		}
		after(30 * time.Second)
		if n := len(g.all("ready")); n < 2 {
			t.Errorf("said %d times while it is told to come", n)
		}
	})
}

// RD-18: a ride of the same robot that nobody holds back is not held back.
func TestReadyByItself(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		if _, err := r.Ask(t.Context(), Ride{From: "G", To: "3", Standby: true, OnWord: true}); err != nil {
			t.Fatal(err)
		}
		g.say(comes(t, "r7"))
		after(time.Second)
		wantKinds(t, g, "ready")
	})
}

// SM-3: words that cannot be said are refused; any other is said as the robot stands.
func TestSay(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		if err := r.Say("ready"); !errors.Is(err, ErrNoRide) {
			t.Errorf("without a ride: %v", err)
		}
		g.say(waiting)
		after(time.Second)
		if err := r.Say("reddy"); !errors.Is(err, ErrSignal) {
			t.Errorf("no signal: %v", err)
		}
		if err := r.Say("left"); err != nil {
			t.Fatal(err)
		}
		after(time.Second)
		wantKinds(t, g, "left")
		begins(t, r, "robot-silent", "")
		if err := r.Say("entered"); err != nil {
			t.Fatal(err)
		}
		after(time.Minute)
		wantKinds(t, g, "left")
		r.ClearNamed("robot-silent")
		after(time.Second)
		wantKinds(t, g, "left", "entered")
	})
}

// SM-3: what nobody takes does not pile up.
func TestSayIsBounded(t *testing.T) {
	r := New(Options{ID: "R1"})
	r.follow["r1"] = 0
	for i := range boxRoom {
		if err := r.Say("ready"); err != nil {
			t.Fatalf("word %d: %v", i+1, err)
		}
	}
	if err := r.Say("ready"); !errors.Is(err, ErrBusy) {
		t.Errorf("one more: %v", err)
	}
}

// SM-3, RB-1: a silent robot asks for nothing either; one that can speak again in time
// still gets its ride.
func TestSilentAsks(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		begins(t, r, "robot-silent", "")
		if _, err := r.Ask(t.Context(), Ride{From: "G", To: "3"}); err == nil || len(g.made) > 0 {
			t.Errorf("asked %v, %v", g.made, err)
		}
		go func() {
			time.Sleep(askPause)
			r.ClearNamed("robot-silent")
		}()
		if _, err := r.Ask(t.Context(), Ride{From: "G", To: "3"}); err != nil || len(g.made) != 1 {
			t.Errorf("asked %v, %v", g.made, err)
		}
	})
}

// RB-1, ST-3: a no of the agent's own trouble is asked again, and told in the end.
func TestAskTellsNotNow(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.suffer(func(string, int) trouble { return notNow })
		_, err := r.Ask(t.Context(), Ride{From: "G", To: "3"})
		var later *NotNow
		if !errors.As(err, &later) || later.No.Status != 503 || later.No.Code != "E-2101" || isRefusal(err) {
			t.Errorf("got %v", err)
		}
		g.mu.Lock()
		defer g.mu.Unlock()
		if len(g.made) != askTries || len(slices.Compact(g.made)) != 1 {
			t.Errorf("asked %v", g.made)
		}
	})
}
