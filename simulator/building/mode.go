package building

import "hoistway/fsm/elevator"

// halted: the car stops where it is and the doors have no power.
func (c *car) halted() bool {
	return c.dark() || c.mode == elevator.Inspection || c.mode == elevator.EmergencyStop
}

// recalling says that fire sends the car to its recall landing.
func (c *car) recalling() bool {
	return c.special == firefighter && !c.recalled || c.special == ordinary && c.mode == elevator.Fire
}

// takesCalls says what the buttons are good for.
func (c *car) takesCalls(landing bool) bool {
	switch {
	case c.lost:
		return false
	case c.special == firefighter:
		return c.recalled && !landing && !c.halted()
	case c.special == supplied:
		return c.freed && !c.halted()
	case c.special != ordinary:
		return false
	}
	return c.mode == elevator.Normal || c.mode == elevator.Independent && !landing
}

// keepsOpen says that an open door stays so until something changes.
func (c *car) keepsOpen() bool {
	switch {
	case c.phase != standing || c.floor == 0 || c.lost:
		return false
	case c.overloaded():
		return true
	case c.recalling():
		return c.floor == c.recall
	case c.special == firefighter:
		return without(c.calls.car, c.floor) == 0
	case c.special != ordinary:
		return false
	}
	switch c.mode {
	case elevator.Seismic:
		return true
	case elevator.Independent:
		return without(c.calls.car, c.floor) == 0
	}
	return false
}

// opensHere says that a car standing closed at a landing opens.
func (c *car) opensHere() bool {
	switch {
	case c.floor == 0 || c.lost || c.special == firefighter && c.recalled:
		return false
	case c.recalling():
		return c.release || c.overloaded() || c.floor == c.recall
	case c.release || c.overloaded():
		return true
	case c.special == supplied && !c.freed:
		return c.turn && c.floor == c.haven
	case c.special == ordinary && c.mode == elevator.Seismic:
		return true
	}
	return c.takesCalls(false) && c.collective() == c.floor
}

// destination is where a standing car would go, 0 to stay.
func (c *car) destination() elevator.Floor {
	switch {
	case c.halted():
		return 0
	case c.lost:
		return 1
	case c.recalling():
		return c.recall
	case c.special == supplied && !c.freed:
		if c.turn {
			return c.haven
		}
		return 0
	case c.floor == 0:
		return c.nearest(c.all, c.at)
	case c.takesCalls(false):
		return c.collective()
	}
	return 0
}

// betters is the landing to which a car in flight should go, its target
// included, 0 for none better than that.
func (c *car) betters(to elevator.Direction, may func(elevator.Floor) bool) elevator.Floor {
	if c.takesCalls(false) {
		return c.ahead(to, c.from, may)
	}
	past := c.past(to, c.from)
	switch {
	case c.recalling() && past.Has(c.recall) && may(c.recall):
		return c.recall
	case c.special == supplied && past.Has(c.haven) && may(c.haven):
		return c.haven
	}
	return pick(past, to, may)
}

// setMode turns the switch. Calls of a mode do not outlive it, except that a
// lift which goes back to normal keeps what it has.
func (c *car) setMode(now elevator.Instant, m elevator.Mode) {
	if m == c.mode {
		return
	}
	was := c.halted()
	c.mode = m
	switch m {
	case elevator.Normal:
	case elevator.Independent:
		c.calls.up, c.calls.down = 0, 0
		c.giveBack()
	default:
		c.clearCalls()
	}
	c.release = c.release || m == elevator.OutOfService && c.closed()
	if m == elevator.Fire {
		c.release = false
		c.shut(now)
	}
	c.power(now, was)
}

// clearCalls puts out all lamps; the group's calls go to other cars.
func (c *car) clearCalls() {
	c.giveBack()
	c.calls, c.drops = calls{}, nil
}

// giveBack returns the calls of the group's buttons.
func (c *car) giveBack() {
	c.calls.hallUp, c.calls.hallDown = 0, 0
	if c.group != nil {
		c.group.abandoned(c)
	}
}

// power applies a change of halted.
func (c *car) power(now elevator.Instant, was bool) {
	if c.halted() == was {
		return
	}
	for _, s := range c.sides {
		d := &c.doors[s]
		d.anchor(&c.conf, now)
		d.halted = c.halted()
	}
	if c.halted() {
		c.stop(now)
	}
}

// stop brakes a car in flight.
func (c *car) stop(now elevator.Instant) {
	switch {
	case c.phase != travelling:
	case now >= c.end:
		c.arrive(now)
	default:
		c.from, c.speed, _ = c.motion(now)
		c.release, c.astray = true, false
		c.enter(braking, now)
	}
}

// shut closes the doors as soon as nothing stands in them.
func (c *car) shut(now elevator.Instant) {
	for _, s := range c.sides {
		c.doors[s].shut(now)
	}
}
