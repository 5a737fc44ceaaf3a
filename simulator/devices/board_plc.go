package devices

import (
	"encoding/binary"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// plc is a lift PLC behind MC protocol 1E, binary: 00 and 01 read bits and words, 02
// and 03 write them. Devices D300 to D312 and M318, M319, M331.
type plc struct {
	b         *Board
	l         *boardLift
	door      int16 // D310
	floor     int16 // D311
	kind      int16 // D312
	doorGo    bool  // M318
	liftGo    bool  // M319
	taken     bool  // M331
	keepsOpen bool
	started   bool // the call of liftGo was made
}

// Codes of devices, and what a frame has before its data.
const (
	deviceD    = 0x4420
	deviceM    = 0x4D20
	plcHead    = 12
	plcUnknown = 0x56 // completion: no such device
	plcBusy    = 0x5B
)

func newPLC(b *Board, l *boardLift) *plc { return &plc{b: b, l: l} }

func (p *plc) hear(in []byte) (rest []byte, out [][]byte) {
	for len(in) >= plcHead {
		kind, count := in[0], int(in[10])
		n := plcHead
		switch kind {
		case 2:
			n += (count + 1) / 2
		case 3:
			n += 2 * count
		}
		if len(in) < n {
			return in, out
		}
		at := binary.LittleEndian.Uint32(in[4:])
		code := binary.LittleEndian.Uint16(in[8:])
		out = append(out, p.answer(kind, at, code, count, in[plcHead:n]))
		in = in[n:]
	}
	return in, out
}

func (p *plc) answer(kind byte, at uint32, code uint16, count int, data []byte) []byte {
	ok := []byte{kind | 0x80, 0}
	no := []byte{kind | 0x80, plcUnknown}
	switch {
	case kind >= 2 && p.b.habits.Refuses:
		return []byte{kind | 0x80, plcBusy}
	case kind == 1 && code == deviceD && at >= 300 && int(at)+count <= 313:
		for i := range count {
			ok = binary.LittleEndian.AppendUint16(ok, uint16(p.word(int(at)+i)))
		}
		return ok
	case kind == 3 && code == deviceD && count == 1 && at >= 310 && at <= 312:
		v := int16(binary.LittleEndian.Uint16(data))
		*map[uint32]*int16{310: &p.door, 311: &p.floor, 312: &p.kind}[at] = v
		return ok
	case kind == 0 && code == deviceM && count == 1 && p.bit(at) != nil:
		return append(ok, map[bool]byte{true: 0x10}[*p.bit(at)])
	case kind == 2 && code == deviceM && count == 1 && p.bit(at) != nil:
		p.set(at, data[0]&0x10 != 0)
		return ok
	}
	return no
}

func (p *plc) bit(at uint32) *bool {
	return map[uint32]*bool{318: &p.doorGo, 319: &p.liftGo, 331: &p.taken}[at]
}

func (p *plc) set(at uint32, on bool) {
	was := *p.bit(at)
	*p.bit(at) = on
	switch {
	case at == 331:
		p.b.done(p.l, nil, "taken for the robot: %v", on)
	case at == 319 && on:
		p.started = false
	case at == 319 && was:
		p.b.done(p.l, nil, "lift trigger taken back")
	case at == 318 && was && !on:
		p.b.done(p.l, nil, "door trigger taken back")
	}
}

func (p *plc) word(at int) int16 {
	car := p.b.world.Shown(p.l.car)
	wire, _ := p.l.table.Wire(car.Floor)
	switch at {
	case 300:
		switch car.Doors[elevator.Front].State {
		case elevator.DoorClosed:
			return 1
		case elevator.DoorOpen:
			return 2
		}
		return 3
	case 301:
		return int16(wire)
	case 302:
		return int16(motionWord(car.Motion)) + 1
	case 303:
		if car.Mode == elevator.Normal {
			return 2
		}
		return 1
	case 304:
		if car.Error == 0 {
			return 1
		}
		return 2
	case 305:
		if car.Overload {
			return 1
		}
		return 2
	case 310:
		return p.door
	case 311:
		return p.floor
	case 312:
		return p.kind
	}
	return 0
}

// beat runs the program of the PLC: a trigger is cleared when its thing is done.
func (p *plc) beat(elevator.Instant) [][]byte {
	car := p.b.world.Shown(p.l.car)
	door := car.Doors[elevator.Front].State
	stands := car.Motion == elevator.Stopped
	if p.liftGo {
		p.drive(car)
	}
	if p.doorGo && stands {
		p.moveDoor(car)
	}
	if p.keepsOpen && (door == elevator.DoorOpen || door == elevator.DoorOpening) {
		_ = p.b.act(func(b *building.Building) error { return b.Hold(p.l.car, elevator.Front, 2) })
	}
	return nil
}

func (p *plc) drive(car building.CarState) {
	to := p.l.table.ByWire(int(p.floor))
	if !p.started {
		err := p.b.act(func(b *building.Building) error { return b.CarCall(p.l.car, to) })
		p.started, p.keepsOpen = true, false
		p.b.done(p.l, err, "go to %s", p.l.label(int(p.floor)))
		return
	}
	if to != 0 && car.Floor == to && car.Motion == elevator.Stopped && !p.b.habits.TriggersStay {
		p.liftGo = false
	}
}

func (p *plc) moveDoor(car building.CarState) {
	door := car.Doors[elevator.Front].State
	done := false
	switch p.door {
	case 1:
		if !p.keepsOpen {
			p.b.done(p.l, nil, "open the door")
		}
		p.keepsOpen = true
		if done = door == elevator.DoorOpen; !done && door != elevator.DoorOpening {
			_ = p.b.act(func(b *building.Building) error { return b.CarCall(p.l.car, car.Floor) })
		}
	case 2:
		if p.keepsOpen {
			p.b.done(p.l, nil, "close the door")
			_ = p.b.act(func(b *building.Building) error { return b.Hold(p.l.car, elevator.Front, 0) })
		}
		p.keepsOpen = false
		done = door == elevator.DoorClosed || door == elevator.DoorClosing
	}
	if done && !p.b.habits.TriggersStay {
		p.doorGo = false
	}
}
