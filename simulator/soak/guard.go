package soak

import (
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/laws"
	"hoistway/simulator/scenarios"
)

// guard is the person who comes after a fault.
type guard struct {
	next   elevator.Instant
	robots []charge
	minds  bool             // a robot that is stuck
	warned elevator.Instant // an area was warned of fire or earthquake then; 0: all is cleared
	asked  bool             // and that was told to the agent
	told   string           // ride of which it last said that the robot is inside
}

// charge is a robot that the guard looks after, with its last ride.
type charge struct {
	robot, ride string
	stuck       elevator.Instant // in a car with no ride, since; 0: it is not
}

// asks notes the ride for which a robot asks.
func (g *guard) asks(a scenarios.AskRide) {
	for i := range g.robots {
		if g.robots[i].robot == a.Robot {
			g.robots[i].ride = a.ID
			return
		}
	}
	g.robots = append(g.robots, charge{robot: a.Robot, ride: a.ID})
}

const (
	guardEvery = time.Minute
	comesAfter = 2 * time.Minute  // to what only a person clears
	looksAfter = 15 * time.Minute // at any other fault that stands
	givesUp    = 30 * time.Minute // waiting for the causes to go
	// straysAfter is longer than a boarding can last.
	straysAfter = 3 * time.Minute
)

// rounds lets the guard look at what stands in a fault. While a fault of the site is
// on, it waits for its end: a fire is not over because somebody says so.
func (p *play) rounds(now elevator.Instant) {
	p.guard.next = now + elevator.Instant(guardEvery)
	p.news()
	p.trusts(now)
	p.strays(now)
	quiet := p.site.FaultsOn() == 0
	if p.guard.warned != 0 && quiet && now.Sub(p.guard.warned) >= comesAfter {
		p.clears(now)
	}
	for st := range p.watch.Rides {
		stood := now.Sub(st.Since)
		locked := st.State == fsm.FaultLocked || st.State == fsm.Fault && st.Latched
		ripe := locked && stood >= comesAfter || st.State == fsm.Fault && stood >= looksAfter
		if ripe && (quiet || stood >= givesUp) {
			p.reset(now, st)
		}
	}
}

// reset is the guard's word, which is true: the robot is where it says. One in a car is
// left there once, for the ride to go on, and else carried out, as one in a doorway is.
func (p *play) reset(now elevator.Instant, st laws.Status) {
	r := scenarios.ResetRide{ID: st.Ride, RobotIs: "outside", By: "guard"}
	switch at, ok := p.site.Robot(st.Robot); {
	case !ok || at.Where == "landing":
	case at.Where == "car" && st.State == fsm.FaultLocked && p.guard.told != st.Ride:
		r.RobotIs, p.guard.told = "inside", st.Ride // once; if that does not help, out with it
	default:
		r.RobotIs = "removed"
	}
	p.do(now, act{}, r)
}

// clears is the guard's word that an area is safe again, said until it is taken: the agent
// reads its lifts first.
func (p *play) clears(now elevator.Instant) {
	if l, _ := p.site.Lift(p.lift); p.guard.asked && l.Answered == accepted {
		p.guard.warned, p.guard.asked = 0, false
		return
	}
	p.guard.asked = true
	p.do(now, act{}, scenarios.Alarm{Area: scenarios.House, By: "guard"})
}

const accepted = "accepted"

// warns reports a fault by which a lift warns its whole area.
func warns(kind string) bool { return kind == "fire" || kind == "fire-phase-2" || kind == "seismic" }

// strays lets the guard carry out a robot that is in a car, or in its doorway, and that
// no ride knows of: one that said it had left, or whose ride could not be stored.
func (p *play) strays(now elevator.Instant) {
	if !p.watch.AnyIn() {
		p.guard.free()
		return
	}
	for i := range p.guard.robots {
		c := &p.guard.robots[i]
		at := p.watch.Place(c.robot).Where
		switch {
		case at != laws.InCar && at != laws.Doorway, p.knows(c.ride):
			c.stuck = 0
		case c.stuck == 0:
			c.stuck, p.guard.minds = now, true
		case now.Sub(c.stuck) >= straysAfter:
			c.stuck = 0
			p.do(now, act{}, scenarios.ResetRide{ID: c.ride, RobotIs: "removed", By: "guard"})
		}
	}
}

// free notes that no robot is in a car.
func (g *guard) free() {
	if !g.minds {
		return
	}
	g.minds = false
	for i := range g.robots {
		g.robots[i].stuck = 0
	}
}

// knows reports a ride whose robot may well be in a car or on its way.
func (p *play) knows(ride string) bool {
	switch p.watch.State(ride) {
	case "", fsm.Done, fsm.Requesting, fsm.Waiting, fsm.Idle:
		return false
	}
	return true
}
