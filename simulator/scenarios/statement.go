package scenarios

import (
	"fmt"
	"slices"
	"time"
)

// starters are the words with which a statement may begin.
func starters() []string {
	return []string{"at", "when", "after", "expect", "then", "never", "always", "once", "finally"}
}

// statement reads a line that is no setup line.
func (p *parser) statement() {
	t := p.next()
	if !t.quoted && slices.Contains(starters(), t.text) {
		p.played = true
	}
	st := statement{line: p.line, col: t.col, text: written(p.toks), before: -1}
	switch {
	case t.is("at"):
		st.start, st.at = atTime, p.duration(0, maxLasts)
		p.happens(&st)
	case t.is("when"):
		st.start, st.trigger = onTrue, p.clause()
		p.take(",")
		p.happens(&st)
	case t.is("after"):
		p.follow(&st, t)
		st.at = p.duration(0, maxLasts)
		p.happens(&st)
	case t.is("then"):
		p.follow(&st, t)
		if p.need("expect") {
			p.expect(&st)
		}
	case t.is("once"):
		st.start, st.trigger = onTrue, p.clause()
		p.take(",")
		p.forbids(&st)
	case t.is("expect"):
		p.expect(&st)
	case t.is("never"), t.is("always"):
		p.i--
		p.forbids(&st)
	case t.is("finally"):
		st.kind, st.want.cond = last, p.condition()
	default:
		p.beginning(t)
	}
	if !p.dead && !p.more() {
		p.s.statements = append(p.s.statements, st)
	}
}

// beginning says what is wrong with the first word of a line.
func (p *parser) beginning(t token) {
	if _, ok := findVerb(t.text); ok && !t.quoted {
		p.played = true
		p.fail(t, fmt.Sprintf("%q does not say when", t.text), "write for example: at 0s "+t.text+" …")
		return
	}
	all := append(append(starters(), setupWords()...), verbWords()...)
	p.fail(t, fmt.Sprintf("no line begins with %s", t.show()), hint(t.text, all))
}

// happens reads an act, or an expectation that is judged at that very time.
func (p *parser) happens(st *statement) {
	if p.take("expect") {
		st.kind, st.want.cond = judged, p.condition()
		return
	}
	st.kind, st.act = acting, p.act()
}

// follow ties a statement to the one before it that takes effect at a time.
func (p *parser) follow(st *statement, t token) {
	st.start = following
	for i := len(p.s.statements) - 1; i >= 0; i-- {
		if k := p.s.statements[i].kind; k == acting || k == coming || k == judged {
			st.before = i
			return
		}
	}
	if len(p.faults) == 0 { // else the line before may be the one that could not be read
		p.note(t, fmt.Sprintf("%q follows nothing", t.text), "a line before it must happen or be expected")
	}
}

func (p *parser) expect(st *statement) {
	st.kind, st.want = coming, p.clause()
	if !p.take("within") {
		return
	}
	st.within = p.duration(time.Millisecond, maxLasts)
	if p.take("of") {
		of := p.condition()
		if st.start == following {
			p.note(p.toks[0], `"then" and "of" both say from when`, "take one of them away")
		}
		st.of = &of
	}
}

func (p *parser) forbids(st *statement) {
	switch t := p.next(); {
	case t.is("never"):
		st.kind, st.want = barred, p.clause()
	case t.is("always"):
		st.kind, st.want.cond = steady, p.condition()
	default:
		p.fail(t, fmt.Sprintf("%s stands where \"never\" or \"always\" should", t.show()), "")
	}
}

// clause reads a condition and for how long it must hold.
func (p *parser) clause() clause {
	c := clause{cond: p.condition()}
	if p.take("for") {
		c.hold = p.duration(time.Millisecond, maxLasts)
	}
	return c
}
