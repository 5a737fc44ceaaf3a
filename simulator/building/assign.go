package building

import (
	"math/bits"
	"time"

	"hoistway/fsm/elevator"
)

// better is by how much a call must gain to be taken from its car.
const better = elevator.Instant(2 * time.Second)

// hopeless is what is added for a car that will probably pass by, or has no room.
const hopeless = elevator.Instant(10 * time.Minute)

// give gives the call of a queue to a car. Where that car stands, it opens instead.
func (g *group) give(q *queue, now elevator.Instant) {
	s, _ := g.best(q, ^uint64(0), now)
	g.giveTo(q, s, now)
}

func (g *group) giveTo(q *queue, s int, now elevator.Instant) {
	q.lit, q.slot, q.host = false, s, 0
	if q.slot < 0 {
		return
	}
	k, f := g.cars[q.slot], g.floors[q.slot][q.from]
	k.touch()
	if k.phase == standing && k.floor == f && !k.nudging() && !k.ills.noShow {
		k.ask(now, k.conf.DwellLanding)
		q.asked = false
		return
	}
	q.lit = true
	l := k.calls.hall(q.way)
	*l = l.With(f)
}

// best is the slot, of some, of the car that suits a call best, -1 for none, and
// what it costs.
func (g *group) best(q *queue, among uint64, now elevator.Instant) (int, elevator.Instant) {
	best, least := -1, never
	if g.conf.Control == Destination {
		g.promises(q)
	}
	for left := q.mask & among; left != 0; left &= left - 1 {
		s := bits.TrailingZeros64(left)
		if !g.answers(s, q) {
			continue
		}
		if c := g.cost(s, q, now); c < least {
			best, least = s, c
		}
	}
	return best, least
}

// answers reports whether a car would take people of the queue.
func (g *group) answers(s int, q *queue) bool {
	k := g.cars[s]
	if !k.takesCalls(true) || k.mustGo(g.floors[s][q.from], q.way) {
		return false
	}
	if k.lock|k.ills.locked == 0 {
		return true
	}
	if k.locked(g.floors[s][q.from]) || q.to != 0 && k.locked(g.floors[s][q.to]) {
		return false
	}
	for _, p := range q.people {
		if !k.locked(g.floors[s][p.to]) {
			return true
		}
	}
	return len(q.people) == 0
}

// review gives calls to other cars where the control does so, once cars have left
// or come to rest: a call of such a car to any, a call of another to such a car.
func (g *group) review(now elevator.Instant) {
	stale := g.stale
	g.stale = 0
	if stale == 0 || g.conf.Control != Collective && g.conf.Control != Estimated || !g.owes() {
		return
	}
	for i := range g.queues {
		q := &g.queues[i]
		if !q.lit || g.committed(q) {
			continue
		}
		among := stale
		if stale&(1<<q.slot) != 0 {
			among = ^uint64(0)
		}
		s, least := g.best(q, among&^(1<<q.slot), now)
		if s < 0 || g.answers(q.slot, q) && g.cost(q.slot, q, now) < least+better {
			continue
		}
		was := q.slot
		g.giveTo(q, s, now)
		g.relight(was, q.from)
		g.await(i)
	}
}

// owes reports whether any car has a call of the group.
func (g *group) owes() bool {
	for _, k := range g.cars {
		if k.calls.hallUp|k.calls.hallDown != 0 {
			return true
		}
	}
	return false
}

// committed: the car is on its last way to the call, or there. About to leave for it
// is on its way too: else two cars could hand it to each other for ever, neither
// leaving, whatever it costs.
func (g *group) committed(q *queue) bool {
	k, f := g.cars[q.slot], g.floors[q.slot][q.from]
	if k.phase == travelling || k.phase == starting {
		return k.target == f
	}
	return k.phase == standing && k.floor == f
}

// cost is what it costs to give the call to a car, the less the better. Only costs
// of one control compare.
func (g *group) cost(s int, q *queue, now elevator.Instant) elevator.Instant {
	if g.conf.Control == Nearest {
		return -g.suits(s, q)
	}
	k := g.cars[s]
	c := g.tours[s].arrival(k, g.floors[s][q.from], q.way, now) - now
	if k.calls.car != 0 && k.full() {
		c += hopeless
	}
	switch g.conf.Control {
	case Estimated:
		if f := g.floors[s][q.from]; !k.calls.along(q.way).Has(f) {
			c += g.tours[s].stop * elevator.Instant(k.concerned())
		}
	case Destination:
		c += g.journey(s, q)
	}
	return c
}

// concerned is how many people a further stop of the car holds up: who rides, and
// one at each landing that it was promised to.
func (c *car) concerned() int {
	return c.riders/personKg + bits.OnesCount64(uint64(c.calls.hallUp)) + bits.OnesCount64(uint64(c.calls.hallDown))
}

// suits is the classical figure of suitability of nearest-car control.
func (g *group) suits(s int, q *queue) elevator.Instant {
	k, n := g.cars[s], elevator.Instant(len(g.levels))
	at := k.floor
	if k.moving() {
		at = k.target
	}
	if at == 0 {
		at = k.nearest(k.all, k.at)
	}
	d := elevator.Instant(q.from) - elevator.Instant(g.level[s][at])
	bound := k.calls.bound
	away := d != 0 && (bound == elevator.Up && d < 0 || bound == elevator.Down && d > 0)
	d = max(d, -d)
	switch {
	case away:
		return 1
	case bound == q.way:
		return n + 2 - d
	}
	return n + 1 - d
}

// promise is what a car has been given already: the stops of those who go the same
// way as the one who asks, how many there are, and how many at the same level.
type promise struct {
	stops        elevator.FloorSet
	others, here int
}

func (g *group) promises(q *queue) {
	clear(g.promise)
	for i := range g.queues {
		o := &g.queues[i]
		if o.slot < 0 || o == q || len(o.people) == 0 && !o.lit {
			continue
		}
		p := &g.promise[o.slot]
		p.others += len(o.people)
		if o.way == q.way {
			p.stops = p.stops.With(g.floors[o.slot][o.to]).With(g.floors[o.slot][o.from])
		}
		if o.from == q.from {
			p.here += len(o.people)
		}
	}
}

// journey is how long the ride to the destination takes, and what a further stop
// there costs the others who are promised to the car.
func (g *group) journey(s int, q *queue) elevator.Instant {
	k, t, p := g.cars[s], &g.tours[s], g.promise[s]
	from, to := g.floors[s][q.from], g.floors[s][q.to]
	stops := p.stops | k.calls.car
	between := k.beyond(q.way, from) & k.beyond(opposite(q.way), to)
	c := t.leg(from, to) + t.stop*elevator.Instant(bits.OnesCount64(uint64(stops&between)))
	if !stops.Has(to) {
		c += t.stop * elevator.Instant(p.others+k.riders/personKg)
	}
	if (p.here+max(1, len(q.people)))*personKg > k.conf.RatedKg {
		c += hopeless / 2
	}
	return c
}
