package serial

import (
	"context"
	"fmt"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

// Line is the factory for serial:///dev/…?baud=9600&parity=none&stop=1&data=8.
func Line(lines *fieldbus.Lines, env drivers.Env) drivers.Factory {
	return factory(Scheme, lines, env)
}

// TCP is the factory for serial+tcp://host:port.
func TCP(lines *fieldbus.Lines, env drivers.Env) drivers.Factory {
	return factory(SchemeTCP, lines, env)
}

// UDP is the factory for serial+udp://host:port?listen=:52000&group=239.64.0.1.
func UDP(lines *fieldbus.Lines, env drivers.Env) drivers.Factory {
	return factory(SchemeUDP, lines, env)
}

func factory(scheme string, lines *fieldbus.Lines, env drivers.Env) drivers.Factory {
	shelf := &drivers.Shelf[*profiles.Profile]{}
	return drivers.Factory{Scheme: scheme, New: func(s drivers.Spec) (drivers.Opener, error) {
		p, err := shelf.Get(s.ProfileName, s.Profile, func() (*profiles.Profile, error) { return profiles.Whole(s.ProfileName, s.Profile) })
		if err != nil {
			return nil, err
		}
		if p.Frames() == nil {
			return nil, fmt.Errorf("%w: profile %s speaks %s, the link %s speaks frames", drivers.ErrConfig, s.ProfileName, p.Protocol, scheme)
		}
		return newOpener(lines, env, s, p)
	}}
}

// opener is a checked link that is not started.
type opener struct {
	target
	lines  *fieldbus.Lines
	env    drivers.Env
	lift   string
	prof   *profiles.Profile
	floors elevator.Table
	reads  []reading
	probes []string // messages that only ask, for a look whether somebody is there
}

// reading is one question of the read plan.
type reading struct {
	profiles.Source
	args map[string]profiles.Raw
	wire int // of a landing, where there is one question for each
	each *profiles.Each
}

func newOpener(lines *fieldbus.Lines, env drivers.Env, s drivers.Spec, p *profiles.Profile) (*opener, error) {
	to, err := parseTarget(s.URL, p)
	if err != nil {
		return nil, fmt.Errorf("link %s: %w", s.URL.Redacted(), err)
	}
	if to.frames.Listens() {
		to.line.Cut = func(in []byte) fieldbus.Heard { return heard(to.frames.Cut(in)) }
	}
	if err := lines.Reserve(to.line); err != nil {
		return nil, fmt.Errorf("link %s: %w", s.URL.Redacted(), err)
	}
	o := &opener{target: to, lines: lines, env: env, lift: s.Lift, prof: p, floors: s.Floors}
	for _, src := range p.Sources() {
		o.plan(src)
	}
	for _, m := range p.Frames().Messages() {
		if p.Harmless(m) && p.Frames().Each(m) == nil {
			o.probes = append(o.probes, m)
		}
	}
	for _, r := range o.reads {
		if _, err := o.frames.Ask(r.Name, r.args, 0); err != nil {
			return nil, fmt.Errorf("profile %s: %w", s.ProfileName, err)
		}
	}
	return o, nil
}

// plan adds the questions of a source. What comes unasked, or only as the answer to a
// command, is not asked for.
func (o *opener) plan(s profiles.Source) {
	if !o.prof.Harmless(s.Name) {
		return
	}
	e := o.frames.Each(s.Name)
	if e == nil {
		o.reads = append(o.reads, reading{Source: s})
		return
	}
	for i := range o.floors {
		w := o.floors[i].Wire
		o.reads = append(o.reads, reading{s, map[string]profiles.Raw{e.Argument: profiles.RawOfInt(int64(w))}, w, e})
	}
}

// Open joins the line. It does not wait for the controller.
func (o *opener) Open(context.Context) (drivers.Link, error) {
	l := &link{
		opener: o, view: view.New(o.env.Now, o.frames.Silence()), shut: make(chan struct{}),
		quiet: o.env.Now(), lamps: map[string]map[int]lamp{},
	}
	m := fieldbus.Member{Unit: o.frames.Unit(), Timeout: o.timeout, Line: l.lineState}
	if o.frames.Listens() {
		m.Overhear = l.overhear
	}
	for i := range o.reads {
		m.Polls = append(m.Polls, l.poll(i))
	}
	port, err := o.lines.Join(o.line, m)
	if err != nil {
		return nil, err
	}
	l.port = port
	return l, nil
}

// heard translates a deframer's verdict for the line.
func heard(c profiles.Cut) fieldbus.Heard {
	h := fieldbus.Heard{N: c.N, Note: c.Note}
	switch c.Verdict {
	case profiles.CutSkip:
		h.Verdict = fieldbus.Skip
	case profiles.CutTake:
		h.Verdict = fieldbus.Take
	case profiles.CutSpoilt:
		h.Verdict = fieldbus.Spoilt
	default:
		h.Verdict = fieldbus.More
	}
	return h
}
