package robots

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
)

func sealed(g *gateway) *http.Client { return &http.Client{Transport: g} }

func on(kind string, upTo int, what trouble) func(string, int) trouble {
	return func(k string, nth int) trouble {
		if k == kind && nth <= upTo {
			return what
		}
		return none
	}
}

// RB-1: unheard, or heard without an answer, the same word goes under the same
// number until it is heard, and its age grows.
func TestAnUnheardWordIsSaidAgainUnderItsNumber(t *testing.T) {
	for name, what := range map[string]trouble{"request": lostRequest, "answer": lostAnswer, "later": notNow} {
		t.Run(name, func(t *testing.T) {
			living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
				g.suffer(on("entered", 4, what))
				g.say(mayEnterNow(t))
				after(8 * time.Second)
				wantPlace(t, r, Place{Where: "car", Lift: "L1"})
				tries := g.all("entered")
				if len(tries) != 5 {
					t.Fatalf("%d tries", len(tries))
				}
				for i, h := range tries {
					if h.Seq != tries[0].Seq {
						t.Errorf("try %d has another number", i)
					}
					if want := h.at.Sub(tries[0].at).Milliseconds(); h.AgeMs != want {
						t.Errorf("try %d says that it is %d ms old, it is %d", i, h.AgeMs, want)
					}
				}
				if h := g.all("heartbeat"); h[len(h)-1].Seq < tries[0].Seq {
					t.Error("silent after it was heard")
				}
			})
		})
	}
}

// While a word waits, no heartbeat overtakes it with a higher number.
func TestHeartbeatsDoNotOvertakeAWord(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, _ *Robot) {
		g.suffer(on("entered", 1<<30, lostRequest))
		g.say(mayEnterNow(t))
		after(20 * time.Second)
		last := g.all("entered")[0].Seq
		all, _ := g.everything()
		for _, h := range all {
			if h.Seq > last {
				t.Fatalf("number %d (%s) went before %d was heard", h.Seq, h.Kind, last)
			}
		}
	})
}

// It goes only once the agent has heard that it goes.
func TestItDoesNotEnterUnheard(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.suffer(on("entering", 1<<30, lostAnswer))
		g.say(mayEnterNow(t))
		after(2500 * time.Millisecond)
		wantPlace(t, r, Place{Where: "landing", Floor: "G"})
		first := g.all("entering")[0]
		for _, h := range g.all("entering") {
			if h.at.Sub(first.at) < 1900*time.Millisecond && h.Seq != first.Seq {
				t.Error("one intent has two numbers")
			}
		}
		if len(g.all("gave_up_entering")) == 0 {
			t.Error("it may have been heard, so it has to take its word back")
		}
		if g.feltAll() != "" {
			t.Errorf("the world felt %s", g.feltAll())
		}
	})
}

func TestItDoesNotEnterWhenRefused(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.suffer(on("entering", 1<<30, no))
		g.say(mayEnterNow(t))
		after(10 * time.Second)
		wantPlace(t, r, Place{Where: "landing", Floor: "G"})
		if g.feltAll() != "" {
			t.Errorf("the world felt %s", g.feltAll())
		}
	})
}

func TestEnteringHeardAtTheThirdTryIsInTime(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.suffer(on("entering", 2, lostRequest))
		g.say(mayEnterNow(t))
		after(5 * time.Second)
		wantKinds(t, g, "entering", "entering", "entering", "entered")
		wantPlace(t, r, Place{Where: "car", Lift: "L1"})
	})
}

func TestARefusedWordIsNotRepeated(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.suffer(on("entered", 1, no))
		g.say(mayEnterNow(t))
		after(8 * time.Second)
		wantKinds(t, g, "entering", "entered")
		wantPlace(t, r, Place{Where: "car", Lift: "L1"})
		if h := g.all("heartbeat"); h[len(h)-1].Where != "car" {
			t.Error("it does not say any more where it is")
		}
	})
}

// IL: a robot that never says "entered": it does not say where it is either.
func TestManners(t *testing.T) {
	t.Run("mute", func(t *testing.T) {
		living(t, Options{Manner: Manner{Mute: "entered"}}, func(t *testing.T, g *gateway, r *Robot) {
			g.say(mayEnterNow(t))
			after(10 * time.Second)
			wantKinds(t, g, "entering")
			wantPlace(t, r, Place{Where: "car", Lift: "L1"})
			if h := g.all("heartbeat"); h[len(h)-1].Where != "unknown" {
				t.Errorf("its heartbeat gives it away: %+v", h[len(h)-1])
			}
		})
	})
	t.Run("freezes", func(t *testing.T) {
		living(t, Options{Manner: Manner{Freeze: true}}, func(t *testing.T, g *gateway, r *Robot) {
			g.say(mayEnterNow(t))
			after(10 * time.Second)
			g.say(but(t, mayEnter, `"do": "enter"`, `"do": "back_off"`))
			after(10 * time.Second)
			wantKinds(t, g, "entering")
			wantPlace(t, r, Place{Where: "doorway", Lift: "L1", Floor: "G"})
			if g.feltAll() != "L1 front blocked=true" {
				t.Errorf("the world felt %s", g.feltAll())
			}
			if h := g.all("heartbeat"); time.Since(h[len(h)-1].at) > 2*time.Second || h[len(h)-1].Where != "doorway" {
				t.Error("it stopped talking, or lies")
			}
		})
	})
	for kind, want := range map[string]Place{
		"entering":  {Where: "doorway", Lift: "L1", Floor: "G"},
		"entered":   {Where: "car", Lift: "L1"},
		"heartbeat": {Where: "landing", Floor: "G"},
	} {
		t.Run("dies after "+kind, func(t *testing.T) {
			living(t, Options{Manner: Manner{Dies: kind}}, func(t *testing.T, g *gateway, r *Robot) {
				g.say(waiting)
				if kind != "heartbeat" {
					g.say(mayEnterNow(t))
				}
				after(10 * time.Second)
				before, polls := g.everything()
				g.say(mayLeave)
				after(10 * time.Second)
				if all, n := g.everything(); len(all) != len(before) || n != polls || len(all) == 0 {
					t.Errorf("it still talks: %d then %d signals", len(before), len(all))
				}
				wantPlace(t, r, want)
			})
		})
	}
}

func TestLockedRideIsToldOnceAndStillServed(t *testing.T) {
	locked := but(t, but(t, riding, `"state": "MOVING", "phase": "riding"`, `"state": "FAULT_LOCKED", "phase": "locked"`), `"fault": null`, `"fault": {"code": "TRAVEL_TIMEOUT", "no": 4, "age_ms": 1, "latched": false}`)
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.say(mayEnterNow(t))
		after(5 * time.Second)
		g.say(locked)
		after(3 * time.Second)
		if end := <-r.Done(); end != (RideEnd{Ride: "r1", Lift: "L1", State: "FAULT_LOCKED", Phase: "locked", Fault: "TRAVEL_TIMEOUT"}) {
			t.Errorf("end %+v", end)
		}
		if h := g.all("heartbeat"); time.Since(h[len(h)-1].at) > 2*time.Second {
			t.Error("silent in a locked ride")
		}
		g.say(but(t, mayLeave, `"state": "EXITING", "phase": "leaving"`, `"state": "FAULT_LOCKED", "phase": "locked"`))
		after(5 * time.Second)
		wantPlace(t, r, Place{Where: "landing", Floor: "3"})
		if n := len(r.Done()); n != 0 {
			t.Errorf("the end was told %d times more", n)
		}
	})
}

func TestARideThatTheAgentForgotIsOver(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		g.say(waiting)
		after(time.Second)
		g.say()
		after(100 * time.Millisecond)
		if n := len(r.Done()); n != 0 {
			t.Error("over because one list lacked it: that list may be older than the ride")
		}
		after(time.Second)
		select {
		case end := <-r.Done():
			if end != (RideEnd{Ride: "r1"}) {
				t.Errorf("end %+v", end)
			}
		default:
			t.Error("nobody told the end")
		}
	})
}

// Ends that nobody fetches never stop the robot.
func TestUnfetchedEndsAreDropped(t *testing.T) {
	living(t, Options{}, func(t *testing.T, g *gateway, r *Robot) {
		for range doneRoom + 5 {
			g.say(waiting)
			after(400 * time.Millisecond)
			g.say(arrived)
			after(400 * time.Millisecond)
		}
		if len(r.Done()) != doneRoom {
			t.Errorf("%d ends kept", len(r.Done()))
		}
		_, before := g.everything()
		after(time.Second)
		if _, polls := g.everything(); polls == before {
			t.Error("it stands still")
		}
	})
}

// RB-1: the same wish is asked again under one id when the answer was lost.
func TestAskIsIdempotent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gateway{trouble: on("ask", 2, lostAnswer)}
		r := New(Options{ID: "R1", BaseURL: "http://gateway/", Token: "t0ken", Client: sealed(g)})
		id, err := r.Ask(t.Context(), Ride{Lift: "L1", From: "G", To: "3"})
		if err != nil || len(g.made) != 3 || g.made[0] != g.made[2] || !strings.Contains(g.made[0], id) {
			t.Fatalf("%q, %v, asked %v", id, err, g.made)
		}
		want := `{"ride_id":"` + id + `","robot":"R1","lift":"L1","from":"G","to":"3","ready":true}`
		if g.made[0] != want {
			t.Errorf("asked %s, want %s", g.made[0], want)
		}
		again, err := r.Ask(t.Context(), Ride{From: "G", To: "3", Standby: true})
		if err != nil || again == id {
			t.Errorf("the second wish has id %q, %v", again, err)
		}
		if last := g.made[3]; !strings.Contains(last, `"lift":"any"`) || !strings.Contains(last, `"ready":false`) {
			t.Errorf("asked %s", last)
		}
	})
}

func TestAskTellsANo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gateway{trouble: on("ask", 9, no)}
		r := New(Options{ID: "R1", BaseURL: "http://gateway", Token: "t0ken", Client: sealed(g)})
		_, err := r.Ask(t.Context(), Ride{Lift: "L1", From: "G", To: "9"})
		var refused *Refusal
		if !errors.As(err, &refused) || refused.Status != 422 || refused.Code != "E-2101" || len(g.made) != 1 {
			t.Errorf("%v after %d tries", err, len(g.made))
		}
		if want := "robot R1 asks for a ride: refused with 422: E-2101 unknown floor: no floor 9"; err.Error() != want {
			t.Errorf("said %q", err)
		}
	})
}

func TestAskGivesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := &gateway{trouble: on("ask", 1<<30, notNow)}
		r := New(Options{ID: "R1", BaseURL: "http://gateway", Token: "t0ken", Client: sealed(g)})
		if _, err := r.Ask(t.Context(), Ride{From: "G", To: "3"}); err == nil || len(g.made) != askTries {
			t.Errorf("%v after %d tries", err, len(g.made))
		}
	})
}

// A stop in mid-crossing leaves nothing in the doorway and no goroutine behind.
func TestStopInTheDoorwayOverRealHTTP(t *testing.T) {
	defer goleak.VerifyNone(t)
	g := &gateway{}
	g.say(mayEnterNow(t))
	server := httptest.NewServer(g)
	defer server.Close()
	r := New(Options{ID: "R1", BaseURL: server.URL, Token: "t0ken", World: g})
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan error, 1)
	go func() { over <- r.Run(ctx) }()
	for deadline := time.Now().Add(20 * time.Second); r.Where().Where != "doorway"; {
		if time.Now().After(deadline) {
			t.Fatal("it does not enter")
		}
		time.Sleep(5 * time.Millisecond)
	}
	cancel()
	if err := <-over; err != nil {
		t.Error(err)
	}
	if got := g.feltAll(); got != "L1 front blocked=true, L1 front blocked=false" {
		t.Errorf("the world felt %s", got)
	}
}

// eyed is a world that the robot sees.
type eyed struct {
	*gateway
	sight Sight
}

func (e *eyed) See(string, string) Sight {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sight
}

func (e *eyed) show(s Sight) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.sight = s
}

// seeing is living with eyes.
func seeing(t *testing.T, test func(t *testing.T, g *eyed, r *Robot)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g := &eyed{gateway: &gateway{}}
		r := New(Options{ID: "R1", BaseURL: "http://gateway", Token: "t0ken", Client: sealed(g.gateway), World: g})
		ctx, cancel := context.WithCancel(t.Context())
		over := make(chan error, 1)
		go func() { over <- r.Run(ctx) }()
		defer func() { cancel(); <-over }()
		test(t, g, r)
	})
}

func TestWithEyesItSaysWhatItSees(t *testing.T) {
	seeing(t, func(t *testing.T, g *eyed, _ *Robot) {
		g.say(waiting)
		g.show(Sight{Floor: "1", Motion: "down"})
		after(2 * time.Second)
		if h := g.all("heartbeat"); h[len(h)-1].SeesDoor != nil {
			t.Error("sees a door that is not open")
		}
		g.show(Sight{Floor: "G", Motion: "still", Open: true})
		g.say(mayEnter)
		after(5 * time.Second)
		if d := g.all("entering")[0].SeesDoor; d == nil || *d != (door{Floor: "G", Side: "front", Open: true}) {
			t.Errorf("entering sees %+v", d)
		}
		g.say(riding)
		g.show(Sight{Motion: "up"})
		after(2 * time.Second)
		if h := g.all("heartbeat"); h[len(h)-1].Motion != "up" || h[len(h)-1].Floor != "" || h[len(h)-1].FloorSure {
			t.Errorf("in the car: %+v", h[len(h)-1])
		}
		g.show(Sight{Floor: "1", Motion: "still", Open: true}) // not the floor that it was told
		g.say(mayLeave)
		after(5 * time.Second)
		if out := g.all("left")[0]; out.Floor != "1" || !out.FloorSure {
			t.Errorf("left says %+v", out)
		}
	})
}
