package dispatch

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

func urgent(id, robot, lift string, priority int) Create {
	c := create(id, robot, lift)
	c.Request.Priority = priority
	return c
}

// field 11, RD-13: the higher priority goes first, the earlier of two equal ones; each
// minute of waiting counts as one more, so that nobody is overtaken for ever.
func TestPriorityAndAge(t *testing.T) {
	for _, tc := range []struct {
		name   string
		first  int // priority of r1, which asks at 1 s
		second int // of r2
		later  time.Duration
		want   []string
	}{
		{"equal: who came first", 0, 0, time.Second, []string{"r1", "r2"}},
		{"the more urgent", 0, 3, time.Second, []string{"r2", "r1"}},
		{"a minute is one", 0, 1, 59 * time.Second, []string{"r2", "r1"}},
		{"and then the earlier again", 0, 1, 61 * time.Second, []string{"r1", "r2"}},
		{"nine minutes outrank everything", 0, 9, 9*time.Minute + time.Second, []string{"r1", "r2"}},
		{"no priority above nine", 9, 900, time.Second, []string{"r1", "r2"}},
	} {
		s := site()
		s.Step(urgent("r1", "R1", "L1", tc.first), second, nil)
		s.Step(urgent("r2", "R2", "L1", tc.second), second.Add(tc.later), nil)
		if q := places(s); !slices.Equal(q, tc.want) {
			t.Errorf("%s: %v", tc.name, q)
		}
		now := second.Add(tc.later)
		see(s, "L1", standing(1, now), now)
		if h := holder(s, "L1"); h != tc.want[0] {
			t.Errorf("%s: the car went to %s", tc.name, h)
		}
	}
}

// RD-13: a stream of urgent rides cannot keep a plain one waiting for more than ten of them.
func TestNobodyStarves(t *testing.T) {
	s := New(Config{
		Lifts:  []Lift{{ID: "L1", Floors: table(), Plan: plan()}},
		Robots: []string{"R0", "R1", "R2"}, Params: fsm.Params{Expiry: 24 * time.Hour},
	})
	s.Step(urgent("plain", "R0", "L1", 0), second, nil)
	now := 2 * second
	for n := range 40 {
		robot := fmt.Sprintf("R%d", 1+n%2)
		s.Step(urgent(fmt.Sprintf("u%d", n), robot, "L1", 9), now, nil)
		see(s, "L1", standing(1, now), now)
		if holder(s, "L1") == "plain" {
			if waited := now.Sub(second); waited > 11*time.Minute {
				t.Errorf("it waited %s", waited)
			}
			return
		}
		now += 60 * second
		s.Step(Cancel{Ride: holder(s, "L1"), By: "t"}, now, nil) // its minute is over
		see(s, "L1", standing(1, now+3*second), now+3*second)
	}
	t.Error("the plain ride never got the car")
}

// RB-3: each place says what it waits for.
func TestPlacesSayWhy(t *testing.T) {
	s := site()
	s.Step(create("r1", "R1", "L1"), second, nil)
	s.Step(create("r2", "R2", "L1"), second, nil)
	early := create("r3", "R3", "L1")
	early.Request.Ready, early.Eta = false, 40*time.Second
	s.Step(early, second, nil)
	why := func(place int, want string) {
		t.Helper()
		if q := s.Cars()[0].Queue; len(q) < place || !strings.Contains(q[place-1].Why, want) || q[place-1].Place != place {
			t.Errorf("place %d: %+v, want %q", place, q, want)
		}
	}
	why(1, "takes no rides: ")
	see(s, "L1", standing(1, second), second)
	why(1, "R1 has the car")
	why(2, "not ready, expected in 1m0s")
	s.Step(Maintain{Lift: "L1", On: true, For: time.Hour, By: "kim", Why: "new ropes"}, second, nil)
	why(1, "in maintenance for another 1h0m0s: new ropes")
	s.Step(Stop{On: true, By: "kim"}, second, nil)
	if q := s.Cars()[0].Queue; len(q) != 0 {
		t.Errorf("stopped, and still in the queue: %+v", q)
	}
}

// RB-3: the estimate is of the floors, the door and who is before; a car whose floor is not
// known is as far as it can be.
func TestEstimate(t *testing.T) {
	for _, tc := range []struct {
		name string
		at   elevator.Floor
		open bool
		busy int // rides before
		want time.Duration
	}{
		{"it stands open there", 2, true, 0, 0},
		{"it stands there", 2, false, 0, 4 * time.Second},
		{"one floor", 3, false, 0, 7 * time.Second},
		{"not known", 0, false, 0, 13 * time.Second},
		{"one before", 3, false, 1, 52 * time.Second},
	} {
		s := site()
		car := standing(tc.at, second)
		if tc.open {
			car.Doors[elevator.Front].Value = elevator.DoorOpen
		}
		car.Mode.Value = elevator.Independent // nobody gets the car
		see(s, "L1", car, second)
		for n := range tc.busy + 1 {
			s.Step(create(fmt.Sprintf("r%d", n), fmt.Sprintf("R%d", n+1), "L1"), second, nil)
		}
		q := s.Cars()[0].Queue
		if got := q[len(q)-1].ETA; got != tc.want {
			t.Errorf("%s: %s, want %s", tc.name, got, tc.want)
		}
	}
}

// A car is timed from landing to landing while it runs, and only then.
func TestPaceIsLearned(t *testing.T) {
	var p pace
	run := func(f elevator.Floor, m elevator.Motion, at elevator.Instant) {
		car := standing(f, at)
		car.Motion.Value = m
		p.look(&car, at)
	}
	run(1, elevator.MovingUp, 10*second)
	run(2, elevator.MovingUp, 15*second)
	if got := p.floor(); got != 3500*time.Millisecond { // a quarter of the way from 3 s to 5 s
		t.Errorf("learned %s", got)
	}
	run(2, elevator.Stopped, 16*second)
	run(2, elevator.MovingUp, 60*second)
	run(3, elevator.MovingUp, 62*second)
	if got := p.floor(); got != 3500*time.Millisecond {
		t.Errorf("a stop on the way was counted: %s", got)
	}
}

// RD-13: why a ride waits is told anew when that matters, not with every second: each other text is
// an event for all who read.
func TestWhyItWaitsStandsStill(t *testing.T) {
	s := site()
	s.Step(Maintain{Lift: "L2", On: true, For: 2 * time.Hour, By: "w"}, second, nil)
	late := create("r1", "R1", "L1")
	late.Request.Ready, late.Eta = false, 40*time.Second
	s.Step(late, second, nil)
	s.Step(create("r2", "R2", "L2"), second, nil)
	texts := map[string]bool{}
	for n := range 40 {
		for _, c := range s.CarsAt(second.Add(time.Duration(n) * time.Second)) {
			texts[c.Queue[0].Why] = true
		}
	}
	for _, want := range []string{
		"the robot is not ready, expected in 1m0s", "the robot is not ready, expected in 30s", "lift L2 is in maintenance for another 2h0m0s",
	} {
		if !texts[want] {
			t.Errorf("never %q", want)
		}
	}
	if len(texts) != 3 {
		t.Errorf("within 40 s: %v", texts)
	}
}
