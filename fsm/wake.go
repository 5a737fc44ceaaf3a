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
	for _, at := range [...]elevator.Instant{
		r.Deadline, r.Permit.Start, r.Permit.Through, r.Door.Renew, r.Door.Until, r.Door.Until.Add(-r.overlap()), r.BackAt,
	} {
		w.add(at)
	}
	if r.Clash.Kind != "" {
		w.add(r.Clash.At.Add(clashLimit))
	}
	if r.Phase == Returning {
		w.add(r.PhaseAt.Add(backLimit))
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
	w.add(r.Expires)
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

// readings adds the instants at which a reading becomes too old for a rule: what is
// no longer known is no longer done. The limit of a permit is not among them: a permit
// is judged at a reading alone, and an exit seen so freshly is taken in the same step.
func (w *alarmClock) readings(r *Ride) {
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
