package fsm

import (
	"time"

	"hoistway/fsm/elevator"
)

// NextWake is the earliest instant at which a Tick can change the ride; never
// when only an event can. It counts every time that a rule of the state compares with, so it
// may be early, but it is never late and never before the last step.
func NextWake(r *Ride) elevator.Instant {
	if r.State == Done && !r.Granted {
		return 0
	}
	w := &alarmClock{after: r.Stepped}
	w.timers(r)
	if r.State != Idle || r.Granted { // who waits for the lease asks nothing of the lift
		w.readings(r)
	}
	return w.first
}

// alarmClock keeps the earliest instant after the time up to which all were looked at.
type alarmClock struct{ after, first elevator.Instant }

func (w *alarmClock) add(at elevator.Instant) {
	if at != 0 && at > w.after && (w.first == 0 || at < w.first) {
		w.first = at
	}
}

func (w *alarmClock) timers(r *Ride) {
	w.add(r.lostAt())
	for _, at := range [...]elevator.Instant{
		r.Deadline, r.Permit.Through, r.Door.Renew, r.Door.Until, r.Door.Until.Add(-r.overlap()), r.BackAt, r.NoteEnd,
	} {
		w.add(at)
	}
	if r.Where != Crossing { // who has started has time until the end of it
		w.add(r.Permit.Start)
	}
	if r.Clash.Kind != "" {
		w.add(r.Clash.At.Add(clashLimit))
	}
	if r.Phase == Returning {
		w.add(r.PhaseAt.Add(backLimit))
	}
	w.add(r.Door.coolAt(r.Params.CoolDown))
	for i := range r.Past {
		w.add(r.Past[i].coolAt(r.Params.CoolDown))
	}
	if r.levels() {
		w.add(r.levelDue())
	}
	if r.Restored {
		w.add(r.readAll())
	}
	for i := range r.Earlier { // whose outcome has not come: then its life counts
		if !r.Earlier[i].Answered {
			w.add(r.Earlier[i].Command.Until)
		}
	}
	switch r.State {
	case Requesting, Waiting, Moving, Exiting:
		w.add(r.silentAt())
	default:
		w.rests(r)
	}
	if r.Restarted {
		w.add(r.Watch.Add(silenceLimit))
		w.add(r.silentAt())
	}
}

// rests adds the times at which a ride that is not under way goes on, or gives the car
// back.
func (w *alarmClock) rests(r *Ride) {
	if r.State == Done {
		w.ends(r)
		return
	}
	w.add(r.Expires)
	if r.faulty() && !r.known() {
		w.add(r.helpAt()) // from then on the robot is told another thing
	}
	if r.State == Fault {
		w.add(r.RetryAt)
		w.add(r.RetryAt.Add(keepLease))
		w.add(r.RetryAt.Add(-keepLease))
		w.add(r.InsideAt.Add(insideWindow))
	}
	if r.Granted {
		w.add(r.LeaseAt.Add(keepLease))
		w.add(r.CloseAt.Add(lapseLife))
		w.add(r.Since.Add(closeLimit))
	}
}

// ends adds when the car of a ride that is over goes back: before the last limit only
// with the door seen shut, and a door that shuts later is seen by a reading.
func (w *alarmClock) ends(r *Ride) {
	w.add(r.Since.Add(closeLimit))
	f, side := r.stop()
	if c := &r.Car; r.lingers() || c.Door(side).Value == elevator.DoorClosed || c.Floor.Value != f || c.Motion.Value != elevator.Stopped {
		w.add(r.CloseAt.Add(lapseLife))
	}
}

// lingers reports a ride that is over and may keep the car beyond the last limit.
func (r *Ride) lingers() bool {
	return r.Plan.Claims || r.CloseAt.Add(lapseLife) > r.Since.Add(closeLimit)
}

// readings adds the instants at which a reading becomes too old for a rule: what is no
// longer known is no longer done, and a robot is told so. The limit of a permit is not among
// them: a permit is judged at a reading alone, and an exit seen so freshly is taken in the
// same step.
func (w *alarmClock) readings(r *Ride) {
	switch {
	case r.Phase == Called, r.Phase == Riding && r.Where == Inside && !r.Diverted:
		w.answered(r)
	case r.Where == Crossing && !r.faulty(), r.State == Done && !r.lingers(): // the robot goes on, or is gone
	default:
		w.allReadings(r)
	}
}

// answered adds when the car that stands where it was called to is no longer known to: a
// call that the lift does not show any more is pressed again from then on.
func (w *alarmClock) answered(r *Ride) {
	f := r.From
	if r.Phase == Riding {
		f = r.goal()
	}
	if r.Car.Floor.Value == f {
		w.add(r.Car.Floor.At.Add(r.sight()) + 1)
	}
}

func (w *alarmClock) allReadings(r *Ride) {
	c, limits := &r.Car, [2]time.Duration{r.sight(), slowLimit}
	w.ages(c.Floor.At, &limits)
	w.ages(c.Motion.At, &limits)
	w.ages(c.Mode.At, &limits)
	w.ages(c.Overload.At, &limits)
	for i := range c.Doors {
		w.ages(c.Doors[i].At, &limits)
	}
}

// ages adds the first limit that a reading is not past yet: the others come later.
func (w *alarmClock) ages(at elevator.Instant, limits *[2]time.Duration) {
	if at == 0 {
		return
	}
	for _, limit := range limits {
		if old := at.Add(limit) + 1; old > w.after {
			w.add(old)
			return
		}
	}
}

// markStepped notes how far the timers were looked at, but only when one was passed:
// a step without news gives the same ride. It gives the next wake.
func (s *step) markStepped() elevator.Instant {
	wake := NextWake(s.Ride)
	if wake == 0 || wake > s.now {
		return wake
	}
	s.Stepped = s.now
	return NextWake(s.Ride)
}
