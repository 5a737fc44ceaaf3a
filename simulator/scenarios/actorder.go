package scenarios

import (
	"fmt"
	"time"
)

// changeRide reads "ride r1 goes to 3 to-door rear aboard by dispatcher"; t is the id.
func (p *parser) changeRide(t token) Act {
	p.named = append(p.named, naming{t.text, p.line, t.col})
	c := ChangeRide{ID: t.text, By: "technician"}
	p.need("to")
	c.To = p.landing()
	for p.more() && !p.dead {
		switch p.oneOf("an option of another destination", changeOptions()) {
		case "to-door":
			c.ToDoor = p.oneOf("a door", sideWords())
		case "aboard":
			c.Aboard = true
		case "by":
			c.By = p.text("who says so")
		}
	}
	return c
}

func changeOptions() []string { return []string{"to-door", "aboard", "by"} }

func (p *parser) claim() Act {
	c := Claim{ID: p.ride(), Says: p.oneOf("what a fleet can claim", claimWords())}
	c.By = p.byOr("fleet")
	return c
}

func (p *parser) byOr(name string) string {
	if p.take("by") {
		return p.text("who says so")
	}
	return name
}

// beginsOrEnds reads which of the two happens.
func (p *parser) beginsOrEnds() bool {
	return p.oneOf("what it does", []string{"begins", "ends"}) == "begins"
}

func (p *parser) maintenance() Act {
	m := Maintain{Lift: p.lift(), On: p.beginsOrEnds()}
	if t := p.peek(); p.take("for") {
		m.For = p.duration(time.Second, maxLasts)
		if !m.On {
			p.note(t, "what ends has no duration", "")
		}
	}
	m.By = p.by()
	return m
}

// stop reads "stop all begins", "stop L1 ends".
func (p *parser) stop() Act {
	a := Stop{}
	if !p.take("all") {
		a.Lift = p.name("a lift or all", append(liftWords(), "all"))
	}
	a.On = p.beginsOrEnds()
	a.By = p.by()
	return a
}

func (p *parser) carEmpty() Act { return EmptyCar{Lift: p.lift(), By: p.by()} }

// alarm reads "alarm building fire drill" and "alarm building cleared by guard".
func (p *parser) alarm() Act {
	a := Alarm{Area: p.area()}
	switch word := p.oneOf("what becomes of an alarm", append(areaAlarmWords(), "cleared")); word {
	case "cleared":
		a.By = p.by()
		return a
	default:
		a.Kind = word
	}
	a.Drill = p.take("drill")
	a.By = p.byOr("panel")
	return a
}

// area reads the name of an area that the script has, or that it will have.
func (p *parser) area() string {
	t := p.next()
	if !idShape.MatchString(t.text) {
		p.fail(t, fmt.Sprintf("%s is no name of an area", t.show()), "letters, digits, - and _, 64 at most")
		return ""
	}
	p.areas = append(p.areas, naming{t.text, p.line, t.col})
	return t.text
}
