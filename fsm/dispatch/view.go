package dispatch

import (
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// CarView is one lift for readers.
type CarView struct {
	Lift
	Car      elevator.Snapshot
	Owner    *fsm.Ride // nil: free
	Last     *fsm.Ride // the ride that held the car last, nil: none
	Occupied bool
	Queue    []string
	Alarms   []fsm.Alarm
}

// Cars copies the lifts in the order of the configuration.
func (s *Site) Cars() []CarView {
	out := make([]CarView, len(s.cars))
	for i, c := range s.cars {
		v := CarView{Lift: c.Lift, Car: c.seen.Car, Alarms: alarms(c)}
		if c.owner != nil {
			r := c.owner.ride
			v.Owner = &r
		}
		if c.last != nil {
			r := c.last.ride
			v.Last = &r
		}
		for _, e := range s.rides {
			if e.ride.Lift != c.ID {
				continue
			}
			v.Occupied = v.Occupied || e.ride.Where != fsm.Outside
			if c.owner != e && queues(&e.ride) {
				v.Queue = append(v.Queue, e.ride.ID)
			}
		}
		out[i] = v
	}
	return out
}

// queues reports a ride that keeps a place: not one that only a person sets free.
func queues(r *fsm.Ride) bool { return r.State != fsm.FaultLocked && !r.Latched }

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
