package fsm

import "hoistway/fsm/elevator"

// New opens a ride in IDLE: queued when the robot stands ready, else standby.
func New(req Request, p Params, now elevator.Instant) Ride {
	r := Ride{
		Request: req, State: Idle, Phase: Standby, Where: Outside, Since: now, PhaseAt: now,
		Params: p.orDefault(), Battery: -1, Stepped: now,
	}
	r.Expires = now.Add(r.Params.Expiry)
	r.Deadline = now.Add(r.Params.Standby)
	if req.Ready {
		r.Phase, r.Deadline = Queued, 0
	}
	return r
}

// orDefault fills the limits without which a ride could wait or hold for ever.
func (p Params) orDefault() Params {
	d := DefaultParams()
	if p.WaitTimeout <= 0 {
		p.WaitTimeout = d.WaitTimeout
	}
	if p.HoldLimit <= 0 {
		p.HoldLimit = d.HoldLimit
	}
	if p.HoldRenew <= 0 {
		p.HoldRenew = d.HoldRenew
	}
	if p.Expiry <= 0 {
		p.Expiry = d.Expiry
	}
	if p.Standby <= 0 {
		p.Standby = d.Standby
	}
	if p.Backoff <= 0 {
		p.Backoff = d.Backoff
	}
	if p.CoolDown <= 0 {
		p.CoolDown = d.CoolDown
	}
	p.Retries, p.CloudWait, p.RobotTTL = max(p.Retries, 0), max(p.CloudWait, 0), max(p.RobotTTL, 0)
	return p
}

// orDefault fills the times that a profile did not say.
func (p Plan) orDefault() Plan {
	if p.AcceptWithin <= 0 {
		p.AcceptWithin = acceptWithin
	}
	if p.ClaimWithin <= 0 {
		p.ClaimWithin = claimWithin
	}
	if p.Poll <= 0 {
		p.Poll = poll
	}
	if p.Style == LevelCall {
		p.CancelMayClose = true // whatever is let go of may have kept a door open
	}
	return p
}

func (r *Ride) crossing() elevator.Instant {
	if r.Crossing <= 0 {
		return elevator.Instant(crossing)
	}
	return elevator.Instant(r.Crossing)
}
