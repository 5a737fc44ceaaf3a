package building

import "hoistway/fsm/elevator"

// tour is how long a lift takes for its ways, so that the group can reckon when it
// will stand open at a landing. That is an estimate: nobody knows who will come.
type tour struct {
	legs []elevator.Instant // from doors closed at a floor to open at another
	stop elevator.Instant   // from open until closed again
	open elevator.Instant   // from the end of the flight until open
	n    int
}

func newTour(c *car) tour {
	n := len(c.heights)
	t := tour{
		legs: make([]elevator.Instant, n*n), n: n,
		stop: elevator.Instant(c.conf.DwellCar + c.conf.DoorClose),
		open: elevator.Instant(c.conf.Levelling + c.conf.DoorOpen - c.conf.AdvanceOpening),
	}
	for i, from := range c.heights {
		for j, to := range c.heights {
			fly := seconds(NewFlight(max(from-to, to-from), c.conf.Limits).Seconds())
			t.legs[i*n+j] = elevator.Instant(c.conf.StartDelay) + fly + t.open
		}
	}
	return t
}

func (t *tour) leg(from, to elevator.Floor) elevator.Instant {
	return t.legs[(int(from)-1)*t.n+int(to)-1]
}

// arrival is when the car would stand open at f for those who go that way, if it
// serves the calls that it has and this one besides.
func (t *tour) arrival(k *car, f elevator.Floor, way elevator.Direction, now elevator.Instant) elevator.Instant {
	if at := t.passing(k, f, way, now); at != 0 {
		return at
	}
	p, open, at := t.begin(k, now)
	d := k.calls.bound
	free := d == elevator.DirectionUnknown || k.calls.any()&k.beyond(d, p) == 0
	switch {
	case f == p && open != 0 && (free || d == way):
		return max(now, open)
	case d == elevator.DirectionUnknown:
		return at + t.leg(p, f)
	}
	return t.walk(k, f, way, p, at)
}

// passing is when a car in flight would open at a landing before its target that it
// can still reach, 0 if there is no such thing.
func (t *tour) passing(k *car, f elevator.Floor, way elevator.Direction, now elevator.Instant) elevator.Instant {
	if k.phase != travelling || k.astray || k.heading() != way || k.calls.bound != way {
		return 0
	}
	h := k.heights[f-1]
	if (h-k.from)*k.sign <= 0 || (k.heights[k.target-1]-h)*k.sign <= 0 {
		return 0
	}
	flight := k.flightTo(f)
	if now.Sub(k.since).Seconds() > k.flight.Shares(flight) {
		return 0
	}
	return k.since + seconds(flight.Seconds()) + t.open
}

// begin is the landing where the car will next have closed its doors, and when;
// open is when it has them open there, 0 if it does not.
func (t *tour) begin(k *car, now elevator.Instant) (p elevator.Floor, open, closed elevator.Instant) {
	switch {
	case k.phase == travelling:
		open = k.end + t.open
		return k.target, open, open + t.stop
	case k.floor == 0:
		return k.nearest(k.all, k.at), 0, now + t.stop
	case k.phase == starting, k.closed():
		return k.floor, 0, now
	}
	return k.floor, now, now + t.stop
}

// walk goes through the stops of a bound car from p, closed at the instant at: on in
// its direction, back, and on again, until it opens at f for those who go that way.
// The call at f is one of its stops, whether it has it yet or not: a car must not
// seem slower for having been given what it is asked about.
func (t *tour) walk(k *car, f elevator.Floor, way elevator.Direction, p elevator.Floor, at elevator.Instant) elevator.Instant {
	d, all := k.calls.bound, k.calls.any().With(f)
	for range 3 {
		stops, past := k.calls.along(d), k.beyond(d, p)
		if way == d {
			if f == p {
				break
			}
			stops = stops.With(f)
		}
		stops &= past
		if ahead := all & past; ahead != 0 {
			stops = stops.With(first(ahead, opposite(d))) // where it turns
		}
		for stops != 0 {
			s := first(stops, d)
			stops = without(stops, s)
			if s == f && (way == d || stops == 0) { // where it turns it serves both ways
				return at + t.leg(p, f)
			}
			at += t.leg(p, s) + t.stop
			p = s
		}
		d = opposite(d)
	}
	return at + t.leg(p, f)
}
