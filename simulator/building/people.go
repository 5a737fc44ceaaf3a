package building

import (
	"errors"
	"fmt"
	"time"

	"hoistway/fsm/elevator"
)

const (
	personKg = 75
	// maxPeople bounds those waiting or riding. Who comes beyond it turns away.
	maxPeople = 1000
	// bypass is the part of rated load in percent from which a car with car calls
	// passes landing calls by.
	bypass = 80
)

// ErrTables says that people cannot choose between lifts of different landings.
var ErrTables = errors.New("lifts do not serve the same landings")

// People is what became of those who came so far. Comparable.
type People struct {
	Arrived    int
	Waiting    int
	Riding     int
	Delivered  int
	PutOut     int // left where a lift out of normal use let them
	TurnedAway int
	Wait       Tally // from arrival to stepping in, of all who stepped in
	Journey    Tally // from arrival to having left the car, of all delivered
}

type person struct {
	serial   int
	from, to elevator.Floor
	came     elevator.Instant
}

func (p person) way() elevator.Direction {
	if p.to > p.from {
		return elevator.Up
	}
	return elevator.Down
}

// crowd is everybody in the building. The zero crowd is nobody, for ever.
type crowd struct {
	source  source
	waiting []person   // in order of arrival
	riding  [][]person // by car
	// busy is the end of the transfer through a car's door, never for none.
	busy     []elevator.Instant
	transfer time.Duration

	arrived, delivered, putOut, away int
	wait, journey                    histogram
}

// Populate lets people come from now on as t says; it replaces the traffic before
// it, and those who are in the building stay. All lifts must have the same
// landings. It is ErrTables, ErrNoLanding or ErrRange otherwise.
func (b *Building) Populate(t Traffic) error {
	first := &b.cars[0].conf
	n := len(first.Landings)
	entrance := first.byLabel(t.Entrance)
	switch {
	case !b.alike():
		return fmt.Errorf("traffic: %w", ErrTables)
	case t.Rate != 0 && entrance == 0:
		return fmt.Errorf("traffic: entrance %q: %w", t.Entrance, ErrNoLanding)
	}
	if err := t.check(n); err != nil {
		return fmt.Errorf("traffic: %w", err)
	}
	b.settleIn()
	b.crowd.source = newSource(t, entrance, n, b.now)
	if t.Rate > 0 {
		b.crowd.transfer = t.Transfer
	}
	return nil
}

func (b *Building) settleIn() {
	if b.crowd != nil {
		return
	}
	b.crowd = &crowd{riding: make([][]person, len(b.cars)), busy: make([]elevator.Instant, len(b.cars))}
	for i := range b.crowd.busy {
		b.crowd.busy[i] = never
	}
}

// alike reports whether all lifts serve the same landings.
func (b *Building) alike() bool {
	first := b.cars[0].conf.Landings
	for i := range b.cars {
		other := b.cars[i].conf.Landings
		if len(other) != len(first) {
			return false
		}
		for k := range other {
			if other[k].Label != first[k].Label {
				return false
			}
		}
	}
	return true
}

// People counts them, as of now.
func (b *Building) People() People {
	c := b.crowd
	if c == nil {
		return People{}
	}
	return People{
		Arrived: c.arrived, Waiting: len(c.waiting), Riding: c.rides(),
		Delivered: c.delivered, PutOut: c.putOut, TurnedAway: c.away,
		Wait: c.wait.tally(), Journey: c.journey.tally(),
	}
}

func (c *crowd) rides() int {
	n := 0
	for _, r := range c.riding {
		n += len(r)
	}
	return n
}

// next is the instant of the crowd's next event.
func (c *crowd) next() elevator.Instant {
	if c == nil {
		return never
	}
	t := c.source.next
	for _, busy := range c.busy {
		t = min(t, busy)
	}
	return t
}

// fire does all that is due at now: doorways get free, people arrive.
func (c *crowd) fire(now elevator.Instant) {
	for i := range c.busy {
		if c.busy[i] <= now {
			c.busy[i] = never
		}
	}
	if c.source.next > now {
		return
	}
	size, from, to := c.source.batch()
	for range size {
		c.come(person{from: from, to: to, came: now})
	}
}

func (c *crowd) come(p person) {
	c.arrived++
	if len(c.waiting)+c.rides() >= maxPeople {
		c.away++
		return
	}
	p.serial = c.arrived
	c.waiting = append(c.waiting, p)
}
