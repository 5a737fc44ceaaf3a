package profiles

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"hoistway/drivers/profiles/strict"
)

// byteOrder is where the bytes of a value stand. A is the highest.
type byteOrder struct{ lowFirst, swapped bool }

func orderOf(v *strict.Value) byteOrder {
	return map[string]byteOrder{
		"ABCD": {}, "BADC": {swapped: true}, "CDAB": {lowFirst: true}, "DCBA": {lowFirst: true, swapped: true},
	}[v.Text()]
}

// span is a range of addresses, both ends in it.
type span struct{ from, to int }

// limits reads what the device takes and how its addresses are counted.
func (b *builder) limits(root, v *strict.Value) {
	for _, t := range allTables() {
		b.base[t], _ = strconv.Atoi(root.Get("base").Get(t.String()).Text())
	}
	l := limits{
		read: v.Get("max_read").Int(), bits: v.Get("max_read_bits").Int(),
		write: v.Get("max_write").Int(), writeBits: v.Get("max_write_bits").Int(),
		holes: v.Get("holes").Int(), spacing: v.Get("write_spacing").Duration(),
	}
	for _, f := range v.Get("functions").Items() {
		l.functions = append(l.functions, f.Int())
	}
	for _, t := range allTables() {
		for _, r := range v.Get("ranges").Get(t.String()).Items() {
			l.ranges[t] = append(l.ranges[t], b.span(r, t))
		}
	}
	b.p.limits = l
	b.p.dev = Device{
		AnyUnit: v.Get("unit_echo").Text() == "any", ReplyTimeout: v.Get("reply_timeout").Duration(),
		Spacing: v.Get("min_spacing").Duration(), Turnaround: v.Get("turnaround").Duration(),
		Connections: v.Get("connections").Int(),
	}
	b.feed(v.Get("heartbeat"))
}

// feed is the write that keeps a watchdog of the device quiet.
func (b *builder) feed(v *strict.Value) {
	if !v.Given() || !v.OK() {
		return
	}
	t := tableOf(v.Get("table").Text())
	w := Write{Table: t, Addr: uint16(b.address(v.Get("address"), t)), Values: []uint16{uint16(v.Get("value").Int())}, Multi: v.Get("multi").Bool()}
	if t == Coils && w.Values[0] > 1 {
		b.fault(v.Get("value"), "a coil takes 0 or 1", "")
	}
	b.knows(v, writeFunction(t, 1, w.Multi))
	b.p.dev.Feed = &Feed{Write: w, Every: v.Get("every").Duration()}
}

func allTables() []Table { return []Table{Coils, DiscreteInputs, HoldingRegisters, InputRegisters} }

func (b *builder) span(v *strict.Value, t Table) (s span) {
	if ends := v.Items(); len(ends) == 2 && ends[0].OK() && ends[1].OK() {
		s = span{b.address(ends[0], t), b.address(ends[1], t)}
		if s.from > s.to {
			b.fault(v, "begins behind its end", "")
		}
	}
	return s
}

// address is the number on the wire of an address as the profile counts it.
func (b *builder) address(v *strict.Value, t Table) int {
	if !v.Given() || !v.OK() {
		return 0
	}
	n := v.Int() - b.base[t]
	if n < 0 || n > math.MaxUint16 {
		b.fault(v, fmt.Sprintf("is %d, must be %d to %d", v.Int(), b.base[t], b.base[t]+math.MaxUint16), "")
		return 0
	}
	return n
}

// knows reports a function that the device is said not to have.
func (b *builder) knows(v *strict.Value, fn int) {
	if fs := b.p.limits.functions; len(fs) > 0 && !slices.Contains(fs, fn) {
		b.fault(v, fmt.Sprintf("needs function %d, limits.functions has %v", fn, fs), "")
	}
}

func readFunction(t Table) int {
	return map[Table]int{Coils: 1, DiscreteInputs: 2, HoldingRegisters: 3, InputRegisters: 4}[t]
}

func writeFunction(t Table, n int, multi bool) int {
	switch several := n > 1 || multi; {
	case t == Coils && several:
		return 15
	case t == Coils:
		return 5
	case several:
		return 16
	}
	return 6
}

// readable is the range that all items lie in; ok is false where they lie in none. A
// table of which nothing is said is readable as a whole.
func (l *limits) readable(t Table, addr, size int) (span, bool) {
	if len(l.ranges[t]) == 0 {
		return span{0, math.MaxUint16}, true
	}
	for _, s := range l.ranges[t] {
		if addr >= s.from && addr+size-1 <= s.to {
			return s, true
		}
	}
	return span{}, false
}
