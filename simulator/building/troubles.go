package building

import (
	"fmt"

	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"
)

// illness is what the faults that are on, or off, make of a car. Comparable.
type illness struct {
	forced       forced
	noShow       bool
	overload     bool
	floorUnknown bool
	floorStuck   bool
	floor        elevator.Floor // shown while it is stuck
	doorUnknown  bool
	locked       elevator.FloorSet
	blocked      [elevator.Sides]bool
	stuck        [elevator.Sides]bool
}

// forced is the mode or service in which a fault puts a car.
type forced struct {
	on      bool
	mode    elevator.Mode
	special special
}

// services are the faults that put a car in a mode or service. Of several at a
// time the first in this list counts.
var services = []struct {
	kind    string
	mode    elevator.Mode
	special special
}{
	{"power-loss", elevator.Normal, dark},
	{"restart", elevator.Normal, booting},
	{"emergency-stop", elevator.EmergencyStop, ordinary},
	{"inspection", elevator.Inspection, ordinary},
	{"fire-phase-2", elevator.Normal, firefighter},
	{"fire", elevator.Fire, ordinary},
	{"seismic", elevator.Seismic, ordinary},
	{"emergency-power", elevator.Normal, supplied},
	{"out-of-service", elevator.OutOfService, ordinary},
	{"independent", elevator.Independent, ordinary},
}

// Inject begins a fault of a controller now. It is ErrNoCar, ErrNoLanding or
// ErrNoDoor where the building has no such thing, ErrRange for a kind of another
// family, and else what the player says.
func (b *Building) Inject(f faults.Fault) error {
	if err := b.injectable(&f); err != nil {
		return fmt.Errorf("fault %s %s: %w", f.Target, f.Kind, err)
	}
	if b.ills == nil {
		b.ills = &faults.Player{}
		for i := range b.cars {
			b.cars[i].player = b.ills
		}
	}
	if err := b.ills.Begin(f, b.now); err != nil {
		return err
	}
	b.changed()
	return nil
}

// injectable checks what only the building knows, and spells out what the
// argument of a kind means.
func (b *Building) injectable(f *faults.Fault) error {
	kind, known := faults.Find(f.Kind)
	if !known {
		return nil // the player knows how to say that
	}
	c := b.car(f.Target)
	switch {
	case kind.Family != faults.Controller:
		return fmt.Errorf("no fault of a controller: %w", ErrRange)
	case c == nil:
		return ErrNoCar
	case kind.Takes == faults.Landing && f.Arg != "" && c.conf.byLabel(f.Arg) == 0:
		return fmt.Errorf("landing %q: %w", f.Arg, ErrNoLanding)
	case kind.Takes == faults.Side && sideOf(f.Value()) != elevator.SideUnknown && c.door(sideOf(f.Value())) == nil:
		return fmt.Errorf("%s door: %w", f.Value(), ErrNoDoor)
	}
	switch {
	case f.Kind == "door-reopens" && f.Times == 0:
		f.Times = f.Number()
	case f.Kind == "restart" && f.For == 0:
		f.For = f.Duration()
	}
	return nil
}

func sideOf(word string) elevator.Side {
	s, _ := elevator.ParseSide(word)
	return s
}

// Clear ends the faults of a target, of one kind or with "" all of them.
func (b *Building) Clear(target, kind string) {
	if b.ills != nil && b.ills.Clear(target, kind, b.now) > 0 {
		b.changed()
	}
}

// Faults lists what is on, oldest first.
func (b *Building) Faults() []faults.Active {
	if b.ills == nil {
		return nil
	}
	return b.ills.List()
}

// FaultEvents hands over what happened since it was last asked, oldest first.
func (b *Building) FaultEvents() []faults.Event {
	if b.ills == nil {
		return nil
	}
	return b.ills.Events()
}

// changed lets the faults that are on now have their way, and what follows at once.
func (b *Building) changed() {
	b.ail()
	b.react()
	b.Advance(b.now)
}

// ail puts every car in the state that the faults which are on ask for.
func (b *Building) ail() {
	for i := range b.cars {
		c := &b.cars[i]
		if is := b.diagnose(c); is != c.ills {
			c.suffer(b.now, is)
		}
	}
}

func (b *Building) diagnose(c *car) illness {
	is := illness{floor: c.ills.floor}
	rank := len(services)
	for _, f := range b.ills.List() {
		if f.Target != c.conf.ID {
			continue
		}
		for i, s := range services[:rank] {
			if s.kind == f.Kind {
				rank, is.forced = i, forced{true, s.mode, s.special}
				break
			}
		}
		switch f.Kind {
		case "no-show":
			is.noShow = true
		case "overload":
			is.overload = true
		case "floor-unknown":
			is.floorUnknown = true
		case "floor-stuck":
			is.floorStuck = true
		case "door-unknown":
			is.doorUnknown = true
		case "call-refused":
			is.locked = is.locked.With(c.conf.byLabel(f.Value()))
		case "door-blocked":
			is.blocked[sideOf(f.Value())] = true
		case "door-stuck":
			is.stuck[sideOf(f.Value())] = true
		}
	}
	return is
}

// suffer carries out what has changed.
func (c *car) suffer(now elevator.Instant, is illness) {
	was := c.ills
	if is.floorStuck && !was.floorStuck {
		x, _, _ := c.motion(now)
		is.floor = c.near(x)
	}
	c.ills = is
	c.touch()
	for _, s := range c.sides {
		d := &c.doors[s]
		if is.blocked[s] != was.blocked[s] {
			d.block(&c.conf, now, byFault, is.blocked[s])
		}
		if is.stuck[s] != was.stuck[s] {
			d.stick(&c.conf, now, byFault, is.stuck[s])
		}
	}
	if is.overload && !was.overload {
		c.reopen(now)
	}
	switch {
	case is.forced == was.forced:
	case is.forced.on:
		c.setMode(now, is.forced.mode)
		c.setSpecial(now, is.forced.special)
	default:
		c.setSpecial(now, ordinary)
		c.setMode(now, elevator.Normal)
	}
}

// meets asks whether a fault strikes at this meeting.
func (c *car) meets(now elevator.Instant, kind string) bool {
	if c.player == nil {
		return false
	}
	_, strikes := c.player.Meet(c.conf.ID, now, kind)
	return strikes
}
