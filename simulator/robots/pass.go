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

// beginWithin is how long the robot tries to have it heard that it leaves by its pass.
const beginWithin = 2 * time.Second

// leaveByPass lets a robot in a car go that has heard nobody for a while, where its
// own eyes show the floor of its pass, the car standing and that door open. It tells
// it afterwards, with the age that it has by then. A robot without eyes stays.
func (r *Robot) leaveByPass(ctx context.Context) {
	x := r.told
	m, ok := r.byPass(x, r.toldAt)
	if !ok || r.deaf.IsZero() || time.Since(r.deaf) < cutOffAfter {
		return
	}
	r.o.Log.Warn("hears nobody and leaves by its pass", "ride", x.ID, "floor", m.floor)
	s := r.signal(kindLeaving, "")
	s.Where, s.Floor, s.FloorSure, s.SeesDoor = atDoorway, m.floor, true, r.doorSeen(m.lift, m.side)
	r.say(x.ID, s)
	r.die(kindLeaving)
	r.begin(ctx, m)
}

// leaveAsTold lets a robot in a car go that is told to leave and has a pass in place of
// a permit: so an agent on the robot tells it while the gateway is silent. That agent
// has to hear it first.
func (r *Robot) leaveAsTold(ctx context.Context, x ride, asked time.Time) {
	m, ok := r.byPass(x, asked)
	if !ok || !r.announce(ctx, m, "", asked.Add(beginWithin)) {
		return
	}
	if _, ok = r.byPass(x, asked); !ok {
		r.giveUp(m)
		return
	}
	r.die(kindLeaving)
	r.begin(ctx, m)
}

// byPass is the way out that the pass of a ride told of at that time allows now: in its
// time, where the robot's own eyes show its floor, the car standing and its door open.
func (r *Robot) byPass(x ride, told time.Time) (m move, ok bool) {
	at, _, going := r.body.state()
	switch {
	case x.Pass == nil, time.Since(told) >= time.Duration(x.Pass.NotAfter)*time.Millisecond:
		return m, false
	case going, at.Where != inCar, at.Lift != x.Lift, r.claim.Where != "", r.manner().SaysLeft, r.asleep():
		return m, false
	}
	m = move{ride: x.ID, lift: x.Lift, side: x.Pass.Side, floor: x.Pass.Floor}
	sight := r.see(m.lift, m.side)
	return m, sight.Floor == m.floor && sight.Motion == "still" && sight.Open
}
