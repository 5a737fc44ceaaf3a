package devices

import (
	"encoding/binary"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// Area is one of the four tables of Modbus.
type Area uint8

// The tables.
const (
	Coil Area = iota + 1
	Discrete
	Holding
	Input
)

// String is the table's name as raw questions have it.
func (a Area) String() string {
	return [...]string{Coil: "coil", Discrete: "discrete", Holding: "holding", Input: "input"}[a]
}

// Face is a register map of a device's own: what an item shows of a car, and what a
// write to one does. The zero Seat has the bench map instead.
type Face interface {
	// Shows is the value of one item; ok is false where the device has none there.
	// memory is what was last written to the coils and holding registers.
	Shows(a Area, addr uint16, s building.CarState, t elevator.Table, memory Memory) (value uint16, ok bool)
	// Takes carries out a write of one item and gives an exception, 0 for none. The
	// building is the caller's for as long as it runs.
	Takes(b *building.Building, car string, t elevator.Table, a Area, addr, value uint16, memory Memory) uint8
}

// Memory is what stands in the items that can be written.
type Memory map[Place]uint16

// Place is one item.
type Place struct {
	Area Area
	Addr uint16
}

// speak answers a request to a unit with a face.
func (u *Unit) speak(req []byte) []byte {
	fn, m := req[0], u.Manners()
	if len(req) < 5 {
		return exception(fn, illegalValue)
	}
	addr, n := binary.BigEndian.Uint16(req[1:]), int(binary.BigEndian.Uint16(req[3:]))
	switch fn {
	case 1, 2:
		return u.showBits(fn, Area(fn), addr, n)
	case 3, 4:
		return u.showWords(fn, Area(fn), addr, n, m.most())
	case 5:
		return u.takes(req[:5], fn, Coil, addr, []uint16{uint16(n)})
	case 6:
		return u.takes(req[:5], fn, Holding, addr, []uint16{uint16(n)})
	case 15, 16:
		return u.takeSeveral(req, fn, addr, n)
	}
	return exception(fn, illegalFunction)
}

func (u *Unit) showBits(fn uint8, a Area, addr uint16, n int) []byte {
	if n < 1 || n > 2000 {
		return exception(fn, illegalValue)
	}
	words, ok := u.shown(a, addr, n)
	if !ok {
		return exception(fn, illegalAddress)
	}
	out := append([]byte{fn, byte((n + 7) / 8)}, make([]byte, (n+7)/8)...)
	for i, w := range words {
		if w != 0 {
			out[2+i/8] |= 1 << (i % 8)
		}
	}
	return out
}

func (u *Unit) showWords(fn uint8, a Area, addr uint16, n, most int) []byte {
	if n < 1 || n > most {
		return exception(fn, illegalValue)
	}
	words, ok := u.shown(a, addr, n)
	if !ok {
		return exception(fn, illegalAddress)
	}
	out := []byte{fn, byte(2 * n)}
	for _, w := range words {
		out = binary.BigEndian.AppendUint16(out, w)
	}
	return out
}

// shown are n items at one instant.
func (u *Unit) shown(a Area, addr uint16, n int) (words []uint16, ok bool) {
	s := u.seen()
	u.mu.Lock()
	defer u.mu.Unlock()
	for i := range n {
		w, there := u.face.Shows(a, addr+uint16(i), s, u.table, u.memory)
		if !there || int(addr)+i > 0xFFFF {
			return nil, false
		}
		words = append(words, w)
	}
	return words, true
}

// seen is the car as this device tells it, with its manners.
func (u *Unit) seen() building.CarState {
	s := u.world.Shown(u.car)
	m := u.Manners()
	u.mu.Lock()
	defer u.mu.Unlock()
	now := u.world.Now()
	if s.Motion == elevator.MovingUp || s.Motion == elevator.MovingDown {
		u.moved, u.movedAt = s.Motion, now
	} else if m.StaleMoving > 0 && u.moved != 0 && now.Sub(u.movedAt) < m.StaleMoving {
		s.Motion = u.moved
	}
	if m.EchoesRequest && u.asked != 0 {
		s.Floor = u.asked
	}
	return s
}

func (u *Unit) takeSeveral(req []byte, fn uint8, addr uint16, n int) []byte {
	var values []uint16
	switch {
	case len(req) < 6 || n < 1 || int(req[5]) != len(req)-6:
		return exception(fn, illegalValue)
	case fn == 15 && len(req)-6 == (n+7)/8:
		for i := range n {
			values = append(values, uint16(req[6+i/8]>>(i%8)&1)*0xFF00)
		}
		return u.takes(req[:5], fn, Coil, addr, values)
	case fn == 16 && len(req)-6 == 2*n:
		for i := range n {
			values = append(values, binary.BigEndian.Uint16(req[6+2*i:]))
		}
		return u.takes(req[:5], fn, Holding, addr, values)
	}
	return exception(fn, illegalValue)
}

// takes carries out a write, item by item, and acknowledges it as the device does.
func (u *Unit) takes(ack []byte, fn uint8, a Area, addr uint16, values []uint16) []byte {
	m := u.Manners()
	for i, v := range values {
		code := u.take(a, addr+uint16(i), v, m)
		if code != noException {
			return exception(fn, code)
		}
	}
	if m.NoAcknowledge {
		return nil
	}
	return ack
}

func (u *Unit) take(a Area, addr, value uint16, m Manners) uint8 {
	w := Write{Area: a, Addr: addr, Value: value}
	u.mu.Lock()
	defer u.mu.Unlock()
	u.world.Do(func(b *building.Building) {
		w.At = b.Now()
		if m.OneCommand && b.Car(u.car).Target != 0 && value != 0 {
			return // busy with another: dropped without a word
		}
		w.Exception = u.face.Takes(b, u.car, u.table, a, addr, value, u.memory)
		if w.Exception == noException {
			u.memory[Place{a, addr}] = value
			u.asked = b.Car(u.car).Target
		}
		if m.ClearsTriggers {
			u.memory[Place{a, addr}] = 0
		}
	})
	u.note(w)
	return w.Exception
}

// bit is a coil's value as a read shows it.
func bit(v uint16) uint16 {
	if v != 0 {
		return 1
	}
	return 0
}
