package fsm

import (
	"strings"

	"hoistway/fsm/elevator"
)

// Advise is the one thing that the robot is told to do.
func Advise(r *Ride, now elevator.Instant) Advice {
	if r.Stuck && r.State != Idle && r.State != Done {
		return Advice{Do: DoGetHelp, Why: "the robot said that it cannot move"}
	}
	switch r.State {
	case Idle:
		if r.Phase == Standby {
			return Advice{Do: DoGoTo, Why: "come to the door and say ready", Until: r.Expires}
		}
		return Advice{Do: DoWait, Why: "in the queue for the car", Until: r.Expires}
	case Requesting:
		return Advice{Do: DoWait, Why: "the call is being placed", Until: r.Deadline}
	case Waiting:
		return r.adviseWaiting(now)
	case Moving:
		return r.adviseMoving(now)
	case Exiting:
		return r.adviseExiting(now)
	case Fault, FaultLocked:
		return r.adviseFault(now)
	}
	return Advice{Do: DoWait, Why: "the ride is over"}
}

func (r *Ride) adviseWaiting(now elevator.Instant) Advice {
	switch {
	case r.Phase == Called:
		return Advice{Do: DoWait, Why: "the car is called", Until: r.Deadline}
	case r.pushed(r.FromSide, now) != "":
		return Advice{Do: DoBackOff, Why: r.pushed(r.FromSide, now)}
	case r.Where == Inside:
		return Advice{Do: DoStay, Why: "say entered when all of the robot is in", Until: r.Deadline}
	case r.CancelAsked:
		return Advice{Do: DoBackOff, Why: r.Why}
	case r.stands(now):
		return Advice{Do: DoEnter, Why: "the door is open and held", Until: r.Permit.ends(r.Where)}
	case r.mayBeThrough(now):
		return Advice{Do: DoClearDoor, Why: tooLateWords, Until: r.Deadline}
	}
	return Advice{Do: DoWait, Why: "no permit: " + unmetWords(Withheld(r, now)), Until: r.Deadline}
}

const tooLateWords = "too late to start; go through if you have started"

// ends is when a permit is of no more use to a robot there.
func (p Permit) ends(w Where) elevator.Instant {
	if w == Crossing {
		return p.Through
	}
	return p.Start
}

// mayBeThrough reports a robot that may be on its way by a permit not good for
// starting any more.
func (r *Ride) mayBeThrough(now elevator.Instant) bool {
	return r.Where == Crossing || r.Permit.N != 0 && now < r.Permit.Through
}

// pushed says why a robot had better keep away from a door: it closes on whoever
// stands in it, or is about to, or somebody stands there. "" is none, and so it is
// while a permit stands. A robot that may be on its way through is itself what the
// door sees.
func (r *Ride) pushed(side elevator.Side, now elevator.Instant) string {
	yes := func(s elevator.Seen[elevator.Tri]) bool { return s.Value == elevator.Yes && s.Fresh(now, slowLimit) }
	switch {
	case r.stands(now):
		return ""
	case r.door(side, now) == elevator.DoorClosing:
		return "the door is closing"
	case yes(r.Car.Nudging):
		return "the door is about to close by force"
	case r.known() && yes(r.Car.Obstruction):
		return "something stands in the doorway"
	}
	return ""
}

func (r *Ride) adviseMoving(now elevator.Instant) Advice {
	why := "riding to " + r.goal().String()
	if r.goal() == 0 {
		why = "waiting to be told where to"
	}
	elsewhere := r.standing(now) && r.LeftFrom && !r.at(r.goal(), now) && r.Car.AnyDoorOpen()
	switch {
	case r.Where != Inside:
		return Advice{Do: DoClearDoor, Why: "the robot is in the doorway again", Until: r.Deadline}
	case elsewhere:
		why = "the car stops at " + r.Car.Floor.Value.String() + " for somebody else"
	case r.Phase == Registering && r.goal() != 0:
		why = "the call to the destination is being placed"
	case r.Phase == Returning:
		why = "waiting for the door to be let out again: " + r.Why
	}
	return Advice{Do: DoStay, Why: why, Until: r.Deadline}
}

func (r *Ride) adviseExiting(now elevator.Instant) Advice {
	switch {
	case r.pushed(r.WaySide, now) != "":
		return Advice{Do: DoBackOff, Why: r.pushed(r.WaySide, now)}
	case r.stands(now):
		return Advice{Do: DoLeave, Why: "the door is open and held", Until: r.Permit.ends(r.Where)}
	case r.mayBeThrough(now):
		return Advice{Do: DoClearDoor, Why: tooLateWords, Until: r.Deadline}
	}
	return Advice{Do: DoStay, Why: "no permit: " + unmetWords(Withheld(r, now)), Until: r.Deadline}
}

func (r *Ride) adviseFault(now elevator.Instant) Advice {
	why := string(r.Code)
	if r.Why != "" {
		why += ": " + r.Why
	}
	switch {
	case !r.known() && r.abandoned(now):
		return Advice{Do: DoGetHelp, Why: why + "; clear the door if that can be, and say where the robot is: the door is kept open no longer"}
	case !r.known():
		return Advice{Do: DoClearDoor, Why: why + "; say where the robot is"}
	case r.State == FaultLocked || r.Latched && r.Where == Outside:
		return Advice{Do: DoGetHelp, Why: why + "; a person must reset the ride"}
	case r.Where == Inside:
		return Advice{Do: DoStay, Why: why, Until: r.RetryAt}
	}
	return Advice{Do: DoWait, Why: why, Until: r.RetryAt}
}

// abandoned reports a robot that may stand in the doorway and for which nothing is left to
// do but to send somebody: the door was held for it as long as it may be, or it is silent.
func (r *Ride) abandoned(now elevator.Instant) bool {
	return r.Missing || r.helpAt().Reached(now) && r.Door.Until <= now
}

// helpAt is when the time that a robot has to clear a door is over, held or not.
func (r *Ride) helpAt() elevator.Instant { return r.FaultAt.Add(graceHold) }

func unmetWords(list []Unmet) string {
	var b strings.Builder
	for i, u := range list {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString(u.Part + " " + u.Seen)
	}
	return b.String()
}

// Pass is the leave pass of a robot inside; ok is false where there is none. In a
// fire only the recall floor is a place to leave, and in any other trouble of the
// lift nobody can say beforehand which floor will be.
func Pass(r *Ride, now elevator.Instant) (LeavePass, bool) {
	if !r.Aboard || r.To == 0 || r.Where == Outside || r.AboardAt == 0 || r.State == Done || r.State == FaultLocked ||
		r.Clash.Kind != "" || r.Code == SignalConflict {
		return LeavePass{}, false
	}
	p := LeavePass{Floor: r.To, Side: r.ToSide, NotAfter: r.AboardAt.Add(travelLimit)}
	switch code := modeCode(&r.Car); {
	case r.Latched && r.Code != ModeFire, code != NoFault && code != ModeFire:
		return LeavePass{}, false
	case r.Code == ModeFire || code == ModeFire:
		if r.Plan.RecallFloor != r.To {
			return LeavePass{}, false // the side that opens there is not known here
		}
	}
	return p, now < p.NotAfter
}
