package building

import (
	"math"
	"time"

	"hoistway/fsm/elevator"
)

// never is an instant that does not come. The zero [elevator.Instant] would do
// outside, but inside a building time starts at zero.
const never = elevator.Instant(math.MaxInt64)

// gap is how far an object in the doorway lets the panels close.
const gap = 0.5

// door is one car door with the landing door that it takes along. Where the
// panels are follows from where they were, at part, at the instant since.
type door struct {
	fitted bool
	does   elevator.Door // what the operator is told to do, or has done
	part   float64       // 0 closed, 1 fully open
	since  elevator.Instant

	dwell     time.Duration    // how long to stay open once open
	openUntil elevator.Instant // end of the dwell
	holdUntil elevator.Instant // end of the hold asked for on a wire; 0 none

	blockedBy cause // what stands in the light
	blockedAt elevator.Instant
	nudging   bool
	// ghostAt is when something will come between the closing panels, which is gone
	// once they are open; 0 for nothing.
	ghostAt elevator.Instant

	stuckBy cause // the panels do not move
	halted  bool  // the operator has no power: stop switch, inspection, no mains
}

// cause is why something is so. Each is taken back by itself.
type cause uint8

const (
	byHand  cause = 1 << iota // Obstruct, StickDoor
	byFault                   // while it is on
	byGhost                   // door-reopens
)

func (d *door) blocked() bool { return d.blockedBy != 0 }

func (d *door) frozen() bool { return d.stuckBy != 0 || d.halted }

// open gives the panels' place at now.
func (d *door) open(c *Car, now elevator.Instant) float64 {
	if d.frozen() {
		return d.part
	}
	moved := float64(now - d.since)
	switch d.does {
	case elevator.DoorOpening:
		return min(1, d.part+moved/float64(c.DoorOpen))
	case elevator.DoorClosing:
		return max(0, d.part-moved/float64(d.closing(c)))
	}
	return d.part
}

func (d *door) closing(c *Car) time.Duration {
	if d.nudging {
		return max(c.Nudge, c.DoorClose)
	}
	return c.DoorClose
}

// due is when the door does its next thing if it is free to move; keep says that
// the car wants it open.
func (d *door) due(c *Car, keep bool) elevator.Instant {
	switch d.does {
	case elevator.DoorOpening:
		return d.since + travel(1-d.part, c.DoorOpen)
	case elevator.DoorOpen:
		if keep {
			return never
		}
		t := max(d.openUntil, d.holdUntil)
		if d.blocked() {
			t = max(t, d.blockedAt+elevator.Instant(c.NudgeAfter))
		}
		return t
	case elevator.DoorClosing:
		way := d.part
		if d.nudging && d.blocked() {
			way = max(0, d.part-gap)
		}
		return d.since + travel(way, d.closing(c))
	}
	return never
}

func travel(part float64, whole time.Duration) elevator.Instant {
	return elevator.Instant(math.Round(part * float64(whole)))
}

// next is due, but never for a door that cannot move.
func (d *door) next(c *Car, keep bool) elevator.Instant {
	if d.frozen() {
		return never
	}
	if d.does == elevator.DoorClosing && d.ghostAt != 0 {
		return min(d.ghostAt, d.due(c, keep))
	}
	return d.due(c, keep)
}

// fire does what was due.
func (d *door) fire(c *Car, now elevator.Instant) {
	switch d.does {
	case elevator.DoorOpening:
		d.rest(elevator.DoorOpen, 1, now)
		d.openUntil = now + elevator.Instant(d.dwell)
		d.blockedBy &^= byGhost
	case elevator.DoorOpen:
		d.nudging, d.ghostAt = d.blocked(), 0
		d.rest(elevator.DoorClosing, 1, now)
	case elevator.DoorClosing:
		if d.ghostAt != 0 && d.ghostAt <= now {
			d.ghostAt = 0
			d.block(c, now, byGhost, true)
			return
		}
		if d.nudging && d.blocked() { // pushed into what stands there: back, and again later
			d.anchor(c, now)
			d.does = elevator.DoorOpening
			return
		}
		d.rest(elevator.DoorClosed, 0, now)
		d.nudging, d.holdUntil = false, 0
	}
}

func (d *door) rest(does elevator.Door, part float64, now elevator.Instant) {
	d.does, d.part, d.since = does, part, now
}

// anchor fixes the panels' place before anything changes how they move.
func (d *door) anchor(c *Car, now elevator.Instant) { d.part, d.since = d.open(c, now), now }

// ask opens the door, or keeps it open for another dwell.
func (d *door) ask(c *Car, now elevator.Instant, dwell time.Duration) {
	switch d.does {
	case elevator.DoorOpen:
		d.openUntil = max(d.openUntil, now+elevator.Instant(dwell))
		return
	case elevator.DoorOpening:
		d.dwell = max(d.dwell, dwell)
		return
	}
	d.anchor(c, now)
	d.does, d.dwell = elevator.DoorOpening, dwell
}

// block puts something into the doorway, or takes it out.
func (d *door) block(c *Car, now elevator.Instant, by cause, on bool) {
	if !on {
		d.blockedBy &^= by
		return
	}
	if !d.blocked() {
		d.blockedAt = now
	}
	d.blockedBy |= by
	if d.does == elevator.DoorClosing && !d.nudging {
		d.ask(c, now, d.dwell)
	}
}

// stick stops the panels where they are, or lets them go on.
func (d *door) stick(c *Car, now elevator.Instant, by cause, on bool) {
	d.anchor(c, now)
	d.stuckBy &^= by
	if on {
		d.stuckBy |= by
	}
}

// shut ends every reason to stay open but an obstruction.
func (d *door) shut(now elevator.Instant) {
	d.dwell, d.holdUntil = 0, 0
	d.openUntil = min(d.openUntil, now)
}

// shows is what the controller tells: what the operator does, and of panels that
// cannot move what the limit switches at the ends of their way say. A door that
// sets off to close is never open any more; one that is stuck shut is closed,
// whatever it was told.
func (d *door) shows() elevator.Door {
	switch {
	case !d.fitted:
		return elevator.DoorUnknown
	case d.frozen() && d.part <= 0:
		return elevator.DoorClosed
	case d.frozen() && d.part >= 1:
		return elevator.DoorOpen
	}
	return d.does
}
