package commission

import (
	"cmp"
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"hoistway/drivers/modbus"
	"hoistway/drivers/profiles"
)

// Learned is what a unit tells of itself by being read.
type Learned struct {
	Identity []string   `json:"identity"` // vendor, product, version; empty: it does not say
	Cap      int        `json:"cap"`      // most registers in one read; 0: not found
	CapNote  string     `json:"cap_note"`
	Near     []Neighbor `json:"near"` // around the place where a value is expected
	Base     string     `json:"base"` // what they say of the manual's counting
	Fits     []Fit      `json:"fits"` // profiles of the catalog that could be its; none is chosen
	Notes    []Finding  `json:"notes"`
}

// Neighbor is one address and what stands there.
type Neighbor struct {
	Question string `json:"question"`
	Value    string `json:"value"` // a number, or the exception
	Expected bool   `json:"expected"`
}

// Fit is a profile that the unit answers to.
type Fit struct {
	Profile string `json:"profile"`
	Reads   int    `json:"reads"`
	Of      int    `json:"of"`
	Known   int    `json:"points_known"` // points whose value the profile has a word for
	Points  int    `json:"points"`
	Matched bool   `json:"matched"` // by rules of its own; false: only by its reads
}

// Expect is a value that the installer sees at the lift.
type Expect struct {
	At    profiles.Block // one register
	Value uint16
}

// Learn reads more of a unit that was found. It writes nothing.
func (w World) Learn(ctx context.Context, link *url.URL, p *profiles.Profile, lib profiles.Library, expect *Expect, wait time.Duration) (Learned, error) {
	m, err := ModeOf(link)
	if err != nil {
		return Learned{}, err
	}
	raw, err := w.raw(ctx, link, m, nil)
	if err != nil {
		return Learned{}, err
	}
	defer func() { _ = raw.Close() }()
	l := learner{raw: raw, unit: unitOf(link), wait: wait, where: LineOf(link), out: Learned{Identity: []string{}, Near: []Neighbor{}, Fits: []Fit{}, Notes: []Finding{}}}
	for _, step := range []func(context.Context){
		l.identify, l.twins,
		func(ctx context.Context) { l.learnCap(ctx, p) },
		func(ctx context.Context) { l.neighbors(ctx, expect) },
		func(ctx context.Context) { l.suggest(ctx, lib) },
	} {
		if ctx.Err() == nil && l.err == nil {
			step(ctx)
		}
	}
	return l.out, l.err
}

type learner struct {
	raw   *modbus.Raw
	unit  byte
	wait  time.Duration
	where string
	out   Learned
	texts []string // of the identification
	err   error
}

func (l *learner) ask(ctx context.Context, pdu []byte) modbus.Reply {
	rep, err := l.raw.Ask(ctx, l.unit, pdu, l.wait)
	if err != nil && l.err == nil {
		l.err = err
	}
	return rep
}

func (l *learner) identify(ctx context.Context) {
	rep := l.ask(ctx, modbus.IdentityPDU())
	if rep.Kind != modbus.Answered {
		return
	}
	l.texts = identityOf(rep.PDU)
	for i, text := range l.texts {
		l.out.Identity = append(l.out.Identity, fmt.Sprintf("%s %s", []string{"vendor", "product", "version"}[min(i, 2)], text))
	}
}

// identityOf takes what is whole of an identification.
func identityOf(pdu []byte) []string {
	texts, _ := modbus.Identity(pdu)
	return texts
}

// twins asks the same a few times: good and damaged answers in turn, or two at
// once, are two devices of one id.
func (l *learner) twins(ctx context.Context) {
	good, bad, double := 0, 0, 0
	for range 6 {
		rep := l.ask(ctx, firstRead(nil))
		switch {
		case rep.Frames > 1:
			double++
		case rep.Kind == modbus.Damaged || rep.Stray > 0:
			bad++
		case rep.Kind != modbus.Silence:
			good++
		}
	}
	switch {
	case double > 0:
		l.out.Notes = append(l.out.Notes, shared(l.where, l.unit, fmt.Sprintf("%d of 6 questions were answered twice", double)))
	case bad > 0 && good > 0:
		l.out.Notes = append(l.out.Notes, shared(l.where, l.unit, fmt.Sprintf("of 6 answers %d were good and %d damaged", good, bad)))
	}
}

// learnCap searches the most registers of one read. An exception 3 is a cap; with
// an exception 2 only the addresses end, and a cap cannot be told.
func (l *learner) learnCap(ctx context.Context, p *profiles.Profile) {
	b := profiles.Block{Table: profiles.HoldingRegisters}
	if p != nil {
		for _, x := range p.ReadPlan() {
			if x.Table == profiles.HoldingRegisters || x.Table == profiles.InputRegisters {
				b = x
				break
			}
		}
	}
	good, bad, why := 0, 126, ""
	for good+1 < bad && ctx.Err() == nil && l.err == nil {
		n := (good + bad) / 2
		if bad == 126 && good == 0 {
			n = 125
		}
		b.Count = uint16(n)
		if int(b.Addr)+n > 1<<16 {
			bad = n
			continue
		}
		rep := l.ask(ctx, modbus.ReadPDU(b))
		if rep.Kind == modbus.Answered {
			good = n
			continue
		}
		bad, why = n, rep.Kind.String()
		if rep.Kind == modbus.Exception {
			why = fmt.Sprintf("exception %d", rep.Code)
		}
	}
	from := fmt.Sprintf("%s:%d", b.Table, b.Addr)
	switch {
	case good == 0:
		l.out.CapNote = "not found: " + from + " cannot be read"
	case good == 125:
		l.out.Cap, l.out.CapNote = 125, "all that the standard allows"
	case why == "exception 3", why == modbus.Silence.String():
		l.out.Cap, l.out.CapNote = good, fmt.Sprintf("one more brings %s; write limits: {max_read: %d} in the profile", why, good)
	default:
		l.out.CapNote = fmt.Sprintf("not found: from %s on %d registers can be read, then %s", from, good, why)
	}
}

// neighbors shows the registers around the place where a value is expected.
func (l *learner) neighbors(ctx context.Context, e *Expect) {
	if e == nil {
		return
	}
	hit := []string{}
	for d := -1; d <= 1; d++ {
		n := int(e.At.Addr) + d
		if n < 0 || n > 0xFFFF {
			continue
		}
		b := profiles.Block{Table: e.At.Table, Addr: uint16(n), Count: 1}
		rep := l.ask(ctx, modbus.ReadPDU(b))
		x := Neighbor{Question: fmt.Sprintf("%s:%d", b.Table, n), Value: rep.Kind.String()}
		if rep.Kind == modbus.Exception {
			x.Value = fmt.Sprintf("exception %d", rep.Code)
		}
		if rep.Kind == modbus.Answered {
			if ws, err := modbus.Words(b, rep.PDU); err == nil {
				x.Value, x.Expected = fmt.Sprint(ws[0]), ws[0] == e.Value
			}
		}
		if x.Expected {
			hit = append(hit, []string{"one below: the manual counts from 1", "where it was expected: the manual counts from 0", "one above: the manual's numbers are one too low"}[d+1])
		}
		l.out.Near = append(l.out.Near, x)
	}
	switch len(hit) {
	case 0:
		l.out.Base = fmt.Sprintf("%d stands at none of them", e.Value)
	case 1:
		l.out.Base = fmt.Sprintf("%d stands %s", e.Value, hit[0])
	default:
		l.out.Base = fmt.Sprintf("%d stands at several of them: move the car and ask again", e.Value)
	}
}

// suggest holds each Modbus profile of the library against the unit: by its match
// rules where it has some, and by whether its reads are answered. It never chooses.
func (l *learner) suggest(ctx context.Context, lib profiles.Library) {
	for _, id := range lib.IDs() {
		file, src, _ := lib.Lookup(id)
		p, faults := lib.Parse(file, src)
		if p == nil || len(faults) > 0 || len(p.ReadPlan()) == 0 || !l.matches(ctx, p.Facts().Match) {
			continue
		}
		if f, ok := l.fit(ctx, p); ok {
			l.out.Fits = append(l.out.Fits, f)
		}
		if l.err != nil || ctx.Err() != nil {
			return
		}
	}
	slices.SortStableFunc(l.out.Fits, func(a, b Fit) int { return cmp.Or(rank(b)-rank(a), b.Known-a.Known) })
	l.out.Fits = l.out.Fits[:min(len(l.out.Fits), maxFits)]
}

// maxFits bounds what is suggested: a controller that answers to everything tells
// little by it.
const maxFits = 5

func rank(f Fit) int {
	if f.Matched {
		return 1
	}
	return 0
}

// matches asks what the rules of a profile want; no rules match all.
func (l *learner) matches(ctx context.Context, rules []profiles.Match) bool {
	for _, m := range rules {
		if m.Text != "" {
			if m.Object >= len(l.texts) || !strings.HasPrefix(l.texts[m.Object], m.Text) {
				return false
			}
			continue
		}
		b := profiles.Block{Table: m.Table, Addr: m.Addr, Count: 1}
		rep := l.ask(ctx, modbus.ReadPDU(b))
		words, err := modbus.Words(b, rep.PDU)
		if rep.Kind != modbus.Answered || err != nil || !slices.Contains(m.Equals, words[0]) {
			return false
		}
	}
	return true
}

func (l *learner) fit(ctx context.Context, p *profiles.Profile) (Fit, bool) {
	t := Target{Profile: p, Floors: madeUp(p)}
	f := Fit{Profile: p.ID, Matched: len(p.Facts().Match) > 0, Of: len(p.ReadPlan()), Points: len(Points(p))}
	r := player{Target: t, played: &Played{}, unit: l.unit}
	for _, b := range p.ReadPlan() {
		rep := l.ask(ctx, modbus.ReadPDU(b))
		if rep.Kind != modbus.Answered {
			return f, false // a profile whose reads are refused is not this board's
		}
		words, err := modbus.Words(b, rep.PDU)
		if err != nil {
			return f, false
		}
		f.Reads++
		r.step(modbus.Passed{Unit: l.unit, At: 1, Block: b, Words: words})
	}
	for _, row := range r.played.Steps[len(r.played.Steps)-1].Rows {
		if row.Value != "" && row.Quality != "failed" {
			f.Known++
		}
	}
	return f, f.Known*2 > f.Points
}
