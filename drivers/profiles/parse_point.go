package profiles

import (
	"math"

	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

// point adds the point that v describes to the profile; an absent one adds none.
func (b *builder) point(v *strict.Value, pt point) {
	if !v.Given() || !v.OK() {
		return
	}
	pt.table = tableOf(v.Get("table").Text())
	pt.addr = v.Get("address").Int()
	pt.slow = v.Get("poll").Text() == "slow"
	if o := v.Get("word_order"); o.Given() {
		pt.lowFirst = o.Text() == "low_first"
	}
	b.width(v, &pt)
	b.mask(v, &pt)
	pt.first = v.Get("first").Int()
	pt.scale, pt.add = 1, 0
	if s := v.Get("scale"); s.OK() {
		pt.scale, pt.add = s.Float(), v.Get("add").Float()
	}
	b.believed(v, &pt)
	b.words(v, &pt)
	if pt.part == vendor && v.Get("type").Text() == "u32" {
		b.fault(v.Get("type"), "a code of the controller has at most 31 bits and a sign here", "use i32")
	}
	if pt.size > 0 && v.Get("address").OK() {
		b.p.points = append(b.p.points, pt)
	}
}

// width finds how many items the point has.
func (b *builder) width(v *strict.Value, pt *point) {
	typ := v.Get("type")
	pt.size = 1
	switch {
	case pt.table.bits():
		for _, key := range []string{"type", "word_order", "mask", "bit"} {
			if k := v.Get(key); k.Given() {
				b.fault(k, "a coil or discrete input is one bit", "leave it out")
			}
		}
		if set(pt.part) {
			pt.size = v.Get("count").Int()
		}
	case typ.Text() == "u32" || typ.Text() == "i32":
		pt.size = 2
	}
	if c := v.Get("count"); !pt.table.bits() && c.Given() {
		b.fault(c, "count is for coils and discrete inputs", "use type")
	}
	if pt.size == 1 && !pt.table.bits() && v.Get("word_order").Given() {
		b.fault(v.Get("word_order"), "one register has no word order", "leave it out")
	}
	pt.signed = typ.Text() == "i16" || typ.Text() == "i32"
	if a := v.Get("address"); a.OK() && pt.addr+pt.size > math.MaxUint16+1 {
		b.fault(a, "the value ends beyond address 65535", "")
	}
	if most := b.p.limits.most(pt.table); most > 0 && pt.size > most {
		b.fault(v, "the value is longer than one read may be", "see limits")
	}
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
