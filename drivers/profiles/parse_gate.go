package profiles

import (
	"slices"
	"strconv"
	"strings"

	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

// conditions reads the states that a command needs or brings.
func (b *builder) conditions(list *strict.Value) (out []condition) {
	for _, v := range list.Items() {
		name := v.Get("point")
		if !v.OK() || !name.OK() {
			continue
		}
		g := condition{name: name.Text(), age: v.Get("max_age").Duration()}
		key, side, _ := strings.Cut(g.name, ".")
		g.side, _ = elevator.ParseSide(side)
		for _, k := range pointKeys {
			if k.key == key {
				g.part = k.part
			}
		}
		if !b.has(g.part, g.side) {
			b.fault(name, "the profile does not read this", "")
		}
		for _, is := range v.Get("is").Items() {
			b.right(is, &g)
		}
		out = append(out, g)
	}
	return out
}

// has reports whether the profile reads a part.
func (b *builder) has(p part, side elevator.Side) bool {
	fits := func(hp part, hs elevator.Side) bool {
		return hp == p && (side == elevator.SideUnknown || hs == side)
	}
	return slices.ContainsFunc(b.p.points, func(pt point) bool { return fits(pt.part, pt.side) }) ||
		slices.ContainsFunc(b.p.told, func(t told) bool { return fits(t.part, t.side) })
}

// right reads one value that is right.
func (b *builder) right(v *strict.Value, g *condition) {
	if !v.OK() {
		return
	}
	landing := g.part == floor || set(g.part)
	terms := map[string]term{"wire": wire, "to_wire": toWire}
	t, named := terms[v.Text()]
	n, err := strconv.Atoi(v.Text())
	switch w := meant(g.part, v.Text()); {
	case landing && named:
		g.terms = append(g.terms, t)
	case landing && err == nil:
		g.wires = append(g.wires, n)
	case landing:
		b.fault(v, "a landing is wire, to_wire or a number", "")
	case w == 0 || w == broken:
		b.fault(v, "the point has no such word", strict.DidYouMean(v.Text(), wordsOf(g.part)))
	default:
		g.words = append(g.words, w)
	}
}

func wordsOf(p part) []string {
	switch p {
	case motion:
		return elevator.MotionNames()
	case door:
		return elevator.DoorNames()
	case mode:
		return elevator.ModeNames()
	}
	return []string{"no", "yes"}
}
