package scenarios

import (
	"fmt"
	"time"
)

// pass goes once over the statements in the order of the file, and reports whether
// any of them took effect: then others may be due at the same instant.
func (p *Player) pass(s Stage) bool {
	stirred := false
	for i := range p.parts {
		if p.parts[i].state != open {
			continue
		}
		switch p.s.statements[i].kind {
		case acting:
			stirred = p.tryAct(i, s) || stirred
		case judged:
			stirred = p.tryJudge(i, s) || stirred
		case coming:
			stirred = p.tryMeet(i, s) || stirred
		}
	}
	return stirred
}

// comes reports that the time of a statement is here.
func (p *Player) comes(i int, s Stage) bool {
	st := &p.s.statements[i]
	switch st.start {
	case atTime:
		return p.now >= p.after(p.start, st.at)
	case following:
		base, ok := p.base(i)
		return ok && p.now >= p.after(base, st.at)
	case onTrue:
		return p.held(i, st.trigger, s)
	}
	return true
}

// held reports that a clause holds, for as long as it asks for without a break.
func (p *Player) held(i int, c clause, s Stage) bool {
	pt := &p.parts[i]
	if !c.cond.holds(p.sight(i, s)) {
		pt.holds = false
		return false
	}
	if !pt.holds {
		pt.holds, pt.since = true, p.now
	}
	return p.now >= p.after(pt.since, c.hold)
}

func (p *Player) sight(i int, s Stage) sight { return sight{stage: s, asked: p.parts[i].asked} }

func (p *Player) tryAct(i int, s Stage) bool {
	if !p.comes(i, s) {
		return false
	}
	st := &p.s.statements[i]
	if err := s.Do(p.seeded(st)); err != nil {
		p.fail(i, err.Error())
		return true
	}
	p.settle(i, done)
	p.say(st.text, false)
	return true
}

// seeded gives a fault with a chance a seed of its own, from the script's.
func (p *Player) seeded(st *statement) Act {
	in, ok := st.act.(Inject)
	if !ok || in.Fault.Seed != 0 {
		return st.act
	}
	in.Fault.Seed = p.s.Seed*1_000_003 + uint64(st.line)
	return in
}

// tryJudge judges what must be so at one instant.
func (p *Player) tryJudge(i int, s Stage) bool {
	if !p.comes(i, s) {
		return false
	}
	st := &p.s.statements[i]
	if c := st.want.cond; !c.holds(p.sight(i, s)) {
		p.fail(i, c.seen(p.sight(i, s)))
		return true
	}
	p.meet(i)
	return true
}

// tryMeet looks whether an expectation is met, or can be met no more.
func (p *Player) tryMeet(i int, s Stage) bool {
	st, pt := &p.s.statements[i], &p.parts[i]
	if st.start == following {
		if _, ok := p.base(i); !ok {
			return false
		}
	}
	if st.of != nil && !pt.ofOn {
		if !st.of.holds(p.sight(i, s)) {
			return false
		}
		pt.ofOn, pt.ofAt = true, p.now
	}
	if p.held(i, st.want, s) {
		p.meet(i)
		return true
	}
	if deadline, there := p.deadline(i); there && p.now >= deadline {
		p.fail(i, st.want.cond.seen(p.sight(i, s)))
		return true
	}
	return false
}

// judgeSteady judges never and always.
func (p *Player) judgeSteady(s Stage) {
	for i := range p.parts {
		st, pt := &p.s.statements[i], &p.parts[i]
		if pt.state != open || st.kind != barred && st.kind != steady {
			continue
		}
		if st.start == onTrue && !pt.armed {
			if !p.held(i, st.trigger, s) {
				continue
			}
			pt.armed, pt.holds, pt.asked = true, false, askedNow(s)
		}
		look := p.sight(i, s)
		if st.kind == steady && !st.want.cond.holds(look) || st.kind == barred && p.held(i, st.want, s) {
			p.fail(i, st.want.cond.seen(look))
		}
	}
}

// finish judges what is left when the run ends.
func (p *Player) finish(s Stage) {
	for i := range p.parts {
		st, pt := &p.s.statements[i], &p.parts[i]
		if pt.state != open {
			continue
		}
		look := p.sight(i, s)
		switch {
		case st.kind == last:
			if c := st.want.cond; c.holds(look) {
				p.meet(i)
			} else {
				p.fail(i, c.seen(look))
			}
		case st.kind == barred || st.kind == steady:
			if st.start == onTrue && !pt.armed {
				p.fail(i, st.trigger.cond.seen(look))
				continue
			}
			p.meet(i)
		default:
			p.unreached(i, look)
		}
	}
	p.ended = max(p.now, 1)
	p.say(p.summary(), len(p.fails) > 0)
}

// noteUnstruck notes the faults that came to nothing.
func (p *Player) noteUnstruck(stage Stage) {
	s, ok := stage.(Striker)
	if !ok {
		return
	}
	for _, f := range s.Unstruck() {
		p.notes = append(p.notes, fmt.Sprintf("fault %s never struck", f))
		p.say(p.notes[len(p.notes)-1], false)
	}
}

// unreached tells of a statement whose time never came. What only waits for
// another that is told already is not told again.
func (p *Player) unreached(i int, look sight) {
	st := &p.s.statements[i]
	switch {
	case st.start == following && p.waits(i):
	case st.start == atTime, st.start == following && st.kind != coming:
		p.fail(i, "the run ended before")
	case st.start == onTrue:
		p.fail(i, st.trigger.cond.seen(look))
	case st.of != nil && !p.parts[i].ofOn:
		p.fail(i, st.of.seen(look))
	default:
		p.fail(i, st.want.cond.seen(look))
	}
}

// waits reports that the statement before never took effect.
func (p *Player) waits(i int) bool {
	_, there := p.base(i)
	return !there
}

func (p *Player) summary() string {
	if len(p.fails) == 0 {
		return "passed"
	}
	return fmt.Sprintf("failed: %d of %d demands", len(p.fails), p.s.Demands())
}

func (p *Player) settle(i int, to state) { p.parts[i].state, p.parts[i].at = to, p.now }

func (p *Player) meet(i int) {
	p.settle(i, done)
	p.say("met: "+p.s.statements[i].text, false)
}

func (p *Player) fail(i int, seen string) {
	st := &p.s.statements[i]
	p.settle(i, failed)
	f := Failure{File: p.s.File, Line: st.line, Col: st.col, At: p.since(), Statement: st.text, Seen: seen}
	p.fails = append(p.fails, f)
	p.say("FAILED "+f.Error(), true)
}

// since is the time of the run.
func (p *Player) since() time.Duration { return p.now.Sub(p.start) }

// maxLog bounds the lines that nobody fetched.
const maxLog = 4096

func (p *Player) say(what string, bad bool) {
	if len(p.log) >= maxLog {
		p.log = p.log[1:]
	}
	p.log = append(p.log, Line{At: p.now, Who: "scenario", What: what, Bad: bad})
}

// Log hands over the lines since the last call, oldest first.
func (p *Player) Log() []Line {
	out := p.log
	p.log = nil
	return out
}
