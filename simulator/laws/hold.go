package laws

import (
	"time"

	"hoistway/fsm/elevator"
)

// account is what was asked of one door at one stop.
type account struct {
	floor elevator.Floor
	side  elevator.Side
	until elevator.Instant
	sum   time.Duration
}

// stops bounds the stops of a ride that are added up; a machine that holds at more is
// told by the law of the last one.
const stops = 6

// coolDown is the rest that a stop is due after its last hold; with the door let go of
// meanwhile it is added up anew.
const coolDown = 30 * time.Second

// hold judges one door hold, as asked: its own end, and the sum at its stop.
func (w *Watch) hold(l *lift, r *ride, c *elevator.Command, now elevator.Instant) {
	until := w.outside(c.Until)
	life := until.Sub(now)
	if until == 0 || life > graceHold {
		w.breach(now, HoldEnds, r.liftID, r.id, "a hold of %v", life)
		return
	}
	a := r.account(c.Floor, c.Side)
	if a.until != 0 && now >= a.until.Add(coolDown) && l.letGoSince(a) {
		a.sum = 0
	}
	a.sum += max(0, until.Sub(max(now, a.until)))
	a.until = max(a.until, until)
	if limit := r.holdCap + graceHold + r.oneHold; r.holdCap > 0 && a.sum > limit {
		w.breach(now, HoldCap, r.liftID, r.id, "the door at %s is held for %v, at most %v are due", c.Floor, a.sum, limit)
	}
}

// letGoSince reports that the door was really shut, or the car away, after the last hold
// of an account.
func (l *lift) letGoSince(a *account) bool {
	if !l.known {
		return false
	}
	shut := l.doors[a.side] == elevator.DoorClosed || l.doorWas[a.side][elevator.DoorClosed] > a.until
	return shut || l.floor != a.floor
}

// lapsed gives back what a hold that is ended early has left.
func (r *ride) lapsed(c *elevator.Command, now elevator.Instant) {
	if a := r.account(c.Floor, c.Side); a.until > now {
		a.sum -= a.until.Sub(now)
		a.until = now
	}
}

func (r *ride) account(f elevator.Floor, s elevator.Side) *account {
	for i := range r.held {
		a := &r.held[i]
		if a.floor == 0 {
			a.floor, a.side = f, s
		}
		if a.floor == f && a.side == s {
			return a
		}
	}
	return &r.held[len(r.held)-1]
}
