package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// sight is what a condition looks at: the stage, and how often each lift had been
// asked when the counting began.
type sight struct {
	stage Stage
	asked map[string]map[string]int // by lift and by what
}

// atom is one thing that is so or is not. see says how it is instead, for people.
type atom struct {
	not  bool
	hold func(sight) bool
	see  func(sight) string
}

// condition is atoms joined by one word, never by both.
type condition struct {
	atoms []atom
	any   bool // joined by or
}

func (c condition) holds(s sight) bool {
	for _, a := range c.atoms {
		if is := a.hold(s) != a.not; is == c.any {
			return is
		}
	}
	return !c.any
}

// seen tells how those things are that decide: of a condition that does not hold
// those that are not so, of one that holds those that are.
func (c condition) seen(s sight) string {
	now := c.holds(s)
	var parts []string
	for _, a := range c.atoms {
		if (a.hold(s) != a.not) != now {
			continue
		}
		if how := a.see(s); !slices.Contains(parts, how) {
			parts = append(parts, how)
		}
	}
	return strings.Join(parts, "; ")
}

// condition reads atoms joined by and, or by or.
func (p *parser) condition() condition {
	var c condition
	for {
		a := p.atom()
		if p.dead {
			return condition{}
		}
		c.atoms = append(c.atoms, a)
		t := p.peek()
		switch {
		case p.take("and"):
			if c.any {
				p.fail(t, `"and" and "or" do not mix in one condition`, "write two lines")
			}
		case p.take("or"):
			if len(c.atoms) > 1 && !c.any {
				p.fail(t, `"and" and "or" do not mix in one condition`, "write two lines")
			}
			c.any = true
		default:
			return c
		}
	}
}

func subjects() []string { return []string{"ride", "robot", "lift", "agent", "cloud", "not"} }

func (p *parser) atom() atom {
	not := false
	for p.take("not") {
		not = !not
	}
	var a atom
	switch p.oneOf("the beginning of a condition", subjects()) {
	case "ride":
		a = p.rideAtom()
	case "robot":
		a = p.robotAtom()
	case "lift":
		a = p.liftAtom()
	case "agent":
		a = p.agentAtom()
	case "cloud":
		a = p.cloudAtom()
	}
	a.not = a.not != not
	return a
}

// rideAspects are the words that may follow the ride, beside its states.
func rideAspects() []string {
	return []string{"is", "fault", "phase", "where", "permit", "do", "on", "refused", "to", "place", "answered"}
}

func (p *parser) rideAtom() atom {
	id := p.ride()
	see := func(s sight) string { return showRide(s.stage, id) }
	on := func(test func(Ride) bool) atom {
		return atom{see: see, hold: func(s sight) bool {
			r, ok := s.stage.Ride(id)
			return ok && test(r)
		}}
	}
	word := p.oneOf("what can be said of a ride", append(rideAspects(), stateWords()...))
	switch word {
	case "is":
		state := p.oneOf("a state of a ride", stateWords())
		return on(func(r Ride) bool { return r.State == state })
	case "fault":
		return p.rideFault(on)
	case "phase":
		phase := p.oneOf("a phase of a ride", phaseWords())
		return on(func(r Ride) bool { return r.Phase == phase })
	case "where":
		where := p.oneOf("where a robot can be", whereWords())
		return on(func(r Ride) bool { return r.Where == where })
	case "permit":
		kind := p.oneOf("a permit", permitWords())
		return on(func(r Ride) bool { return oneIs(r.Permit, kind) })
	case "do":
		do := p.oneOf("what a robot is told", doWords())
		return on(func(r Ride) bool { return r.Do == do })
	case "on":
		lift := p.lift()
		return on(func(r Ride) bool { return r.Lift == lift })
	case "refused":
		return p.rideRefused(on)
	case "to":
		to := ""
		if !p.take("open") {
			to = p.landing()
		}
		return on(func(r Ride) bool { return r.State != "" && r.To == to })
	case "place":
		n := p.amount()
		return on(func(r Ride) bool { return n.fits(r.Place, 0) })
	case "answered":
		answer := p.answer()
		return on(func(r Ride) bool { return r.Answered == answer })
	}
	return on(func(r Ride) bool { return r.State == word || slices.Contains(r.Been, word) })
}

// oneIs compares a word that may be missing with a word, none or any.
func oneIs(has, want string) bool {
	switch want {
	case "none":
		return has == ""
	case "any":
		return has != ""
	}
	return has == want
}

var vendorShape = regexp.MustCompile(`^VENDOR:[A-Za-z0-9_-]{1,32}$`)

// rideFault reads "fault CODE" (it had it), "fault any", and "fault now CODE".
func (p *parser) rideFault(on func(func(Ride) bool) atom) atom {
	if p.take("now") {
		code := p.code(append(codeWords(), "none", "any"))
		return on(func(r Ride) bool { return r.Refused == "" && oneIs(r.Fault, code) })
	}
	code := p.code(append(codeWords(), "none", "any"))
	return on(func(r Ride) bool {
		switch code {
		case "none":
			return r.Refused == "" && len(r.Faults) == 0
		case "any":
			return len(r.Faults) > 0
		}
		return slices.Contains(r.Faults, code)
	})
}

func (p *parser) code(words []string) string {
	if t := p.peek(); vendorShape.MatchString(t.text) {
		return p.next().text
	}
	return p.oneOf("a fault code of a ride", words)
}

var refusalShape = regexp.MustCompile(`^E-[0-9]{4}$`)

func (p *parser) rideRefused(on func(func(Ride) bool) atom) atom {
	code := "any"
	if p.take("none") {
		code = "none"
	} else if t := p.peek(); strings.HasPrefix(t.text, "E-") {
		code = p.next().text
		if !refusalShape.MatchString(code) {
			p.note(t, fmt.Sprintf("%s is no code of a refusal", t.show()), "write for example E-2103")
		}
	}
	return on(func(r Ride) bool { return oneIs(r.Refused, code) })
}

// answer reads what an order came to: accepted, or the code of a refusal.
func (p *parser) answer() string {
	if p.take("accepted") {
		return "accepted"
	}
	t := p.next()
	if !refusalShape.MatchString(t.text) {
		p.fail(t, fmt.Sprintf("%s is no answer to an order", t.show()), "write accepted, or for example E-2111")
	}
	return t.text
}

func (p *parser) robotAtom() atom {
	id := p.robot()
	see := func(s sight) string { return showRobot(s.stage, id) }
	on := func(test func(Robot) bool) atom {
		return atom{see: see, hold: func(s sight) bool {
			r, ok := s.stage.Robot(id)
			return ok && test(r)
		}}
	}
	switch p.oneOf("where a robot can be", []string{"at", "in"}) {
	case "at":
		p.need("landing")
		floor := p.landing()
		return on(func(r Robot) bool { return r.Where == "landing" && r.Floor == floor })
	case "in":
		if p.take("doorway") {
			return on(func(r Robot) bool { return r.Where == "doorway" })
		}
		lift := p.name("a lift or doorway", append(liftWords(), "doorway"))
		return on(func(r Robot) bool { return r.Where == "car" && r.Lift == lift })
	}
	return atom{}
}

// amount is how often something must have happened.
type amount struct {
	lo, hi int
	more   bool // than when the counting began
}

func (a amount) fits(n, before int) bool {
	if a.more {
		return n > before
	}
	return n >= a.lo && n <= a.hi
}

const most = 1_000_000

// amount reads "2", "at most 2", "at least 2" or "more".
func (p *parser) amount() amount {
	switch {
	case p.take("more"):
		return amount{more: true}
	case p.take("at"):
		switch p.oneOf("an amount", []string{"most", "least"}) {
		case "most":
			return amount{hi: p.number(0, most)}
		case "least":
			return amount{lo: p.number(0, most), hi: most}
		}
		return amount{}
	}
	t := p.peek()
	if t.text == "" || t.text[0] < '0' || t.text[0] > '9' {
		p.fail(t, fmt.Sprintf("%s is no amount", t.show()), "write 2, at most 2, at least 2 or more")
	}
	n := p.number(0, most)
	return amount{lo: n, hi: n}
}
