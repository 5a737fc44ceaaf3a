package devices

import (
	"fmt"
	"math"
	"math/bits"

	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// ByProfile is a lift that follows a register profile, for trying one that has no
// device: where things lie comes from the file, how values are made and writes are
// understood is written here anew. It agrees with a wrong file; frames from elsewhere do
// not. nil for a profile that is no register map.
func ByProfile(p *profiles.Profile) Face {
	if p == nil || len(p.Places()) == 0 {
		return nil
	}
	f := &byProfile{places: p.Places()}
	for _, s := range p.Commands() {
		f.said = append(f.said, said(s))
	}
	return f
}

// FaceOf is the device of a profile by its id in the catalog, or of the text of a file
// where src is given. wires are the landings' numbers on the wire. An error says why it
// cannot be: unknown, faulty, no register map, a landing that it cannot name.
func FaceOf(id string, src []byte, wires []int) (Face, error) {
	if src == nil {
		var ok bool
		if src, ok = profiles.Lookup(id); !ok {
			return nil, fmt.Errorf("there is no profile %s in the catalog", id)
		}
	}
	p, faults := profiles.Parse(id, src)
	if p == nil {
		return nil, fmt.Errorf("it has faults: %w", faults[0])
	}
	f := ByProfile(p)
	if f == nil {
		return nil, fmt.Errorf("%s is no register map: it speaks %s", p.ID, p.Protocol)
	}
	lo, hi := p.WireRange()
	for _, n := range wires {
		if n < lo || n > hi {
			return nil, fmt.Errorf("wire %d: the numbers of %s run from %d to %d", n, p.ID, lo, hi)
		}
	}
	return f, nil
}

type byProfile struct {
	places []profiles.Place
	said   []said
}

var areas = map[profiles.Table]Area{
	profiles.Coils: Coil, profiles.DiscreteInputs: Discrete, profiles.HoldingRegisters: Holding, profiles.InputRegisters: Input,
}

// Shows puts together what all points say of one item.
func (f *byProfile) Shows(a Area, addr uint16, s building.CarState, t elevator.Table, memory Memory) (uint16, bool) {
	v := memory[Place{a, addr}]
	if to, is := f.trigger(a, addr); is {
		v = to // it was taken at once
	}
	if a == Coil {
		v = bit(v)
	}
	for i := range f.places {
		at := &f.places[i]
		if areas[at.Table] == a && int(addr) >= int(at.Addr) && int(addr) < int(at.Addr)+at.Size {
			v = f.lay(at, int(addr)-int(at.Addr), v, f.value(at, s, t))
		}
	}
	return v, true
}

// trigger tells what the device sets back when it has taken it, and to what.
func (f *byProfile) trigger(a Area, addr uint16) (to uint16, is bool) {
	for i := range f.said {
		for _, w := range f.said[i].Writes {
			if w.Cleared && areas[w.Table] == a && w.Addr == int(addr) {
				return w.To, true
			}
		}
	}
	return 0, false
}

// lay puts a raw value's share into one item.
func (f *byProfile) lay(at *profiles.Place, item int, had uint16, raw int64) uint16 {
	if at.Bits != nil {
		for i, b := range at.Bits {
			switch on := uint16(raw >> i & 1); {
			case b.Item != item:
			case b.Bit < 0:
				had = on
			default:
				had = had&^(1<<b.Bit) | on<<b.Bit
			}
		}
		return had
	}
	if a := areas[at.Table]; a == Coil || a == Discrete {
		return uint16(raw >> item & 1)
	}
	word, mask := uint32(raw), uint32(math.MaxUint32)
	if at.Mask != 0 {
		mask = at.Mask
		word <<= bits.TrailingZeros32(mask)
	}
	high := at.Size == 2 && (item == 0) != at.LowFirst
	if high {
		word, mask = word>>16, mask>>16
	}
	out := uint16(word)&uint16(mask) | had&^uint16(mask)
	if at.Swapped {
		out = out<<8 | out>>8
	}
	return out
}

// value is the raw value of a point for a car.
func (f *byProfile) value(at *profiles.Place, s building.CarState, t elevator.Table) int64 {
	switch at.Name {
	case "floor":
		wire, ok := t.Wire(s.Floor)
		switch {
		case !at.OneHot:
			return int64(wire)
		case !ok || wire < at.First:
			return 0
		}
		return 1 << (wire - at.First)
	case "motion":
		return named(at, s.Motion.String())
	case "mode":
		return named(at, s.Mode.String())
	case "position":
		return int64(math.Round((float64(s.PositionMM) - at.Add) / at.Scale))
	case "load":
		return int64(math.Round((float64(s.LoadKg) - at.Add) / at.Scale))
	case "vendor":
		return int64(s.Error)
	case "up_calls":
		return lamps(at, s.Up, t)
	case "down_calls":
		return lamps(at, s.Down, t)
	case "car_calls":
		return lamps(at, s.Car, t)
	}
	for side := elevator.Front; int(side) < elevator.Sides; side++ {
		switch at.Name {
		case "door." + side.String():
			return named(at, s.Doors[side].State.String())
		case "hold_left." + side.String():
			return int64(s.Doors[side].Hold.Seconds() + 0.999)
		}
	}
	return named(at, yesNo(f.flag(at.Name, s)))
}

func (f *byProfile) flag(name string, s building.CarState) bool {
	open := s.Doors[elevator.Front].State == elevator.DoorOpen
	switch name {
	case "overload":
		return s.Overload
	case "nudging":
		return s.Nudging
	case "obstruction":
		return s.Obstacle
	case "emergency_stop":
		return s.Stop
	case "may_enter", "may_leave":
		return open && s.Motion == elevator.Stopped
	}
	return false
}

func yesNo(on bool) string {
	if on {
		return "yes"
	}
	return "no"
}

// named is the smallest raw value that a word has; a value that no word has, for one
// that the map cannot say.
func named(at *profiles.Place, word string) int64 {
	found := int64(-1)
	for raw, w := range at.Words {
		if w == word && (found < 0 || raw < found) {
			found = raw
		}
	}
	if found >= 0 {
		return found
	}
	for raw := int64(0); ; raw++ {
		if _, taken := at.Words[raw]; !taken {
			return raw
		}
	}
}

func lamps(at *profiles.Place, calls elevator.FloorSet, t elevator.Table) (raw int64) {
	for i := range t {
		if n := t[i].Wire - at.First; calls.Has(elevator.Floor(i+1)) && n >= 0 && n < 32 {
			raw |= 1 << n
		}
	}
	if at.Low {
		raw = ^raw
	}
	return raw
}

// Takes finds the commands that a write may be, and carries out the first that the lift
// takes. A write that is no command is kept in memory only.
func (f *byProfile) Takes(b *building.Building, car string, t elevator.Table, a Area, addr, value uint16, memory Memory) uint8 {
	had := memory[Place{a, addr}]
	code := uint8(noException)
	for i := range f.said {
		s := &f.said[i]
		n, ok := s.means(a, addr, value, had)
		if !ok {
			continue
		}
		if code = carry(b, car, t, s, n); code == noException {
			return noException
		}
	}
	return code
}

// means reads the number that a write of s carries: a landing, or seconds. Writes that
// only clear the way for another are not the command.
func (s *said) means(a Area, addr, value, had uint16) (n int, ok bool) {
	for i := len(s.Writes) - 1; i >= 0; i-- {
		w := s.Writes[i]
		if w.Owed || areas[w.Table] != a {
			continue
		}
		if w.Mask != 0 {
			value, had = value&w.Mask>>bits.TrailingZeros16(w.Mask), had&w.Mask>>bits.TrailingZeros16(w.Mask)
		}
		number := w.Number
		if a == Coil && !w.Raw {
			number *= 0xFF00
		}
		at := int(addr) == w.Addr
		switch {
		case w.Plus == "wire":
			return int(addr) - w.Addr, int(addr) >= w.Addr && int(value) == number && number != 0
		case w.Value == "wire_bit":
			return bits.TrailingZeros16(value) + 1, at && bits.OnesCount16(value) == 1
		case w.Value != "":
			return int(value), at && value != 0
		}
		return number, at && int(value) == number && (w.Mask == 0 || value != had)
	}
	return 0, false
}

type said profiles.PlacedCommand

func carry(b *building.Building, car string, t elevator.Table, s *said, n int) uint8 {
	floor := t.ByWire(n)
	switch s.Verb {
	case elevator.LandingCall:
		return callAnswer(b.LandingCall(car, floor, s.Direction))
	case elevator.CarCall:
		return callAnswer(b.CarCall(car, floor))
	case elevator.Hold:
		if s.timed() {
			return holdAnswer(b.Hold(car, s.Side, n))
		}
		return holdAnswer(b.Hold(car, s.Side, longestHold))
	case elevator.Lapse:
		return holdAnswer(b.Hold(car, s.Side, 0))
	case elevator.CancelCall:
		if s.Of == elevator.LandingCall {
			return callAnswer(b.CancelLanding(car, floor))
		}
		return callAnswer(b.CancelCar(car, floor))
	}
	return noException
}

// longestHold is what a held output is to the building, which counts in seconds.
const longestHold = 30

func (s *said) timed() bool {
	for _, w := range s.Writes {
		if w.Value == "seconds" {
			return true
		}
	}
	return false
}
