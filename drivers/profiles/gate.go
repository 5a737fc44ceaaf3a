package profiles

import (
	"fmt"
	"slices"
	"time"

	"hoistway/fsm/elevator"
)

// condition is a state of the lift: one point with the values that are right.
type condition struct {
	name  string
	part  part
	side  elevator.Side // of a door; SideUnknown = the command's own
	words []uint8       // of an enumeration
	wires []int
	terms []term // wire, toWire: the command's landings
	age   time.Duration
}

// Ready looks whether the lift is seen in the state that a command needs. The error
// wraps ErrNotNow. What is not known, failed or old is not that state.
func (p *Profile) Ready(c elevator.Command, s *elevator.Snapshot, floors elevator.Table, now elevator.Instant) error {
	for _, g := range p.commands[p.which(c)].gate {
		if !g.met(c, s, floors, func(at elevator.Instant) bool { return now.Sub(at) <= g.age }) {
			return fmt.Errorf("%s: %w: %s", describe(c), ErrNotNow, g.name)
		}
	}
	return nil
}

// Proven looks whether what was read since an instant proves that a command was taken.
func (p *Profile) Proven(c elevator.Command, s *elevator.Snapshot, floors elevator.Table, since elevator.Instant) bool {
	conds := p.commands[p.which(c)].confirm
	for _, g := range conds {
		if !g.met(c, s, floors, func(at elevator.Instant) bool { return at >= since }) {
			return false
		}
	}
	return len(conds) > 0
}

func (g *condition) met(c elevator.Command, s *elevator.Snapshot, floors elevator.Table, fresh func(elevator.Instant) bool) bool {
	good := func(at elevator.Instant, failed bool) bool { return at != 0 && !failed && fresh(at) }
	switch g.part {
	case floor:
		return good(s.Floor.At, s.Floor.Failed) && g.at(c, s.Floor.Value, floors)
	case upCalls, downCalls, carCalls:
		lamps := *calls(g.part, s)
		return good(lamps.At, lamps.Failed) && g.lit(c, lamps.Value, floors)
	case motion:
		return good(s.Motion.At, s.Motion.Failed) && g.is(uint8(s.Motion.Value))
	case mode:
		return good(s.Mode.At, s.Mode.Failed) && g.is(uint8(s.Mode.Value))
	case door:
		side := g.side
		if side == elevator.SideUnknown {
			side = c.Side
		}
		d := s.Door(side)
		return good(d.At, d.Failed) && g.is(uint8(d.Value))
	}
	t := tri(g.part, s)
	return t != nil && good(t.At, t.Failed) && g.is(uint8(t.Value))
}

// is holds a word against those that are right; unknown never is.
func (g *condition) is(w uint8) bool { return w != 0 && slices.Contains(g.words, w) }

func (g *condition) at(c elevator.Command, f elevator.Floor, floors elevator.Table) bool {
	n, ok := floors.Wire(f)
	return ok && (slices.Contains(g.wires, n) || slices.ContainsFunc(g.terms, func(t term) bool { return f == t.landing(c) }))
}

func (g *condition) lit(c elevator.Command, lamps elevator.FloorSet, floors elevator.Table) bool {
	return slices.ContainsFunc(g.terms, func(t term) bool { return lamps.Has(t.landing(c)) }) ||
		slices.ContainsFunc(g.wires, func(n int) bool { return lamps.Has(floors.ByWire(n)) })
}

func (t term) landing(c elevator.Command) elevator.Floor {
	if t == toWire {
		return c.To
	}
	return c.Floor
}

func calls(p part, s *elevator.Snapshot) *elevator.Seen[elevator.FloorSet] {
	switch p {
	case upCalls:
		return &s.UpCalls
	case downCalls:
		return &s.DownCalls
	}
	return &s.CarCalls
}

// conditionNames are the points that a condition may be about.
func conditionNames() []string {
	var out []string
	for _, k := range pointKeys {
		switch {
		case k.part == holdLeft || k.part == position || k.part == load || k.part == vendor:
		case k.sided:
			out = append(out, k.key)
			for _, side := range elevator.SideNames()[1:] {
				out = append(out, k.key+"."+side)
			}
		default:
			out = append(out, k.key)
		}
	}
	return out
}
