package soak

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/scenarios"
)

// act is one thing that is planned: at a time, or when a ride first is in a state after
// that time. A fault with no target is aimed at what the ride has when it strikes.
type act struct {
	at    elevator.Instant
	ride  string        // of state
	state fsm.State     // "" = at the time
	later time.Duration // after it came into it
	do    scenarios.Act
}

// patience is how long a planned act waits for its ride to come into its state.
const patience = 30 * time.Minute

// office is how the rides of a day fall on its hours.
var office = [24]float64{
	1, 1, 1, 1, 1, 2, 4, 8, 14, 14, 10, 12, 18, 18, 12, 10, 12, 14, 8, 5, 3, 2, 2, 1,
}

// landings are those of the bench building; the second has a rear door too.
var landings = [...]string{"B1", "G", "1", "2", "3"}

// streams part the generators of one day from each other.
const (
	streamDay uint64 = 0x736f616b0000_0000
	streamKit uint64 = 0x6465636b0000_0000
)

// dayPlan is all that is planned of one day, in order of time.
func (o Options) dayPlan(d int) []act {
	p := &planner{Options: o, rng: rand.New(rand.NewPCG(o.Seed, streamDay+uint64(d))), day: d, from: elevator.Instant(d) * elevator.Instant(day)}
	p.asks()
	if o.Faults > 0 {
		p.presses()
		p.faults()
		p.badLuck()
		p.darkness()
	}
	slices.SortStableFunc(p.acts, func(a, b act) int { return cmp.Compare(a.at, b.at) })
	return p.acts
}

type planner struct {
	Options
	rng    *rand.Rand
	day    int
	from   elevator.Instant
	acts   []act
	asked  []asked
	struck asked // the ride of the fault planned last
}

type asked struct {
	at          elevator.Instant
	ride, robot string
}

func (p *planner) add(at elevator.Instant, do scenarios.Act) {
	p.acts = append(p.acts, act{at: at, do: do})
}

// asks draws the rides: a Poisson process whose rate follows the hours.
func (p *planner) asks() {
	sum := 0.0
	for _, w := range office {
		sum += w
	}
	spent := 0.0
	for n := 0; ; n++ {
		spent += p.rng.ExpFloat64() / float64(p.RidesPerDay)
		at, ok := timeOfDay(spent * sum)
		if !ok {
			return
		}
		p.ask(n, p.from+elevator.Instant(at))
	}
}

// timeOfDay turns a share of the day's rides, weighed, into a time; false past its end.
func timeOfDay(weight float64) (time.Duration, bool) {
	for hour, w := range office {
		if weight < w {
			return time.Duration((float64(hour) + weight/w) * float64(time.Hour)), true
		}
		weight -= w
	}
	return 0, false
}

func (p *planner) ask(n int, at elevator.Instant) {
	a := scenarios.AskRide{ID: fmt.Sprintf("d%dr%d", p.day, n), Robot: robotID(p.rng.IntN(p.robots()))}
	from := p.rng.IntN(len(landings))
	to := (from + 1 + p.rng.IntN(len(landings)-1)) % len(landings)
	a.From, a.To = landings[from], landings[to]
	a.FromDoor, a.ToDoor = p.door(a.From), p.door(a.To)
	if p.rng.IntN(2) == 0 {
		a.Lift = liftID(p.rng.IntN(p.Cars))
	}
	p.asked = append(p.asked, asked{at, a.ID, a.Robot})
	a.NotReady = p.rng.IntN(10) == 0
	p.add(at, a)
	if a.NotReady && p.rng.IntN(10) > 0 { // one in ten never comes
		p.add(at+elevator.Instant(p.between(10*time.Second, 2*time.Minute)), scenarios.Say{Robot: a.Robot, Kind: string(fsm.Ready)})
	}
	if p.rng.IntN(50) == 0 || a.NotReady && p.rng.IntN(10) == 0 {
		p.add(at+elevator.Instant(p.between(0, 90*time.Second)), scenarios.CancelRide{ID: a.ID, By: "soak"})
	}
}

// door names a side now and then where there are two.
func (p *planner) door(landing string) string {
	if landing != "G" {
		return ""
	}
	return [...]string{"", "front", "rear"}[p.rng.IntN(3)]
}

// presses are people at the buttons.
func (p *planner) presses() {
	for range 6 {
		a := scenarios.Press{Lift: liftID(p.rng.IntN(p.Cars)), Floor: landings[1+p.rng.IntN(3)]}
		a.Direction = elevator.Direction(p.rng.IntN(3))
		p.add(p.sometime(), a)
	}
}

func (p *planner) sometime() elevator.Instant {
	return p.from + elevator.Instant(p.rng.Int64N(int64(day)))
}

func (p *planner) between(lo, hi time.Duration) time.Duration {
	return lo + time.Duration(p.rng.Int64N(int64(hi-lo)+1)).Truncate(time.Millisecond)
}
