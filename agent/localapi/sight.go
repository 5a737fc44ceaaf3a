package localapi

import (
	"slices"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// sight is what of a view an event was drawn from. While that is the same, and has not
// had the time to grow stale, the event is not drawn again: of many lifts few change
// between two passes. Each part is compared as it is, so nothing has to be encoded for it.
type sight struct {
	at      elevator.Instant
	car     elevator.Snapshot
	is      standing
	waiting []Waiting
	alarms  []fsm.Alarm
	one     fsm.Ride
	eta     time.Duration
	carWhy  string
	place   int
	why     string
	marks   int
}

// standing is a lift without its readings.
type standing struct {
	owner, robot        string
	occupied, accepting bool
	why                 fsm.Code
	state               fsm.State
	phase               fsm.Phase
	area, car, deck     string
	maintenance         core.Maintenance
	stopped             core.Stopped
	alarm               core.AreaAlarm
}

// change is how much of something is new. The order counts: more is told sooner.
type change uint8

const (
	same     change = iota
	aged            // it was read anew, and is as it was
	counting        // a number has counted on, which may wait longest
	other
)

// lift reports what of a lift is new since it was drawn.
func (s *sight) lift(v *core.View, l *core.LiftView, now elevator.Instant) change {
	if !s.lately(now) || s.is != standingOf(v, l) || !slices.Equal(s.waiting, queueOf(v, l)) || !slices.Equal(s.alarms, l.Alarms) {
		return other
	}
	if s.car == l.Car {
		return same
	}
	return s.readings(&l.Car, now)
}

// drew remembers what a lift is drawn from.
func (s *sight) drew(v *core.View, l *core.LiftView, now elevator.Instant) {
	s.at, s.car, s.is, s.waiting, s.alarms = now, l.Car, standingOf(v, l), queueOf(v, l), l.Alarms
}

func standingOf(v *core.View, l *core.LiftView) standing {
	is := standing{owner: l.Owner, robot: l.Robot, occupied: l.Occupied, accepting: l.Accepting, why: l.Why}
	is.state, is.phase = reportedFor(v, l)
	is.area, is.car, is.deck = l.Area, l.CarID, l.Deck
	is.maintenance, is.stopped, is.alarm = valueOf(l.Maintenance), valueOf(l.Stopped), valueOf(l.AreaAlarm)
	return is
}

// valueOf is what p points to; each view has pointers of its own.
func valueOf[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}

// readings compares two snapshots part by part.
func (s *sight) readings(is *elevator.Snapshot, now elevator.Instant) change {
	was := &s.car
	g := glimpse{then: s.at, now: now}
	if was.Link != is.Link || was.LinkSince != is.LinkSince {
		return other
	}
	for i := range is.Doors {
		g.see(reading(g, was.Doors[i], is.Doors[i], other))
	}
	for _, c := range []change{
		reading(g, was.Floor, is.Floor, other), reading(g, was.Motion, is.Motion, other), reading(g, was.Mode, is.Mode, other),
		reading(g, was.Overload, is.Overload, other), reading(g, was.Nudging, is.Nudging, other), reading(g, was.Obstruction, is.Obstruction, other),
		reading(g, was.EmergencyStop, is.EmergencyStop, other), reading(g, was.MayEnter, is.MayEnter, other), reading(g, was.MayLeave, is.MayLeave, other),
		reading(g, was.Claimed, is.Claimed, other), reading(g, was.UpCalls, is.UpCalls, other), reading(g, was.DownCalls, is.DownCalls, other),
		reading(g, was.CarCalls, is.CarCalls, other), reading(g, was.Vendor, is.Vendor, other),
		reading(g, was.Position, is.Position, counting), reading(g, was.Load, is.Load, counting),
	} {
		g.see(c)
	}
	return g.most
}

// glimpse is the comparison of two snapshots, each at its time.
type glimpse struct {
	then, now elevator.Instant
	most      change
}

func (g *glimpse) see(c change) { g.most = max(g.most, c) }

// reading compares one value; another quality is more than another number.
func reading[T comparable](g glimpse, was, is elevator.Seen[T], differs change) change {
	switch {
	case was == is:
		return same
	case was.Source != is.Source, was.Quality(g.then, freshFor) != is.Quality(g.now, freshFor):
		return other
	case was.Value != is.Value:
		return differs
	}
	return aged
}

// ride reports the same of a ride.
func (s *sight) ride(r *core.RideView, now elevator.Instant) bool {
	if s.lately(now) && s.one == r.Ride && s.place == r.Place && s.why == r.PlaceWhy && s.eta == r.Eta && s.carWhy == r.CarWhy && s.marks == len(r.Marks) {
		return true
	}
	s.at, s.one, s.place, s.why, s.marks = now, r.Ride, r.Place, r.PlaceWhy, len(r.Marks)
	s.eta, s.carWhy = r.Eta, r.CarWhy
	return false
}

func (s *sight) lately(now elevator.Instant) bool { return s.at != 0 && now.Sub(s.at) < agesEvery }
