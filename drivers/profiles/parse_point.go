package profiles

import (
	"math"
	"slices"

	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

// point adds the point that v describes to the profile; an absent one adds none.
func (b *builder) point(v *strict.Value, pt point) {
	if !v.Given() || !v.OK() {
		return
	}
	pt.table = tableOf(v.Get("table").Text())
	pt.slow = v.Get("poll").Text() == "slow"
	pt.age = v.Get("max_age").Duration()
	pt.low = v.Get("active").Text() == "low"
	if o := v.Get("order"); o.Given() {
		order := orderOf(o)
		pt.lowFirst, pt.swapped = order.lowFirst, order.swapped
	}
	b.hot(v, &pt)
	if v.Get("bits").Given() {
		b.places(v, &pt)
	} else {
		b.width(v, &pt)
		b.mask(v, &pt)
	}
	b.reach(v, &pt)
	pt.first = v.Get("first").Int()
	pt.scale, pt.add = 1, 0
	if s := v.Get("scale"); s.OK() {
		pt.scale, pt.add = s.Float(), v.Get("add").Float()
	}
	for _, n := range v.Get("sentinel").Items() {
		pt.nothing = append(pt.nothing, int64(n.Int()))
	}
	b.believed(v, &pt)
	b.words(v, &pt)
	if pt.part == vendor && v.Get("type").Text() == "u32" {
		b.fault(v.Get("type"), "a code of the controller has at most 31 bits and a sign here", "use i32")
	}
	if pt.size > 0 && (v.Get("address").OK() && v.Get("address").Given() || pt.places != nil) {
		b.p.points = append(b.p.points, pt)
	}
}

// hot reads how a landing is told by one signal for each.
func (b *builder) hot(v *strict.Value, pt *point) {
	h := v.Get("one_hot")
	if !h.Given() || !h.OK() {
		for _, key := range []string{"count", "first", "active"} {
			if k := v.Get(key); pt.part == floor && k.Given() {
				b.fault(k, key+" is for one_hot", "")
			}
		}
		return
	}
	pt.hot = &oneHot{noneFails: h.Get("none").Text() == "error"}
	for _, m := range h.Get("none_in").Items() {
		if mode, ok := elevator.ParseMode(m.Text()); ok {
			pt.hot.noneIn = append(pt.hot.noneIn, mode)
		}
	}
	if len(pt.hot.noneIn) > 0 && !pt.hot.noneFails {
		b.fault(h.Get("none_in"), "no signal is let pass in every mode", "none: error, or leave it out")
	}
}

// places finds the bits that a value is put together from. They are read at once, or
// they would tell of different moments.
func (b *builder) places(v *strict.Value, pt *point) {
	for _, key := range []string{"address", "type", "mask", "bit", "count", "order"} {
		if k := v.Get(key); k.Given() {
			b.fault(k, "bits and "+key+" exclude each other", "")
		}
	}
	var at []int
	for _, p := range v.Get("bits").Items() {
		if !p.OK() {
			return
		}
		bit := -1
		if k := p.Get("bit"); k.Given() {
			bit = k.Int()
			if pt.table.bits() {
				b.fault(k, "a coil or discrete input is one bit", "leave it out")
			}
		}
		at = append(at, b.address(p.Get("address"), pt.table))
		pt.places = append(pt.places, place{bit: bit})
	}
	if len(at) == 0 {
		return
	}
	pt.addr = slices.Min(at)
	pt.size = slices.Max(at) - pt.addr + 1
	for i := range at {
		pt.places[i].item = at[i] - pt.addr
	}
}

// width finds how many items the point has.
func (b *builder) width(v *strict.Value, pt *point) {
	pt.addr = b.address(v.Get("address"), pt.table)
	typ := v.Get("type")
	pt.size = 1
	switch {
	case pt.table.bits():
		for _, key := range []string{"type", "order", "mask", "bit"} {
			if k := v.Get(key); k.Given() {
				b.fault(k, "a coil or discrete input is one bit", "leave it out")
			}
		}
		if set(pt.part) || pt.hot != nil {
			pt.size = v.Get("count").Int()
		}
	case typ.Text() == "u32" || typ.Text() == "i32":
		pt.size = 2
	}
	if c := v.Get("count"); !pt.table.bits() && c.Given() {
		b.fault(c, "count is for coils and discrete inputs", "use type")
	}
	if o := v.Get("order"); o.Given() && pt.size == 1 && !pt.table.bits() && pt.lowFirst {
		b.fault(o, "one register has no word order", "ABCD or BADC")
	}
	pt.signed = typ.Text() == "i16" || typ.Text() == "i32"
}

// reach holds the place of a point against the tables and what the device gives.
func (b *builder) reach(v *strict.Value, pt *point) {
	if pt.size == 0 {
		return
	}
	if pt.addr+pt.size > math.MaxUint16+1 {
		b.fault(v.Get("address"), "the value ends beyond address 65535", "")
	}
	if most := b.p.limits.most(pt.table); most > 0 && pt.size > most {
		b.fault(v, "the value is longer than one read may be", "see limits")
	}
	if _, ok := b.p.limits.readable(pt.table, pt.addr, pt.size); !ok {
		b.fault(v, "is outside limits.ranges", "")
	}
	b.knows(v, readFunction(pt.table))
}

func (b *builder) mask(v *strict.Value, pt *point) {
	m, bit := v.Get("mask"), v.Get("bit")
	wide := 16 * pt.size
	switch {
	case m.Given() && bit.Given():
		b.fault(bit, "mask and bit exclude each other", "")
	case (m.Given() || bit.Given()) && pt.signed:
		b.fault(v, "a part of a word has no sign", "use an unsigned type")
	case bit.Given() && bit.OK() && bit.Int() >= wide:
		b.fault(bit, "the bit is not within the type", "")
	case bit.Given() && bit.OK():
		pt.mask = 1 << bit.Int()
	case m.Given() && m.OK() && wide < 32 && m.Int()>>wide != 0:
		b.fault(m, "the mask is wider than the type", "")
	case m.Given() && m.OK():
		pt.mask = uint32(m.Int())
	}
}

func (b *builder) believed(v *strict.Value, pt *point) {
	pt.min, pt.max = math.MinInt64, math.MaxInt64
	lo, hi := v.Get("min"), v.Get("max")
	if lo.Given() && lo.OK() {
		pt.min = int64(lo.Int())
	}
	if hi.Given() && hi.OK() {
		pt.max = int64(hi.Int())
	}
	if pt.min > pt.max {
		b.fault(lo, "min is above max", "")
	}
}

// words fills the point's enumeration. An alarm without one is 0 for no and 1 for
// yes, and unknown for anything else.
func (b *builder) words(v *strict.Value, pt *point) {
	e := v.Get("enum")
	if o := v.Get("else"); o.Given() && o.OK() {
		pt.other = meant(pt.part, o.Text())
	}
	if !e.Given() {
		if tri(pt.part, new(elevator.Snapshot)) != nil {
			pt.words = map[int64]uint8{0: uint8(elevator.No), 1: uint8(elevator.Yes)}
		}
		return
	}
	pt.words = make(map[int64]uint8, len(e.Items()))
	for _, w := range e.Items() {
		if !w.OK() {
			continue
		}
		raw := int64(w.KeyInt())
		if !pt.holds(raw) {
			b.fault(w, "the point never reads as this", "")
		}
		pt.words[raw] = meant(pt.part, w.Text())
	}
}

// holds reports whether a raw value is one that the point can have.
func (pt *point) holds(raw int64) bool {
	if pt.places != nil {
		return raw >= 0 && raw < 1<<len(pt.places)
	}
	if pt.table.bits() {
		return raw == 0 || raw == 1
	}
	ones := make([]uint16, pt.size)
	for i := range ones {
		ones[i] = 0xFFFF
	}
	if !pt.signed {
		return raw >= 0 && raw <= pt.raw(ones)
	}
	half := int64(1) << (16*pt.size - 1)
	return raw >= -half && raw < half
}

// meant is a word of the schema as the value of the part's own enumeration.
func meant(p part, word string) uint8 {
	if word == brokenWord {
		return broken
	}
	switch p {
	case motion:
		m, _ := elevator.ParseMotion(word)
		return uint8(m)
	case door:
		d, _ := elevator.ParseDoor(word)
		return uint8(d)
	case mode:
		m, _ := elevator.ParseMode(word)
		return uint8(m)
	}
	t, _ := elevator.ParseTri(word)
	return uint8(t)
}

func set(p part) bool { return p == upCalls || p == downCalls || p == carCalls }

func tableOf(word string) Table {
	switch word {
	case "coil":
		return Coils
	case "discrete":
		return DiscreteInputs
	case "holding":
		return HoldingRegisters
	case "input":
		return InputRegisters
	}
	return TableUnknown
}
