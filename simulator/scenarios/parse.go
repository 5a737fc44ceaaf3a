package scenarios

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Parse reads a scenario. With any fault there is no script: nothing of it is to be
// played. file is the name that faults and failures bear.
func Parse(file string, src []byte) (*Script, []Fault) {
	p := &parser{s: &Script{File: file, Title: file, Seed: 1, Site: siteWords()[0]}, once: map[string]int{}, rides: map[string]asking{}}
	lines := bytes.Split(bytes.TrimPrefix(src, []byte("\ufeff")), []byte("\n"))
	switch {
	case len(src) > MaxBytes:
		p.tell(1, 1, fmt.Sprintf("the file has %d bytes", len(src)), fmt.Sprintf("%d at most", MaxBytes))
		return nil, p.faults
	case len(lines) > MaxLines+1 || len(lines) == MaxLines+1 && len(lines[MaxLines]) > 0:
		p.tell(MaxLines+1, 1, "the file has too many lines", fmt.Sprintf("%d at most", MaxLines))
		return nil, p.faults
	}
	for i, line := range lines {
		p.readLine(i+1, strings.TrimSuffix(string(line), "\r"))
	}
	p.checkWhole()
	if len(p.faults) > 0 {
		slices.SortStableFunc(p.faults, func(a, b Fault) int {
			if a.Line != b.Line {
				return a.Line - b.Line
			}
			return a.Col - b.Col
		})
		return nil, p.faults
	}
	return p.s, nil
}

// parser reads one file. Within a line the first fault that makes the rest
// unreadable ends the reading of that line; a wrong name does not.
type parser struct {
	s      *Script
	faults []Fault
	line   int
	toks   []token
	i      int
	dead   bool           // the rest of this line cannot be read
	played bool           // a statement that is no setup line was there
	once   map[string]int // setup words that may stand once, and the line
	rides  map[string]asking
	named  []naming
	areas  []naming // that statements name
}

// asking is where a ride is asked for; naming is where a statement names a ride.
type asking struct {
	line int
	act  AskRide
}

type naming struct {
	ride      string
	line, col int
}

func (p *parser) tell(line, col int, what, hint string) {
	if len(p.faults) < maxFaults {
		p.faults = append(p.faults, Fault{File: p.s.File, Line: line, Col: col, What: what, Hint: hint})
	}
}

// note tells a fault and reads on.
func (p *parser) note(t token, what, hint string) {
	if !p.dead {
		p.tell(p.line, t.col, what, hint)
	}
}

// fail tells a fault and gives the line up.
func (p *parser) fail(t token, what, hint string) {
	p.note(t, what, hint)
	p.dead = true
}

func (p *parser) readLine(n int, line string) {
	toks, badCol, bad := lexLine(line)
	p.line, p.toks, p.i, p.dead = n, toks, 0, false
	if bad != "" {
		p.tell(n, badCol, bad, "")
		return
	}
	if len(toks) == 0 {
		return
	}
	for _, setup := range setupTable() {
		if toks[0].is(setup.word) {
			p.setup(setup)
			p.end()
			return
		}
	}
	p.statement()
	p.end()
}

// next takes a token; past the end it is an empty one there.
func (p *parser) next() token {
	t := p.peek()
	if p.i < len(p.toks) {
		p.i++
	}
	return t
}

func (p *parser) peek() token {
	if p.dead || p.i >= len(p.toks) {
		col := 1
		if n := len(p.toks); n > 0 {
			last := p.toks[n-1]
			col = last.col + len([]rune(last.text))
			if last.quoted {
				col += 2
			}
		}
		return token{col: col}
	}
	return p.toks[p.i]
}

func (p *parser) more() bool { return !p.dead && p.i < len(p.toks) }

// take takes the next token when it is this word.
func (p *parser) take(word string) bool {
	if p.more() && p.toks[p.i].is(word) {
		p.i++
		return true
	}
	return false
}

func (p *parser) need(word string) bool {
	if p.take(word) {
		return true
	}
	p.fail(p.peek(), fmt.Sprintf("%s stands where %q should", p.peek().show(), word), "")
	return false
}

func (p *parser) end() {
	if p.more() {
		p.fail(p.peek(), fmt.Sprintf("%s is too much here", p.peek().show()), "")
	}
}

// oneOf takes one of these words. what names them: "a state of a ride".
func (p *parser) oneOf(what string, words []string) string {
	t := p.next()
	if !t.quoted && slices.Contains(words, t.text) {
		return t.text
	}
	p.fail(t, fmt.Sprintf("%s is not %s", t.show(), what), hint(t.text, words))
	return ""
}

// name takes a name that must be one of these; a wrong one is told, and the rest
// of the line read all the same.
func (p *parser) name(what string, words []string) string {
	t := p.next()
	switch {
	case slices.Contains(words, t.text):
	case t.text == "" && !t.quoted:
		p.fail(t, "here goes "+what, list(words))
	default:
		p.note(t, fmt.Sprintf("there is no %s %q", strings.TrimPrefix(strings.TrimPrefix(what, "a "), "the "), t.text), hint(t.text, words))
	}
	return t.text
}

func list(words []string) string {
	if len(words) == 0 {
		return ""
	}
	return "one of " + strings.Join(words, ", ")
}

func (p *parser) lift() string    { return p.name("a lift", liftWords()) }
func (p *parser) robot() string   { return p.name("a robot", robotWords()) }
func (p *parser) landing() string { return p.name("a landing", landingWords()) }

var idShape = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$`)

// ride takes the id of a ride that is asked for somewhere in the file.
func (p *parser) ride() string {
	t := p.next()
	if !idShape.MatchString(t.text) {
		p.fail(t, fmt.Sprintf("%s is no id of a ride", t.show()), "letters, digits, - and _, 64 at most")
		return ""
	}
	if !p.dead {
		p.named = append(p.named, naming{t.text, p.line, t.col})
	}
	return t.text
}

func (p *parser) duration(lo, hi time.Duration) time.Duration {
	t := p.next()
	d, err := time.ParseDuration(t.text)
	switch {
	case err != nil || t.quoted:
		p.fail(t, fmt.Sprintf("%s is no duration", t.show()), "write 12s, 800ms, 2m or 1m30s")
		p.dead = t.text == "" || t.text[0] < '0' || t.text[0] > '9' // a number alone lacks its unit: read on
		return 0
	case d < lo || d > hi:
		p.note(t, fmt.Sprintf("%s is out of range", t.show()), fmt.Sprintf("from %s to %s", short(lo), short(hi)))
		return 0
	}
	return d
}

func (p *parser) number(lo, hi int) int {
	t := p.next()
	n, err := strconv.Atoi(t.text)
	switch {
	case err != nil || t.quoted:
		p.fail(t, fmt.Sprintf("%s is no whole number", t.show()), fmt.Sprintf("from %d to %d", lo, hi))
		return 0
	case n < lo || n > hi:
		p.note(t, fmt.Sprintf("%s is out of range", t.show()), fmt.Sprintf("from %d to %d", lo, hi))
		return 0
	}
	return n
}

// text takes a word or a quoted text that is not empty.
func (p *parser) text(what string) string {
	t := p.next()
	if t.text == "" || t.is(",") {
		p.fail(t, "here goes "+what, "")
	}
	return t.text
}

// short writes a duration without the zero parts that Go writes: 3m, not 3m0s.
func short(d time.Duration) string {
	s := d.String()
	if strings.HasSuffix(s, "m0s") {
		s = strings.TrimSuffix(s, "0s")
	}
	if strings.HasSuffix(s, "h0m") {
		s = strings.TrimSuffix(s, "0m")
	}
	return s
}

// checkWhole looks at what only the whole file shows.
func (p *parser) checkWhole() {
	var ids []string
	for id := range p.rides {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, n := range p.named {
		if _, ok := p.rides[n.ride]; !ok {
			h := "ask for it first: at 0s ride " + n.ride + " R1 from G to 3"
			if len(ids) > 0 {
				h = hint(n.ride, ids)
			}
			p.tell(n.line, n.col, fmt.Sprintf("ride %q is never asked for", n.ride), h)
		}
	}
	for _, n := range p.areas {
		if all := p.s.areaWords(); !slices.Contains(all, n.ride) {
			p.tell(n.line, n.col, fmt.Sprintf("there is no area %q", n.ride), hint(n.ride, all))
		}
	}
	if len(p.s.statements) == 0 && len(p.faults) == 0 {
		p.tell(1, 1, "nothing happens in this file", "write for example: at 0s ride r1 R1 from G to 3")
	}
	p.checkTimes()
	if p.s.OnlyVirtual == "" {
		p.s.OnlyVirtual = p.s.beyondWires()
	}
}

// checkTimes finds what could only come after the end of the run.
func (p *parser) checkTimes() {
	end := p.s.Lasts
	if end == 0 {
		return
	}
	for i := range p.s.statements {
		st := &p.s.statements[i]
		what := ""
		switch {
		case st.start == atTime && st.at > end:
			what = short(st.at)
		case st.kind == coming && st.start == atOnce && st.of == nil && st.within > end:
			what = short(st.within)
		}
		if what != "" {
			p.tell(st.line, st.col, what+" is after the end of the run", "it lasts "+short(end))
		}
	}
}
