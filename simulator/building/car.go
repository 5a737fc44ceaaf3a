package building

import (
	"math"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"
)

// phase is what the car as a whole does.
type phase uint8

const (
	standing   phase = iota
	starting         // doors closed, about to leave
	travelling       // on a flight, and then at the landing, not yet level for the controller
	braking          // stop switch in flight
)

const (
	// brake is the deceleration of an emergency stop, m/s². It knows no comfort.
	brake = 2.5
	// creep is the speed in m/s of a car that does not know where it is.
	creep = 0.25
)

// refusalShows is how long the controller shows why it refused a call, unless it
// takes one before.
const refusalShows = 5 * time.Second

// car is the moving part of one lift.
type car struct {
	conf    Car
	heights []float64 // of the landings, metres above the lowest
	all     elevator.FloorSet
	sides   []elevator.Side // fitted doors
	recall  elevator.Floor  // where fire sends it
	group   *group          // nil: in none
	slot    int             // its number in the group
	number  int
	pulse   *pulse

	phase phase
	since elevator.Instant // when the phase began
	floor elevator.Floor   // where it stands; 0 between landings
	at    float64          // where it stands, metres above the lowest landing

	from   float64 // where the flight or the braking began
	sign   float64 // +1 up, -1 down
	flight Flight
	speed  float64          // at the beginning of braking
	end    elevator.Instant // of the flight
	target elevator.Floor
	early  bool // the doors were told to open before it was level

	doors [elevator.Sides]door
	calls calls
	lock  elevator.FloorSet // landings that refuse calls
	mode  elevator.Mode
	service
	// release asks for one opening at the next landing, so that whoever is inside
	// can get out: after a stop between landings, or out of service.
	release bool

	most      int // kg above which it will not leave
	load      int // kg put in by hand
	riders    int // kg of people
	refusal   int
	refusedAt elevator.Instant

	ills   illness
	player *faults.Player
	drops  []drop

	seen   CarState // as it was when the building's stamp was seenOf, at seenAt
	seenOf uint64
	seenAt elevator.Instant

	astray bool           // the flight ends at the wrong landing
	meant  elevator.Floor // and this is the right one
}

func newCar(conf Car) car {
	c := car{conf: conf, mode: elevator.Normal, sign: 1, most: conf.overloadKg()}
	c.conf.Landings = append([]Landing(nil), conf.Landings...)
	c.floor = c.conf.byLabel(conf.Start)
	c.at, c.recall = c.conf.height(c.floor), c.conf.byLabel(conf.Recall)
	for i := range c.conf.Landings {
		l := &c.conf.Landings[i]
		l.Doors = append([]elevator.Side(nil), l.Doors...)
		for _, s := range l.Doors {
			c.doors[s] = door{fitted: true, does: elevator.DoorClosed}
		}
		c.heights = append(c.heights, c.conf.height(elevator.Floor(i+1)))
		c.all = c.all.With(elevator.Floor(i + 1))
	}
	for s := range c.doors {
		if c.doors[s].fitted {
			c.sides = append(c.sides, elevator.Side(s))
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
		level := c.end + elevator.Instant(c.conf.Levelling)
		if c.conf.AdvanceOpening > 0 && !c.early {
			level -= elevator.Instant(c.conf.AdvanceOpening)
		}
		return level
	case braking:
		return c.since + seconds(math.Abs(c.speed)/brake)
	}
	return never
}

// next is the instant of the car's next event.
func (c *car) next() elevator.Instant {
	t := c.until()
	for _, s := range c.sides {
		// A closed door waits for a word: in flight there is nothing to ask.
		if d := &c.doors[s]; d.does != elevator.DoorClosed {
			t = min(t, d.next(&c.conf, d.does == elevator.DoorOpen && c.keepsOpen()))
		}
	}
	if len(c.drops) > 0 {
		t = min(t, c.drops[0].at)
	}
	return t
}

// fire does all that is due at now: doors first, by side, then the car.
func (c *car) fire(now elevator.Instant) {
	keep := c.keepsOpen() // as it was before anything happens
	for _, s := range c.sides {
		if d := &c.doors[s]; d.does != elevator.DoorClosed && d.next(&c.conf, keep) <= now {
			was := d.does
			d.fire(&c.conf, now)
			c.turned(d, was, now)
		}
	}
	c.forget(now)
	if c.until() <= now {
		c.advance(now)
	}
	c.settle(now)
	c.aim(now)
	if c.phase == standing { // else nobody at a door has anything to look at
		c.pulse.look |= 1 << c.number
	}
}

// touch: something changed, it decides anew before time goes on.
func (c *car) touch() {
	c.pulse.look |= 1 << c.number
	c.pulse.decide |= 1 << c.number
}

// decide does so, if it was touched.
func (c *car) decide(now elevator.Instant) {
	if c.pulse.decide&(1<<c.number) == 0 {
		return
	}
	c.pulse.decide &^= 1 << c.number
	c.settle(now)
	c.aim(now)
}

// turned notes what a door has just begun or ended by itself.
func (c *car) turned(d *door, was elevator.Door, now elevator.Instant) {
	switch {
	case was == elevator.DoorOpening && d.does == elevator.DoorOpen:
		c.opened()
		if c.meets(now, "door-closes-early") {
			d.openUntil = now
		}
	case d.does == elevator.DoorClosing && !d.nudging && c.meets(now, "door-reopens"):
		d.ghostAt = now + travel(0.5, c.conf.DoorClose)
	}
}

// advance ends the phase.
func (c *car) advance(now elevator.Instant) {
	switch c.phase {
	case starting:
		c.depart(now)
	case travelling:
		if c.conf.AdvanceOpening > 0 && !c.early {
			c.openEarly(now)
			return
		}
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
	c.reach()
	switch {
	case c.opensHere():
		c.serve(now)
		return
	case c.overloadedHere():
		return
	}
	if f := c.destination(); f != 0 && f != c.floor || c.lost {
		c.target = f
		c.enter(starting, now)
		return
	}
	c.moved()
}

// closed reports whether every door is closed and told to be so.
func (c *car) closed() bool {
	for _, s := range c.sides {
		if c.doors[s].does != elevator.DoorClosed {
			return false
		}
	}
	return true
}

// overloadedHere keeps a car at its landing; between landings it goes on to one.
func (c *car) overloadedHere() bool { return c.overloaded() && c.floor != 0 }

func (c *car) overloaded() bool { return c.ills.overload || c.weight() > c.most }

// ask opens the doors of the landing where the car stands.
func (c *car) ask(now elevator.Instant, dwell time.Duration) {
	for _, s := range c.conf.Landings[c.floor-1].Doors {
		c.doors[s].ask(&c.conf, now, dwell)
	}
}

func seconds(s float64) elevator.Instant {
	return elevator.Instant(math.Round(s * float64(time.Second)))
}
