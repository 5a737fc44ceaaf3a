package building

import (
	"fmt"

	"hoistway/fsm/elevator"
)

// SetMode turns the mode switch:
//
//   - Normal: all calls.
//   - Independent: car calls only; the doors stay open until one is given.
//   - Inspection, EmergencyStop: the car stops where it is, the doors have no
//     power, calls are dropped. Back in another mode a car between landings goes to
//     the nearest and opens.
//   - Fire: calls are dropped, doors close, the car goes to its recall landing and
//     stays open there. No hold is kept.
//   - Seismic: the car stops at the next landing and stays open.
//   - OutOfService: the car stops at the next landing, opens once, stays closed.
func (b *Building) SetMode(id string, m elevator.Mode) error {
	return b.act(id, func(c *car) error {
		if m == elevator.ModeUnknown || m > elevator.OutOfService {
			return fmt.Errorf("mode %v: %w", m, ErrRange)
		}
		c.setMode(b.now, m)
		c.opened()
		return nil
	})
}

// SetLoad says how many kg are in the car. With more than it may carry it stays,
// opens, and shows the overload.
func (b *Building) SetLoad(id string, kg int) error {
	return b.act(id, func(c *car) error {
		if kg < 0 || kg > maxRatedKg {
			return fmt.Errorf("load of %d kg: %w", kg, ErrRange)
		}
		c.load = kg
		c.reopen(b.now)
		return nil
	})
}

// reopen opens closing doors of an overloaded car.
func (c *car) reopen(now elevator.Instant) {
	if c.overloaded() && c.phase == standing && c.floor != 0 && !c.closed() && !c.halted() {
		c.ask(now, c.conf.DwellCar)
	}
}

// Obstruct puts something into the doorway of side, or takes it out. A closing
// door opens again; an open one stays, until it nudges.
func (b *Building) Obstruct(id string, side elevator.Side, on bool) error {
	return b.atDoor(id, side, func(c *car, d *door) { d.block(&c.conf, b.now, byHand, on) })
}

// StickDoor breaks the door of side: the panels stay where they are.
func (b *Building) StickDoor(id string, side elevator.Side, on bool) error {
	return b.atDoor(id, side, func(c *car, d *door) { d.stick(&c.conf, b.now, byHand, on) })
}

func (b *Building) atDoor(id string, side elevator.Side, do func(*car, *door)) error {
	return b.act(id, func(c *car) error {
		d := c.door(side)
		if d == nil {
			return fmt.Errorf("%v door: %w", side, ErrNoDoor)
		}
		do(c, d)
		return nil
	})
}

// LockFloor makes the landing refuse new calls, or take them again.
func (b *Building) LockFloor(id string, floor elevator.Floor, on bool) error {
	return b.act(id, func(c *car) error {
		if !c.has(floor) {
			return fmt.Errorf("lock %v: %w", floor, ErrNoLanding)
		}
		c.lock = without(c.lock, floor)
		if on {
			c.lock = c.lock.With(floor)
		}
		return nil
	})
}
