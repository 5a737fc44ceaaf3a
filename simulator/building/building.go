package building

import (
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"
)

// Why an act came to nothing. Test with errors.Is.
var (
	ErrNoCar     = errors.New("no such car")
	ErrNoGroup   = errors.New("no such group")
	ErrNoLanding = errors.New("no such landing or button")
	ErrNoDoor    = errors.New("no such door")
	ErrRange     = errors.New("value out of range")
	ErrLocked    = errors.New("landing is locked")
	ErrBusy      = errors.New("not in this state")
)

// Building is a set of lifts at one instant. It has one owner: no method is safe
// to call while another runs. It starts at instant 0, in which nothing moves.
type Building struct {
	now    elevator.Instant
	cars   []car
	due    []elevator.Instant // the next event of each car
	groups []*group
	ills   *faults.Player // nil until something is injected
	pulse  pulse
	asked  int    // the car that was asked for last
	stamp  uint64 // another one whenever something happens, by itself or by an act

	soon  elevator.Instant // the next event of all and whose it is, while sure
	whose int
	sure  bool
}

// pulse tells which cars something happened to, by bits of their numbers, since
// the building came to rest: everything else is as it was.
type pulse struct {
	look   uint64 // people look at them again, and their next event is another
	decide uint64 // they decide anew
	supply bool   // some are on the generator, or were
}

// New makes a building from its description, or says all that is wrong with it.
func New(c Config) (*Building, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("building: %w", err)
	}
	b := &Building{stamp: 1, cars: make([]car, len(c.Cars)), due: make([]elevator.Instant, len(c.Cars))}
	for i := range c.Cars {
		b.cars[i] = newCar(c.Cars[i])
		k := &b.cars[i]
		k.selected = slices.Contains(c.Emergency.Selected, k.conf.ID)
		k.haven = k.recall
		if c.Emergency.Landing != "" {
			k.haven = k.conf.byLabel(c.Emergency.Landing)
		}
		k.number, k.pulse = i, &b.pulse
		b.due[i] = k.next()
	}
	b.group(c.Groups)
	return b, nil
}

// Now is the instant up to which the building has lived.
func (b *Building) Now() elevator.Instant { return b.now }

// Advance lives on to now. An instant that has passed changes nothing.
func (b *Building) Advance(now elevator.Instant) {
	for {
		at, who := b.earliest()
		if at > now {
			break
		}
		// What fell due while something forbade it happens when that has gone: now.
		b.now = max(b.now, at)
		switch {
		case who == trouble:
			b.ills.Expire(b.now)
			b.ail()
		case who < trouble:
			b.groups[trouble-1-who].fire(b.now)
		default:
			b.cars[who].fire(b.now)
			if b.pulse.look == 0 {
				b.due[who] = b.cars[who].next()
			}
		}
		b.react()
	}
	b.now = max(b.now, now)
}

// Next is the instant of the next thing that will happen by itself, 0 for none.
// Until then places and doors move on by their formulas alone, and what counts
// down (a hold, a shown error) runs on without an event.
func (b *Building) Next() elevator.Instant {
	at, _ := b.earliest()
	if at == never {
		return 0
	}
	return max(at, b.now)
}

// trouble stands for the faults where a car's number is expected, and what is
// below it for the groups.
const trouble = -1

// earliest is the first event of all; of several at one instant that of a fault,
// then the people's, then in order of the cars. Who is in the doorway goes on
// before the door closes.
func (b *Building) earliest() (elevator.Instant, int) {
	if !b.sure {
		b.soon, b.whose = b.first()
		b.sure = true
	}
	return b.soon, b.whose
}

// first looks for it. What it finds holds until something happens.
func (b *Building) first() (elevator.Instant, int) {
	at, who := never, trouble
	if b.ills != nil {
		if t := b.ills.Next(); t != 0 {
			at = t
		}
	}
	for i, g := range b.groups {
		if t := g.next(); t < at {
			at, who = t, trouble-1-i
		}
	}
	for i, t := range b.due {
		if t < at {
			at, who = t, i
		}
	}
	return at, who
}

// react lets everybody do what the lifts now allow, and the lifts what people now
// want. It follows every event and every act, and depends on nothing that changes
// between those.
func (b *Building) react() {
	b.happened()
	for _, g := range b.groups {
		g.react(b.now)
	}
	b.settle()
	for _, g := range b.groups {
		g.review(b.now) // once: no two cars play a call back and forth in one instant
	}
	b.settle()
}

// happened forgets what was known of the cars, and of what comes next.
func (b *Building) happened() {
	b.sure = false
	b.stamp++
}

// settle lets the cars decide, and those to which that makes a difference.
func (b *Building) settle() {
	p := &b.pulse
	for p.look|p.decide != 0 {
		all := p.look | p.decide
		for left := all; left != 0; left &= left - 1 {
			b.cars[bits.TrailingZeros64(left)].decide(b.now)
		}
		if p.supply {
			b.takeTurns()
		}
		// Who was touched by a car after it goes round again.
		again := p.decide
		p.look, p.decide = 0, again
		for left := all; left != 0; left &= left - 1 {
			c := &b.cars[bits.TrailingZeros64(left)]
			b.due[c.number] = c.next()
		}
	}
}

// IDs lists the cars in order.
func (b *Building) IDs() []string {
	ids := make([]string, len(b.cars))
	for i := range b.cars {
		ids[i] = b.cars[i].conf.ID
	}
	return ids
}

// Table is the floor table of a car, nil for an unknown one.
func (b *Building) Table(id string) elevator.Table {
	if c := b.car(id); c != nil {
		return c.conf.Table()
	}
	return nil
}

func (b *Building) car(id string) *car {
	if b.asked < len(b.cars) && b.cars[b.asked].conf.ID == id { // mostly the same again
		return &b.cars[b.asked]
	}
	for i := range b.cars {
		if b.cars[i].conf.ID == id {
			b.asked = i
			return &b.cars[i]
		}
	}
	return nil
}

// act finds the car, does do with it, and lets at once happen what follows at once.
func (b *Building) act(id string, do func(*car) error) error {
	c := b.car(id)
	if c == nil {
		return fmt.Errorf("car %q: %w", id, ErrNoCar)
	}
	b.happened() // what is refused may be a fault that has struck
	if err := do(c); err != nil {
		return fmt.Errorf("car %q: %w", id, err)
	}
	c.touch()
	c.settle(b.now)
	c.aim(b.now)
	b.react()
	b.Advance(b.now)
	return nil
}
