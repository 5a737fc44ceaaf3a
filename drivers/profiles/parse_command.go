package profiles

import (
	"hash/fnv"
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
	b.command(v.Get("journey"), ask{verb: elevator.Journey}, wire, wireBit, toWire, toWireBit)
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
	c := command{
		mayClose: v.Get("may_close").Bool(), ttl: v.Get("ttl").Duration(),
		gate: b.conditions(v.Get("gate")), confirm: b.conditions(v.Get("confirm").Get("seen")),
	}
	if len(c.confirm) > 0 {
		c.within = v.Get("confirm").Get("within").Duration()
	}
	for i, w := range v.Get("writes").Items() {
		c.writes = append(c.writes, b.steps(w, i, allowed)...)
	}
	b.sends(v, &c)
	for _, s := range c.writes {
		c.needs(s.plus)
		c.needs(s.value)
		for _, m := range s.more {
			c.needs(m.term)
		}
	}
	b.p.commands[a] = c
}

// needs notes what a command must know for a term.
func (c *command) needs(t term) {
	c.timed = c.timed || t == seconds
	c.usesFrom = c.usesFrom || t == wire || t == wireBit
	c.usesTo = c.usesTo || t == toWire || t == toWireBit
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
	b.keepsOpen(v)
	b.p.commands[a] = c
}

// keepsOpen looks that nothing which a hold owes can let the door go by itself: a line
// that was lost for a moment would have it said to a robot in the doorway. A pulse presses
// a button and lets it go again, which closes nothing.
func (b *builder) keepsOpen(hold *strict.Value) {
	for _, w := range hold.Get("writes").Items() {
		if w.Get("level").Given() && w.Get("release").Given() && !w.Get("may_close").Bool() {
			b.fault(w.Get("release"), "the release of a held door closes it", "may_close: true, and a lapse that writes it")
		}
	}
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

// steps reads one write: two of them for a pulse or a level with a release.
func (b *builder) steps(v *strict.Value, i int, allowed []term) []step {
	t := tableOf(v.Get("table").Text())
	s := step{
		table: t, multi: v.Get("multi").Bool(), raw: v.Get("raw").Bool(),
		mask: uint16(v.Get("mask").Int()), changed: v.Get("only_changed").Bool(), mayClose: v.Get("may_close").Bool(),
		pause: max(v.Get("pause").Duration(), b.p.limits.spacing), owed: v.Get("owed").Bool(),
	}
	if plus := v.Get("plus"); plus.Given() && v.Get("address").OK() {
		s.plus, _ = b.term(plus, allowed)
		s.addr = v.Get("address").Int() - b.base[t] // may lie below the table until the landing is added
	}
	if s.plus == constant {
		s.addr = b.address(v.Get("address"), t)
	}
	b.values(v, &s, allowed)
	b.writeFits(v, &s)
	if s.owed && i == 0 {
		b.fault(v.Get("owed"), "the first write of a command owes nothing", "")
	}
	b.cleared(v.Get("cleared"), &s)
	pulse, level, r := v.Get("pulse"), v.Get("level"), v.Get("release")
	b.level(level, &s)
	switch {
	case pulse.Given() && level.Given():
		b.fault(pulse, "pulse and level exclude each other", "")
	case !pulse.Given() && r.Given() && s.level.Every == 0:
		b.fault(r, "release is for a pulse", "say how long: pulse: 500ms")
	case s.mayClose && !r.Given() && !pulse.Given():
		b.fault(v.Get("may_close"), "there is no release that could close a door", "the command itself has may_close")
	}
	if !pulse.Given() && !(r.Given() && s.level.Every > 0) {
		return []step{s}
	}
	if pulse.Given() && v.Get("pause").Given() {
		b.fault(v.Get("pause"), "a pulse is a pause already", "leave it out")
	}
	s.pause = max(s.pause, pulse.Duration())
	off := b.release(v, s)
	s.mayClose = false
	return []step{s, off}
}

// values reads what is written.
func (b *builder) values(v *strict.Value, s *step, allowed []term) {
	several := v.Get("values")
	if !several.Given() {
		s.value, s.fixed = b.term(v.Get("value"), allowed)
		b.fits(v.Get("value"), s, s.value, s.fixed)
		return
	}
	if v.Get("value").Given() {
		b.fault(v.Get("value"), "value and values exclude each other", "")
	}
	for i, x := range several.Items() {
		t, n := b.term(x, allowed)
		b.fits(x, s, t, n)
		if i == 0 {
			s.value, s.fixed = t, n
			continue
		}
		s.more = append(s.more, number16{t, n})
	}
}

// fits holds a value against what an item takes.
func (b *builder) fits(v *strict.Value, s *step, t term, fixed int) {
	switch {
	case s.table == Coils && !s.raw && (t != constant || fixed > 1):
		b.fault(v, "a coil takes 0 or 1", "one coil a landing is plus: wire")
	case t == constant && fixed <= 0xFFFF && fixed > s.most():
		b.fault(v, "is more than the mask holds", "")
	}
}

// writeFits holds a write against the device and against itself.
func (b *builder) writeFits(v *strict.Value, s *step) {
	n := 1 + len(s.more)
	most := b.p.limits.write
	if s.table == Coils {
		most = b.p.limits.writeBits
	}
	if n > most && most > 0 {
		b.fault(v.Get("values"), "is longer than one write may be", "see limits")
	}
	if s.raw && (s.table != Coils || n > 1 || s.multi) {
		b.fault(v.Get("raw"), "is for one coil, with function 5", "")
	}
	if s.mask != 0 && (s.table == Coils || n > 1) {
		b.fault(v.Get("mask"), "is for one register", "")
	}
	if s.changed && (n > 1 || s.raw) {
		b.fault(v.Get("only_changed"), "is for one item", "")
	}
	b.knows(v, writeFunction(s.table, n, s.multi))
	if s.mask != 0 || s.changed || v.Get("cleared").Given() {
		b.knows(v, readFunction(s.table))
	}
}

// release is the write that ends a pulse or a level.
func (b *builder) release(v *strict.Value, s step) step {
	r := v.Get("release")
	if s.value == constant && s.fixed == r.Int() {
		b.fault(v.Get("value"), "the pulse ends with the value that it began with", "")
	}
	if len(s.more) > 0 {
		b.fault(v.Get("values"), "a write of several items has no release", "")
	}
	s.value, s.fixed, s.owed, s.pause = constant, r.Int(), true, b.p.limits.spacing
	s.level, s.cleared, s.changed = Level{}, Cleared{}, false
	b.fits(r, &s, constant, s.fixed)
	return s
}

// level reads how a value is held.
func (b *builder) level(v *strict.Value, s *step) {
	if !v.Given() || !v.OK() {
		return
	}
	h := fnv.New32a()
	_, _ = h.Write([]byte(v.Get("name").Text())) // a hash takes all
	s.level = Level{Key: max(1, h.Sum32()), Every: v.Get("refresh").Duration(), For: v.Get("for").Duration()}
	if s.level.Every > 0 && s.level.For == 0 {
		b.fault(v, "nothing says how long it is held at most", "for: 60s")
	}
	if s.level.Every == 0 && s.level.For > 0 {
		b.fault(v.Get("for"), "a level that is not refreshed is not held", "refresh: 2s")
	}
}

func (b *builder) cleared(v *strict.Value, s *step) {
	if !v.Given() || !v.OK() {
		return
	}
	s.cleared = Cleared{To: uint16(v.Get("to").Int()), Within: v.Get("within").Duration(), Every: v.Get("every").Duration()}
	if s.value == constant && s.fixed == int(s.cleared.To) {
		b.fault(v.Get("to"), "a trigger that is written as it is cleared proves nothing", "")
	}
}

// term reads a number or the name of one.
func (b *builder) term(v *strict.Value, allowed []term) (term, int) {
	if !v.Given() || !v.OK() {
		return constant, 0
	}
	names := map[string]term{"wire": wire, "to_wire": toWire, "wire_bit": wireBit, "to_wire_bit": toWireBit, "seconds": seconds}
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
