package profiles

import (
	"math"
	"slices"
	"strings"

	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

// toldPoints reads the points of a controller that is spoken to by messages.
func (b *builder) toldPoints(root *strict.Value) {
	all := root.Get("points")
	for _, k := range pointKeys {
		v := all.Get(k.key)
		if !k.sided {
			b.toldPoint(v, told{part: k.part, name: k.key})
			continue
		}
		for i, side := range elevator.SideNames()[1:] {
			b.toldPoint(v.Get(side), told{part: k.part, side: elevator.Side(i + 1), name: k.key + "." + side})
		}
	}
	if all.OK() && len(b.p.told) == 0 && b.p.Maturity != "draft" {
		b.fault(all, "nothing can be read", "")
	}
	b.implied(root)
}

func (b *builder) toldPoint(v *strict.Value, t told) {
	if !v.Given() || !v.OK() || !v.Get("from").OK() {
		return
	}
	t.source, t.path, _ = strings.Cut(v.Get("from").Text(), ".")
	b.message(v.Get("from"), t.source)
	if b.place != nil {
		b.place(v.Get("from"), t.source, t.path)
	}
	if n := b.needs[t.source]; len(n) > 0 && !b.tells[t.source] {
		b.fault(v.Get("from"), t.source+" needs "+n[0]+" of a command, so it cannot be polled", "")
	}
	t.slow = v.Get("poll").Text() == "slow"
	t.byLabel = v.Get("as").Text() == "label"
	t.first = v.Get("first").Int()
	t.scale, t.min, t.max = 1, math.Inf(-1), math.Inf(1)
	if s := v.Get("scale"); s.OK() {
		t.scale, t.add = s.Float(), v.Get("add").Float()
	}
	if lo := v.Get("min"); lo.Given() && lo.OK() {
		t.min = lo.Float()
	}
	if hi := v.Get("max"); hi.Given() && hi.OK() {
		t.max = hi.Float()
	}
	if t.min > t.max {
		b.fault(v.Get("min"), "min is above max", "")
	}
	t.words = toldWords(v.Get("enum"), t.part)
	b.p.told = append(b.p.told, t)
}

// toldWords is the enumeration of a point. An alarm without one is no for 0 and
// false, yes for 1 and true, and unknown for anything else.
func toldWords(e *strict.Value, p part) map[string]uint8 {
	if !e.Given() {
		if tri(p, new(elevator.Snapshot)) == nil {
			return nil
		}
		no, yes := uint8(elevator.No), uint8(elevator.Yes)
		return map[string]uint8{"0": no, "false": no, "1": yes, "true": yes}
	}
	out := make(map[string]uint8, len(e.Items()))
	for _, w := range e.Items() {
		if w.OK() {
			out[w.Key()] = meant(p, w.Text())
		}
	}
	return out
}

// message looks whether a message that is named at v is one of the profile.
func (b *builder) message(v *strict.Value, name string) {
	if !v.OK() || b.messages == nil || b.messages[name] {
		return
	}
	var names []string
	for n := range b.messages {
		names = append(names, n)
	}
	b.fault(v, "the profile has no message "+name, strict.DidYouMean(name, names))
}

// sends reads the messages of a command.
func (b *builder) sends(v *strict.Value, c *command) {
	for i, w := range v.Get("send").Items() {
		s := sending{
			message: w.Get("message").Text(), args: map[string]argument{},
			pause: w.Get("pause").Duration(), owed: w.Get("owed").Bool(), mayClose: w.Get("may_close").Bool(),
		}
		b.message(w.Get("message"), s.message)
		if s.owed && i == 0 {
			b.fault(w.Get("owed"), "the first message of a command owes nothing", "")
		}
		if s.mayClose && !s.owed {
			b.fault(w.Get("may_close"), "is for a message that is owed", "the command itself has may_close")
		}
		for _, a := range w.Get("with").Items() {
			s.args[a.Key()] = b.argument(a, c)
		}
		b.given(w, s)
		c.sends = append(c.sends, s)
	}
}

// given looks whether a message gets each value that it needs, and no other.
func (b *builder) given(v *strict.Value, s sending) {
	needs, known := b.needs[s.message]
	if b.heard[s.message] {
		b.fault(v.Get("message"), s.message+" only comes, it cannot be sent", "")
	}
	if !known || !v.OK() {
		return
	}
	for _, n := range needs {
		if _, ok := s.args[n]; !ok {
			b.fault(v, s.message+" needs with."+n, "")
		}
	}
	takes := slices.Concat(needs, b.may[s.message])
	for _, a := range v.Get("with").Items() {
		if !slices.Contains(takes, a.Key()) {
			b.fault(a, s.message+" has no "+a.Key(), strict.DidYouMean(a.Key(), takes))
		}
	}
}

func (b *builder) argument(v *strict.Value, c *command) argument {
	name, term := strings.CutPrefix(v.Text(), "$")
	if !term {
		return argument{fixed: Literal(v.Text())}
	}
	needs, ok := argTerms[name]
	if !ok {
		var names []string
		for n := range argTerms {
			names = append(names, "$"+n)
		}
		b.fault(v, "a command has no "+v.Text(), strict.DidYouMean(v.Text(), names))
	}
	c.usesFrom, c.usesTo = c.usesFrom || needs.from, c.usesTo || needs.to
	c.timed = c.timed || name == "seconds"
	return argument{of: name}
}

// ownWords reads the controller's words for doors and directions.
func (b *builder) ownWords(root *strict.Value) {
	for i, name := range elevator.SideNames()[1:] {
		if v := root.Get("sides").Get(name); v.Given() && v.OK() {
			b.p.sides[i+1] = Literal(v.Text())
		}
	}
	for d := elevator.Up; d <= elevator.Down; d++ {
		if v := root.Get("directions").Get(d.String()); v.Given() && v.OK() {
			b.p.directions[d] = Literal(v.Text())
		}
	}
}
