package dispatch

import (
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

func anyLift(id, robot string) Create {
	c := create(id, robot, "")
	c.Any = true
	return c
}

func dos(out []Output) (list []string) {
	for _, o := range out {
		if d, ok := o.(Do); ok {
			list = append(list, d.Lift+" "+d.Command.Verb.String())
		}
	}
	return list
}

// pressed is a site in which r1 of any lift has L1 and its call stands.
func pressed(t *testing.T, in Create) *Site {
	t.Helper()
	s := site()
	see(s, "L1", standing(1, second), second)
	see(s, "L2", standing(3, second), second)
	out := s.Step(in, second, nil)
	if got := dos(out); !slices.Equal(got, []string{"L1 landing_call"}) {
		t.Fatalf("asked %v", got)
	}
	c := standing(1, 2*second)
	c.UpCalls.Value = c.UpCalls.Value.With(2)
	see(s, "L1", c, 2*second)
	if r := s.Ride("r1"); r.Phase != fsm.Called {
		t.Fatalf("the ride is in %s", r.Phase)
	}
	return s
}

// RD-13, RB-3: the group answers with the other car: the ride goes over to it, nothing is
// pressed again or taken back, and it is said why.
func TestTheGroupAnswersWithTheOtherCar(t *testing.T) {
	s := pressed(t, anyLift("r1", "R1"))
	before := s.Ride("r1").Epoch
	out := see(s, "L2", opened(2, 3*second), 3*second)
	r := s.Ride("r1")
	if r.Lift != "L2" || holder(s, "L2") != "r1" || holder(s, "L1") != "" || r.Phase != fsm.Boarding || r.Epoch <= before {
		t.Errorf("it is with %s (holders %q %q) in %s, epoch %d after %d", r.Lift, holder(s, "L1"), holder(s, "L2"), r.Phase, r.Epoch, before)
	}
	for _, d := range dos(out) {
		if !strings.HasPrefix(d, "L2 hold") {
			t.Errorf("asked %s", d)
		}
	}
	if why := s.Booking("r1").CarWhy; !strings.Contains(why, "L2 in place of L1: L2 stands open") {
		t.Errorf("it says %q", why)
	}
}

// A robot that named its lift, or whose other lift does not suit it, stays with it.
func TestNoOtherCarForWhoNamedOne(t *testing.T) {
	for name, in := range map[string]Create{"named": create("r1", "R1", "L1"), "among": anyLift("r1", "R1")} {
		if name == "among" {
			in.Among = 1
		}
		s := pressed(t, in)
		if see(s, "L2", opened(2, 3*second), 3*second); s.Ride("r1").Lift != "L1" {
			t.Errorf("%s: it rides with %s", name, s.Ride("r1").Lift)
		}
	}
}

// RD-13: its own car stops taking rides: the ride goes over before it has a fault.
func TestACarThatStopsServingIsLeft(t *testing.T) {
	s := pressed(t, anyLift("r1", "R1"))
	see(s, "L2", standing(3, 3*second), 3*second)
	off := standing(1, 3*second)
	off.Mode.Value = elevator.OutOfService
	see(s, "L1", off, 3*second)
	if r := s.Ride("r1"); r.Lift != "L2" || r.State != fsm.Waiting || r.FaultNo != 0 {
		t.Errorf("it is with %s in %s, fault %d", r.Lift, r.State, r.FaultNo)
	}
}

// RD-13: a ride that waits in line changes to a car that is sooner by twenty seconds, and not
// for less.
func TestWhoWaitsTakesTheSoonerCar(t *testing.T) {
	s := site()
	off := standing(1, second)
	off.Mode.Value = elevator.OutOfService
	see(s, "L1", standing(1, second), second)
	see(s, "L2", off, second)
	s.Step(create("r1", "R1", "L1"), second, nil)
	s.Step(anyLift("r2", "R2"), second, nil)
	if r := s.Ride("r2"); r.Lift != "L1" {
		t.Fatalf("the only one that serves is L1, it waits for %s", r.Lift)
	}
	see(s, "L2", standing(3, 3*second), 3*second)
	if r := s.Ride("r2"); r.Lift != "L2" || holder(s, "L2") != "r2" {
		t.Errorf("L2 is free, and it waits for %s", r.Lift)
	}
	if why := s.Booking("r2").CarWhy; !strings.Contains(why, "sooner by 4") {
		t.Errorf("it says %q", why)
	}
}

// Three seconds are no reason to change the line.
func TestASmallGainMovesNobody(t *testing.T) {
	s := site()
	see(s, "L1", standing(2, second), second)
	see(s, "L2", standing(3, second), second)
	in := anyLift("r1", "R1")
	in.Request.Ready = false
	s.Step(in, second, nil)
	for now := 2 * second; now < 6*second; now += second {
		see(s, "L1", standing(3, now), now)
		see(s, "L2", standing(2, now), now)
	}
	if r := s.Ride("r1"); r.Lift != "L1" {
		t.Errorf("it waits for %s now", r.Lift)
	}
}

// RB-3: a ride that nothing serves keeps its place in the line of one lift.
func TestNothingServes(t *testing.T) {
	s := site()
	out := s.Step(anyLift("r1", "R1"), second, nil)
	if r := lastReply(t, out); r.Status != Created || s.Ride("r1").Lift != "L1" {
		t.Errorf("%+v, lift %s", r, s.Ride("r1").Lift)
	}
}

// RD-13: two rides of a group at one landing in one direction press its button once; the
// second is answered by the first, and the call is taken back when the last wants it no more.
func TestALandingButtonIsPressedOnce(t *testing.T) {
	s := site()
	see(s, "L1", standing(1, second), second)
	see(s, "L2", standing(1, second), second)
	first := dos(s.Step(create("r1", "R1", "L1"), second, nil))
	both := s.Step(create("r2", "R2", "L2"), second, nil)
	if got := dos(both); len(first) != 1 || len(got) != 0 {
		t.Fatalf("asked %v, then %v", first, got)
	}
	if w := s.Ride("r2").Call; w.Answered || w.Command.ID.N == 0 {
		t.Errorf("the second was answered before the first: %+v", w)
	}
	id := s.Ride("r1").Call.Command.ID
	s.Step(Answered{Outcome: elevator.Outcome{ID: id, Result: elevator.Done, At: 2 * second}}, 2*second, nil)
	if w := s.Ride("r2").Call; !w.Answered {
		t.Error("the answer did not reach the second")
	}
	if got := dos(s.Step(Cancel{Ride: "r1", By: "t"}, 3*second, nil)); len(got) != 0 {
		t.Errorf("the first is cancelled, the second waits: asked %v", got)
	}
	if got := dos(s.Step(Cancel{Ride: "r2", By: "t"}, 4*second, nil)); !slices.Equal(got, []string{"L2 cancel_call"}) {
		t.Errorf("the last is cancelled: asked %v", got)
	}
}

// Other directions, other landings and other groups are other buttons.
func TestOtherButtonsAreOthers(t *testing.T) {
	for name, change := range map[string]func(*Create){
		"down":         func(c *Create) { c.To = "B1" },
		"other floor":  func(c *Create) { c.From = "B1" },
		"the rear one": func(c *Create) { c.FromDoor = "rear" },
	} {
		s := site()
		see(s, "L1", standing(3, second), second)
		see(s, "L2", standing(3, second), second)
		s.Step(create("r1", "R1", "L1"), second, nil)
		in := create("r2", "R2", "L2")
		change(&in)
		if got := dos(s.Step(in, second, nil)); !slices.Equal(got, []string{"L2 landing_call"}) {
			t.Errorf("%s: asked %v", name, got)
		}
	}
	apart := New(Config{
		Lifts:  []Lift{{ID: "L1", Group: "G1", Floors: table(), Plan: plan()}, {ID: "L2", Group: "G2", Floors: table(), Plan: plan()}},
		Robots: []string{"R1", "R2"}, Params: fsm.DefaultParams(),
	})
	see(apart, "L1", standing(3, second), second)
	see(apart, "L2", standing(3, second), second)
	apart.Step(create("r1", "R1", "L1"), second, nil)
	if got := dos(apart.Step(create("r2", "R2", "L2"), second, nil)); len(got) != 1 {
		t.Errorf("another group: asked %v", got)
	}
}

// field 17, IL-5: the decks of one car have one lease, one queue and one occupancy.
func TestDecksAreOneCar(t *testing.T) {
	s := New(Config{
		Lifts: []Lift{
			{ID: "low", CarID: "C1", Deck: "lower", Floors: table(), Plan: plan()},
			{ID: "high", CarID: "C1", Deck: "upper", Floors: table(), Plan: plan()},
		},
		Robots: []string{"R1", "R2"}, Params: fsm.DefaultParams(),
	})
	see(s, "low", standing(1, second), second)
	see(s, "high", standing(1, second), second)
	s.Step(create("r1", "R1", "low"), second, nil)
	s.Step(create("r2", "R2", "high"), second, nil)
	if holder(s, "low") != "r1" || holder(s, "high") != "" {
		t.Fatalf("both decks are given: %q and %q", holder(s, "low"), holder(s, "high"))
	}
	high := s.Cars()[1]
	if len(high.Queue) != 1 || !strings.Contains(high.Queue[0].Why, "other deck") {
		t.Errorf("the upper deck waits: %+v", high.Queue)
	}
	edit(t, s, "r1", func(r *fsm.Ride) { r.State, r.Phase, r.Where, r.Aboard = fsm.Moving, fsm.Riding, fsm.Inside, true })
	if c := s.Cars(); !c[0].Occupied || !c[1].Occupied {
		t.Errorf("a robot is in the car: %v, %v", c[0].Occupied, c[1].Occupied)
	}
	edit(t, s, "r1", func(r *fsm.Ride) { r.State, r.Phase, r.Where, r.Since = fsm.Done, fsm.Arrived, fsm.Outside, 2*second })
	see(s, "low", standing(2, 6*second), 6*second)
	see(s, "high", standing(2, 6*second), 6*second)
	if holder(s, "low") != "" || holder(s, "high") != "r2" {
		t.Errorf("the car is free, the upper deck's holder is %q", holder(s, "high"))
	}
}

// field 13, OP-9: another lift as the cloud's plan: the ride leaves the line that it was in.
func TestAnotherLiftByPlan(t *testing.T) {
	s := site()
	see(s, "L1", standing(1, second), second)
	see(s, "L2", standing(1, second), second)
	s.Step(anyLift("r1", "R1"), second, nil)
	edit(t, s, "r1", func(r *fsm.Ride) {
		r.State, r.Phase, r.Code, r.Other, r.RetryAt = fsm.Fault, fsm.Recovering, fsm.WaitTimeout, true, 500*second
		r.Call = fsm.Wish{}
	})
	for now := 3 * second; now < 20*second; now += second {
		see(s, "L1", standing(1, now), now)
		see(s, "L2", standing(1, now), now)
	}
	if r := s.Ride("r1"); r.Lift != "L2" {
		t.Errorf("it waits for %s, granted %v", r.Lift, r.Granted)
	}
}

// IF-4: a new destination before boarding is free; what can never work is refused with the
// field, the first request again is still the same ride.
func TestRetarget(t *testing.T) {
	s := pressed(t, create("r1", "R1", "L1"))
	for _, tc := range []struct {
		name   string
		in     Retarget
		status Status
		code   string
	}{
		{"no such ride", Retarget{Ride: "r9", To: "1"}, NotFound, "E-2006"},
		{"no such floor", Retarget{Ride: "r1", To: "9"}, Impossible, "E-2101"},
		{"no such door", Retarget{Ride: "r1", To: "1", ToDoor: "rear"}, Impossible, "E-2104"},
		{"where it is", Retarget{Ride: "r1", To: "G"}, Impossible, "E-2102"},
		{"the same", Retarget{Ride: "r1", To: "1"}, Accepted, ""},
		{"another", Retarget{Ride: "r1", To: "B1"}, Accepted, ""},
	} {
		tc.in.By = "R1"
		was := *s.Ride("r1")
		out := s.Step(tc.in, 3*second, nil)
		if r := lastReply(t, out); r.Status != tc.status || r.Code != tc.code {
			t.Errorf("%s: %+v", tc.name, r)
		}
		if tc.name != "another" && len(out) != 1 {
			t.Errorf("%s: %v", tc.name, out)
		}
		if tc.name != "another" && !fsm.Same(&was, s.Ride("r1")) {
			t.Errorf("%s: the ride changed", tc.name)
		}
	}
	if r := s.Ride("r1"); r.To != 1 {
		t.Errorf("it goes to %s", r.To)
	}
	if r := lastReply(t, s.Step(create("r1", "R1", "L1"), 4*second, nil)); r.Status != Existing {
		t.Errorf("the first request again: %+v", r)
	}
	again := create("r1", "R1", "L1")
	again.Request.Priority = 4
	if r := lastReply(t, s.Step(again, 4*second, nil)); r.Status != Conflict || r.Field != "priority" || !strings.Contains(r.Detail, "priority: 0, not 4") {
		t.Errorf("with another priority: %+v", r)
	}
	edit(t, s, "r1", func(r *fsm.Ride) { r.State, r.Phase, r.Where, r.Aboard = fsm.Moving, fsm.Riding, fsm.Inside, true })
	if r := lastReply(t, s.Step(Retarget{Ride: "r1", To: "1", By: "R1"}, 5*second, nil)); r.Status != Conflict || r.Code != "E-2111" {
		t.Errorf("aboard without the word: %+v", r)
	}
}

// RD-18: with the robot in the car one change of the destination in ten seconds: each presses buttons,
// and people ride along. The first is free, and so is the destination that it has already.
func TestChangesAboardAreCalm(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	ask := func(to string, at elevator.Instant) Reply {
		return lastReply(t, s.Step(Retarget{Ride: "r1", To: to, Aboard: true, By: "R1"}, at, nil))
	}
	ask("B1", 2*second)
	if r := ask("1", 2*second); r.Status != Accepted {
		t.Errorf("outside, twice: %+v", r)
	}
	edit(t, s, "r1", func(r *fsm.Ride) { r.State, r.Phase, r.Where, r.Aboard = fsm.Moving, fsm.Riding, fsm.Inside, true })
	for _, c := range []struct {
		to   string
		at   elevator.Instant
		want Status
		says string
	}{
		{"B1", 3 * second, Accepted, ""},
		{"B1", 4 * second, Accepted, ""},
		{"1", 4 * second, Conflict, "ask again in 9 s"},
		{"1", 13*second - 1, Conflict, "ask again in 1 s"},
		{"1", 13 * second, Accepted, ""},
		{"B1", 14 * second, Conflict, "ask again in 9 s"},
	} {
		if r := ask(c.to, c.at); r.Status != c.want || !strings.Contains(r.Detail, c.says) {
			t.Errorf("to %s at %v: %+v", c.to, c.at, r)
		}
	}
	b := *s.Booking("r1")
	b.Rebase(int64(5 * second))
	if b.Changed != 18*second {
		t.Errorf("on another clock: %v", b.Changed)
	}
}

// RD-18: a ride whose destination comes later; a lift of whole journeys cannot take it.
func TestOpenDestination(t *testing.T) {
	s := site()
	in := create("r1", "R1", "L1")
	in.To, in.Open, in.Toward = "", true, elevator.Down
	if r := lastReply(t, s.Step(in, second, nil)); r.Status != Created {
		t.Fatalf("%+v", r)
	}
	if r := s.Ride("r1"); r.To != 0 || !r.Open || r.Toward != elevator.Down {
		t.Errorf("to %s, open %v, towards %s", r.To, r.Open, r.Toward)
	}
	if r := lastReply(t, s.Step(in, second, nil)); r.Status != Existing {
		t.Errorf("again: %+v", r)
	}
	s.Step(Retarget{Ride: "r1", To: "1", By: "R1"}, 2*second, nil)
	if r := s.Ride("r1"); r.To != 3 {
		t.Errorf("to %s", r.To)
	}
	whole := site()
	whole.cars[0].Plan.Style = fsm.JourneyCall
	if r := lastReply(t, whole.Step(in, second, nil)); r.Status != Impossible || r.Field != "to" {
		t.Errorf("a lift of whole journeys: %+v", r)
	}
}

// The decisions cost little beside a step of the machine, also with many rides in line.
func BenchmarkSeenWithAQueue(b *testing.B) {
	robots := make([]string, 40)
	for i := range robots {
		robots[i] = "R" + strings.Repeat("x", i)
	}
	s := New(Config{
		Lifts:  []Lift{{ID: "L1", Group: "G1", Floors: table(), Plan: plan()}, {ID: "L2", Group: "G1", Floors: table(), Plan: plan()}},
		Robots: robots, Params: fsm.Params{Expiry: 24 * time.Hour},
	})
	for _, r := range robots {
		s.Step(anyLift("ride-"+r, r), second, nil)
	}
	now := 2 * second
	var out []Output
	for b.Loop() {
		now += second / 10
		car := standing(1, now)
		car.UpCalls.Value = car.UpCalls.Value.With(2)
		out = s.Step(&Seen{Lift: "L1", Car: car}, now, out[:0])
	}
}
