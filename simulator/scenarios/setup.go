package scenarios

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"time"
)

// setupLine is one word that a setup line may begin with.
type setupLine struct {
	word  string
	again bool // may stand more than once
	read  func(*parser)
}

func setupTable() []setupLine {
	return []setupLine{
		{"title", false, (*parser).title},
		{"proves", true, (*parser).proves},
		{"seed", false, (*parser).seed},
		{"site", false, (*parser).site},
		{"robot", true, (*parser).setupRobot},
		{"lift", true, (*parser).setupLift},
		{"setting", true, (*parser).setting},
		{"cloud", false, (*parser).cloudOff},
		{"lasts", false, (*parser).lasts},
		{"only", false, (*parser).onlyVirtual},
	}
}

func setupWords() []string {
	var words []string
	for _, l := range setupTable() {
		words = append(words, l.word)
	}
	return words
}

// setup reads a setup line.
func (p *parser) setup(l setupLine) {
	t := p.next()
	if p.played {
		p.note(t, fmt.Sprintf("%q comes after the first thing that happens", l.word), "setup lines stand first")
	}
	p.first(t, l.word, l.again)
	l.read(p)
}

// first says that a thing is set twice.
func (p *parser) first(t token, key string, again bool) {
	if n, there := p.once[key]; there && !again {
		p.note(t, fmt.Sprintf("%s is there twice", key), fmt.Sprintf("first in line %d", n))
	} else if !there {
		p.once[key] = p.line
	}
}

// title takes the rest of the line: a title is prose.
func (p *parser) title() {
	if !p.more() {
		p.fail(p.peek(), "here goes the title", "")
		return
	}
	p.s.Title = written(p.toks[p.i:])
	if p.i == len(p.toks)-1 {
		p.s.Title = p.toks[p.i].text // in quotes
	}
	p.i = len(p.toks)
}

var rowShape = regexp.MustCompile(`^[A-Z]{2}-[0-9]{1,3}$`)

func (p *parser) proves() {
	if !p.more() {
		p.fail(p.peek(), "here go the rows that this proves", "write for example: proves RD-7 IL-2")
	}
	for p.more() {
		t := p.next()
		switch {
		case !rowShape.MatchString(t.text):
			p.note(t, fmt.Sprintf("%s is no row", t.show()), "write for example RD-7")
		case slices.Contains(p.s.Proves, t.text):
			p.note(t, fmt.Sprintf("%s is there twice", t.show()), "")
		default:
			p.s.Proves = append(p.s.Proves, t.text)
		}
	}
}

func (p *parser) seed() { p.s.Seed = p.seedNumber() }

func (p *parser) seedNumber() uint64 {
	t := p.next()
	n, err := strconv.ParseUint(t.text, 10, 64)
	if err != nil || t.quoted {
		p.fail(t, fmt.Sprintf("%s is no seed", t.show()), "a whole number, 0 or more")
	}
	return n
}

func (p *parser) site() { p.s.Site = p.name("a site", siteWords()) }

func (p *parser) setupRobot() {
	t := p.peek()
	r := RobotSetup{ID: p.robot()}
	p.first(t, "robot "+r.ID, false)
	if !p.more() {
		p.fail(p.peek(), "here goes how the robot is", list(robotOptions()))
	}
	for p.more() && !p.dead {
		switch p.oneOf("how a robot can be", robotOptions()) {
		case "crossing":
			r.Crossing = p.duration(100*time.Millisecond, 10*time.Minute)
		case "fleet":
			r.Fleet = true
		}
	}
	p.s.Robots = append(p.s.Robots, r)
}

func robotOptions() []string { return []string{"crossing", "fleet"} }

func liftOptions() []string {
	return []string{"area", "permission", "claim", "level", "no-floor", "no-door", "no-lamps", "sight"}
}

// setupLift reads "lift L1 area annexe permission".
func (p *parser) setupLift() {
	t := p.peek()
	l := LiftSetup{ID: p.lift()}
	p.first(t, "lift "+l.ID, false)
	if !p.more() {
		p.fail(p.peek(), "here goes how the lift is", list(liftOptions()))
	}
	for p.more() && !p.dead {
		switch p.oneOf("how a lift can be", liftOptions()) {
		case "area":
			t := p.next()
			if l.Area = t.text; !idShape.MatchString(l.Area) {
				p.fail(t, fmt.Sprintf("%s is no name of an area", t.show()), "letters, digits, - and _, 64 at most")
			}
		case "permission":
			l.Permission = true
		case "claim":
			l.Claim = true
		case "level":
			l.Level = true
		case "no-floor":
			l.NoFloor = true
		case "no-door":
			l.NoDoor = true
		case "no-lamps":
			l.NoLamps = true
		case "sight":
			l.Sight = true
		}
	}
	p.s.Lifts = append(p.s.Lifts, l)
}

// settingRow is one setting of the agent that a script may set; the ranges are
// those of the agent's configuration.
type settingRow struct {
	name   string
	lo, hi time.Duration // of a duration
	most   int           // of a number
}

func settingRows() []settingRow {
	return []settingRow{
		{name: "wait_timeout", lo: 5 * time.Second, hi: time.Hour},
		{name: "retries", most: 10},
		{name: "hold_limit", lo: 5 * time.Second, hi: 10 * time.Minute},
		{name: "hold_renew", lo: time.Second, hi: 2 * time.Minute},
		{name: "expiry", lo: time.Minute, hi: 24 * time.Hour},
		{name: "standby", lo: 10 * time.Second, hi: 24 * time.Hour},
	}
}

func (p *parser) setting() {
	rows := settingRows()
	names := make([]string, len(rows))
	for i, r := range rows {
		names[i] = r.name
	}
	t := p.peek()
	name := p.oneOf("a setting", names)
	if p.dead {
		return
	}
	p.first(t, "setting "+name, false)
	row := rows[slices.Index(names, name)]
	s := Setting{Name: name, Value: p.peek().text}
	if row.most > 0 {
		s.Number = p.number(0, row.most)
	} else {
		s.Duration = p.duration(row.lo, row.hi)
	}
	p.s.Settings = append(p.s.Settings, s)
}

func (p *parser) cloudOff() { p.s.CloudOff = p.need("off") }

func (p *parser) lasts() { p.s.Lasts = p.duration(time.Second, maxLasts) }

func (p *parser) onlyVirtual() {
	if p.need("virtual") {
		p.s.OnlyVirtual = p.text(`the reason, in quotes`)
	}
}
