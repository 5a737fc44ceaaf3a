package building

import (
	"fmt"
	"time"

	"hoistway/fsm/elevator"
)

// special is a service for which [elevator.Mode] has no word of its own. While it
// lasts it outranks the mode, but for a stop switch and inspection.
type special uint8

const (
	ordinary    special = iota
	firefighter         // fire phase 2
	supplied            // by the emergency generator
	dark                // no power at all
	booting             // the controller restarts
)

// service is what a car is in besides its mode.
type service struct {
	special  special
	lost     bool // does not know where it is until it has reached the lowest landing
	recalled bool // stood open at the recall landing since fire began
	haven    elevator.Floor
	selected bool // runs on the generator
	turn     bool // is the one that is brought to its haven now
	brought  bool
	freed    bool // all have been brought, and it is selected
}

// shownMode is the mode in the words that a gateway knows. What has none shows as
// the nearest that is not for robots.
func (c *car) shownMode() elevator.Mode {
	switch {
	case c.special == firefighter:
		return elevator.Fire
	case c.special == ordinary && !c.lost, c.mode == elevator.Inspection, c.mode == elevator.EmergencyStop:
		return c.mode
	}
	return elevator.OutOfService
}

// SetFirefighter turns the switch in the car to fire phase 2. A car that was not
// recalled yet is so first. Then it takes car calls only, the last one given alone;
// it arrives with doors closed, and they are opened by [Building.OpenButton].
func (b *Building) SetFirefighter(id string, on bool) error {
	return b.act(id, func(c *car) error { c.setSpecial(b.now, either(on, firefighter)); return nil })
}

// SetEmergencyPower puts the lift on the generator: it brakes where it is, waits
// for its turn, is brought to the landing of [Emergency] and lets people out. A
// selected lift runs once no other waits for its turn.
func (b *Building) SetEmergencyPower(id string, on bool) error {
	return b.act(id, func(c *car) error { c.setSpecial(b.now, either(on, supplied)); return nil })
}

// SetPower takes the power away, or gives it back. Without it the brake holds the
// car and the controller shows nothing. With it again the doors close, and the car
// creeps to the lowest landing to learn where it is.
func (b *Building) SetPower(id string, on bool) error {
	return b.act(id, func(c *car) error { c.setSpecial(b.now, either(!on, dark)); return nil })
}

func either(on bool, s special) special {
	if on {
		return s
	}
	return ordinary
}

// setSpecial begins a service, or with ordinary ends it.
func (c *car) setSpecial(now elevator.Instant, s special) {
	if s == c.special {
		return
	}
	was := c.halted()
	c.pulse.supply = c.pulse.supply || s == supplied
	c.lost = c.lost || c.special == dark
	c.special = s
	c.turn, c.brought, c.freed = false, false, false
	if s != ordinary {
		c.clearCalls()
	}
	switch s {
	case firefighter:
		c.release = false
		c.shut(now)
	case supplied:
		c.stop(now)
	case dark, booting:
		c.reset()
	}
	c.power(now, was)
	if c.lost && !c.halted() {
		c.shut(now)
	}
	c.opened()
}

// reset takes from a controller what it keeps without power: nothing.
func (c *car) reset() {
	c.refusal = CodeNone
	for _, s := range c.sides {
		c.doors[s].holdUntil = 0
	}
}

// opened notes that the car stands open where fire or the generator wants it.
func (c *car) opened() {
	if c.special != firefighter && c.mode != elevator.Fire {
		c.recalled = false
	}
	if !c.opensAt(c.floor) {
		return
	}
	c.recalled = c.recalled || c.recalling() && c.floor == c.recall
	c.brought = c.brought || c.turn && c.floor == c.haven
}

// reach ends the journey of a firefighter, who opens by hand.
func (c *car) reach() {
	if c.special == firefighter {
		c.calls.car = without(c.calls.car, c.floor)
	}
}

// takeTurns lets one car after another be brought down on the generator.
func (b *Building) takeTurns() {
	var next *car
	for i := range b.cars {
		if c := &b.cars[i]; next == nil && c.special == supplied && !c.brought && !c.lost && !c.halted() {
			next = c
		}
	}
	for i := range b.cars {
		c := &b.cars[i]
		turn, freed := c == next, next == nil && c.special == supplied && c.selected && c.brought
		if c.turn != turn || c.freed != freed {
			c.turn, c.freed = turn, freed
			c.touch()
		}
	}
}

// OpenButton presses the door-open button in the car, or lets it go. Pressed where
// the car stands, it opens or stays open for a dwell. For a firefighter it is a
// button of constant pressure: let go before the doors are fully open, they close;
// fully open, they stay until a car call is given. ErrBusy: not at a landing, or
// the doors are not run from the car.
func (b *Building) OpenButton(id string, on bool) error {
	return b.act(id, func(c *car) error {
		manual := c.special == firefighter && c.recalled && !c.halted()
		if c.phase != standing || c.floor == 0 || !manual && !c.takesCalls(false) || c.nudging() {
			return fmt.Errorf("door open button: %w", ErrBusy)
		}
		switch {
		case on:
			c.ask(b.now, max(c.conf.DwellCar, time.Second))
		case manual:
			c.reverse(b.now)
		}
		return nil
	})
}

// reverse closes the doors that are not fully open yet.
func (c *car) reverse(now elevator.Instant) {
	for _, s := range c.sides {
		if d := &c.doors[s]; d.does == elevator.DoorOpening && !d.blocked() {
			d.anchor(&c.conf, now)
			d.does = elevator.DoorClosing
		}
	}
}
