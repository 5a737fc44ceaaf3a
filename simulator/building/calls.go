package building

import (
	"iter"
	"math"

	"hoistway/fsm/elevator"
)

// calls are the lamps of one lift and the direction to which it is bound. The
// control is simple collective: on the way it serves what lies ahead in its
// direction, then turns.
type calls struct {
	up, down, car elevator.FloorSet
	bound         elevator.Direction // DirectionUnknown: to none
}

func (s *calls) any() elevator.FloorSet { return s.up | s.down | s.car }

// along are the calls that a car bound for d stops for as it passes.
func (s *calls) along(d elevator.Direction) elevator.FloorSet {
	switch d {
	case elevator.Up:
		return s.car | s.up
	case elevator.Down:
		return s.car | s.down
	}
	return s.any()
}

func (s *calls) landing(d elevator.Direction) *elevator.FloorSet {
	if d == elevator.Up {
		return &s.up
	}
	return &s.down
}

func opposite(d elevator.Direction) elevator.Direction {
	switch d {
	case elevator.Up:
		return elevator.Down
	case elevator.Down:
		return elevator.Up
	}
	return elevator.DirectionUnknown
}

// without takes f out of s.
func without(s elevator.FloorSet, f elevator.Floor) elevator.FloorSet {
	return s &^ elevator.FloorSet(0).With(f)
}

// ahead is the next stop beyond the height x in direction d among the landings
// that may be reached: the nearest with a call along the way, else the farthest
// with any. Zero means that there is none.
func (c *car) ahead(d elevator.Direction, x float64, may func(elevator.Floor) bool) elevator.Floor {
	var last elevator.Floor
	s := c.heeds()
	for f := range c.beyond(d, x) {
		switch {
		case !s.any().Has(f) || !may(f):
		case s.along(d).Has(f):
			return f
		default:
			last = f
		}
	}
	return last
}

// beyond gives the landings past the height x in direction d, nearest first.
func (c *car) beyond(d elevator.Direction, x float64) iter.Seq[elevator.Floor] {
	n := len(c.conf.Landings)
	return func(yield func(elevator.Floor) bool) {
		for i := range n {
			f := elevator.Floor(i + 1)
			if d == elevator.Down {
				f = elevator.Floor(n - i)
			}
			h := c.conf.height(f)
			if past := d == elevator.Up && h > x || d == elevator.Down && h < x; past && !yield(f) {
				return
			}
		}
	}
}

func anywhere(elevator.Floor) bool { return true }

// collective picks the next stop of a standing car, its own landing included,
// and turns the car where nothing is left ahead.
func (c *car) collective() elevator.Floor {
	s := c.heeds()
	if s.any() == 0 {
		c.calls.bound = elevator.DirectionUnknown
		return 0
	}
	if s.along(s.bound).Has(c.floor) {
		return c.floor
	}
	if s.bound == elevator.DirectionUnknown {
		s.bound = c.toNearest(s.any())
		c.calls.bound = s.bound
	}
	if f := c.ahead(s.bound, c.at, anywhere); f != 0 {
		return f
	}
	if s.any().Has(c.floor) {
		return c.floor
	}
	c.calls.bound = opposite(s.bound)
	return c.ahead(c.calls.bound, c.at, anywhere)
}

// nearest is the landing of the set that is nearest to x, the lower one of two.
func (c *car) nearest(set elevator.FloorSet, x float64) elevator.Floor {
	var best elevator.Floor
	way := math.Inf(1)
	for i := range c.conf.Landings {
		f := elevator.Floor(i + 1)
		if d := math.Abs(c.conf.height(f) - x); set.Has(f) && d < way {
			best, way = f, d
		}
	}
	return best
}

func (c *car) toNearest(set elevator.FloorSet) elevator.Direction {
	if c.conf.height(c.nearest(set, c.at)) < c.at {
		return elevator.Down
	}
	return elevator.Up
}

// serve answers the calls of the landing where the car stands and opens.
func (c *car) serve(now elevator.Instant) {
	s, f := &c.calls, c.floor
	landing := (s.up | s.down).Has(f)
	s.car = without(s.car, f)
	if s.bound != elevator.DirectionUnknown && c.ahead(s.bound, c.at, anywhere) != 0 {
		l := s.landing(s.bound)
		landing = l.Has(f)
		*l = without(*l, f)
	} else {
		c.turn(f)
	}
	c.release = false
	dwell := c.conf.DwellCar
	if landing {
		dwell = c.conf.DwellLanding
	}
	c.ask(now, dwell)
}

// turn serves both landing calls of a landing with nothing left ahead. If only
// the one against the car's direction was lit, the car is bound its way now.
func (c *car) turn(f elevator.Floor) {
	s := &c.calls
	up, down := s.up.Has(f), s.down.Has(f)
	switch {
	case up && !down:
		s.bound = elevator.Up
	case down && !up:
		s.bound = elevator.Down
	}
	s.up, s.down = without(s.up, f), without(s.down, f)
}

// aim changes the flight to a better landing while it still can.
func (c *car) aim(now elevator.Instant) {
	if c.phase != travelling {
		return
	}
	flown := now.Sub(c.since).Seconds()
	may := func(f elevator.Floor) bool { return flown <= c.flight.Shares(c.flightTo(f)) }
	if f := c.betters(c.heading(), may); f != 0 && f != c.target {
		c.target, c.flight = f, c.flightTo(f)
	}
}

func (c *car) heading() elevator.Direction {
	if c.sign < 0 {
		return elevator.Down
	}
	return elevator.Up
}

func (c *car) flightTo(f elevator.Floor) Flight {
	return NewFlight(math.Abs(c.conf.height(f)-c.from), c.conf.Limits)
}
