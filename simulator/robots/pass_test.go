package robots

import (
	"errors"
	"testing"
	"time"
)

const withPass = `"where": "inside", "leave_pass": {"floor": "3", "side": "rear", "not_after_ms": 60000}`

// open3 is what a robot sees that may leave by the pass.
var open3 = Sight{Floor: "3", Motion: "still", Open: true}

// aboard brings the robot into the car, with a pass or without one.
func aboard(t *testing.T, g *eyed, r *Robot, told string) {
	t.Helper()
	g.say(waiting)
	after(time.Second)
	g.say(mayEnter)
	g.show(Sight{Floor: "G", Motion: "still", Open: true})
	after(5 * time.Second)
	g.say(told)
	g.show(Sight{Motion: "up"})
	after(time.Second)
	wantPlace(t, r, Place{Where: "car", Lift: "L1"})
}

// IL-5, RB-1: with no answer any more it leaves where its own eyes show its floor and the
// door of its pass open, and tells it later with its true age.
func TestLeavesByItsPass(t *testing.T) {
	seeing(t, func(t *testing.T, g *eyed, r *Robot) {
		aboard(t, g, r, but(t, riding, `"where": "inside"`, withPass))
		g.goDark(true)
		after(10 * time.Second)
		g.show(open3)
		after(time.Second)
		wantPlace(t, r, Place{Where: "doorway", Lift: "L1", Floor: "3"})
		after(5 * time.Second)
		wantPlace(t, r, Place{Where: "landing", Floor: "3"})
		after(20 * time.Second)
		g.goDark(false)
		after(3 * time.Second)
		wantKinds(t, g.gateway, "entering", "entered", "leaving", "left")
		out, in := g.all("leaving")[0], g.all("left")[0]
		if d := out.SeesDoor; out.Permit != "" || d == nil || *d != (door{Floor: "3", Side: "rear", Open: true}) || out.Floor != "3" || !out.FloorSure {
			t.Errorf("leaving says %+v", out)
		}
		if in.Where != "landing" || in.Floor != "3" || !in.FloorSure || out.AgeMs < 25_000 || out.AgeMs-in.AgeMs < 3_900 || out.AgeMs-in.AgeMs > 4_200 {
			t.Errorf("left says %+v, %d ms after it set off", in, out.AgeMs-in.AgeMs)
		}
	})
}

// IL-5: each part of a pass counts: without it the robot stays in the car.
func TestStaysWithoutAllOfAPass(t *testing.T) {
	pass := func(part, other string) func(t *testing.T) string {
		return func(t *testing.T) string {
			return but(t, but(t, riding, `"where": "inside"`, withPass), part, other)
		}
	}
	same := pass(withPass, withPass)
	for name, c := range map[string]struct {
		told  func(t *testing.T) string
		sight Sight
		dark  time.Duration
	}{
		"no pass":          {func(*testing.T) string { return riding }, open3, time.Minute},
		"another floor":    {same, Sight{Floor: "2", Motion: "still", Open: true}, time.Minute},
		"no floor seen":    {same, Sight{Motion: "still", Open: true}, time.Minute},
		"the car moves":    {same, Sight{Floor: "3", Motion: "up", Open: true}, time.Minute},
		"motion not known": {same, Sight{Floor: "3", Open: true}, time.Minute},
		"door not open":    {same, Sight{Floor: "3", Motion: "still"}, time.Minute},
		"past its time":    {pass("60000", "2500"), open3, time.Minute},
		"soon heard again": {same, open3, 2 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			seeing(t, func(t *testing.T, g *eyed, r *Robot) {
				aboard(t, g, r, c.told(t))
				g.goDark(true)
				g.show(c.sight)
				after(c.dark)
				g.goDark(false)
				after(3 * time.Second)
				wantKinds(t, g.gateway, "entering", "entered")
				wantPlace(t, r, Place{Where: "car", Lift: "L1"})
			})
		})
	}
}

// IL-5: an answer is an answer, also a no: a robot that is refused is not cut off.
func TestARefusalIsAnAnswer(t *testing.T) {
	r := New(Options{ID: "R1", BaseURL: "http://gateway"})
	began := time.Now()
	for _, no := range []error{nil, &Refusal{Status: 409}, &NotNow{}} {
		r.listened(errors.New("no route"), began)
		r.listened(errors.New("no route"), began.Add(time.Second))
		if !r.deaf.Equal(began) {
			t.Fatalf("deaf since %v, want %v", r.deaf, began)
		}
		if r.listened(no, began); !r.deaf.IsZero() {
			t.Errorf("%v: still deaf", no)
		}
	}
}

// IL-5, RB-1: told to leave with a pass in place of a permit it goes by the pass, once its
// agent has heard so, and only where its own eyes agree.
func TestLeavesAsToldByItsPass(t *testing.T) {
	for name, c := range map[string]struct {
		told  func(string) string
		sight Sight
		goes  bool
	}{
		"all of it":     {func(s string) string { return s }, open3, true},
		"another floor": {func(s string) string { return s }, Sight{Floor: "2", Motion: "still", Open: true}, false},
		"no pass":       {func(s string) string { return but(t, s, withPass, `"where": "inside", "leave_pass": null`) }, open3, false},
		"told to stay":  {func(s string) string { return but(t, s, `"do": "leave"`, `"do": "stay"`) }, open3, false},
	} {
		t.Run(name, func(t *testing.T) {
			seeing(t, func(t *testing.T, g *eyed, r *Robot) {
				told := but(t, riding, `"where": "inside"`, withPass)
				aboard(t, g, r, told)
				g.show(c.sight)
				g.say(c.told(but(t, told, `"do": {"do": "stay", "why": "the car moves", "until_ms": null}`, `"do": {"do": "leave", "why": "by its leave pass", "until_ms": 2000}`)))
				after(8 * time.Second)
				if !c.goes {
					wantKinds(t, g.gateway, "entering", "entered")
					wantPlace(t, r, Place{Where: "car", Lift: "L1"})
					return
				}
				wantKinds(t, g.gateway, "entering", "entered", "leaving", "left")
				wantPlace(t, r, Place{Where: "landing", Floor: "3"})
				if out := g.all("leaving")[0]; out.Permit != "" || out.Floor != "3" || !out.FloorSure || out.AgeMs > 100 {
					t.Errorf("leaving says %+v", out)
				}
			})
		})
	}
}
