package devices

import (
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// Devices of others' making, written by hand from their descriptions: the other side of
// bundled profiles, and made without them.

// PLCFourTables is a lift PLC of which four tables all begin at address 1: holding 1 the
// landing to come to, 2 the landing to go to; coil 1 robot inside, 2 robot outside;
// discrete 1 may enter, 2 may leave, 3 door open; input 1 the landing. The call is a
// level; it opens by itself, and keeps the door until it is told where the robot is.
func PLCFourTables() Face { return fourTables{} }

type fourTables struct{}

func (fourTables) Shows(a Area, addr uint16, s building.CarState, t elevator.Table, m Memory) (uint16, bool) {
	open := s.Doors[elevator.Front].State == elevator.DoorOpen && s.Motion == elevator.Stopped
	wire, _ := t.Wire(s.Floor)
	calls := func(reg uint16) bool { return open && int(m[Place{Holding, reg}]) == wire }
	switch (Place{a, addr}) {
	case Place{Discrete, 1}:
		return flag(calls(1)), true
	case Place{Discrete, 2}:
		return flag(calls(2)), true
	case Place{Discrete, 3}:
		return flag(s.Doors[elevator.Front].State == elevator.DoorOpen), true
	case Place{Input, 1}:
		return uint16(wire), true
	case Place{Holding, 1}, Place{Holding, 2}:
		return m[Place{a, addr}], true
	case Place{Coil, 1}, Place{Coil, 2}:
		return bit(m[Place{a, addr}]), true
	}
	return 0, false
}

func (fourTables) Takes(b *building.Building, car string, t elevator.Table, a Area, addr, value uint16, m Memory) uint8 {
	if addr < 1 || addr > 2 || a != Holding && a != Coil {
		return illegalAddress
	}
	if a == Coil {
		if value != 0 {
			return holdAnswer(b.Hold(car, elevator.Front, 0))
		}
		return noException
	}
	old := m[Place{a, addr}]
	switch {
	case value == 0 || value == old:
		return noException
	case t.ByWire(int(value)) == 0:
		return illegalValue
	}
	return callAnswer(b.CarCall(car, t.ByWire(int(value))))
}

// GoodsLift is a goods lift of two landings: coils 0 and 1 call it to landing 1 and 2,
// coil 2 says that the robot is in place; inputs 0 and 1 are the door fully open there.
func GoodsLift() Face { return goodsLift{} }

type goodsLift struct{}

func (goodsLift) Shows(a Area, addr uint16, s building.CarState, t elevator.Table, m Memory) (uint16, bool) {
	wire, _ := t.Wire(s.Floor)
	switch {
	case a == Discrete && addr < 2:
		return flag(s.Doors[elevator.Front].State == elevator.DoorOpen && wire == int(addr)+1), true
	case a == Coil && addr < 3:
		return bit(m[Place{a, addr}]), true
	}
	return 0, false
}

func (goodsLift) Takes(b *building.Building, car string, t elevator.Table, a Area, addr, value uint16, _ Memory) uint8 {
	switch {
	case a != Coil || addr > 2:
		return illegalAddress
	case value == 0 || addr == 2:
		return noException
	}
	return callAnswer(b.CarCall(car, t.ByWire(int(addr)+1)))
}

// Panel is a board of relays and inputs across a lift's buttons and lamps: coil n is the
// car's button of landing n+1, coil 5 the door-open button; input 0 the closed door, 1
// the open door, 2 to 6 the car at landing 1 to 5.
func Panel() Face { return panel{} }

type panel struct{}

func (panel) Shows(a Area, addr uint16, s building.CarState, t elevator.Table, m Memory) (uint16, bool) {
	wire, _ := t.Wire(s.Floor)
	switch {
	case a == Coil && addr < 8:
		return bit(m[Place{a, addr}]), true
	case a != Discrete || addr > 7:
		return 0, false
	case addr == 0:
		return flag(s.Doors[elevator.Front].State == elevator.DoorClosed), true
	case addr == 1:
		return flag(s.Doors[elevator.Front].State == elevator.DoorOpen), true
	}
	return flag(wire == int(addr)-1), true
}

func (panel) Takes(b *building.Building, car string, t elevator.Table, a Area, addr, value uint16, _ Memory) uint8 {
	switch {
	case a != Coil || addr > 7:
		return illegalAddress
	case value != 0 && value != 0xFF00:
		return illegalValue
	case addr == 5:
		// The button needs the car at a landing; without it nothing happens.
		_ = b.OpenButton(car, value != 0)
		return noException
	case value != 0 && t.ByWire(int(addr)+1) != 0:
		_ = b.CarCall(car, t.ByWire(int(addr)+1)) // a button tells nobody that it was in vain
	}
	return noException
}

func flag(on bool) uint16 {
	if on {
		return 1
	}
	return 0
}
