package soak

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"
	"hoistway/simulator/scenarios"
)

func options() Options {
	return Options{Years: 1, Seed: 7, Cars: 4, RidesPerDay: 200, Faults: 3, Cloud: true}
}

// SM-4: a day is its seed's and its own; another seed has another.
func TestDaysAreSeeded(t *testing.T) {
	o := options()
	other := o
	other.Seed++
	if !slices.Equal(o.dayPlan(3), o.dayPlan(3)) {
		t.Fatal("one day, two plans")
	}
	if slices.Equal(o.dayPlan(3), o.dayPlan(4)) || slices.Equal(o.dayPlan(3), other.dayPlan(3)) {
		t.Fatal("two days, one plan")
	}
}

// SM-4: over a hundred days the rides are as many as asked for, within four deviations
// of a Poisson count, and fall on the hours as in an office.
func TestRidesComeAsInAnOffice(t *testing.T) {
	o := options()
	o.Faults = 0
	n, noon := 0, 0
	for d := range 100 {
		plan := o.dayPlan(d)
		if !slices.IsSortedFunc(plan, func(a, b act) int { return int(a.at - b.at) }) {
			t.Fatal("not in order")
		}
		for _, a := range plan {
			if _, ok := a.do.(scenarios.AskRide); !ok {
				continue
			}
			n++
			if h := time.Duration(a.at).Hours() - 24*float64(d); h >= 12 && h < 14 {
				noon++
			}
		}
	}
	if math.Abs(float64(n)-20000) > 4*math.Sqrt(20000) {
		t.Errorf("%d rides in 100 days of 200", n)
	}
	// 36 of the 174 parts of the day lie between noon and two.
	if share := float64(noon) / float64(n); math.Abs(share-36.0/174) > 0.012 {
		t.Errorf("a share of %.3f at noon", share)
	}
}

// SM-3: each kind comes as often as any other, with an argument that fits, at times, in
// states of rides and at the nth meeting.
func TestEveryKindOfFaultIsPlanned(t *testing.T) {
	o := options()
	count := map[string]int{}
	inState, later := 0, 0
	for d := range 2 * len(o.kinds()) { // three a day: six decks
		for _, a := range o.dayPlan(d) {
			if a.at >= elevator.Instant(d+1)*elevator.Instant(day)+elevator.Instant(time.Hour) {
				t.Error("beyond its day")
			}
			in, ok := a.do.(scenarios.Inject)
			if !ok {
				continue
			}
			f := in.Fault
			if f.Seed > 0 { // the faults of bad luck are beside the decks
				count[f.Kind]++
			}
			if a.state != "" {
				inState++
				f.Target = target(f.Kind)
			}
			if f.Target == "" {
				f.Target = target(f.Kind)
			}
			if f.From > 1 {
				later++
			}
			if err := faults.Check(f); err != nil {
				t.Error(err)
			}
		}
	}
	for _, k := range faults.Catalogue() {
		if count[k.Name] != 6 {
			t.Errorf("%s comes %d times", k.Name, count[k.Name])
		}
	}
	if inState == 0 || later == 0 {
		t.Errorf("%d in a state, %d at a later meeting", inState, later)
	}
}

func target(kind string) string {
	switch k, _ := faults.Find(kind); k.Aim {
	case faults.AtLift:
		return "L1"
	case faults.AtRobot:
		return "R1"
	case faults.AtCloud:
		return faults.CloudTarget
	}
	return faults.GatewayTarget
}

// SM-3: what a story says can be read again as a scenario, whatever was done.
func TestStoriesAreScenarios(t *testing.T) {
	o := options()
	o.Cars = 1
	var text strings.Builder
	asked := map[string]bool{}
	n := 0
	for d := range 200 {
		for _, a := range o.dayPlan(d) {
			if in, ok := a.do.(scenarios.Inject); ok && in.Fault.Target == "" {
				in.Fault.Target = target(in.Fault.Kind)
				a.do = in
			}
			switch x := a.do.(type) {
			case scenarios.AskRide:
				if n%50 != 0 {
					n++
					continue
				}
				n++
				asked[x.ID] = true
			case scenarios.CancelRide:
				if !asked[x.ID] {
					continue
				}
			}
			if a.state != "" && !asked[a.ride] {
				a.state = ""
			}
			a.at %= elevator.Instant(24 * time.Hour)
			text.WriteString(deed{at: a.at, by: a, do: a.do}.line() + "\n")
		}
	}
	all := strings.Split(text.String(), "\n")
	first := deed{do: scenarios.AskRide{ID: "x1", Robot: "R1", From: "G", To: "3", NotReady: true, ToDoor: "front"}}
	reset := deed{at: 5, do: scenarios.ResetRide{ID: "x1", RobotIs: "removed", By: "guard"}, by: act{ride: "x1", state: fsm.FaultLocked}}
	for len(all) > 0 { // a file has a limit of lines
		part := all[:min(len(all), 200)]
		all = all[len(part):]
		src := first.line() + "\n" + reset.line() + "\n" + needed(part) + strings.Join(part, "\n") + "\n"
		if _, wrong := scenarios.Parse("story", []byte(src)); len(wrong) > 0 {
			t.Fatal(wrong[0])
		}
	}
}

// needed asks for the rides that a part of the lines names without asking for them.
func needed(lines []string) string {
	asked, out := map[string]bool{}, ""
	for _, l := range lines {
		if w := strings.Fields(l); len(w) > 3 && w[2] == "ride" {
			asked[w[3]] = true
		}
	}
	for _, l := range lines {
		w := strings.Fields(l)
		id := ""
		switch {
		case len(w) > 3 && w[2] == "cancel":
			id = w[3]
		case len(w) > 2 && w[0] == "when":
			id = w[2]
		}
		if id != "" && !asked[id] {
			asked[id] = true
			out += "at 0s ride " + id + " R1 from G to 3\n"
		}
	}
	return out
}

func TestNames(t *testing.T) {
	deeds := []deed{{do: scenarios.AskRide{Robot: "R7", Lift: "L4"}}, {do: scenarios.Inject{Fault: faults.Fault{Target: "L3"}}}}
	acts := []act{{do: scenarios.AskRide{Robot: "R7"}}, {do: scenarios.Inject{Fault: faults.Fault{Target: "L3"}}}}
	got, ok := rename(deeds, acts)
	if !ok || got[0].do.(scenarios.AskRide).Robot != "R1" || got[1].do.(scenarios.Inject).Fault.Target != "L1" {
		t.Fatal(got, ok)
	}
	deeds = append(deeds, deed{do: scenarios.Press{Lift: "L2"}})
	if _, ok := rename(deeds, acts); ok {
		t.Fatal("three lifts do not fit into two")
	}
}

// Of a hundred acts that need three together, the three are left, in few trials.
func TestMinimal(t *testing.T) {
	var acts []act
	for i := range 100 {
		acts = append(acts, act{at: elevator.Instant(i)})
	}
	trials := 0
	got := minimal(acts, func(some []act) bool {
		trials++
		n := 0
		for _, a := range some {
			if a.at == 3 || a.at == 50 || a.at == 99 {
				n++
			}
		}
		return n == 3
	})
	if len(got) != 3 || got[0].at != 3 || got[1].at != 50 || got[2].at != 99 || trials > 150 {
		t.Fatal(got, trials)
	}
}

func TestOptions(t *testing.T) {
	bad := []func(*Options){
		func(o *Options) { o.Years = 0 }, func(o *Options) { o.Years = math.NaN() }, func(o *Options) { o.Cars = 17 },
		func(o *Options) { o.RidesPerDay = 0 }, func(o *Options) { o.Faults = -1 }, func(o *Options) { o.Faults = math.Inf(1) },
	}
	for i, spoil := range bad {
		o := options()
		if spoil(&o); o.check() == nil {
			t.Errorf("case %d is taken", i)
		}
	}
	if o := options(); o.check() != nil {
		t.Error(o.check())
	}
}
