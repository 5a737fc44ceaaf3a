package profiles

import (
	"math"
	"slices"
	"strconv"
	"time"

	"hoistway/drivers/profiles/strict"
	"hoistway/fsm/elevator"
)

// commands reads what can be asked.
func (b *builder) commands(v *strict.Value) {
	b.p.commands = make(map[ask]command)
	lc := v.Get("landing_call")
	b.command(lc.Get("up"), ask{verb: elevator.LandingCall, dir: elevator.Up}, wire, wireBit)
	b.command(lc.Get("down"), ask{verb: elevator.LandingCall, dir: elevator.Down}, wire, wireBit)
	b.command(v.Get("car_call"), ask{verb: elevator.CarCall}, wire, wireBit)
	b.command(v.Get("journey"), ask{verb: elevator.Journey}, wire, wireBit, toWire)
	b.command(v.Get("cancel_landing_call"), ask{verb: elevator.CancelCall, of: elevator.LandingCall}, wire, wireBit)
	b.command(v.Get("cancel_car_call"), ask{verb: elevator.CancelCall, of: elevator.CarCall}, wire, wireBit)
	b.command(v.Get("cancel_journey"), ask{verb: elevator.CancelCall, of: elevator.Journey}, wire, wireBit)
	b.command(v.Get("claim"), ask{verb: elevator.Claim})
	b.command(v.Get("give_back"), ask{verb: elevator.GiveBack})
	for i, side := range elevator.SideNames()[1:] {
		s := elevator.Side(i + 1)
		b.hold(v.Get("hold").Get(side), s)
		b.command(v.Get("lapse").Get(side), ask{verb: elevator.Lapse, side: s})
	}
	for n := elevator.Entered; n <= elevator.GaveUpLeaving; n++ {
		b.command(v.Get("notify").Get(n.String()), ask{verb: elevator.Notify, notice: n})
	}
	b.p.traits.DiesAfter = b.diesAfter()
	b.boundHolds()
}

// boundHolds keeps a count of seconds that is longer than any hold of that door
// from being believed, where the profile gives it no bound: a crossing relies on it.
func (b *builder) boundHolds() {
	for i := range b.p.points {
		pt := &b.p.points[i]
		c := b.p.commands[ask{verb: elevator.Hold, side: pt.side}]
		if longest := max(c.longest, c.dies); pt.part == holdLeft && pt.max == math.MaxInt64 && longest > 0 {
			pt.max = int64((longest + time.Second - 1) / time.Second)
		}
	}
}

// command reads one command, whose writes may use the terms allowed.
func (b *builder) command(v *strict.Value, a ask, allowed ...term) {
	if !v.Given() || !v.OK() {
		return
	}
	c := command{mayClose: v.Get("may_close").Bool()}
	for i, w := range v.Get("writes").Items() {
		c.writes = append(c.writes, b.steps(w, i, allowed)...)
	}
	b.sends(v, &c)
	for _, s := range c.writes {
		c.timed = c.timed || s.value == seconds
		for _, t := range []term{s.plus, s.value} {
			c.usesFrom = c.usesFrom || t == wire || t == wireBit
			c.usesTo = c.usesTo || t == toWire
		}
	}
	b.p.commands[a] = c
}

// hold reads a hold and makes its end a thing that the profile has to say.
func (b *builder) hold(v *strict.Value, side elevator.Side) {
	a := ask{verb: elevator.Hold, side: side}
	b.command(v, a, wire, wireBit, seconds)
	c, ok := b.p.commands[a]
	if !ok {
		return
	}
	timed := c.timed
	long, dies, noEnd := v.Get("longest"), v.Get("dies_after"), v.Get("no_end")
	c.longest, c.dies = long.Duration(), dies.Duration()
	switch {
	case timed && !long.Given():
		b.fault(v, "a hold in seconds needs longest", "the most that the device takes")
	case !timed && long.Given():
		b.fault(long, "no write of this hold takes seconds", "leave it out")
	case timed && dies.OK() && dies.Given() && c.longest > c.dies:
		b.fault(long, "is more than dies_after", "")
	}
	switch {
	case dies.Given() && noEnd.Bool():
		b.fault(noEnd, "dies_after and no_end exclude each other", "")
	case !dies.Given() && !noEnd.Bool():
		b.fault(v, "nothing says how the device ends this hold by itself", "dies_after: 30s, or no_end: true if it never does")
	}
	b.p.commands[a] = c
}

// diesAfter is when the slowest side ends a hold by itself; 0 if one never does.
func (b *builder) diesAfter() (longest time.Duration) {
	for a, c := range b.p.commands {
		if a.verb == elevator.Hold {
			if c.dies == 0 {
				return 0
			}
			longest = max(longest, c.dies)
		}
	}
	return longest
}

// steps reads one write: two of them for a pulse.
func (b *builder) steps(v *strict.Value, i int, allowed []term) []step {
	s := step{
		table: tableOf(v.Get("table").Text()), addr: v.Get("address").Int(), multi: v.Get("multi").Bool(),
		pause: max(v.Get("pause").Duration(), b.p.limits.spacing), owed: v.Get("owed").Bool(),
	}
	s.plus, _ = b.term(v.Get("plus"), allowed)
	s.value, s.fixed = b.term(v.Get("value"), allowed)
	if s.table == Coils && (s.value != constant || s.fixed > 1) {
		b.fault(v.Get("value"), "a coil takes 0 or 1", "one coil a landing is plus: wire")
	}
	if s.owed && i == 0 {
		b.fault(v.Get("owed"), "the first write of a command owes nothing", "")
	}
	pulse := v.Get("pulse")
	if !pulse.Given() {
		if r := v.Get("release"); r.Given() {
			b.fault(r, "release is for a pulse", "say how long: pulse: 500ms")
		}
		return []step{s}
	}
	if v.Get("pause").Given() {
		b.fault(v.Get("pause"), "a pulse is a pause already", "leave it out")
	}
	s.pause = max(pulse.Duration(), b.p.limits.spacing)
	return []step{s, b.release(v, s)}
}

// release is the write that ends a pulse.
func (b *builder) release(v *strict.Value, s step) step {
	r := v.Get("release")
	if s.value == constant && s.fixed == r.Int() {
		b.fault(v.Get("value"), "the pulse ends with the value that it began with", "")
	}
	s.value, s.fixed, s.owed, s.pause = constant, r.Int(), true, b.p.limits.spacing
	if s.table == Coils && s.fixed > 1 {
		b.fault(r, "a coil takes 0 or 1", "")
	}
	return s
}

// term reads a number or the name of one.
func (b *builder) term(v *strict.Value, allowed []term) (term, int) {
	if !v.Given() || !v.OK() {
		return constant, 0
	}
	names := map[string]term{"wire": wire, "to_wire": toWire, "wire_bit": wireBit, "seconds": seconds}
	t, named := names[v.Text()]
	if !named {
		n, _ := strconv.ParseInt(v.Text(), 0, 32)
		if n > 0xFFFF {
			b.fault(v, "a register holds at most 65535", "")
		}
		return constant, int(n)
	}
	if !slices.Contains(allowed, t) {
		b.fault(v, "this command has no "+v.Text(), "")
	}
	return t, 0
}
