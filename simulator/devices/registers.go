package devices

import (
	"errors"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// Modbus exception codes of this device.
const (
	noException     = 0
	illegalFunction = 1
	illegalAddress  = 2
	illegalValue    = 3
	deviceFailure   = 4
	deviceBusy      = 6
	wrongTarget     = 11 // TCP only: the unit behind the socket is another
)

const (
	inputs   = 14 // input registers
	holdings = 7  // holding registers
	maxWire  = 16 // landings are bits of one register
)

// Holding registers.
const (
	regLandingUp = iota
	regLandingDown
	regCarCall
	regHoldFront
	regHoldRear
	regCancelLanding
	regCancelCar
)

// commands are what a write to each holding register asks: in the words of
// [Write.Asks], and in full.
var commands = [holdings]struct{ kind, words string }{
	regLandingUp:     {"landing-call", "landing call up"},
	regLandingDown:   {"landing-call", "landing call down"},
	regCarCall:       {"car-call", "car call"},
	regHoldFront:     {"hold", "hold front"},
	regHoldRear:      {"hold", "hold rear"},
	regCancelLanding: {"cancel", "cancel landing calls"},
	regCancelCar:     {"cancel", "cancel car call"},
}

// read lays a car out in the input registers, as its controller tells it.
func read(s building.CarState, t elevator.Table) [inputs]uint16 {
	wire, _ := t.Wire(s.Floor)
	place := uint32(s.PositionMM)
	front, rear := s.Doors[elevator.Front], s.Doors[elevator.Rear]
	return [inputs]uint16{
		uint16(wire),
		motionWord(s.Motion),
		doorWord(front.State),
		doorWord(rear.State),
		modeWord(s.Mode),
		alarmWord(s),
		uint16(place >> 16),
		uint16(place),
		uint16(s.LoadKg),
		uint16(s.Error),
		lampWord(s.Up, t),
		lampWord(s.Down, t),
		lampWord(s.Car, t),
		secondsLeft(front.Hold) | secondsLeft(rear.Hold)<<8,
	}
}

func motionWord(m elevator.Motion) uint16 {
	switch m {
	case elevator.MovingUp:
		return 1
	case elevator.MovingDown:
		return 2
	}
	return 0
}

func doorWord(d elevator.Door) uint16 {
	switch d {
	case elevator.DoorClosed:
		return 1
	case elevator.DoorOpening:
		return 2
	case elevator.DoorOpen:
		return 3
	case elevator.DoorClosing:
		return 4
	case building.DoorInvalid:
		return 9 // the data sheet knows no such state
	}
	return 0
}

func modeWord(m elevator.Mode) uint16 {
	switch m {
	case elevator.Normal:
		return 1
	case elevator.Independent:
		return 2
	case elevator.Inspection:
		return 3
	case elevator.Fire:
		return 4
	case elevator.Seismic:
		return 5
	case elevator.EmergencyStop:
		return 6
	case elevator.OutOfService:
		return 7
	}
	return 0
}

func alarmWord(s building.CarState) (w uint16) {
	for bit, on := range []bool{s.Overload, s.Nudging, s.Obstacle, s.Stop} {
		if on {
			w |= 1 << bit
		}
	}
	return w
}

func lampWord(s elevator.FloorSet, t elevator.Table) (w uint16) {
	for i := range t {
		if s.Has(elevator.Floor(i + 1)) {
			w |= 1 << (t[i].Wire - 1)
		}
	}
	return w
}

// secondsLeft counts a second that has begun.
func secondsLeft(d time.Duration) uint16 { return uint16((d + time.Second - 1) / time.Second) }

// write carries out one write and gives the exception to answer with.
func write(b *building.Building, car string, t elevator.Table, addr, value uint16) uint8 {
	switch addr {
	case regHoldFront:
		return holdAnswer(b.Hold(car, elevator.Front, int(value)))
	case regHoldRear:
		return holdAnswer(b.Hold(car, elevator.Rear, int(value)))
	}
	floor := t.ByWire(int(value))
	if floor == 0 {
		return illegalValue
	}
	switch addr {
	case regLandingUp:
		return callAnswer(b.LandingCall(car, floor, elevator.Up))
	case regLandingDown:
		return callAnswer(b.LandingCall(car, floor, elevator.Down))
	case regCarCall:
		return callAnswer(b.CarCall(car, floor))
	case regCancelLanding:
		return callAnswer(b.CancelLanding(car, floor))
	case regCancelCar:
		return callAnswer(b.CancelCar(car, floor))
	}
	return illegalAddress
}

// callAnswer: a call that the controller refuses is acknowledged all the same;
// it says why in its error code, and the lamp stays dark.
func callAnswer(err error) uint8 {
	switch {
	case err == nil, errors.Is(err, building.ErrLocked), errors.Is(err, building.ErrBusy):
		return noException
	case errors.Is(err, building.ErrNoLanding):
		return illegalValue
	}
	return deviceFailure
}

func holdAnswer(err error) uint8 {
	switch {
	case err == nil:
		return noException
	case errors.Is(err, building.ErrBusy):
		return deviceBusy
	case errors.Is(err, building.ErrRange), errors.Is(err, building.ErrNoDoor):
		return illegalValue
	}
	return deviceFailure
}
