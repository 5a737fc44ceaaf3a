package profiles

import (
	"cmp"
	"slices"
	"time"
)

// Device is what a driver must know of the device itself, before any point of it.
type Device struct {
	AnyUnit      bool          // over TCP the answer may carry another unit's number
	ReplyTimeout time.Duration // its longest time to answer; 0 = not said
	Spacing      time.Duration // least time between an answer and the next question
	Turnaround   time.Duration // how long it rests after an answer
	Connections  int           // how many it takes at once; 0 = not said
	Feed         *Feed         // keeps its watchdog quiet; nil = it has none
}

// Feed is a write that the device wants again and again, or it gives up.
type Feed struct {
	Write Write
	Every time.Duration
}

// Device gives the facts of the device.
func (p *Profile) Device() Device { return p.dev }

// Spans are the parts of b that must be read whole, in order and without overlap:
// one for each point, but one for points that share a register or are told together.
func (p *Profile) Spans(b Block) []Block {
	var out []Block
	for i := range p.points {
		if pt := &p.points[i]; pt.within(b) {
			out = append(out, Block{Table: b.Table, Addr: uint16(pt.addr), Count: uint16(pt.size), Every: b.Every})
		}
	}
	if from, to, ok := p.holdsSpan(b); ok {
		out = append(out, Block{Table: b.Table, Addr: from, Count: to - from, Every: b.Every})
	}
	slices.SortFunc(out, func(x, y Block) int {
		return cmp.Or(cmp.Compare(x.Addr, y.Addr), cmp.Compare(y.Count, x.Count))
	})
	merged := out[:0]
	for _, s := range out {
		if n := len(merged); n > 0 && int(s.Addr) < int(merged[n-1].Addr)+int(merged[n-1].Count) {
			last := &merged[n-1]
			last.Count = max(last.Count, s.Addr+s.Count-last.Addr)
			continue
		}
		merged = append(merged, s)
	}
	return merged
}

// holdsSpan is where the holds of all sides lie, which are read together.
func (p *Profile) holdsSpan(b Block) (from, to uint16, ok bool) {
	for i := range p.points {
		pt := &p.points[i]
		if pt.part != holdLeft || !pt.within(b) {
			continue
		}
		if !ok {
			from, to, ok = uint16(pt.addr), uint16(pt.addr+pt.size), true
			continue
		}
		from, to = min(from, uint16(pt.addr)), max(to, uint16(pt.addr+pt.size))
	}
	return from, to, ok
}
