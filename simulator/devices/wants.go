package devices

import (
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// Wants is what a controller of the bench kind can ask for besides. Its map has two
// registers more: input 14, and holding 7. What it was told is forgotten when it is dark.
type Wants struct {
	// Permission: it says itself when a robot may go in or out, by bit 0 of input 14: a
	// second and a half after a door stands fully open, in normal use, with no overload.
	Permission bool
	// Claim: it takes no call before 1 was written to holding 7, and 0 gives it back; bit 1
	// of input 14 shows that it is claimed. A call before that gets exception 6.
	Claim bool
	// Level: a call stands for five seconds after it was written last; 0 in its register, or
	// another landing, drops it.
	Level bool
}

const (
	regClaim = holdings // one more than the plain map has
	welcome  = 1500 * time.Millisecond
	keptFor  = 5 * time.Second
)

// wanting is what such a controller keeps. It is guarded by the world's lock.
type wanting struct {
	Wants
	car   string
	world *World
	table elevator.Table
	taken bool
	since [elevator.Sides]elevator.Instant // a door stands fully open
	calls [regCarCall + 1]level
}

// level is a call that stands while it is kept up.
type level struct {
	value uint16 // 0: none
	until time.Time
}

// word is input 14.
func (k *wanting) word(s building.CarState, now elevator.Instant) (w uint16) {
	lets := false
	for side := range k.since {
		switch open := s.Doors[side].State == elevator.DoorOpen; {
		case !open:
			k.since[side] = 0
		case k.since[side] == 0:
			k.since[side] = now
		default:
			lets = lets || now.Sub(k.since[side]) >= welcome
		}
	}
	sound := s.Mode == elevator.Normal && s.Motion == elevator.Stopped && !s.Overload
	if k.Permission && lets && sound && (k.taken || !k.Claim) {
		w |= 1
	}
	if k.taken {
		w |= 2
	}
	return w
}

// write carries out a write; again is true for a call that is only kept up.
func (k *wanting) write(b *building.Building, addr, value uint16) (code uint8, again bool) {
	switch {
	case addr == regClaim && k.Claim:
		return k.claim(b, value), false
	case addr > regCarCall:
		return write(b, k.car, k.table, addr, value), false
	case k.Claim && !k.taken:
		return deviceBusy, false
	case !k.Level:
		return write(b, k.car, k.table, addr, value), false
	}
	return k.keep(b, addr, value)
}

func (k *wanting) claim(b *building.Building, value uint16) uint8 {
	switch {
	case value > 1:
		return illegalValue
	case value == 1 && b.Car(k.car).Mode != elevator.Normal:
		return deviceBusy
	}
	k.taken = value == 1
	return noException
}

func (k *wanting) keep(b *building.Building, addr, value uint16) (code uint8, again bool) {
	c := &k.calls[addr]
	if again = value != 0 && c.value == value; !again {
		k.drop(b, addr)
		if value == 0 {
			return noException, false
		}
		if code = write(b, k.car, k.table, addr, value); code != noException {
			return code, false
		}
	}
	c.value, c.until = value, time.Now().Add(keptFor)
	time.AfterFunc(keptFor, func() {
		k.world.Do(func(b *building.Building) {
			if c.value == value && !time.Now().Before(c.until) {
				k.drop(b, addr)
			}
		})
	})
	return noException, again
}

// drop ends a call; of a landing that there is.
func (k *wanting) drop(b *building.Building, addr uint16) {
	floor := k.table.ByWire(int(k.calls[addr].value))
	k.calls[addr].value = 0
	switch {
	case floor == 0:
	case addr == regCarCall:
		_ = b.CancelCar(k.car, floor)
	default:
		_ = b.CancelLanding(k.car, floor)
	}
}

// forget is what happens to it in the dark.
func (k *wanting) forget() {
	k.taken, k.calls, k.since = false, [regCarCall + 1]level{}, [elevator.Sides]elevator.Instant{}
}
