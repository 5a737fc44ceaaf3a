package core

import (
	"hoistway/fsm/dispatch"
)

func (p *pass) ordered(in Ordered) {
	p.token = in.Token
	switch o := in.Order.(type) {
	case CreateRide:
		p.createRide(o)
	case SendSignal:
		p.toSite(dispatch.Signal{Ride: o.Ride, Signal: o.Signal})
	case SendHeartbeat:
		p.toSite(dispatch.Heartbeat{Robot: o.Robot, Signal: o.Signal})
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

// createRide refuses while nothing can be stored: a ride that a restart forgets
// would leave a robot in the shaft without a machine.
func (p *pass) createRide(o CreateRide) {
	if p.storeFault != "" {
		p.after(Reply{Token: p.token, Answer: Answer{
			Status: Unavailable, Code: "E-2107", Detail: "nothing can be stored: " + p.storeFault,
		}})
		return
	}
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
