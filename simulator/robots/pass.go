package robots

import (
	"context"
	"errors"
	"time"
)

// cutOffAfter is how long nobody answers until a robot in a car counts as on its own:
// longer than one call waits, and than an agent takes to start anew.
const cutOffAfter = 3 * time.Second

// listened keeps since when nobody answers: from the first call that stayed without
// an answer. A refusal, and a no of the agent's own trouble, are answers.
func (r *Robot) listened(err error, began time.Time) {
	var notNow *NotNow
	switch {
	case err == nil, isRefusal(err), errors.As(err, &notNow):
		r.deaf = time.Time{}
	case r.deaf.IsZero():
		r.deaf = began
	}
}

// leaveByPass lets a robot in a car go that has heard nobody for a while, where its
// own eyes show the floor of its pass, the car standing and that door open. It tells
// it afterwards, with the age that it has by then. A robot without eyes stays.
func (r *Robot) leaveByPass(ctx context.Context) {
	x := r.told
	if !r.mayLeaveByPass(x) {
		return
	}
	m := move{ride: x.ID, lift: x.Lift, side: x.Pass.Side, floor: x.Pass.Floor}
	if sight := r.see(m.lift, m.side); sight.Floor != m.floor || sight.Motion != "still" || !sight.Open {
		return
	}
	r.o.Log.Warn("hears nobody and leaves by its pass", "ride", x.ID, "floor", m.floor)
	s := r.signal(kindLeaving, "")
	s.Where, s.Floor, s.FloorSure, s.SeesDoor = atDoorway, m.floor, true, r.doorSeen(m.lift, m.side)
	r.say(x.ID, s)
	r.die(kindLeaving)
	r.begin(ctx, m)
}

func (r *Robot) mayLeaveByPass(x ride) bool {
	at, _, going := r.body.state()
	switch {
	case x.Pass == nil, r.deaf.IsZero(), time.Since(r.deaf) < cutOffAfter:
		return false
	case time.Since(r.toldAt) >= time.Duration(x.Pass.NotAfter)*time.Millisecond:
		return false
	}
	return !going && at.Where == inCar && at.Lift == x.Lift && r.claim.Where == "" && !r.manner().SaysLeft && !r.asleep()
}
