package localapi

import (
	"slices"

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
}

// lift reports that a lift is as it was, and remembers how it is.
func (s *sight) lift(v *core.View, l *core.LiftView, now elevator.Instant) bool {
	is := standing{owner: l.Owner, robot: l.Robot, occupied: l.Occupied, accepting: l.Accepting, why: l.Why}
	is.state, is.phase = reportedFor(v, l)
	waiting := queueOf(v, l)
	if s.lately(now) && s.car == l.Car && s.is == is && slices.Equal(s.waiting, waiting) && slices.Equal(s.alarms, l.Alarms) {
		return true
	}
	s.at, s.car, s.is, s.waiting, s.alarms = now, l.Car, is, waiting, l.Alarms
	return false
}

// ride reports the same of a ride.
func (s *sight) ride(v *core.View, r *core.RideView, now elevator.Instant) bool {
	why := placeWhy(v, r)
	if s.lately(now) && s.one == r.Ride && s.place == r.Place && s.why == why && s.marks == len(r.Marks) {
		return true
	}
	s.at, s.one, s.place, s.why, s.marks = now, r.Ride, r.Place, why, len(r.Marks)
	return false
}

func (s *sight) lately(now elevator.Instant) bool { return s.at != 0 && now.Sub(s.at) < agesEvery }
