package building

import (
	"fmt"
	"time"

	"hoistway/fsm/elevator"
)

// Codes that the controller shows, see [CarState].Error.
const (
	CodeNone   = 0
	CodeLocked = 1 // a call was refused: the landing is locked
	CodeBusy   = 2 // a call was refused: not in this mode
	CodeDoor   = 3 // a door does not do what it is told
)

// MaxHold is the longest hold in seconds.
const MaxHold = 30

// LandingCall presses the button at floor for dir. Pressed again, a call stays
// one. Where the car stands, it opens instead, or stays open for another dwell,
// and the lamp does not burn. ErrNoLanding: there is no such button; ErrLocked,
// ErrBusy: refused, and the controller shows why.
func (b *Building) LandingCall(id string, floor elevator.Floor, dir elevator.Direction) error {
	return b.act(id, func(c *car) error {
		top := elevator.Floor(len(c.conf.Landings))
		switch {
		case !c.has(floor),
			dir != elevator.Up && dir != elevator.Down,
			dir == elevator.Up && floor == top,
			dir == elevator.Down && floor == 1:
			return fmt.Errorf("landing call %v at %v: %w", dir, floor, ErrNoLanding)
		}
		return c.press(b.now, floor, c.calls.landing(dir), c.conf.DwellLanding, true)
	})
}

// CarCall presses the button for floor in the car, with errors as LandingCall has.
func (b *Building) CarCall(id string, floor elevator.Floor) error {
	return b.act(id, func(c *car) error {
		if !c.has(floor) {
			return fmt.Errorf("car call to %v: %w", floor, ErrNoLanding)
		}
		return c.press(b.now, floor, &c.calls.car, c.conf.DwellCar, false)
	})
}

func (c *car) has(f elevator.Floor) bool { return f != 0 && int(f) <= len(c.conf.Landings) }

func (c *car) press(now elevator.Instant, f elevator.Floor, lamps *elevator.FloorSet, dwell time.Duration, landing bool) error {
	switch {
	case !c.takesCalls(landing):
		return c.refuse(now, CodeBusy, fmt.Errorf("call at %v in mode %v: %w", f, c.mode, ErrBusy))
	case c.locked(f):
		return c.refuse(now, CodeLocked, fmt.Errorf("call at %v: %w", f, ErrLocked))
	}
	c.refusal = CodeNone
	switch {
	case c.special == firefighter:
		c.drive(now, f)
		return nil
	case c.phase == standing && c.floor == f && !c.nudging() && !c.ills.noShow:
		*lamps = without(*lamps, f)
		c.ask(now, dwell)
		return nil
	}
	if !lamps.Has(f) && c.meets(now, "call-drops") {
		c.drops = append(c.drops, drop{now + elevator.Instant(dropsAfter), lamps, f})
	}
	*lamps = lamps.With(f)
	return nil
}

// drive is a firefighter's car call: it replaces the one before and closes the doors.
func (c *car) drive(now elevator.Instant, f elevator.Floor) {
	if c.phase == standing && c.floor == f {
		return
	}
	c.calls.car = elevator.FloorSet(0).With(f)
	c.shut(now)
}

// locked reports whether the landing refuses calls.
func (c *car) locked(f elevator.Floor) bool { return (c.lock | c.ills.locked).Has(f) }

func (c *car) refuse(now elevator.Instant, code int, err error) error {
	c.refusal, c.refusedAt = code, now
	return err
}

func (c *car) nudging() bool {
	for _, s := range c.sides {
		if c.doors[s].nudging {
			return true
		}
	}
	return false
}

// CancelLanding takes back the landing calls of both directions at floor.
func (b *Building) CancelLanding(id string, floor elevator.Floor) error {
	return b.cancel(id, floor, func(s *calls) { s.up, s.down = without(s.up, floor), without(s.down, floor) })
}

// CancelCar takes back the car call to floor. A car that is under way to it and
// can stop nowhere else goes on, and stays closed there.
func (b *Building) CancelCar(id string, floor elevator.Floor) error {
	return b.cancel(id, floor, func(s *calls) { s.car = without(s.car, floor) })
}

func (b *Building) cancel(id string, floor elevator.Floor, do func(*calls)) error {
	return b.act(id, func(c *car) error {
		if !c.has(floor) {
			return fmt.Errorf("cancel at %v: %w", floor, ErrNoLanding)
		}
		do(&c.calls)
		return nil
	})
}

// Hold keeps the door of side open for so many seconds from now, up to MaxHold;
// it replaces the hold before it, ends by itself, and 0 ends it now. It is
// ErrBusy, and changes nothing, unless the car stands with that door open or
// opening, or in fire or a firefighter's hands.
func (b *Building) Hold(id string, side elevator.Side, sec int) error {
	return b.act(id, func(c *car) error {
		d := c.door(side)
		switch {
		case d == nil:
			return fmt.Errorf("hold %v door: %w", side, ErrNoDoor)
		case sec < 0 || sec > MaxHold:
			return fmt.Errorf("hold of %d s: %w", sec, ErrRange)
		case !c.holds(d):
			return fmt.Errorf("hold %v door: %w", side, ErrBusy)
		}
		if sec > 0 && c.meets(b.now, "hold-ignored") {
			return nil
		}
		d.holdUntil = 0
		if sec > 0 {
			d.holdUntil = b.now + elevator.Instant(sec)*elevator.Instant(time.Second)
		}
		return nil
	})
}

func (c *car) holds(d *door) bool {
	opens := d.does == elevator.DoorOpen || d.does == elevator.DoorOpening
	return c.phase == standing && !c.recalling() && !c.lost && c.special != firefighter && opens && d.shows() != elevator.DoorClosed
}

// door is the door of side, nil where the car has none.
func (c *car) door(side elevator.Side) *door {
	if side == elevator.SideUnknown || int(side) >= elevator.Sides || !c.doors[side].fitted {
		return nil
	}
	return &c.doors[side]
}
