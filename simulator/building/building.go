package building

import (
	"errors"
	"fmt"

	"hoistway/fsm/elevator"
)

// Why an act came to nothing. Test with errors.Is.
var (
	ErrNoCar     = errors.New("no such car")
	ErrNoLanding = errors.New("no such landing or button")
	ErrNoDoor    = errors.New("no such door")
	ErrRange     = errors.New("value out of range")
	ErrLocked    = errors.New("landing is locked")
	ErrBusy      = errors.New("not in this state")
)

// Building is a set of lifts at one instant. It has one owner: no method is safe
// to call while another runs. It starts at instant 0, in which nothing moves.
type Building struct {
	now   elevator.Instant
	cars  []car
	crowd *crowd // nil until people come
}

// New makes a building from its description, or says all that is wrong with it.
func New(c Config) (*Building, error) {
	if err := c.check(); err != nil {
		return nil, fmt.Errorf("building: %w", err)
	}
	b := &Building{cars: make([]car, len(c.Cars))}
	for i := range c.Cars {
		b.cars[i] = newCar(c.Cars[i])
	}
	return b, nil
}

// Now is the instant up to which the building has lived.
func (b *Building) Now() elevator.Instant { return b.now }

// Advance lives on to now. An instant that has passed changes nothing.
func (b *Building) Advance(now elevator.Instant) {
	for {
		at, i := b.earliest()
		if at > now {
			break
		}
		// What fell due while something forbade it happens when that has gone: now.
		b.now = max(b.now, at)
		if i == people {
			b.crowd.fire(b.now)
		} else {
			b.cars[i].fire(b.now)
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

// people stands for the crowd where a car's number is expected.
const people = -1

// earliest is the first event of all, of several at one instant the crowd's, then
// in order of the cars. Who is in the doorway goes on before the door closes.
func (b *Building) earliest() (elevator.Instant, int) {
	at, which := b.crowd.next(), people
	for i := range b.cars {
		if t := b.cars[i].next(); t < at {
			at, which = t, i
		}
	}
	return at, which
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
	for i := range b.cars {
		if b.cars[i].conf.ID == id {
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
	if err := do(c); err != nil {
		return fmt.Errorf("car %q: %w", id, err)
	}
	c.settle(b.now)
	c.aim(b.now)
	b.react()
	b.Advance(b.now)
	return nil
}
