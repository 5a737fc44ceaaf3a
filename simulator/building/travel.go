package building

import (
	"math"

	"hoistway/fsm/elevator"
)

// depart ends the start delay. What was wanted may have gone meanwhile.
func (c *car) depart(now elevator.Instant) {
	c.enter(standing, now)
	f := c.destination()
	if f == 0 || f == c.floor && !c.lost || c.overloadedHere() || c.halted() {
		return // settle, which comes next, opens or stays
	}
	c.from = c.at
	c.meant = f
	c.target, c.astray = c.misses(now, f)
	way := c.heights[c.target-1] - c.at
	c.sign = math.Copysign(1, way)
	c.early = false
	c.enter(travelling, now)
	c.fly(c.flightTo(c.target))
	c.moved()
}

// fly takes a flight that began as the phase did.
func (c *car) fly(f Flight) { c.flight, c.end = f, c.since+seconds(f.Seconds()) }

// moved lets the group think again.
func (c *car) moved() {
	if c.group != nil {
		c.group.stale |= 1 << c.slot
	}
}

// misses is where a flight to f ends: there, or with the fault one landing off.
func (c *car) misses(now elevator.Instant, f elevator.Floor) (elevator.Floor, bool) {
	if c.lost || !c.meets(now, "wrong-floor") {
		return f, false
	}
	step := elevator.Floor(1)
	if c.heights[f-1] < c.at {
		step = ^elevator.Floor(0) // one down
	}
	for _, g := range []elevator.Floor{f + step, f - step} {
		if c.has(g) && c.heights[g-1] != c.at {
			return g, true
		}
	}
	return f, false
}

// openEarly opens the doors while the car still levels, if it will open at all.
func (c *car) openEarly(now elevator.Instant) {
	c.early = true
	c.floor, c.at = c.target, c.heights[c.target-1]
	c.mistake()
	if !c.lost && c.opensHere() {
		c.serve(now)
	}
}

func (c *car) arrive(now elevator.Instant) {
	c.floor, c.at = c.target, c.heights[c.target-1]
	c.enter(standing, now)
	c.mistake()
	if c.lost {
		c.lost, c.release = false, true
	}
}

// mistake makes a car that ended at the wrong landing take it for the one it was
// going to: the call there counts as answered, and it opens here.
func (c *car) mistake() {
	if !c.astray {
		return
	}
	c.astray, c.release = false, true
	s, f := &c.calls, c.meant
	s.car = without(s.car, f)
	c.answer(f, (s.up | s.hallUp).Has(f), (s.down | s.hallDown).Has(f))
}

// motion is the place (m), speed (m/s) and acceleration (m/s²) at now, upwards
// positive.
func (c *car) motion(now elevator.Instant) (x, v, a float64) {
	if !c.moving() {
		return c.at, 0, 0
	}
	t := now.Sub(c.since).Seconds()
	switch c.phase {
	case travelling:
		if now >= c.end {
			return c.heights[c.target-1], 0, 0
		}
		x, v, a = c.flight.At(t)
		return c.from + c.sign*x, c.sign * v, c.sign * a
	case braking:
		t = min(t, math.Abs(c.speed)/brake)
		slow := math.Copysign(brake, c.speed)
		return c.from + c.speed*t - slow*t*t/2, c.speed - slow*t, -slow
	}
	return c.at, 0, 0
}
