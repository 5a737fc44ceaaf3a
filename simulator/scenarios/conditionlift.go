package scenarios

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
)

// liftAspects are the words that may follow a lift.
func liftAspects() []string {
	return []string{
		"at", "door", "stopped", "moving", "mode", "link", "owner", "accepting", "not", "alarm", "asked",
		"maintenance", "halted", "occupied", "area-alarm", "drill", "answered",
	}
}

func (p *parser) liftAtom() atom {
	id := p.lift()
	see := func(s sight) string { return showLift(s.stage, id) }
	on := func(test func(Lift) bool) atom {
		return atom{see: see, hold: func(s sight) bool {
			l, ok := s.stage.Lift(id)
			return ok && test(l)
		}}
	}
	switch word := p.oneOf("what can be said of a lift", liftAspects()); word {
	case "at":
		floor := p.landing()
		return on(func(l Lift) bool { return l.Floor == floor })
	case "door":
		side, word := p.door(doorWords())
		return on(func(l Lift) bool { return l.Doors[side] == word })
	case "stopped":
		return on(func(l Lift) bool { return l.Motion == "stopped" })
	case "moving":
		return on(p.moving())
	case "mode":
		mode := p.oneOf("a mode of a lift", modeWords())
		return on(func(l Lift) bool { return l.Mode == mode })
	case "asked":
		return p.asked(id)
	default:
		return p.agentsLift(word, on)
	}
}

// agentsLift reads what the agent makes of a lift.
func (p *parser) agentsLift(word string, on func(func(Lift) bool) atom) atom {
	switch word {
	case "link":
		link := p.oneOf("a state of a link", linkWords())
		return on(func(l Lift) bool { return l.Link == link })
	case "owner":
		owner := "none"
		if !p.take("none") {
			owner = p.ride()
		}
		return on(func(l Lift) bool { return oneIs(l.Owner, owner) })
	case "accepting":
		return on(func(l Lift) bool { return l.Accepting })
	case "not":
		p.need("accepting")
		return on(func(l Lift) bool { return !l.Accepting })
	case "alarm":
		code := p.oneOf("an alarm", append(alarmWords(), "none", "any"))
		return on(func(l Lift) bool { return alarmed(l.Alarms, code) })
	}
	return p.orderedLift(word, on)
}

// orderedLift reads what people and areas have made of a lift.
func (p *parser) orderedLift(word string, on func(func(Lift) bool) atom) atom {
	switch word {
	case "maintenance":
		return on(func(l Lift) bool { return l.Maintenance })
	case "halted":
		return on(func(l Lift) bool { return l.Halted })
	case "occupied":
		return on(func(l Lift) bool { return l.Occupied })
	case "drill":
		return on(func(l Lift) bool { return l.Drill })
	case "area-alarm":
		kind := p.oneOf("an alarm of an area", append(areaAlarmWords(), "none", "any"))
		return on(func(l Lift) bool { return oneIs(l.AreaAlarm, kind) })
	case "answered":
		answer := p.answer()
		return on(func(l Lift) bool { return l.Answered == answer })
	}
	return atom{}
}

func alarmed(all []string, code string) bool {
	switch code {
	case "none":
		return len(all) == 0
	case "any":
		return len(all) > 0
	}
	return slices.Contains(all, code)
}

func (p *parser) moving() func(Lift) bool {
	if p.take("up") {
		return func(l Lift) bool { return l.Motion == "up" }
	}
	if p.take("down") {
		return func(l Lift) bool { return l.Motion == "down" }
	}
	return func(l Lift) bool { return l.Motion == "up" || l.Motion == "down" }
}

// door reads "door [rear] open"; with no side it is the front door.
func (p *parser) door(words []string) (side, word string) {
	side = "front"
	if t := p.peek(); slices.Contains(sideWords(), t.text) {
		side = p.next().text
	}
	return side, p.oneOf("a state of a door", words)
}

// asked reads "asked landing-call at most 2".
func (p *parser) asked(id string) atom {
	what := p.oneOf("what a lift can be asked", askedWords())
	n := p.amount()
	return atom{
		hold: func(s sight) bool {
			l, ok := s.stage.Lift(id)
			return ok && n.fits(count(l.Asked, what), count(s.asked[id], what))
		},
		see: func(s sight) string {
			l, ok := s.stage.Lift(id)
			if !ok {
				return "there is no lift " + id
			}
			text := fmt.Sprintf("lift %s was asked %s %d times", id, what, count(l.Asked, what))
			if n.more {
				text += fmt.Sprintf(", %d of them before", count(s.asked[id], what))
			}
			return text
		},
	}
}

func count(asked map[string]int, what string) int {
	if what != "anything" {
		return asked[what]
	}
	sum := 0
	for _, n := range asked {
		sum += n
	}
	return sum
}

// agentAtom reads "agent sees L1 floor unknown".
func (p *parser) agentAtom() atom {
	p.need("sees")
	id := p.lift()
	on := func(test func(Lift) bool) atom {
		return atom{
			hold: func(s sight) bool {
				l, ok := s.stage.Lift(id)
				return ok && test(l)
			},
			see: func(s sight) string { return showSeen(s.stage, id) },
		}
	}
	switch p.oneOf("what the agent sees of a lift", []string{"floor", "door", "mode", "entry"}) {
	case "floor":
		floor := ""
		if !p.take("unknown") {
			floor = p.landing()
		}
		return on(func(l Lift) bool { return l.SeenFloor == floor })
	case "door":
		side, word := p.door(append(doorWords(), "unknown"))
		return on(func(l Lift) bool { return known(l.SeenDoors[side]) == word })
	case "entry":
		word := p.oneOf("what a controller says of an entry", []string{"yes", "no", "unknown"})
		return on(func(l Lift) bool { return known(l.SeenEntry) == word })
	case "mode":
		mode := p.oneOf("a mode of a lift", append(modeWords(), "unknown"))
		return on(func(l Lift) bool { return known(l.SeenMode) == mode })
	}
	return atom{}
}

func known(word string) string {
	if word == "" {
		return "unknown"
	}
	return word
}

func (p *parser) cloudAtom() atom {
	see := func(s sight) string { return showCloud(s.stage) }
	on := func(test func(Cloud) bool) atom {
		return atom{see: see, hold: func(s sight) bool { return test(s.stage.Cloud()) }}
	}
	switch p.oneOf("what can be said of the cloud", []string{"online", "offline", "version", "delta", "reported"}) {
	case "online":
		return on(func(c Cloud) bool { return c.Online })
	case "offline":
		return on(func(c Cloud) bool { return !c.Online })
	case "version":
		n := p.amount()
		if n.more {
			p.fail(p.peek(), `a version has no "more"`, "write at least 3")
		}
		return on(func(c Cloud) bool { return c.Version >= int64(n.lo) && (n.hi == most || c.Version <= int64(n.hi)) })
	case "delta":
		empty := p.oneOf("a state of the delta", []string{"empty", "open"}) == "empty"
		return on(func(c Cloud) bool { return c.Delta != empty })
	case "reported":
		return p.reported()
	}
	return atom{}
}

// reported compares one leaf. A bare word is the JSON value or the text; null is
// also what is not there, since that is how a shadow forgets a leaf.
func (p *parser) reported() atom {
	path := p.path()
	want := p.peek().text
	raw := p.jsonValue()
	return atom{
		hold: func(s sight) bool {
			has, there := s.stage.Cloud().Reported[path]
			return there && (same(has, raw) || same(has, asText(want))) || !there && raw == "null"
		},
		see: func(s sight) string {
			if has, there := s.stage.Cloud().Reported[path]; there {
				return fmt.Sprintf("the cloud has %s reported as %s", path, has)
			}
			return fmt.Sprintf("the cloud has no %s reported", path)
		},
	}
}

func same(a, b string) bool { return strings.TrimSpace(a) == strings.TrimSpace(b) }

func asText(word string) string {
	raw, err := json.Marshal(word)
	if err != nil {
		return ""
	}
	return string(raw)
}
