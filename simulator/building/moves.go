package building

import (
	"slices"

	"hoistway/fsm/elevator"
)

// react lets everybody do what the lifts now allow. It follows every event and
// every act, and depends on nothing that changes between those.
func (b *Building) react() {
	if b.crowd == nil {
		return
	}
	for i := range b.cars {
		b.crowd.pass(&b.cars[i], i, b.now)
		b.crowd.insist(&b.cars[i], i, b.now)
	}
	for _, p := range b.crowd.waiting {
		b.ring(p)
	}
	for i := range b.cars {
		b.cars[i].settle(b.now)
		b.cars[i].aim(b.now)
	}
}

// pass lets the next person through the door of car i: out before in, one at a
// time, and the door waits for that.
func (c *crowd) pass(k *car, i int, now elevator.Instant) {
	if c.busy[i] != never || !k.passable() {
		return
	}
	if !c.out(k, i, now) && !c.in(k, i, now) {
		return
	}
	c.busy[i] = now + elevator.Instant(c.transfer)
	for _, s := range k.conf.Landings[k.floor-1].Doors {
		if d := &k.doors[s]; d.does == elevator.DoorOpen {
			d.ask(&k.conf, now, c.transfer)
		}
	}
}

// out lets one leave: at the landing they want, or at any when the lift has
// dropped its calls.
func (c *crowd) out(k *car, i int, now elevator.Instant) bool {
	serves := k.takesCalls(false)
	at := slices.IndexFunc(c.riding[i], func(p person) bool { return !serves || p.to == k.floor })
	if at < 0 {
		return false
	}
	p := c.riding[i][at]
	c.riding[i] = slices.Delete(c.riding[i], at, at+1)
	k.riders -= personKg
	if p.to != k.floor {
		c.putOut++
		return true
	}
	c.delivered++
	c.journey.add(now.Sub(p.came) + c.transfer)
	return true
}

// in lets the one step in who came first, and press.
func (c *crowd) in(k *car, i int, now elevator.Instant) bool {
	at := slices.IndexFunc(c.waiting, func(p person) bool { return p.from == k.floor && k.admits(p) })
	if at < 0 {
		return false
	}
	p := c.waiting[at]
	if k.press(now, p.to, &k.calls.car, k.conf.DwellCar, false) != nil {
		return false
	}
	c.waiting = slices.Delete(c.waiting, at, at+1)
	c.riding[i] = append(c.riding[i], p)
	k.calls.bound = p.way()
	k.riders += personKg
	c.wait.add(now.Sub(p.came))
	return true
}

// insist presses again what a lift has forgotten of those who ride in it.
func (c *crowd) insist(k *car, i int, now elevator.Instant) {
	for _, p := range c.riding[i] {
		if !k.takesCalls(false) || k.lock.Has(p.to) || k.calls.car.Has(p.to) || k.opensAt(p.to) {
			continue
		}
		_ = k.press(now, p.to, &k.calls.car, k.conf.DwellCar, false) // refused it cannot be: just looked
	}
}

// ring presses the landing call of one who waits, unless the lamp burns or the car
// is there and opens anyway.
func (b *Building) ring(p person) {
	k := b.choice(p)
	if k == nil {
		return
	}
	lamps := k.calls.landing(p.way())
	here := k.phase == standing && k.floor == p.from && !k.closed()
	if lamps.Has(p.from) || here && (k.opensAt(p.from) || k.nudging()) {
		return
	}
	_ = k.press(b.now, p.from, lamps, k.conf.DwellLanding, true) // refused it cannot be: just chosen
}

// choice is the lift whose button they press, nil for none. There is no group
// control: each in turn takes another lift, of those that answer. A car that is
// there and cannot take them is let go first: pressed, it would open for ever.
func (b *Building) choice(p person) *car {
	for i := range b.cars {
		k := &b.cars[(p.serial+i)%len(b.cars)]
		there := (k.phase == standing || k.phase == starting) && k.floor == p.from
		if k.takesCalls(true) && !k.lock.Has(p.from) && !k.lock.Has(p.to) && (!there || k.admits(p)) {
			return k
		}
	}
	return nil
}

// passable reports whether people can go through a door of the car.
func (c *car) passable() bool {
	if c.phase != standing || c.floor == 0 {
		return false
	}
	for _, s := range c.conf.Landings[c.floor-1].Doors {
		if d := &c.doors[s]; d.shows() == elevator.DoorOpen && !d.blocked {
			return true
		}
	}
	return false
}

// opensAt reports whether a door is open at f, or opens.
func (c *car) opensAt(f elevator.Floor) bool {
	if c.phase != standing || c.floor != f {
		return false
	}
	for i := range c.doors {
		if does := c.doors[i].does; does == elevator.DoorOpen || does == elevator.DoorOpening {
			return true
		}
	}
	return false
}

// admits reports whether a car at their landing takes them: it goes their way or
// has no way yet, has room, and answers the call they will give.
func (c *car) admits(p person) bool {
	free := c.calls.bound == p.way() || c.ahead(c.calls.bound, c.at, anywhere) == 0
	room := c.weight()+personKg <= c.conf.RatedKg
	return free && room && c.takesCalls(true) && !c.lock.Has(p.to)
}

// weight is the load in kg: what was put in, and who rides.
func (c *car) weight() int { return c.load + c.riders }

// heeds are the calls to which the car looks. One that people have filled passes
// landings by as long as it has somebody to let out.
func (c *car) heeds() calls {
	s := c.calls
	if c.riders > 0 && s.car != 0 && 100*c.weight() >= bypass*c.conf.RatedKg {
		s.up, s.down = 0, 0
	}
	return s
}
