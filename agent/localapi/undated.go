package localapi

import "fmt"

// etaStep is how much an estimate changes, in milliseconds, before it is news.
const etaStep = 5000

// ageless is the lift without what changes by time alone.
func (l Lift) ageless() Lift {
	l.At, l.LinkAgeMs, l.HeardMs, l.Push = "", nil, nil, l.Push.ageless()
	for _, v := range []*Value{
		&l.Floor, &l.Motion, &l.Mode, &l.Position, &l.Load, &l.Overload, &l.Nudging, &l.Obstacle, &l.Stop,
		&l.Calls.Up, &l.Calls.Down, &l.Calls.Car, &l.Vendor,
	} {
		v.AgeMs = nil
	}
	doors := make(map[string]Value, len(l.Doors))
	for side, v := range l.Doors {
		v.AgeMs = nil
		doors[side] = v
	}
	l.Doors = doors
	return l
}

// ageless is the shadow without the time of the answer.
func (d Shadow) ageless() Shadow {
	d.At = ""
	return d
}

// urgent is what readers are told at once: trouble, and who has the lift.
func (l Lift) urgent() string {
	owner := ""
	if l.Owner != nil {
		owner = l.Owner.Ride
	}
	return fmt.Sprint(l.Link, l.Mode.Value, l.Alarms, owner, l.State, l.Phase, l.Accepting, l.Why, l.Maintenance, l.Stopped, l.AreaAlarm)
}

// undated takes the times out of what a robot could act on.
func (r Ride) undated() Ride {
	if r.Permit != nil {
		p := *r.Permit
		p.StartWithinMs, p.ThroughWithinMs = 0, 0
		r.Permit = &p
	}
	if r.LeavePass != nil {
		p := *r.LeavePass
		p.NotAfterMs = 0
		r.LeavePass = &p
	}
	return r
}

// ageless is the ride without what changes by time alone. Permits are issued
// anew all the time; only another kind or place of one is a change.
func (r Ride) ageless() Ride {
	r.At, r.DeadlineMs, r.Do.UntilMs = "", nil, nil
	if r.EtaMs != nil {
		rough := (*r.EtaMs + etaStep - 1) / etaStep
		r.EtaMs = &rough
	}
	if r.Permit != nil {
		p := *r.Permit
		p.ID, p.StartWithinMs, p.ThroughWithinMs = "", 0, 0
		r.Permit = &p
	}
	if r.Fault != nil {
		f := *r.Fault
		f.AgeMs = 0
		r.Fault = &f
	}
	return r
}

// urgent is what readers are told at once: states, permits and faults.
func (r Ride) urgent() string {
	permit, fault := "", ""
	if r.Permit != nil {
		permit = fmt.Sprint(r.Permit.Kind, r.Permit.Floor, r.Permit.Side)
	}
	if r.Fault != nil {
		fault = fmt.Sprint(r.Fault.Code, r.Fault.No, r.Fault.Latched)
	}
	return fmt.Sprint(r.State, r.Phase, r.Where, r.Do.Action, permit, fault)
}
