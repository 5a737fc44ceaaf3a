package building

import (
	"math"
	"time"

	"hoistway/fsm/elevator"
)

// phase is what the car as a whole does.
type phase uint8

const (
	standing   phase = iota
	starting         // doors closed, about to leave
	travelling       // on a flight
	levelling        // at the landing, not yet level for the controller
	braking          // stop switch in flight
)

// brake is the deceleration of an emergency stop, m/s². It knows no comfort.
const brake = 2.5

// refusalShows is how long the controller shows why it refused a call, unless it
// takes one before.
const refusalShows = 5 * time.Second

// car is the moving part of one lift.
type car struct {
	conf   Car
	recall elevator.Floor // where fire sends it

	phase phase
	since elevator.Instant // when the phase began
	floor elevator.Floor   // where it stands; 0 between landings
	at    float64          // where it stands, metres above the lowest landing

	from   float64 // where the flight or the braking began
	sign   float64 // +1 up, -1 down
	flight Flight
	speed  float64 // at the beginning of braking
	target elevator.Floor

	doors [elevator.Sides]door
	calls calls
	lock  elevator.FloorSet // landings that refuse calls
	mode  elevator.Mode
	// release asks for one opening at the next landing, so that whoever is inside
	// can get out: after a stop between landings, or out of service.
	release bool

	load      int // kg put in by hand
	riders    int // kg of people
	refusal   int
	refusedAt elevator.Instant
}

func newCar(conf Car) car {
	c := car{conf: conf, mode: elevator.Normal, sign: 1}
	c.conf.Landings = append([]Landing(nil), conf.Landings...)
	c.floor = c.conf.byLabel(conf.Start)
	c.at, c.recall = c.conf.height(c.floor), c.conf.byLabel(conf.Recall)
	for i := range c.conf.Landings {
		l := &c.conf.Landings[i]
		l.Doors = append([]elevator.Side(nil), l.Doors...)
		for _, s := range l.Doors {
			c.doors[s] = door{fitted: true, does: elevator.DoorClosed}
		}
	}
	return c
}

// until is the end of the phase, never for one that waits for something else.
func (c *car) until() elevator.Instant {
	switch c.phase {
	case starting:
		return c.since + elevator.Instant(c.conf.StartDelay)
	case travelling:
		return c.since + seconds(c.flight.Seconds())
	case levelling:
		return c.since + elevator.Instant(c.conf.Levelling)
	case braking:
		return c.since + seconds(math.Abs(c.speed)/brake)
	}
	return never
}

// next is the instant of the car's next event.
func (c *car) next() elevator.Instant {
	t, keep := c.until(), c.keepsOpen()
	for i := range c.doors {
		if d := &c.doors[i]; d.fitted {
			t = min(t, d.next(&c.conf, keep))
		}
	}
	return t
}

// fire does all that is due at now: doors first, by side, then the car.
func (c *car) fire(now elevator.Instant) {
	keep := c.keepsOpen()
	for i := range c.doors {
		if d := &c.doors[i]; d.fitted && d.next(&c.conf, keep) <= now {
			d.fire(&c.conf, now)
		}
	}
	if c.until() <= now {
		c.advance(now)
	}
	c.settle(now)
}

// advance ends the phase.
func (c *car) advance(now elevator.Instant) {
	switch c.phase {
	case starting:
		c.depart(now)
	case travelling:
		c.enter(levelling, now)
	case levelling:
		c.arrive(now)
	case braking:
		c.at, _, _ = c.motion(now)
		c.floor = 0
		c.enter(standing, now)
	}
}

func (c *car) enter(p phase, now elevator.Instant) { c.phase, c.since = p, now }

// settle lets a car that stands with all doors closed do what its mode wants.
func (c *car) settle(now elevator.Instant) {
	if c.phase != standing || c.halted() || !c.closed() {
		return
	}
	if c.opensHere() {
		c.serve(now)
		return
	}
	if f := c.destination(); f != 0 && f != c.floor {
		c.target = f
		c.enter(starting, now)
	}
}

// depart ends the start delay. What was wanted may have gone meanwhile.
func (c *car) depart(now elevator.Instant) {
	c.enter(standing, now)
	f := c.destination()
	if f == 0 || f == c.floor || c.overloadedHere() {
		return // settle, which comes next, opens or stays
	}
	c.target, c.from = f, c.at
	way := c.conf.height(f) - c.at
	c.sign = math.Copysign(1, way)
	c.flight = NewFlight(math.Abs(way), c.conf.Limits)
	c.enter(travelling, now)
}

func (c *car) arrive(now elevator.Instant) {
	c.floor, c.at = c.target, c.conf.height(c.target)
	c.enter(standing, now)
}

// motion is the place (m), speed (m/s) and acceleration (m/s²) at now, upwards
// positive.
func (c *car) motion(now elevator.Instant) (x, v, a float64) {
	t := now.Sub(c.since).Seconds()
	switch c.phase {
	case travelling:
		x, v, a = c.flight.At(t)
		return c.from + c.sign*x, c.sign * v, c.sign * a
	case levelling:
		return c.conf.height(c.target), 0, 0
	case braking:
		t = min(t, math.Abs(c.speed)/brake)
		slow := math.Copysign(brake, c.speed)
		return c.from + c.speed*t - slow*t*t/2, c.speed - slow*t, -slow
	}
	return c.at, 0, 0
}

// closed reports whether every door is closed and told to be so.
func (c *car) closed() bool {
	for i := range c.doors {
		if c.doors[i].fitted && c.doors[i].does != elevator.DoorClosed {
			return false
		}
	}
	return true
}

// overloadedHere keeps a car at its landing; between landings it goes on to one.
func (c *car) overloadedHere() bool { return c.overloaded() && c.floor != 0 }

func (c *car) overloaded() bool { return c.weight() > c.conf.overloadKg() }

// ask opens the doors of the landing where the car stands.
func (c *car) ask(now elevator.Instant, dwell time.Duration) {
	for _, s := range c.conf.Landings[c.floor-1].Doors {
		c.doors[s].ask(&c.conf, now, dwell)
	}
}

func seconds(s float64) elevator.Instant {
	return elevator.Instant(math.Round(s * float64(time.Second)))
}
