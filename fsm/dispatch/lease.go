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
func (st *step) free(e *entry, keepPlace bool) {
	c := st.car(e.ride.Lift)
	if c == nil || c.owner != e {
		return
	}
	if e.ride.Where != fsm.Outside {
		st.put(Note{Lift: c.ID, Ride: e.ride.ID, Text: "lease kept: the robot is " + string(e.ride.Where)})
		return
	}
	c.owner, c.last = nil, e
	if keepPlace && (e.ride.State == fsm.Idle || e.ride.RetryAt.Reached(st.now)) {
		e.yielded = st.now
	}
	st.put(Freed{Lift: c.ID, Ride: e.ride.ID})
}

// end moves a ride that is over to the bounded list of the ended ones.
func (st *step) end(e *entry) {
	st.rides = slices.DeleteFunc(st.rides, func(x *entry) bool { return x == e })
	st.bury(e)
	if c := st.car(e.ride.Lift); c != nil {
		st.clear(c, func(a raised) bool { return a.ride == e.ride.ID && a.Code != fsm.DoorOpenAlarm })
	}
	st.put(Keep{e})
	e.stored, e.noted = e.ride, e.book
}

// bury keeps a ride that is over for readers, and drops the oldest.
func (st *step) bury(e *entry) {
	if c := st.car(e.ride.Lift); c != nil {
		c.last = e
	}
	st.ended = append(st.ended, e)
	over := len(st.ended) - st.maxEnded
	if over <= 0 {
		return
	}
	for _, old := range st.ended[:over] {
		st.numbers = max(st.numbers, old.ride.NextN, old.ride.PermitN)
		st.put(Drop{Ride: old.ride.ID})
	}
	st.ended = slices.Clone(st.ended[over:])
}

// grant gives each free car to the first ride in its queue that can use it now.
func (st *step) grant() {
	if st.stopping || !st.wanted() {
		return
	}
	for i, c := range st.cars {
		if c.shell != i || st.holder(c) != nil {
			continue
		}
		if e := st.next(c); e != nil {
			st.lease(st.car(e.ride.Lift), e)
		}
	}
}

// wanted reports that some ride would use a car now.
func (st *step) wanted() bool {
	for _, e := range st.rides {
		if wants(&e.ride, st.now) {
			return true
		}
	}
	return false
}

// next is the ride that gets the car, all of its decks taken together: the first in the
// queue that can use it. A car in which a robot may be is closed to all but the ride of
// that robot, and with two of them in it to everybody: what helps one could close the
// door on the other.
func (st *step) next(c *car) *entry {
	var first, aboard *entry
	for _, e := range st.rides {
		m := st.car(e.ride.Lift)
		if m == nil || m.shell != c.shell {
			continue
		}
		can := wants(&e.ride, st.now)
		switch {
		case e.ride.Where != fsm.Outside:
			if aboard != nil || !can {
				return nil
			}
			aboard = e
		case can && st.open(m) && (first == nil || before(e, first, st.now) < 0):
			first = e
		}
	}
	if aboard == nil {
		return first
	}
	if m := st.car(aboard.ride.Lift); !st.accepts(m) {
		return nil
	}
	return aboard
}

func (st *step) accepts(c *car) bool {
	ok, _ := c.Plan.Accepting(&c.seen.Car, st.now)
	return ok
}

// open reports a lift that takes a new ride now: its controller would, and nobody has
// closed it.
func (st *step) open(c *car) bool {
	closed, _ := st.closed(c, st.now)
	return closed == "" && st.accepts(c)
}

func (st *step) lease(c *car, e *entry) {
	st.epoch++
	c.owner, e.yielded = e, 0
	st.deliver(e, &fsm.Leased{Lift: c.ID, Epoch: st.epoch, Plan: c.Plan, Params: st.params, Car: c.seen.Car})
}

// wants reports whether a ride would use the car if it got the lease now.
func wants(r *fsm.Ride, now elevator.Instant) bool {
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
	st.standing = in.Standing.Clone()
	entries := make([]*entry, 0, len(in.Rides))
	for _, r := range in.Rides {
		b, ok := in.Bookings[r.ID]
		if !ok {
			b = unbooked(&r, st.Table(r.Lift))
		}
		entries = append(entries, &entry{ride: r, stored: r, stepped: true, book: b, noted: b})
	}
	slices.SortStableFunc(entries, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(a.book.At, b.book.At), cmp.Compare(a.ride.Since, b.ride.Since))
	})
	for _, e := range entries {
		st.adopt(e)
	}
	st.toAll(fsm.Resumed{})
}

func (st *step) adopt(e *entry) {
	r := &e.ride
	st.epoch = max(st.epoch, r.Epoch)
	if finished(r) && !r.Granted {
		st.bury(e)
		return
	}
	st.rides = append(st.rides, e)
	c := st.car(r.Lift)
	switch {
	case !r.Granted:
	case c != nil && st.holder(c) == nil:
		c.owner = e
	default: // two cannot hold it, and nobody can hold what is configured no more
		r.Granted = false
		st.put(Note{Lift: r.Lift, Ride: r.ID, Text: "the lease of the stored ride cannot be taken over"})
	}
}
