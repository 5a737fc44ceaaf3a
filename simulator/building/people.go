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
	// maxWaits bounds the waiting times that nobody has fetched; the oldest go first.
	maxWaits = 10_000
	// bypass is the part of rated load in percent from which a car with car calls
	// passes landing calls by.
	bypass = 80
)

// ErrTables says that people cannot choose between lifts of different landings
// that are in no group.
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

// WaitingAt is how many people wait at a landing, by the way they want to go.
type WaitingAt struct {
	Label    string
	Up, Down int
}

// person waits at a level for another.
type person struct {
	serial   int
	from, to elevator.Floor
	came     elevator.Instant
}

// rider is in a car and wants to one of its floors.
type rider struct {
	to   elevator.Floor
	came elevator.Instant
}

// crowd is everybody who uses a group.
type crowd struct {
	source   source
	riding   [][]rider           // by slot
	wants    []elevator.FloorSet // by slot: where its riders want to go
	busy     []elevator.Instant  // by slot: end of the transfer through its door, never for none
	waits    []time.Duration     // not fetched yet
	transfer time.Duration
	soon     elevator.Instant // the first of all that comes

	waiting, rides                   int
	arrived, delivered, putOut, away int
	wait, journey                    histogram
}

// Populate lets people come to a group from now on as t says; it replaces the
// traffic before it there, and those who are in the building stay. Lifts without a
// group must have the same landings. It is ErrNoGroup, ErrTables, ErrNoLanding or
// ErrRange otherwise.
func (b *Building) Populate(t Traffic) error {
	g := b.groupOf(t.Group)
	if g == nil && t.Group == "" && len(b.groups) == 1 {
		g = b.groups[0]
	}
	switch {
	case g == nil:
		return fmt.Errorf("traffic of group %q: %w", t.Group, ErrNoGroup)
	case g.unlike:
		return fmt.Errorf("traffic: %w", ErrTables)
	case t.Rate != 0 && g.entrance(t.Entrance) == 0:
		return fmt.Errorf("traffic: entrance %q: %w", t.Entrance, ErrNoLanding)
	}
	if err := t.check(len(g.levels)); err != nil {
		return fmt.Errorf("traffic: %w", err)
	}
	g.settleIn()
	g.crowd.source = newSource(t, g.entrance(t.Entrance), len(g.levels), b.now)
	if t.Rate > 0 {
		g.crowd.transfer = t.Transfer
	}
	g.crowd.plan()
	b.happened()
	return nil
}

func (g *group) entrance(label string) elevator.Floor {
	if label == "" {
		return max(1, g.label("G"))
	}
	return g.label(label)
}

func (g *group) settleIn() {
	if g.crowd != nil {
		return
	}
	n := len(g.cars)
	g.crowd = &crowd{
		riding: make([][]rider, n), wants: make([]elevator.FloorSet, n),
		busy: make([]elevator.Instant, n), source: source{next: never}, soon: never,
	}
	for i := range g.crowd.busy {
		g.crowd.busy[i] = never
	}
}

// People counts those of all groups, as of now.
func (b *Building) People() People {
	var p People
	var wait, journey histogram
	for _, g := range b.groups {
		c := g.crowd
		if c == nil {
			continue
		}
		p.Arrived += c.arrived
		p.Waiting += c.waiting
		p.Riding += c.rides
		p.Delivered += c.delivered
		p.PutOut += c.putOut
		p.TurnedAway += c.away
		wait.merge(&c.wait)
		journey.merge(&c.journey)
	}
	p.Wait, p.Journey = wait.tally(), journey.tally()
	return p
}

// Waiting lists the landings at which people wait, by group and from below.
func (b *Building) Waiting() []WaitingAt {
	var list []WaitingAt
	for _, g := range b.groups {
		for i, l := range g.levels {
			w := WaitingAt{Label: l.Label}
			for _, k := range g.at[i+1] {
				q := &g.queues[k]
				if q.way == elevator.Up {
					w.Up += len(q.people)
				} else {
					w.Down += len(q.people)
				}
			}
			if w.Up+w.Down > 0 {
				list = append(list, w)
			}
		}
	}
	return list
}

// Inside is how many people ride in a car.
func (b *Building) Inside(id string) int {
	if c := b.car(id); c != nil {
		return c.riders / personKg
	}
	return 0
}

// Waits hands over the waiting times of those who stepped in since it was last
// asked, at most the latest 10,000 of a group.
func (b *Building) Waits() []time.Duration {
	var all []time.Duration
	for _, g := range b.groups {
		if g.crowd != nil {
			all = append(all, g.crowd.waits...)
			g.crowd.waits = g.crowd.waits[:0]
		}
	}
	return all
}

func (c *crowd) waited(d time.Duration) {
	c.wait.add(d)
	if len(c.waits) >= maxWaits {
		c.waits = append(c.waits[:0], c.waits[maxWaits/2:]...)
	}
	c.waits = append(c.waits, d)
}

// next is the instant of the people's next event.
func (g *group) next() elevator.Instant {
	c := g.crowd
	if c == nil {
		return never
	}
	return c.soon
}

func (c *crowd) plan() {
	c.soon = c.source.next
	for _, busy := range c.busy {
		c.soon = min(c.soon, busy)
	}
}

// fire does all that is due at now: doorways get free, people arrive.
func (g *group) fire(now elevator.Instant) {
	c := g.crowd
	for i := range c.busy {
		if c.busy[i] <= now {
			c.busy[i] = never
			g.cars[i].pulse.look |= 1 << g.cars[i].number
		}
	}
	if c.source.next <= now {
		size, from, to := c.source.batch()
		for range size {
			g.come(person{from: from, to: to, came: now})
		}
	}
	c.plan()
}

// come lets somebody arrive at a landing.
func (g *group) come(p person) {
	c := g.crowd
	c.arrived++
	p.serial = c.arrived
	want := queue{from: p.from, way: way(p.from, p.to), mask: g.serving(p.from, p.to)}
	if c.waiting+c.rides >= maxPeople || want.mask == 0 {
		c.away++
		return
	}
	switch g.conf.Control {
	case alone:
		want.first = p.serial % len(g.cars)
	case Destination:
		want.to = p.to
	}
	i := g.queue(want)
	g.queues[i].people = append(g.queues[i].people, p)
	c.waiting++
	g.await(i)
	for s, k := range g.cars {
		if k.phase == standing && k.floor != 0 && k.floor == g.floors[s][p.from] {
			k.touch()
		}
	}
}
