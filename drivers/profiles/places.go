package profiles

import (
	"hoistway/fsm/elevator"
)

// Place is where a point of a register map lies and what its raw values are called: the
// parsed file, for whoever plays the device's side of it. Nothing here turns one into
// the other.
type Place struct {
	Name     string // floor, door.front, …
	Table    Table
	Addr     uint16
	Size     int    // items
	Mask     uint32 // 0: all
	LowFirst bool   // of two registers the low one comes first
	Swapped  bool   // of each register the low byte
	Low      bool   // a bit that is 0 counts
	Bits     []Bit  // instead of a number
	Words    map[int64]string
	OneHot   bool
	First    int // controller's number of the landing of bit 0
	Scale    float64
	Add      float64
}

// Bit is one bit of a value that is put together from several.
type Bit struct {
	Item int // from the place's address
	Bit  int // of a register; -1: the item is 0 or 1
}

// Places lists them in the order of the file's reference.
func (p *Profile) Places() []Place {
	var out []Place
	for i := range p.points {
		pt := &p.points[i]
		at := Place{
			Name: nameOf(pt.part, pt.side), Table: pt.table, Addr: uint16(pt.addr), Size: pt.size, Mask: pt.mask,
			LowFirst: pt.lowFirst, Swapped: pt.swapped, Low: pt.low, OneHot: pt.hot != nil, First: pt.first,
			Scale: pt.scale, Add: pt.add,
		}
		for _, b := range pt.places {
			at.Bits = append(at.Bits, Bit{b.item, b.bit})
		}
		if pt.words != nil {
			at.Words = map[int64]string{}
		}
		for raw, w := range pt.words {
			at.Words[raw] = wordOf(pt.part, w)
		}
		out = append(out, at)
	}
	return out
}

func wordOf(p part, w uint8) string {
	if names := wordsOf(p); w != broken && (p == motion || p == door || p == mode) {
		return names[w]
	}
	if w == broken {
		return brokenWord
	}
	return elevator.Tri(w).String()
}

// PlacedCommand is how one command stands in the file.
type PlacedCommand struct {
	Verb      elevator.Verb
	Direction elevator.Direction // LandingCall
	Side      elevator.Side      // Hold, Lapse
	Notice    elevator.Notice    // Notify
	Of        elevator.Verb      // CancelCall
	Writes    []PlacedWrite
}

// PlacedWrite is one write of it. Plus and Value are wire, to_wire, wire_bit, to_wire_bit
// or seconds; "" is Number.
type PlacedWrite struct {
	Table       Table
	Addr        int
	Plus, Value string
	Number      int
	More        int // further items after the first
	Mask        uint16
	Raw, Owed   bool
	Cleared     bool   // the device sets it back when it has taken it
	To          uint16 // what it then reads as
}

// Commands lists the commands of a register map, in no order.
func (p *Profile) Commands() []PlacedCommand {
	names := map[term]string{wire: "wire", toWire: "to_wire", wireBit: "wire_bit", toWireBit: "to_wire_bit", seconds: "seconds"}
	var out []PlacedCommand
	for a, c := range p.commands {
		s := PlacedCommand{Verb: a.verb, Direction: a.dir, Side: a.side, Notice: a.notice, Of: a.of}
		for _, w := range c.writes {
			s.Writes = append(s.Writes, PlacedWrite{
				Table: w.table, Addr: w.addr, Plus: names[w.plus], Value: names[w.value], Number: w.fixed,
				More: len(w.more), Mask: w.mask, Raw: w.raw, Owed: w.owed, Cleared: w.cleared.Within > 0, To: w.cleared.To,
			})
		}
		out = append(out, s)
	}
	return out
}
