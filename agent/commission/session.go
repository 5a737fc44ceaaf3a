package commission

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"hoistway/drivers"
	"hoistway/drivers/all"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/modbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// Target is a controller and what is known of it.
type Target struct {
	Link    *url.URL
	Name    string // of the profile; "" is none: only raw questions
	Source  []byte
	Floors  elevator.Table // nil: made up from the profile's own numbers
	Profile *profiles.Profile
}

// Bare is the target for one raw question: no polls where the protocol has questions
// without a profile.
func (t Target) Bare() Target {
	if IsModbus(t.Link) {
		t.Profile = nil
	}
	return t
}

// WithProfile fills in the profile. Its faults come as one error.
func (t Target) WithProfile(name string, src []byte) (Target, error) {
	p, faults := profiles.Parse(name, src)
	if p == nil {
		var words []string
		for _, f := range faults {
			words = append(words, f.Error())
		}
		return t, fmt.Errorf("profile %s: %s", name, strings.Join(words, "; "))
	}
	t.Name, t.Source, t.Profile = name, src, p
	if t.Floors == nil {
		t.Floors = madeUp(p)
	}
	return t, nil
}

// madeUp is a floor table for those who have none yet: each number of the
// controller is its own label.
func madeUp(p *profiles.Profile) elevator.Table {
	lo, hi := p.WireRange()
	var doors []elevator.Side
	for s := elevator.Front; int(s) < elevator.Sides; s++ {
		if p.HasDoor(s) {
			doors = append(doors, s)
		}
	}
	var t elevator.Table
	for n := lo; n <= hi && len(t) < elevator.MaxFloors; n++ {
		t = append(t, elevator.Landing{Label: fmt.Sprintf("#%d", n), Wire: n, Doors: doors})
	}
	return t
}

// Session is an open controller, driven as the agent would. Close it.
type Session struct {
	Target
	Link    drivers.Link   // nil without a profile
	Prober  drivers.Prober // nil where the driver takes no raw questions
	Now     func() elevator.Instant
	Traffic *Traffic

	close func() error
}

// Open opens a controller; with no profile nothing is sent until something is
// asked. trace gets each frame as well, and may be nil.
func (w World) Open(ctx context.Context, t Target, trace func(drivers.Frame)) (*Session, error) {
	s := &Session{Target: t, Traffic: &Traffic{}}
	env := w.env(func(f drivers.Frame) {
		s.Traffic.note(f)
		if trace != nil {
			trace(f)
		}
	})
	s.Now = env.Now
	lines := fieldbus.NewLines(env)
	if t.Profile == nil {
		return s, s.bare(lines, env)
	}
	if err := suits(t.Link, t.Profile); err != nil {
		return nil, err
	}
	registry, err := all.Builtin(lines, env)
	if err != nil {
		return nil, err
	}
	opener, err := registry.New(drivers.Spec{Lift: "lift", URL: t.Link, ProfileName: t.Name, Profile: t.Source, Floors: t.Floors})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrSpec, err)
	}
	if s.Link, err = opener.Open(ctx); err != nil { // an absent controller is no error
		return nil, fmt.Errorf("%w: %w", ErrSpec, err)
	}
	s.Prober, _ = drivers.As[drivers.Prober](s.Link)
	s.close = func() error { return errors.Join(s.Link.Close(), lines.CloseAll()) }
	return s, nil
}

func (s *Session) bare(lines *fieldbus.Lines, env drivers.Env) error {
	if !IsModbus(s.Target.Link) {
		return fmt.Errorf("%w: a link of %s is asked in the messages of its profile: name one with --profile", ErrSpec, s.Target.Link.Scheme)
	}
	b, err := modbus.NewBare(lines, env, s.Target.Link)
	if err != nil {
		return err
	}
	s.Prober = b
	s.close = func() error { return errors.Join(b.Close(), lines.CloseAll()) }
	return nil
}

// Questions is who takes raw questions, where the driver does.
func (s *Session) Questions() (drivers.Prober, error) {
	if s.Prober == nil {
		return nil, fmt.Errorf("%w: a link of %s takes no raw questions", drivers.ErrNotCapable, s.Target.Link.Scheme)
	}
	return s.Prober, nil
}

// Close ends the link and its line.
func (s *Session) Close() error { return s.close() }

// Plan is what the link reads; nil where it does not tell.
func (s *Session) Plan() []drivers.PlannedRead {
	if p, ok := drivers.As[drivers.Planned](s.Link); ok && s.Link != nil {
		return p.Plan()
	}
	return nil
}
