package profiles

import (
	"math/bits"
	"slices"

	"hoistway/fsm/elevator"
)

// broken stands in an enumeration for a raw value that no working device gives, such
// as open and closed at once: a failed reading.
const broken = 0xFF

// place is one bit of a value that is put together from several.
type place struct {
	item int // from the point's address
	bit  int // of a register; -1 = the register as a whole is 0 or 1
}

// together puts bits together, the first of them as bit 0; without places each item is
// one. ok is false where a register should be 0 or 1 and is not.
func (pt *point) together(items []uint16) (raw int64, ok bool) {
	if pt.places == nil {
		for i, w := range items {
			raw |= int64(w&1) << i
		}
		return raw, true
	}
	for i, p := range pt.places {
		w := pt.item(items[p.item])
		switch {
		case pt.table.bits():
		case p.bit >= 0:
			w = w >> p.bit & 1
		case w > 1:
			return 0, false
		}
		raw |= int64(w&1) << i
	}
	return raw, true
}

// wide is how many bits the raw value has.
func (pt *point) wide() int {
	switch {
	case pt.places != nil:
		return len(pt.places)
	case pt.table.bits():
		return pt.size
	case pt.mask != 0:
		return bits.OnesCount32(pt.mask)
	}
	return 16 * pt.size
}

// oneHot is a landing told by one signal for each.
type oneHot struct {
	noneFails bool            // no signal at all is a failed reading
	noneIn    []elevator.Mode // but in these modes it is as it should be
}

// landing is the floor of a raw value with one bit a landing; ok is false for a
// reading that cannot be: two landings at once, or none where there must be one.
func (pt *point) landing(raw int64, floors elevator.Table, mode elevator.Seen[elevator.Mode]) (elevator.Floor, bool) {
	switch bits.OnesCount64(uint64(raw)) {
	case 0:
		quiet := !mode.Failed && slices.Contains(pt.hot.noneIn, mode.Value)
		return 0, !pt.hot.noneFails || quiet
	case 1:
		return floors.ByWire(pt.first + bits.TrailingZeros64(uint64(raw))), true
	}
	return 0, false
}

// word is the meaning of a raw value; ok is false for a failed reading.
func (pt *point) word(raw int64) (w uint8, ok bool) {
	w, named := pt.words[raw]
	if !named {
		w = pt.other
	}
	return w, w != broken
}
