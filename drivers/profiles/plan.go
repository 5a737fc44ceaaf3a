package profiles

import (
	"cmp"
	"slices"
	"time"
)

// plan groups points into blocks: first the fast ones, then the slow ones that no
// fast block covers already. A point is never split over two reads.
func plan(points []point, l limits, fast, slow time.Duration) []Block {
	sorted := slices.Clone(points)
	slices.SortStableFunc(sorted, func(a, b point) int {
		return cmp.Or(cmp.Compare(a.table, b.table), cmp.Compare(a.addr, b.addr), cmp.Compare(a.size, b.size))
	})
	blocks := group(sorted, l, fast, func(pt *point) bool { return !pt.slow })
	covered := slices.Clone(blocks)
	return append(blocks, group(sorted, l, slow, func(pt *point) bool {
		return pt.slow && !slices.ContainsFunc(covered, pt.within)
	})...)
}

// group merges neighbours as far as limits allow. points are sorted.
func group(points []point, l limits, every time.Duration, wanted func(*point) bool) []Block {
	var out []Block
	for i := range points {
		pt := &points[i]
		if !wanted(pt) {
			continue
		}
		if n := len(out); n > 0 && joins(&out[n-1], pt, l) {
			b := &out[n-1]
			b.Count = max(b.Count, uint16(pt.addr+pt.size-int(b.Addr)))
			continue
		}
		out = append(out, Block{Table: pt.table, Addr: uint16(pt.addr), Count: uint16(pt.size), Every: every})
	}
	return out
}

func joins(b *Block, pt *point, l limits) bool {
	end := int(b.Addr) + int(b.Count)
	if b.Table != pt.table {
		return false
	}
	had, _ := l.readable(b.Table, int(b.Addr), 1)
	if now, ok := l.readable(pt.table, pt.addr, pt.size); !ok || now != had {
		return false
	}
	return pt.addr-end <= l.holes && pt.addr+pt.size-int(b.Addr) <= l.most(b.Table)
}

func (l limits) most(t Table) int {
	if t.bits() {
		return l.bits
	}
	return l.read
}
