package virtual

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/scenarios"
)

// The kinds of wire.
const (
	TCP = "tcp"
	RTU = "rtu"
)

// Setup describes a site. The zero Params are the agent's defaults.
type Setup struct {
	Building building.Config
	Lifts    []Lift
	Robots   []Robot
	Params   fsm.Params
	Cloud    bool
	Seed     uint64
	// Lean leaves out what only people look at (log, pictures) and asks the lifts and
	// the agent no more often than something can have changed. It is for years.
	Lean bool
}

// Lift is one line to a car of the building.
type Lift struct {
	ID   string
	Wire string // [TCP] or [RTU]
	Area string // of alarms; "" is the whole house

	scenarios.Kind
}

// Robot is one robot. Crossing is how long it takes through a door line; 0 is 4 s.
type Robot struct {
	ID       string
	Crossing time.Duration
	// Fleet: it gives no signals; a fleet that sees no door line claims what it has done.
	Fleet bool
}

// Bench is the demonstration building with two robots and a cloud.
func Bench(seed uint64) Setup {
	return Setup{
		Building: building.Bench(),
		Lifts:    []Lift{{ID: "L1", Wire: TCP}, {ID: "L2", Wire: RTU}},
		Robots:   []Robot{{ID: "R1"}, {ID: "R2"}},
		Cloud:    true,
		Seed:     seed,
	}
}

const (
	usualCrossing = 4 * time.Second
	longCrossing  = 2 * time.Minute
	robotKg       = 60
	maxLifts      = 64
	maxRobots     = 64
)

// ErrSetup is what every fault of a setup wraps.
var ErrSetup = errors.New("a site that cannot be")

func (c Setup) check() error {
	var errs []error
	bad := func(format string, args ...any) {
		errs = append(errs, fmt.Errorf("%w: %s", ErrSetup, fmt.Sprintf(format, args...)))
	}
	if len(c.Lifts) == 0 || len(c.Lifts) > maxLifts || len(c.Robots) > maxRobots {
		bad("%d lifts and %d robots; 1 to %d and up to %d are played", len(c.Lifts), len(c.Robots), maxLifts, maxRobots)
	}
	var ids []string
	for _, l := range c.Lifts {
		known := slices.ContainsFunc(c.Building.Cars, func(car building.Car) bool { return car.ID == l.ID })
		switch {
		case !known:
			bad("lift %q is no car of the building", l.ID)
		case l.Wire != TCP && l.Wire != RTU:
			bad("lift %q has a wire %q: %s or %s", l.ID, l.Wire, TCP, RTU)
		}
		ids = append(ids, l.ID)
	}
	for _, r := range c.Robots {
		if r.ID == "" || r.Crossing < 0 || r.Crossing > longCrossing {
			bad("robot %q with a crossing of %v: up to %v", r.ID, r.Crossing, longCrossing)
		}
		ids = append(ids, r.ID)
	}
	slices.Sort(ids)
	if len(slices.Compact(ids)) < len(c.Lifts)+len(c.Robots) {
		bad("two lifts or robots of one id")
	}
	return errors.Join(errs...)
}

// car is the description of a lift's car.
func (c Setup) car(id string) building.Car {
	i := slices.IndexFunc(c.Building.Cars, func(car building.Car) bool { return car.ID == id })
	return c.Building.Cars[i]
}

// poll is the period of the fast points.
func (c Setup) poll() time.Duration {
	if c.Lean {
		return leanPoll
	}
	return fastPoll
}

// period is how often the line scheduler reads by itself. While lean that is never: a
// lift is read when its car has changed, and a while after it was read last.
func (c Setup) period() time.Duration {
	if c.Lean {
		return leanPeriod
	}
	return fastPoll
}

const (
	leanPeriod = 1000 * time.Hour

	fastPoll = 200 * time.Millisecond
	leanPoll = 2900 * time.Millisecond // under the limit of a call or a hold, three seconds
)

// plan is what the agent makes of the bench profile for this lift.
func (c Setup) plan(id string, t elevator.Table) fsm.Plan {
	recall := t.ByLabel(c.car(id).Recall)
	p := fsm.Plan{
		Style: fsm.LandingAndCar, Confirm: fsm.ConfirmLamp, HasHold: true, HasLapse: true, HasCancel: true,
		AcceptWithin: 3 * time.Second, Poll: c.poll(), RecallFloor: recall, SafeFloor: recall,
	}
	for _, l := range c.Lifts {
		if l.ID == id {
			(&wants{Kind: l.Kind}).plan(&p)
		}
	}
	return p
}
