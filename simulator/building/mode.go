package building

import "hoistway/fsm/elevator"

// halted modes stop the car where it is and take the power from the doors.
func (c *car) halted() bool {
	return c.mode == elevator.Inspection || c.mode == elevator.EmergencyStop
}

// takesCalls says what the buttons are good for.
func (c *car) takesCalls(landing bool) bool {
	return c.mode == elevator.Normal || c.mode == elevator.Independent && !landing
}

// keepsOpen says that an open door stays so until something changes.
func (c *car) keepsOpen() bool {
	switch {
	case c.phase != standing || c.floor == 0:
		return false
	case c.overloaded():
		return true
	}
	switch c.mode {
	case elevator.Fire:
		return c.floor == c.recall
	case elevator.Seismic:
		return true
	case elevator.Independent:
		return without(c.calls.car, c.floor) == 0
	}
	return false
}

// opensHere says that a car standing closed at a landing opens.
func (c *car) opensHere() bool {
	if c.floor == 0 {
		return false
	}
	switch {
	case c.release || c.overloaded():
		return true
	case c.mode == elevator.Fire:
		return c.floor == c.recall
	case c.mode == elevator.Seismic:
		return true
	}
	return c.takesCalls(false) && c.collective() == c.floor
}

// destination is where a standing car would go, 0 to stay.
func (c *car) destination() elevator.Floor {
	switch {
	case c.mode == elevator.Fire:
		return c.recall
	case c.floor == 0:
		return c.nearest(^elevator.FloorSet(0), c.at)
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
	var first elevator.Floor
	for f := range c.beyond(to, c.from) {
		switch {
		case !may(f):
		case c.mode == elevator.Fire && f == c.recall:
			return f
		case first == 0:
			first = f
		}
	}
	return first
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
	default:
		c.calls = calls{}
	}
	c.release = c.release || m == elevator.OutOfService && c.closed()
	if m == elevator.Fire {
		c.release = false
		c.shut(now)
	}
	c.power(now, was)
}

// power applies a change of halted.
func (c *car) power(now elevator.Instant, was bool) {
	if c.halted() == was {
		return
	}
	for i := range c.doors {
		d := &c.doors[i]
		d.anchor(&c.conf, now)
		d.halted = c.halted()
	}
	if !c.halted() {
		return
	}
	switch c.phase {
	case travelling:
		c.from, c.speed, _ = c.motion(now)
		c.release = true
		c.enter(braking, now)
	case levelling:
		c.arrive(now)
	}
}

// shut closes the doors as soon as nothing stands in them.
func (c *car) shut(now elevator.Instant) {
	for i := range c.doors {
		c.doors[i].shut(now)
	}
}
