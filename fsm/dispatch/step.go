package dispatch

import (
	"fmt"
	"slices"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// step is one pass over a site.
type step struct {
	*Site
	now    elevator.Instant
	out    []Output
	later  []elevator.Outcome // answers that this step gives itself
	urgent bool               // what it asks does not wait for the store
}

func (st *step) put(o Output)  { st.out = append(st.out, o) }
func (st *step) reply(r Reply) { st.put(r) }

func (st *step) seen(in *Seen) {
	c := st.car(in.Lift)
	if c == nil {
		return
	}
	c.seen.Car = in.Car
	c.mode = in.Car.Mode
	c.pace.look(&in.Car, st.now)
	st.shows(c)
	st.overlay(c, st.now)
	c.past.add(st.now, &c.seen.Car)
	st.doorAlarmOver(c)
	st.choices()
	st.tell(c)
}

// tell shows a car to its rides.
func (st *step) tell(c *car) {
	st.each(func(e *entry) {
		if e.ride.Lift == c.ID {
			st.deliver(e, &c.seen)
		}
	})
}

// signal answers with Accepted also when the ride drops it: a repeat is no error.
func (st *step) signal(in Signal) {
	e, over := st.find(in.Ride)
	switch {
	case e == nil:
		st.reply(Reply{Status: NotFound, Ride: in.Ride, Code: "E-2006", Detail: "no such ride"})
	case over, e.ride.Heard(in.Signal):
		st.reply(Reply{Status: Accepted, Ride: in.Ride})
	case !e.ride.Quotes(in.Signal.Permit):
		st.reply(Reply{
			Status: Conflict, Ride: in.Ride, Code: "E-2111", Field: "permit",
			Detail: "permit " + in.Signal.Permit + " is not one of this ride's present lease; the signal moved nothing",
		})
	default:
		st.deliver(e, &fsm.Signaled{Signal: in.Signal, Then: st.then(e, in.Signal)})
		st.reply(Reply{Status: Accepted, Ride: in.Ride})
	}
}

func (st *step) then(e *entry, s fsm.Signal) elevator.Snapshot {
	if c := st.car(e.ride.Lift); c != nil {
		return c.past.before(st.now, s.Age)
	}
	return elevator.Snapshot{}
}

func (st *step) heartbeat(in Heartbeat) {
	if !slices.Contains(st.robots, in.Robot) {
		st.reply(Reply{Status: NotFound, Code: "E-2007", Detail: "no such robot"})
		return
	}
	in.Signal.Kind = fsm.Heartbeat
	st.each(func(e *entry) {
		if e.ride.Robot == in.Robot {
			st.deliver(e, &fsm.Signaled{Signal: in.Signal, Then: st.then(e, in.Signal)})
		}
	})
	st.reply(Reply{Status: Accepted})
}

// ordered brings a person's or a robot's order to a ride that is not over.
func (st *step) ordered(ride string, ev fsm.Event) {
	e, over := st.find(ride)
	if e == nil {
		st.reply(Reply{Status: NotFound, Ride: ride, Code: "E-2006", Detail: "no such ride"})
		return
	}
	if _, reset := ev.(fsm.Reset); reset && e.ride.State != fsm.Fault && e.ride.State != fsm.FaultLocked {
		st.reply(Reply{Status: Conflict, Ride: ride, Code: "E-2111", Detail: "there is no fault to reset: the ride is " + string(e.ride.State)})
		return
	}
	if plan, is := ev.(fsm.Recover); is {
		if why := e.ride.MayRecover(plan); why != "" {
			st.reply(Reply{Status: Conflict, Ride: ride, Code: "E-2111", Detail: why})
			return
		}
	}
	if wait := st.permitOut(&e.ride); outside(ev) && wait > 0 {
		st.reply(Reply{
			Status: Conflict, Ride: ride, Code: "E-2111", Field: "robot_is",
			Detail: "wait " + inSeconds(wait) + ": a permit is out, and the robot may still cross by it",
		})
		return
	}
	if !over {
		st.deliver(e, ev)
	}
	st.reply(Reply{Status: Accepted, Ride: ride})
}

// outside reports a person's word that the robot stands on a landing. One that was taken
// away goes nowhere by a permit.
func outside(ev fsm.Event) bool {
	reset, ok := ev.(fsm.Reset)
	return ok && reset.RobotIs == fsm.RobotOutside
}

// permitOut is how long the robot may still cross by a permit that it was given: until then
// nobody's word of where it stands is good for longer than he looks.
func (st *step) permitOut(r *fsm.Ride) time.Duration {
	if r.Where != fsm.Unknown && r.Where != fsm.Crossing {
		return 0
	}
	return r.PermitOut.Until(st.now)
}

// inSeconds rounds up: who has waited so long is not told to wait again.
func inSeconds(d time.Duration) string {
	return fmt.Sprintf("%d s", (d+time.Second-1)/time.Second)
}

func (st *step) toRide(ride string, ev fsm.Event) {
	if e, over := st.find(ride); e != nil && !over {
		st.deliver(e, ev)
	}
}

func (st *step) toAll(ev fsm.Event) {
	st.each(func(e *entry) { st.deliver(e, ev) })
}

func (st *step) tick() {
	st.expire()
	st.each(func(e *entry) {
		if e.wake.Reached(st.now) {
			st.deliver(e, fsm.Tick{})
		}
	})
}

// each hands every ride that is not over to f, which may end it but no other.
func (st *step) each(f func(*entry)) {
	for i := 0; i < len(st.rides); {
		e := st.rides[i]
		f(e)
		if i < len(st.rides) && st.rides[i] == e {
			i++
		}
	}
}

// deliver steps one ride and carries its effects out as far as they are ours.
func (st *step) deliver(e *entry, ev fsm.Event) {
	done := fsm.StepInto(&e.ride, ev, st.now, st.fx[:0])
	st.fx, e.wake, e.stepped = done.Effects, done.Wake, e.stepped || !done.Kept
	for _, ef := range st.fx {
		st.effect(e, ef)
	}
	if finished(&e.ride) && !st.holds(e) {
		st.end(e)
	}
}

func (st *step) effect(e *entry, ef fsm.Effect) {
	switch ef := ef.(type) {
	case fsm.Send:
		st.send(e, ef)
	case fsm.Moved:
		st.put(Moved{Lift: e.ride.Lift, Ride: e.ride.ID, Robot: e.ride.Robot, Moved: ef})
	case fsm.FreeLease:
		st.free(e, ef.KeepPlace)
		e.stepped = true
	case fsm.Alarm:
		st.alarm(e, ef)
	case fsm.Illegal:
		st.put(Note{Lift: e.ride.Lift, Ride: e.ride.ID, Text: "illegal transition refused: " + ef.Event + " in " + string(ef.State)})
	}
}

// doorAlarmOver clears the alarm of a door that stood open after a ride whose
// lease is over: the ride no longer hears of the lift.
func (st *step) doorAlarmOver(c *car) {
	if len(c.alarms) == 0 || c.seen.Car.Link != elevator.Online || !c.seen.Car.AllDoorsClosed() {
		return
	}
	st.clear(c, func(a raised) bool {
		return a.Code == fsm.DoorOpenAlarm && (c.owner == nil || c.owner.ride.ID != a.ride)
	})
}

// clear ends the alarms of a lift that over picks.
func (st *step) clear(c *car, over func(raised) bool) {
	c.alarms = slices.DeleteFunc(c.alarms, func(a raised) bool {
		if !over(a) {
			return false
		}
		st.put(Alarm{Lift: c.ID, Ride: a.ride, Alarm: fsm.Alarm{Code: a.Code}})
		return true
	})
}

func (st *step) alarm(e *entry, a fsm.Alarm) {
	c := st.car(e.ride.Lift)
	if c == nil {
		return
	}
	c.alarms = slices.DeleteFunc(c.alarms, func(old raised) bool {
		return old.Code == a.Code && (old.ride == e.ride.ID || a.Code == fsm.DoorOpenAlarm) // a door is the lift's
	})
	if a.On {
		c.alarms = append(c.alarms, raised{a, e.ride.ID})
	}
	st.put(Alarm{Lift: c.ID, Ride: e.ride.ID, Alarm: a})
}
