package building

import (
	"math/bits"
	"slices"

	"hoistway/fsm/elevator"
)

// react lets everybody do what the lifts now allow. Only what was touched since
// the last time can have changed for those at a car's door.
func (g *group) react(now elevator.Instant) {
	if g.crowd != nil {
		g.look(now)
	}
	left := g.pending[:0]
	for _, i := range g.pending {
		q := &g.queues[i]
		if q.calls() && (q.host == 0 || q.host&g.pulse.look != 0) {
			g.ring(q, now)
		}
		// A call of a lift's own button can be taken back without a word: look again.
		q.pending = q.calls()
		if q.pending {
			left = append(left, i)
		}
	}
	g.pending = left
}

func (g *group) look(now elevator.Instant) {
	for left := g.pulse.look & g.members; left != 0; left &= left - 1 {
		s := int(g.slots[bits.TrailingZeros64(left)])
		g.pass(g.cars[s], s, now)
		g.insist(g.cars[s], s, now)
	}
}

// pass lets the next person through the door of a car: out before in, one at a
// time, and the door waits for that.
func (g *group) pass(k *car, s int, now elevator.Instant) {
	c := g.crowd
	if c.busy[s] != never || !k.passable() {
		return
	}
	if !c.out(k, s, now) && !g.in(k, s, now) {
		return
	}
	k.touch()
	c.busy[s] = now + elevator.Instant(c.transfer)
	c.soon = min(c.soon, c.busy[s])
	for _, s := range k.conf.Landings[k.floor-1].Doors {
		if d := &k.doors[s]; d.does == elevator.DoorOpen {
			d.ask(&k.conf, now, c.transfer)
		}
	}
}

// out lets one leave: at the landing they want, or at any when the lift has
// dropped its calls.
func (c *crowd) out(k *car, s int, now elevator.Instant) bool {
	serves := k.takesCalls(false)
	if len(c.riding[s]) == 0 || serves && !c.wants[s].Has(k.floor) {
		return false
	}
	at := slices.IndexFunc(c.riding[s], func(r rider) bool { return !serves || r.to == k.floor })
	if at < 0 {
		return false
	}
	r := c.riding[s][at]
	c.riding[s] = slices.Delete(c.riding[s], at, at+1)
	c.wants[s] = 0
	for _, r := range c.riding[s] {
		c.wants[s] = c.wants[s].With(r.to)
	}
	c.rides--
	k.riders -= personKg
	if r.to != k.floor {
		c.putOut++
		return true
	}
	c.delivered++
	c.journey.add(now.Sub(r.came) + c.transfer)
	return true
}

// in lets the one step in who came first, and press.
func (g *group) in(k *car, s int, now elevator.Instant) bool {
	best, at := g.firstFor(k, s)
	if best == nil {
		return false
	}
	p := best.people[at]
	to := g.floors[s][p.to]
	if k.press(now, to, &k.calls.car, k.conf.DwellCar, false) != nil {
		return false
	}
	c := g.crowd
	best.people = slices.Delete(best.people, at, at+1)
	c.riding[s] = append(c.riding[s], rider{to, p.came})
	c.wants[s] = c.wants[s].With(to)
	c.waiting--
	c.rides++
	k.calls.bound = best.way
	k.riders += personKg
	c.waited(now.Sub(p.came))
	return true
}

// firstFor finds who came first of those at the car's landing whom it takes.
func (g *group) firstFor(k *car, s int) (best *queue, at int) {
	level := g.level[s][k.floor]
	for _, i := range g.at[level] {
		q := &g.queues[i]
		if len(q.people) == 0 || q.mask&(1<<s) == 0 || q.to != 0 && q.slot != s || !k.admits(q.way) {
			continue
		}
		n := slices.IndexFunc(q.people, func(p person) bool { return !k.locked(g.floors[s][p.to]) })
		if n >= 0 && (best == nil || q.people[n].serial < best.people[at].serial) {
			best, at = q, n
		}
	}
	return best, at
}

// insist presses again what a lift has forgotten of those who ride in it.
func (g *group) insist(k *car, s int, now elevator.Instant) {
	missing := g.crowd.wants[s] &^ k.calls.car &^ k.lock &^ k.ills.locked
	for missing != 0 && k.takesCalls(false) {
		f := first(missing, elevator.Up)
		missing = without(missing, f)
		if !k.opensAt(f) {
			_ = k.press(now, f, &k.calls.car, k.conf.DwellCar, false) // refused it cannot be: just looked
			k.touch()
		}
	}
}

// ring calls for those of a queue who wait, unless a car is there and opens anyway.
func (g *group) ring(q *queue, now elevator.Instant) {
	if g.conf.Control == alone {
		g.ringOwn(q, now)
		return
	}
	q.host = 0
	for s, k := range g.cars {
		if q.mask&(1<<s) != 0 && k.standsOpen(g.floors[s][q.from]) && k.admits(q.way) && (q.to == 0 || q.slot == s) {
			q.host = 1 << k.number
			return
		}
	}
	g.give(q, now)
}

// standsOpen: at the landing, and its doors are open, open or only nudge.
func (c *car) standsOpen(f elevator.Floor) bool {
	return f != 0 && c.phase == standing && c.floor == f && !c.closed() && (c.opensAt(f) || c.nudging())
}

// ringOwn presses a lift's own button, of those that answer, the queue's first
// choice before others, unless the lamp burns.
func (g *group) ringOwn(q *queue, now elevator.Instant) {
	for _, p := range q.people {
		k := g.choice(q, p)
		if k == nil {
			continue
		}
		lamps := k.calls.landing(q.way)
		if lamps.Has(q.from) || k.standsOpen(q.from) {
			return
		}
		_ = k.press(now, q.from, lamps, k.conf.DwellLanding, true) // refused it cannot be: just chosen
		k.touch()
		return
	}
}

// choice is the lift whose button they press, nil for none. A car that is there
// and cannot take them is let go first: pressed, it would open for ever.
func (g *group) choice(q *queue, p person) *car {
	for i := range g.cars {
		k := g.cars[(q.first+i)%len(g.cars)]
		if k.takesCalls(true) && !k.locked(p.from) && !k.locked(p.to) && !k.mustGo(p.from, q.way) {
			return k
		}
	}
	return nil
}

// mustGo: at the landing, and of no use to them.
func (c *car) mustGo(f elevator.Floor, way elevator.Direction) bool {
	there := (c.phase == standing || c.phase == starting) && c.floor == f
	return there && !c.admits(way)
}

// passable reports whether people can go through a door of the car.
func (c *car) passable() bool {
	if c.phase != standing || c.floor == 0 {
		return false
	}
	for _, s := range c.conf.Landings[c.floor-1].Doors {
		if d := &c.doors[s]; d.shows() == elevator.DoorOpen && !d.blocked() {
			return true
		}
	}
	return false
}

// opensAt reports whether a door is open at f, or opens.
func (c *car) opensAt(f elevator.Floor) bool {
	if c.phase != standing || c.floor != f || f == 0 {
		return false
	}
	for _, s := range c.sides {
		if does := c.doors[s].does; does == elevator.DoorOpen || does == elevator.DoorOpening {
			return true
		}
	}
	return false
}

// admits reports whether a car at their landing takes people who go that way: it
// goes so too or has no way yet, has room, and answers the call they will give.
func (c *car) admits(way elevator.Direction) bool {
	room := c.weight()+personKg <= c.conf.RatedKg
	return room && c.takesCalls(true) && (c.calls.bound == way || c.ahead(c.calls.bound, c.at, nil) == 0)
}

// weight is the load in kg: what was put in, and who rides.
func (c *car) weight() int { return c.load + c.riders }

// full: people have filled it so that it passes landings by.
func (c *car) full() bool { return c.riders > 0 && 100*c.weight() >= bypass*c.conf.RatedKg }

// heeds are the calls to which the car looks. One that is full passes landings by
// as long as it has somebody to let out; one that shows nobody looks to none.
func (c *car) heeds() calls {
	s := c.calls
	if c.ills.noShow {
		return calls{bound: s.bound}
	}
	if s.car != 0 && c.full() {
		s.up, s.down, s.hallUp, s.hallDown = 0, 0, 0, 0
	}
	return s
}
