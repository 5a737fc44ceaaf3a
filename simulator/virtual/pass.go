package virtual

import (
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// listened keeps since when nobody answers: from the first call that stayed without
// an answer, since silence while nothing is asked means nothing. A refusal is an answer.
func (r *robot) listened(answered bool, asked elevator.Instant) {
	switch {
	case answered:
		r.deaf = 0
	case r.deaf == 0:
		r.deaf = asked
	}
}

// leaveByPass lets a robot in a car go that has heard nobody for a while, where its
// own eyes show the floor of its pass, the car standing and that door open. It tells
// it afterwards, with the age that it has by then.
func (r *robot) leaveByPass() {
	t := &r.told
	p := t.pass
	if !r.mayLeaveByPass() || !r.seesWayOut(p.Floor, p.Side) {
		return
	}
	r.move = move{ride: t.ride, lift: t.lift, side: p.Side, floor: p.Floor}
	r.tell("hears nobody and leaves by its pass")
	s := r.signal(fsm.LeavingNow, "")
	s.View.Where, s.View.Floor, s.View.FloorSure = fsm.AtDoorway, p.Floor, true
	r.seesDoor(&s, t.lift, p.Side)
	r.say(t.ride, s)
	r.begin()
}

func (r *robot) mayLeaveByPass() bool {
	now, t := r.s.at(), &r.told
	switch {
	case t.pass.Floor == 0, r.deaf == 0, now.Sub(r.deaf) < cutOffAfter, now.Sub(t.asked) >= t.passFor:
		return false
	case r.dead, r.lies, r.going, r.place.where != fsm.InCar, r.place.lift != t.lift:
		return false
	}
	_, lies := r.s.on(r.id, "says-left")
	return !lies && !r.silent()
}

func (r *robot) seesWayOut(f elevator.Floor, side elevator.Side) bool {
	floor, motion, open := r.s.sight(r.place.lift, side)
	return floor == f && motion == elevator.Stopped && open
}
