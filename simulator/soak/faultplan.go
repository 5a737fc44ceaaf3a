package soak

import (
	"math/rand/v2"
	"strconv"
	"time"

	"hoistway/fsm"
	"hoistway/simulator/faults"
	"hoistway/simulator/scenarios"
)

// kinds are those that a run can begin: all of the catalogue, the cloud's only with one.
func (o Options) kinds() []faults.Kind {
	var out []faults.Kind
	for _, k := range faults.Catalogue() {
		if k.Aim != faults.AtCloud || o.Cloud {
			out = append(out, k)
		}
	}
	return out
}

// faults plans those of the day. They are counted from the start of the run, and dealt
// from decks that are shuffled by their own number, so that each kind comes as often.
func (p *planner) faults() {
	kinds := p.kinds()
	for n := int(float64(p.day) * p.Faults); n < int(float64(p.day+1)*p.Faults); n++ {
		deck := rand.New(rand.NewPCG(p.Seed, streamKit+uint64(n/len(kinds)))).Perm(len(kinds))
		p.fault(kinds[deck[n%len(kinds)]])
	}
}

// fault plans one: a third at some time, the others in some state of a ride.
func (p *planner) fault(k faults.Kind) {
	f := faults.Fault{Kind: k.Name, Arg: p.arg(k), For: p.between(5*time.Second, 6*time.Minute), Seed: p.rng.Uint64() >> 1}
	if k.Meets != "" {
		p.meetings(&f)
	}
	a := act{at: p.sometime(), do: scenarios.Inject{Fault: f}}
	if len(p.asked) > 0 && p.rng.IntN(3) > 0 {
		x := p.asked[p.rng.IntN(len(p.asked))]
		if p.rng.IntN(4) == 0 && p.struck.ride != "" {
			x = p.struck // two troubles in one ride
		}
		p.struck = x
		states := [...]fsm.State{fsm.Requesting, fsm.Waiting, fsm.Moving, fsm.Exiting}
		a.at, a.ride, a.state = x.at, x.ride, states[p.rng.IntN(len(states))]
		p.acts = append(p.acts, a)
		return
	}
	switch k.Aim {
	case faults.AtLift:
		f.Target = liftID(p.rng.IntN(p.Cars))
	case faults.AtRobot:
		f.Target = robotID(p.rng.IntN(p.robots()))
	}
	a.do = scenarios.Inject{Fault: f}
	p.acts = append(p.acts, a)
}

// badLuckEvery is how many days lie between two rides of bad luck.
const badLuckEvery = 20

// badLuck is a ride that fails three times for want of a car, and at the fourth its robot
// goes in and does not say so: the ride is locked with a robot inside. Chance alone would
// take years to come to that.
func (p *planner) badLuck() {
	if p.day%badLuckEvery != badLuckEvery/2 || len(p.asked) == 0 {
		return
	}
	x := p.asked[p.rng.IntN(len(p.asked))]
	for _, f := range []faults.Fault{
		{Kind: "no-show", For: p.between(295*time.Second, 320*time.Second)},
		{Kind: "mute", Arg: "entered", For: 20 * time.Minute},
	} {
		p.acts = append(p.acts, act{at: x.at, ride: x.ride, state: fsm.Requesting, do: scenarios.Inject{Fault: f}})
	}
}

// darkness is a ride whose gateway is gone from soon after its call until long after its
// car has come: its robot leaves by its pass. Chance alone seldom comes to that.
func (p *planner) darkness() {
	if p.day%badLuckEvery != 0 || len(p.asked) == 0 {
		return
	}
	x := p.asked[p.rng.IntN(len(p.asked))]
	f := faults.Fault{Kind: "kill", Arg: "1m0s"}
	p.acts = append(p.acts, act{at: x.at, ride: x.ride, state: fsm.Moving, later: 3 * time.Second, do: scenarios.Inject{Fault: f}})
}

// meetings says which of them are spoilt.
func (p *planner) meetings(f *faults.Fault) {
	if p.rng.IntN(2) == 0 {
		f.Times = 1 + p.rng.IntN(3)
	}
	if p.rng.IntN(3) == 0 {
		f.From = 2 + p.rng.IntN(4)
	}
	if p.rng.IntN(3) == 0 {
		f.Chance = 20 + p.rng.IntN(80)
	}
}

// arg draws an argument that the kind takes.
func (p *planner) arg(k faults.Kind) string {
	switch k.Takes {
	case faults.Number:
		lo, hi := max(k.Min, -7200), min(k.Max, 7200)
		if k.Name == "door-reopens" || k.Name == "repeats" {
			hi = 5
		}
		return strconv.Itoa(lo + p.rng.IntN(hi-lo+1))
	case faults.Duration:
		lo, hi := time.Duration(k.Min)*time.Millisecond, time.Duration(k.Max)*time.Millisecond
		return p.between(lo, max(lo, min(hi, 40*time.Second))).String()
	case faults.Landing:
		return landings[p.rng.IntN(len(landings))]
	case faults.Side:
		return [...]string{"front", "rear"}[p.rng.IntN(2)]
	case faults.Word:
		return k.Words[p.rng.IntN(len(k.Words))]
	}
	return ""
}
