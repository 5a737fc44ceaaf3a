package dispatch

import (
	"cmp"
	"slices"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

func (st *step) holds(e *entry) bool {
	c := st.car(e.ride.Lift)
	return c != nil && c.owner == e
}

// free ends a lease, but never while the robot may be in the doorway or in the car.
func (st *step) free(e *entry) {
	c := st.car(e.ride.Lift)
	if c == nil || c.owner != e {
		return
	}
	if e.ride.Where != fsm.Outside {
		st.put(Note{Lift: c.ID, Ride: e.ride.ID, Text: "lease kept: the robot is " + string(e.ride.Where)})
		return
	}
	c.owner = nil
	st.put(Freed{Lift: c.ID, Ride: e.ride.ID})
}

// end moves a ride that is over to the bounded list of the ended ones.
func (st *step) end(e *entry) {
	st.rides = slices.DeleteFunc(st.rides, func(x *entry) bool { return x == e })
	st.ended = append(st.ended, e)
	if over := len(st.ended) - st.maxEnded; over > 0 {
		for _, old := range st.ended[:over] {
			st.put(Drop{Ride: old.ride.ID})
		}
		st.ended = slices.Clone(st.ended[over:])
	}
	if c := st.car(e.ride.Lift); c != nil {
		c.lastEnd = e
		st.clear(c, func(a raised) bool { return a.ride == e.ride.ID && a.Code != fsm.DoorOpenAlarm })
	}
	st.put(Keep{Ride: e.ride})
	e.stored = fsm.Durable(e.ride)
}

// grant gives each free car to the first ride in its queue that can use it now.
func (st *step) grant() {
	if st.stopping {
		return
	}
	for _, c := range st.cars {
		if c.owner != nil {
			continue
		}
		if ok, _ := fsm.Accepting(c.snap, st.now); !ok {
			continue
		}
		if e := st.next(c); e != nil {
			st.lease(c, e)
		}
	}
}

// next is the ride that gets the car: one whose robot a person has attested to be
// in it before all others, then the first in the queue.
func (st *step) next(c *car) *entry {
	var first *entry
	for _, e := range st.rides {
		switch {
		case e.ride.Lift != c.ID || !wants(e.ride, st.now):
		case e.ride.Where != fsm.Outside:
			return e
		case first == nil:
			first = e
		}
	}
	return first
}

func (st *step) lease(c *car, e *entry) {
	c.epoch++
	c.owner = e
	st.deliver(e, fsm.Leased{Lift: c.ID, Epoch: c.epoch, Plan: c.Plan, Params: st.params, Car: c.snap})
}

// wants reports whether a ride would use the car if it got the lease now.
func wants(r fsm.Ride, now elevator.Instant) bool {
	switch r.State {
	case fsm.Idle:
		return r.Phase == fsm.Queued
	case fsm.Fault:
		return !r.Granted && (r.Where != fsm.Outside || !r.Latched && r.RetryAt.Reached(now))
	}
	return false
}

// resume takes over the rides of an earlier process: leases first, so that no car
// is given away before its old holder was heard.
func (st *step) resume(in Resume) {
	rides := slices.Clone(in.Rides)
	slices.SortStableFunc(rides, func(a, b fsm.Ride) int { return cmp.Compare(a.Since, b.Since) })
	for _, r := range rides {
		e := &entry{ride: r, stored: fsm.Durable(r)}
		c := st.car(r.Lift)
		if c != nil {
			c.epoch = max(c.epoch, r.Epoch)
		}
		if finished(r) && !r.Granted {
			st.ended = append(st.ended, e)
			continue
		}
		st.rides = append(st.rides, e)
		if c != nil && r.Granted && c.owner == nil {
			c.owner = e
		}
	}
	st.toAll(fsm.Resumed{})
}
