package dispatch

import (
	"slices"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// CarView is one lift for readers.
type CarView struct {
	Lift
	Car      elevator.Snapshot // as its controller shows it
	Owner    *fsm.Ride         // nil: free
	Last     *fsm.Ride         // the ride that held the car last, while it is this lift's; nil: none
	Occupied bool              // of any of its decks
	Queue    []Queued
	Alarms   []fsm.Alarm

	Accepting   bool
	Why         fsm.Code // why not
	Maintenance *Maintenance
	Stopped     *Stopped // of this lift, or of all
	AreaAlarm   *AreaAlarm
}

// Cars copies the lifts in the order of the configuration, as they were at the last step.
func (s *Site) Cars() []CarView { return s.CarsAt(s.at) }

// CarsAt is [Site.Cars] with what is too old by then not known any more.
func (s *Site) CarsAt(now elevator.Instant) []CarView {
	out := make([]CarView, len(s.cars))
	for i, c := range s.cars {
		out[i] = s.view(c, now)
	}
	return out
}

// View copies one lift as it was at the last step; false for an unknown one.
func (s *Site) View(lift string) (CarView, bool) {
	c := s.car(lift)
	if c == nil {
		return CarView{}, false
	}
	return s.view(c, s.at), true
}

func (s *Site) view(c *car, now elevator.Instant) CarView {
	v := CarView{Lift: c.Lift, Car: c.seen.Car, Alarms: alarms(c), Queue: s.queue(c, now), Maintenance: s.maintenanceOf(c, now)}
	v.Car.Mode = c.mode
	v.Accepting, v.Why = c.Plan.Accepting(&c.seen.Car, now)
	if closed, _ := s.closed(c, now); closed != "" && v.Accepting {
		v.Accepting, v.Why = false, closed
	}
	if stop := s.stopOf(c); stop != nil {
		twin := *stop
		v.Stopped = &twin
	}
	if a := s.alarmOf(c); a != nil {
		twin := *a
		v.AreaAlarm = &twin
	}
	if c.owner != nil {
		r := c.owner.ride
		v.Owner = &r
	}
	if c.last != nil && c.last.ride.Lift == c.ID { // else it has gone over to another lift
		r := c.last.ride
		v.Last = &r
	}
	for _, e := range s.rides {
		m := s.car(e.ride.Lift)
		v.Occupied = v.Occupied || m != nil && m.shell == c.shell && e.ride.Where != fsm.Outside
	}
	return v
}

// Lifts are the ids of the lifts in the order of the configuration.
func (s *Site) Lifts() []string {
	ids := make([]string, len(s.cars))
	for i, c := range s.cars {
		ids[i] = c.ID
	}
	return ids
}

// Areas lists the areas that lifts are in, in the order of the configuration.
func (s *Site) Areas() []AreaView {
	var out []AreaView
	for _, c := range s.cars {
		i := slices.IndexFunc(out, func(a AreaView) bool { return a.Area == c.Area })
		if i < 0 {
			i = len(out)
			out = append(out, AreaView{Area: c.Area, Alarms: slices.Clone(s.standing.Areas[c.Area])})
		}
		out[i].Lifts = append(out[i].Lifts, c.ID)
	}
	return out
}

// Standing copies what stands over rides.
func (s *Site) Standing() Standing { return s.standing.Clone() }

// Booking is what is kept beside a ride, nil for an unknown one: to be read at once and not
// to be written to.
func (s *Site) Booking(ride string) *Booking {
	if e, _ := s.find(ride); e != nil {
		return &e.book
	}
	return nil
}

// Comes estimates the time until the car of a ride that has one is at its landing; 0 = it
// is there, or that is over.
func (s *Site) Comes(ride string, now elevator.Instant) time.Duration {
	if e, over := s.find(ride); e != nil && !over {
		if c := s.car(e.ride.Lift); c != nil && c.owner == e {
			return s.comes(c, &e.ride, now)
		}
	}
	return 0
}

func alarms(c *car) []fsm.Alarm {
	out := make([]fsm.Alarm, len(c.alarms))
	for i, a := range c.alarms {
		out[i] = a.Alarm
	}
	return out
}

// Rides copies the rides: those not over by arrival, then the ended, newest first.
func (s *Site) Rides() []fsm.Ride {
	out := make([]fsm.Ride, 0, len(s.rides)+len(s.ended))
	for _, e := range s.rides {
		out = append(out, e.ride)
	}
	for i := len(s.ended) - 1; i >= 0; i-- {
		out = append(out, s.ended[i].ride)
	}
	return out
}

// EachRide shows every ride in its place, in the order of [Site.Rides]: to be read
// at once, and not to be written to.
func (s *Site) EachRide(see func(*fsm.Ride)) {
	for _, e := range s.rides {
		see(&e.ride)
	}
	for i := len(s.ended) - 1; i >= 0; i-- {
		see(&s.ended[i].ride)
	}
}

// Ride is one ride in its place, nil for one that is unknown or dropped: to be read before the next
// step, and not to be written to.
func (s *Site) Ride(id string) *fsm.Ride {
	if e, _ := s.find(id); e != nil {
		return &e.ride
	}
	return nil
}

// Table is the floor table of a lift, nil for an unknown one.
func (s *Site) Table(lift string) elevator.Table {
	if c := s.car(lift); c != nil {
		return c.Floors
	}
	return nil
}

// Params are the limits for the next lease.
func (s *Site) Params() fsm.Params { return s.params }
