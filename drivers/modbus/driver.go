package modbus

import (
	"context"
	"fmt"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

// profile is what a link needs of a vendor profile; *profiles.Profile has it.
type profile interface {
	ReadPlan() []profiles.Block
	Decode(b profiles.Block, words []uint16, floors elevator.Table, at elevator.Instant, into *elevator.Snapshot) error
	Fail(b profiles.Block, into *elevator.Snapshot)
	Encode(c elevator.Command, floors elevator.Table, now elevator.Instant) (profiles.Action, error)
	Refused(x profiles.Press, s *elevator.Snapshot) (profiles.Refusal, bool)
	Ready(c elevator.Command, s *elevator.Snapshot, floors elevator.Table, now elevator.Instant) error
	Proven(c elevator.Command, s *elevator.Snapshot, floors elevator.Table, since elevator.Instant) bool
	Age(now elevator.Instant, into *elevator.Snapshot)
	Spans(b profiles.Block) []profiles.Block
	Device() profiles.Device
}

// TCP is the factory for modbus+tcp://host:port?unit=1.
func TCP(lines *fieldbus.Lines, env drivers.Env) drivers.Factory {
	return factory(SchemeTCP, lines, env)
}

// RTU is the factory for modbus+rtu:///dev/…?baud=9600&parity=none&stop=1&unit=1.
func RTU(lines *fieldbus.Lines, env drivers.Env) drivers.Factory {
	return factory(SchemeRTU, lines, env)
}

// RTUOverTCP is the factory for modbus+rtu+tcp://host:port?unit=1: a serial
// server that passes RTU frames as they are.
func RTUOverTCP(lines *fieldbus.Lines, env drivers.Env) drivers.Factory {
	return factory(SchemeRTUOverTCP, lines, env)
}

func factory(scheme string, lines *fieldbus.Lines, env drivers.Env) drivers.Factory {
	shelf := &drivers.Shelf[*profiles.Profile]{}
	return drivers.Factory{Scheme: scheme, New: func(s drivers.Spec) (drivers.Opener, error) {
		p, err := shelf.Get(s.ProfileName, s.Profile, func() (*profiles.Profile, error) { return profiles.Whole(s.ProfileName, s.Profile) })
		if err != nil {
			return nil, err
		}
		return newOpener(lines, env, s, p)
	}}
}

// opener is a checked link that is not started.
type opener struct {
	lines  *fieldbus.Lines
	env    drivers.Env
	lift   string
	to     target
	prof   profile
	floors elevator.Table
	blocks []profiles.Block
}

func newOpener(lines *fieldbus.Lines, env drivers.Env, s drivers.Spec, p profile) (*opener, error) {
	to, err := parseTarget(s.URL)
	if err != nil {
		return nil, fmt.Errorf("link %s: %w", s.URL.Redacted(), err)
	}
	if err := lines.Reserve(to.line); err != nil {
		return nil, fmt.Errorf("link %s: %w", s.URL.Redacted(), err)
	}
	var blocks []profiles.Block
	for _, b := range p.ReadPlan() {
		blocks = append(blocks, fit(b, p.Spans(b), to.line.Mode.Baud)...)
	}
	if len(blocks) == 0 {
		return nil, fmt.Errorf("profile %s reads nothing over Modbus", s.ProfileName)
	}
	for _, b := range blocks {
		if err := checkBlock(b); err != nil {
			return nil, fmt.Errorf("profile %s: %w", s.ProfileName, err)
		}
	}
	if d := p.Device(); d.ReplyTimeout > 0 && !to.timed {
		to.timeout = d.ReplyTimeout
	}
	return &opener{lines, env, s.Lift, to, p, s.Floors, blocks}, nil
}

// Open joins the line. It does not wait for the controller.
func (o *opener) Open(context.Context) (drivers.Link, error) {
	l := &link{
		opener: o, speak: newSpeaker(o.to, o.prof.Device(), o.env.Now), shut: make(chan struct{}),
		quiet: o.env.Now(), period: o.blocks[0].Every,
	}
	l.probing = newAsker(o.lines, o.env, o.to, l.speak)
	for _, b := range o.blocks {
		l.period = min(l.period, b.Every)
	}
	l.view = view.New(o.env.Now, max(offlineAfter, 2*l.period)) // one that is read each 5 s is not offline between
	m := fieldbus.Member{Unit: o.to.unit, Timeout: o.to.timeout, Line: l.lineState}
	for _, b := range o.blocks {
		r := newReading(b, o.prof.Spans(b))
		l.readings = append(l.readings, r)
		m.Polls = append(m.Polls, l.poll(r))
	}
	if f := o.prof.Device().Feed; f != nil {
		m.Feed = &fieldbus.Feed{Every: f.Every, Ask: func(w *fieldbus.Wire) error { return l.speak.write(w, f.Write) }}
	}
	port, err := o.lines.Join(o.to.line, m)
	if err != nil {
		return nil, err
	}
	l.port = port
	return l, nil
}

// fast reports whether a block belongs to the fast points: those read at the
// shortest period.
func (l *link) fast(b profiles.Block) bool { return b.Every <= l.period }

// offlineAfter is how long no read may succeed before a link is offline, where the
// profile does not read more seldom.
const offlineAfter = 5 * time.Second
