package building

import (
	"math"
	"math/bits"
	"time"

	"hoistway/fsm/elevator"
)

// calls are the lamps of one lift and the direction to which it is bound. The
// control is simple collective: on the way it serves what lies ahead in its
// direction, then turns.
type calls struct {
	up, down, car elevator.FloorSet
	// hallUp and hallDown are calls of the group's buttons that were given to this lift.
	hallUp, hallDown elevator.FloorSet
	bound            elevator.Direction // DirectionUnknown: to none
}

func (s *calls) any() elevator.FloorSet {
	return s.up | s.down | s.car | s.hallUp | s.hallDown
}

// along are the calls that a car bound for d stops for as it passes.
func (s *calls) along(d elevator.Direction) elevator.FloorSet {
	switch d {
	case elevator.Up:
		return s.car | s.up | s.hallUp
	case elevator.Down:
		return s.car | s.down | s.hallDown
	}
	return s.any()
}

func (s *calls) landing(d elevator.Direction) *elevator.FloorSet {
	if d == elevator.Up {
		return &s.up
	}
	return &s.down
}

func (s *calls) hall(d elevator.Direction) *elevator.FloorSet {
	if d == elevator.Up {
		return &s.hallUp
	}
	return &s.hallDown
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

// first is the floor of the set that a car going in direction d meets first.
func first(s elevator.FloorSet, d elevator.Direction) elevator.Floor {
	if d == elevator.Down {
		return elevator.Floor(bits.Len64(uint64(s)))
	}
	return elevator.Floor(bits.TrailingZeros64(uint64(s)) + 1)
}

// past is the set of landings beyond the height x in direction d.
func (c *car) past(d elevator.Direction, x float64) elevator.FloorSet {
	n := 0 // landings that are not past x upwards, or that are past it downwards
	for l, h := 0, len(c.heights); l < h; n = l {
		m := (l + h) / 2
		if y := c.heights[m]; y < x || d == elevator.Up && y == x {
			l = m + 1
		} else {
			h = m
		}
		n = l
	}
	low := elevator.FloorSet(1)<<n - 1
	switch d {
	case elevator.Up:
		return c.all &^ low
	case elevator.Down:
		return low
	}
	return 0
}

// beyond is the set of landings past f in direction d.
func (c *car) beyond(d elevator.Direction, f elevator.Floor) elevator.FloorSet {
	low := elevator.FloorSet(1)<<(f-1) - 1
	switch d {
	case elevator.Up:
		return c.all &^ (low<<1 | 1)
	case elevator.Down:
		return low
	}
	return 0
}

// ahead is the next stop beyond the height x in direction d among the landings
// that may be reached, nil for all: the nearest with a call along the way, else
// the farthest with any. Zero means that there is none.
func (c *car) ahead(d elevator.Direction, x float64, may func(elevator.Floor) bool) elevator.Floor {
	if c.calls.any() == 0 || d == elevator.DirectionUnknown {
		return 0
	}
	s := c.heeds()
	var past elevator.FloorSet
	if c.floor != 0 && x == c.at && c.phase != travelling {
		past = c.beyond(d, c.floor)
	} else {
		past = c.past(d, x)
	}
	if f := pick(s.along(d)&past, d, may); f != 0 {
		return f
	}
	return pick(s.any()&past, opposite(d), may)
}

// pick is the first floor of the set in direction d that may be had, 0 for none.
func pick(s elevator.FloorSet, d elevator.Direction, may func(elevator.Floor) bool) elevator.Floor {
	for s != 0 {
		f := first(s, d)
		if may == nil || may(f) {
			return f
		}
		s = without(s, f)
	}
	return 0
}

// collective picks the next stop of a standing car, its own landing included,
// and turns the car where nothing is left ahead.
func (c *car) collective() elevator.Floor {
	if c.calls.any() == 0 { // the usual case, and quick
		c.calls.bound = elevator.DirectionUnknown
		return 0
	}
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
	if f := c.ahead(s.bound, c.at, nil); f != 0 {
		return f
	}
	if s.any().Has(c.floor) {
		return c.floor
	}
	c.calls.bound = opposite(s.bound)
	return c.ahead(c.calls.bound, c.at, nil)
}

// nearest is the landing of the set that is nearest to x, the lower one of two.
func (c *car) nearest(set elevator.FloorSet, x float64) elevator.Floor {
	set &= c.all
	above := c.past(elevator.Up, x)
	low, high := set&^above, set&above
	switch {
	case set == 0:
		return 0
	case high == 0:
		return first(low, elevator.Down)
	case low == 0:
		return first(high, elevator.Up)
	}
	l, h := first(low, elevator.Down), first(high, elevator.Up)
	if c.heights[h-1]-x < x-c.heights[l-1] {
		return h
	}
	return l
}

func (c *car) toNearest(set elevator.FloorSet) elevator.Direction {
	if c.heights[c.nearest(set, c.at)-1] < c.at {
		return elevator.Down
	}
	return elevator.Up
}

// serve answers the calls of the landing where the car stands and opens.
func (c *car) serve(now elevator.Instant) {
	s, f := &c.calls, c.floor
	up, down := (s.up | s.hallUp).Has(f), (s.down | s.hallDown).Has(f)
	s.car = without(s.car, f)
	switch on := s.bound != elevator.DirectionUnknown && c.ahead(s.bound, c.at, nil) != 0; {
	case on && s.bound == elevator.Up:
		down = false
	case on:
		up = false
	case up && !down:
		// With nothing left ahead both lamps go out. If only the one against the car's
		// direction was lit, the car is bound its way now.
		s.bound = elevator.Up
	case down && !up:
		s.bound = elevator.Down
	}
	c.answer(f, up, down)
	c.release = false
	dwell := c.conf.DwellCar
	if up || down {
		dwell = c.conf.DwellLanding
	}
	c.ask(now, dwell)
}

// answer puts out the lamps of the landing in the directions that are served.
func (c *car) answer(f elevator.Floor, up, down bool) {
	for _, a := range [...]struct {
		d      elevator.Direction
		served bool
	}{{elevator.Up, up}, {elevator.Down, down}} {
		if !a.served {
			continue
		}
		own, hall := c.calls.landing(a.d), c.calls.hall(a.d)
		*own, *hall = without(*own, f), without(*hall, f)
	}
	if c.group != nil {
		c.group.answered(c, f, up, down)
	}
}

// aim changes the flight to a better landing while it still can.
func (c *car) aim(now elevator.Instant) {
	if c.phase != travelling || c.lost || c.astray {
		return
	}
	flown := now.Sub(c.since).Seconds()
	may := func(f elevator.Floor) bool { return f == c.target || flown <= c.flight.Shares(c.flightTo(f)) }
	if f := c.betters(c.heading(), may); f != 0 && f != c.target {
		c.target = f
		c.fly(c.flightTo(f))
	}
}

func (c *car) heading() elevator.Direction {
	if c.sign < 0 {
		return elevator.Down
	}
	return elevator.Up
}

func (c *car) flightTo(f elevator.Floor) Flight {
	return NewFlight(math.Abs(c.heights[f-1]-c.from), c.limits())
}

// limits are those of the lift, or of its creep while it does not know where it is.
func (c *car) limits() Limits {
	l := c.conf.Limits
	if c.lost {
		l.Speed = min(l.Speed, creep)
	}
	return l
}

// drop is a call that will be forgotten.
type drop struct {
	at    elevator.Instant
	lamps *elevator.FloorSet
	floor elevator.Floor
}

// dropsAfter is how long a call that will be forgotten burns.
const dropsAfter = 2 * time.Second

func (c *car) forget(now elevator.Instant) {
	for len(c.drops) > 0 && c.drops[0].at <= now {
		d := c.drops[0]
		*d.lamps = without(*d.lamps, d.floor)
		c.drops = c.drops[1:]
	}
}
