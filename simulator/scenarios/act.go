package scenarios

import (
	"encoding/json"
	"fmt"
	"regexp"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// verb is one thing that can be made to happen.
type verb struct {
	word string
	read func(*parser) Act
}

func verbTable() []verb {
	return []verb{
		{"ride", (*parser).askRide},
		{"claim", (*parser).claim},
		{"cancel", (*parser).cancelRide},
		{"reset", (*parser).resetRide},
		{"say", (*parser).say},
		{"fault", (*parser).fault},
		{"clear", (*parser).clear},
		{"press", (*parser).press},
		{"people", (*parser).people},
		{"desired", (*parser).desired},
		{"maintenance", (*parser).maintenance},
		{"stop", (*parser).stop},
		{"car-empty", (*parser).carEmpty},
		{"alarm", (*parser).alarm},
	}
}

func findVerb(word string) (verb, bool) {
	for _, v := range verbTable() {
		if v.word == word {
			return v, true
		}
	}
	return verb{}, false
}

func verbWords() []string {
	var words []string
	for _, v := range verbTable() {
		words = append(words, v.word)
	}
	return words
}

func (p *parser) act() Act {
	t := p.next()
	v, ok := findVerb(t.text)
	if !ok || t.quoted {
		p.fail(t, fmt.Sprintf("%s is nothing that can happen", t.show()), hint(t.text, append(verbWords(), "expect")))
		return nil
	}
	return v.read(p)
}

func (p *parser) askRide() Act {
	t := p.next()
	if !idShape.MatchString(t.text) {
		p.fail(t, fmt.Sprintf("%s is no id of a ride", t.show()), "letters, digits, - and _, 64 at most")
		return nil
	}
	if p.take("goes") {
		return p.changeRide(t)
	}
	a := AskRide{ID: t.text, Robot: p.robot()}
	p.need("from")
	a.From = p.landing()
	p.need("to")
	if a.Open = p.take("open"); !a.Open {
		a.To = p.landing()
	}
	for p.more() && !p.dead {
		p.rideOption(&a)
	}
	if was, there := p.rides[a.ID]; there && was.act != a {
		p.note(t, fmt.Sprintf("ride %q is asked for twice, and differently", a.ID), fmt.Sprintf("first in line %d", was.line))
	} else if !there {
		p.rides[a.ID] = asking{p.line, a}
	}
	return a
}

func rideOptions() []string {
	return []string{"on", "from-door", "to-door", "not-ready", "priority", "toward"}
}

func (p *parser) rideOption(a *AskRide) {
	switch p.oneOf("an option of a ride", rideOptions()) {
	case "on":
		a.Lift = p.lift()
	case "from-door":
		a.FromDoor = p.oneOf("a door", sideWords())
	case "to-door":
		a.ToDoor = p.oneOf("a door", sideWords())
	case "not-ready":
		a.NotReady = true
	case "priority":
		a.Priority = p.number(0, 9)
	case "toward":
		if word := p.oneOf("a direction", []string{"up", "down"}); word != "" {
			a.Toward, _ = elevator.ParseDirection(word)
		}
	}
}

func (p *parser) by() string {
	if p.take("by") {
		return p.text("who says so")
	}
	return "technician"
}

func (p *parser) cancelRide() Act { return CancelRide{ID: p.ride(), By: p.by()} }

func (p *parser) resetRide() Act {
	a := ResetRide{ID: p.ride()}
	p.need("robot")
	a.RobotIs = p.oneOf("where a robot can be at a reset", resetWords())
	a.By = p.by()
	return a
}

func (p *parser) say() Act {
	return Say{Robot: p.robot(), Kind: p.oneOf("a signal of a robot", sayWords())}
}

func (p *parser) press() Act {
	a := Press{Lift: p.lift()}
	if p.take("car") {
		a.Floor = p.landing()
		return a
	}
	a.Floor = p.landing()
	if word := p.oneOf("a button", []string{"up", "down"}); word != "" {
		a.Direction, _ = elevator.ParseDirection(word)
	}
	return a
}

func (p *parser) people() Act {
	c := Crowd{Mix: p.oneOf("a mix of people", building.MixNames()), PerFiveMinute: float64(p.number(1, 500))}
	p.need("per")
	p.need("5min")
	p.need("for")
	c.For = p.duration(time.Second, maxLasts)
	return c
}

var pathShape = regexp.MustCompile(`^[A-Za-z0-9_-]{1,32}(\.[A-Za-z0-9_-]{1,32}){0,7}$`)

// path reads the name of a leaf of the shadow.
func (p *parser) path() string {
	t := p.next()
	if !pathShape.MatchString(t.text) {
		p.fail(t, fmt.Sprintf("%s is no path in a shadow", t.show()), "write for example wait_timeout or L1.state")
	}
	return t.text
}

func (p *parser) desired() Act {
	d := Desire{Path: p.path(), Value: p.jsonValue()}
	if p.take("expires") {
		d.Expires = p.duration(time.Second, maxLasts)
	}
	return d
}

// jsonValue takes a JSON word (60, true, null) as it is, and any other as a text.
func (p *parser) jsonValue() string {
	t := p.next()
	if t.text == "" && !t.quoted {
		p.fail(t, "here goes a value", `60, true, null or "a text"`)
		return ""
	}
	if !t.quoted && json.Valid([]byte(t.text)) {
		return t.text
	}
	raw, err := json.Marshal(t.text)
	if err != nil {
		return `""`
	}
	return string(raw)
}
