package profiles

import (
	"math"
	"math/bits"
	"slices"
	"time"

	"hoistway/fsm/elevator"
)

// part names what of a snapshot a point feeds.
type part uint8

const (
	floor part = iota + 1
	motion
	door
	mode
	position
	load
	vendor
	overload
	nudging
	obstruction
	emergencyStop
	mayEnter
	mayLeave
	claimed
	upCalls
	downCalls
	carCalls
	holdLeft
)

// point is one value of the device.
type point struct {
	part part
	side elevator.Side // of door and holdLeft

	table    Table
	addr     int
	size     int // items
	signed   bool
	lowFirst bool
	swapped  bool   // the low byte of a register comes first
	mask     uint32 // 0: all
	places   []place
	low      bool // a bit that is 0 counts
	slow     bool
	age      time.Duration // older than this is not believed; 0 = no limit

	words    map[int64]uint8 // raw value to the part's own enumeration, or broken
	other    uint8           // for a raw value without a word
	nothing  []int64         // raw values by which the device says that it does not know
	hot      *oneHot
	min, max int64 // raw values that are believed
	scale    float64
	add      float64
	first    int // wire number of bit 0
}

func (pt *point) within(b Block) bool {
	return pt.table == b.Table && pt.addr >= int(b.Addr) && pt.addr+pt.size <= int(b.Addr)+int(b.Count)
}

// items are the words of the point in the answer to b.
func (pt *point) items(b Block, words []uint16) []uint16 {
	from := pt.addr - int(b.Addr)
	return words[from : from+pt.size]
}

// read is the raw value; ok is false for what stands for no value: the device says
// that it does not know, or a register that holds one bit holds more.
func (pt *point) read(items []uint16) (raw int64, ok bool) {
	if pt.places != nil || pt.hot != nil && pt.table.bits() {
		raw, ok = pt.together(items)
	} else {
		raw, ok = pt.raw(items), true
	}
	if pt.low {
		raw = ^raw & (1<<pt.wide() - 1)
	}
	return raw, ok && !slices.Contains(pt.nothing, raw)
}

// raw puts the value together from its registers, or from its one bit.
func (pt *point) raw(items []uint16) int64 {
	v := uint32(pt.item(items[0]))
	if pt.size == 2 {
		high, low := v, uint32(pt.item(items[1]))
		if pt.lowFirst {
			high, low = low, high
		}
		v = high<<16 | low
	}
	switch {
	case pt.mask != 0:
		return int64(v & pt.mask >> bits.TrailingZeros32(pt.mask))
	case pt.signed && pt.size == 2:
		return int64(int32(v))
	case pt.signed:
		return int64(int16(v))
	}
	return int64(v)
}

func (pt *point) item(w uint16) uint16 {
	if pt.swapped && !pt.table.bits() {
		return w<<8 | w>>8
	}
	return w
}

// believed reports whether a raw value is in the range that the profile allows.
func (pt *point) believed(raw int64) bool { return raw >= pt.min && raw <= pt.max }

// number scales a raw value; ok is false for what is not believed or does not fit.
func (pt *point) number(raw int64) (n int32, ok bool) {
	f := math.Round(float64(raw)*pt.scale + pt.add)
	if !pt.believed(raw) || f < math.MinInt32 || f > math.MaxInt32 {
		return 0, false
	}
	return int32(f), true
}

// set turns bits into floors. A bit of a landing that the table lacks is no floor.
func (pt *point) set(items []uint16, floors elevator.Table) elevator.FloorSet {
	var out elevator.FloorSet
	width, lit := pt.size, func(i int) bool { return items[i] != 0 }
	if !pt.table.bits() {
		v := pt.raw(items)
		width, lit = 16*pt.size, func(i int) bool { return v>>i&1 != 0 }
	}
	for i := range width {
		if lit(i) != pt.low {
			out = out.With(floors.ByWire(pt.first + i))
		}
	}
	return out
}
