package core

import (
	"hoistway/fsm"
	"hoistway/fsm/dispatch"
)

// ordered refuses while nothing can be stored what must not be in force for only as long as
// the process lives.
func (p *pass) ordered(in Ordered) {
	p.token, p.lasts = in.Token, lasts(in.Order)
	if p.storeFault != "" && setsFree(in.Order) {
		p.after(Reply{Token: p.token, Answer: unstored("nothing was done", p.storeFault)})
		return
	}
	switch o := in.Order.(type) {
	case CreateRide:
		p.createRide(o)
	case SendSignal:
		p.toSite(dispatch.Signal{Ride: o.Ride, Signal: o.Signal})
	case SendHeartbeat:
		p.toSite(dispatch.Heartbeat{Robot: o.Robot, Signal: o.Signal})
	case FinishTask:
		p.finishTask(o)
	case CancelRide:
		p.toSite(dispatch.Cancel{Ride: o.Ride, By: o.By})
	case ResetRide:
		p.toSite(dispatch.Reset{Ride: o.Ride, RobotIs: o.RobotIs, By: o.By})
	case PatchRide:
		p.toSite(dispatch.Retarget(o))
	case ClaimRide:
		p.toSite(dispatch.Claim(o))
	default:
		p.standing(o)
	}
}

// lasts reports an order that a restart must not forget.
func lasts(o Order) bool {
	switch o.(type) {
	case SendSignal, SendHeartbeat, ClaimRide: // what is seen, not what is wanted
		return false
	}
	return true
}

// setsFree reports an order that gives more than there was. One that only takes out of use, or lets
// a robot out of a car, is worth having for the life of a process.
func setsFree(o Order) bool {
	switch o := o.(type) {
	case CreateRide, PatchRide, AttestEmpty, ClearArea:
		return true
	case MaintainLift:
		return !o.On
	case StopAll:
		return !o.On
	case ResetRide:
		return o.RobotIs != fsm.RobotInside
	}
	return false
}

// unstored is the answer to an order that the store did not take. What says how things stand.
func unstored(what, fault string) Answer {
	return Answer{Status: Unavailable, Code: "E-2107", Detail: "nothing can be stored (" + fault + "): " + what}
}

func (p *pass) createRide(o CreateRide) {
	p.toSite(dispatch.Create{
		Request: o.Request, From: o.From, To: o.To, FromDoor: o.FromDoor, ToDoor: o.ToDoor, Any: o.Any, Group: o.Group,
		Among: o.Among, Eta: o.Eta, Open: o.Open, Toward: o.Toward,
	})
}

// answer carries a reply over to the words that readers of this package use.
func answer(r dispatch.Reply) Answer {
	status := [...]AnswerStatus{
		dispatch.Accepted: Accepted, dispatch.Created: Created, dispatch.Existing: Existing, dispatch.Conflict: Conflict,
		dispatch.NotFound: NotFound, dispatch.Impossible: Impossible, dispatch.Unavailable: Unavailable,
	}
	return Answer{Status: status[r.Status], Ride: r.Ride, Code: r.Code, Field: r.Field, Detail: r.Detail}
}
