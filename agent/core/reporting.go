package core

import (
	"maps"

	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/sync/shadow"
)

// toSession steps the session, if there is one, and carries its outputs over.
func (p *pass) toSession(in shadow.Input) {
	if p.session == nil {
		return
	}
	for _, o := range p.session.Step(in, int64(p.t.Now), nil) {
		switch o := o.(type) {
		case shadow.Publish:
			p.after(Send{Publish: o})
		case shadow.Put:
			p.store(o.Record)
		case shadow.Perform:
			p.performs = append(p.performs, o)
		case shadow.Apply:
			p.toSession(p.apply(o))
		case shadow.Note:
			p.line("info", "sync: "+o.Text, "", "", "kind", o.Kind)
			p.res.Changed = true
		}
	}
}

// report tells the session what the touched lifts now are.
func (p *pass) report() {
	if p.session != nil && len(p.touched) > 0 {
		p.reportLifts()
	}
	p.touched = p.touched[:0]
	if p.classic && p.connected {
		p.reportFacts()
	}
	for _, r := range p.gone {
		p.toSession(r)
	}
}

func (p *pass) reportLifts() {
	for _, lift := range p.touched {
		if c, ok := p.site.View(lift); ok {
			p.toSession(shadow.Report{Shadow: lift, Fields: p.fields(c)})
		}
	}
}

// reported is the ride whose state is the lift's: the one that holds the lease; then
// the last one while its fault stands here, which must not vanish with the lease, and not
// stay when the ride has gone over to another lift; else
// none, and the lift is IDLE.
func reported(c dispatch.CarView) fsm.Ride {
	switch {
	case c.Owner != nil:
		return *c.Owner
	case c.Last != nil && c.Last.Lift == c.ID && (c.Last.State == fsm.Fault || c.Last.State == fsm.FaultLocked):
		return *c.Last
	}
	return fsm.Ride{State: fsm.Idle, Phase: fsm.Free, Request: fsm.Request{Lift: c.ID}}
}

// fields are what one lift's shadow reports: a ride's, and the lift's own facts
// beside it.
func (p *pass) fields(c dispatch.CarView) shadow.Tree {
	ride := reported(c)
	ride.Car = c.Car
	t := tree(fsm.Report(ride, c.Floors, p.t.Now, p.t.Wall/1000))
	maps.Copy(t, shadow.Tree{
		"link": c.Car.Link.String(), "mode": c.Car.Mode.Value.String(), "occupied": c.Occupied,
		"owner": owner(c), "accepting": c.Accepting, "not_accepting_why": orNull(string(c.Why)),
	})
	maps.Copy(t, p.liftControls(c))
	return t
}

func owner(c dispatch.CarView) any {
	if c.Owner == nil {
		return nil
	}
	return c.Owner.Robot
}

func orNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// reportFacts tells the classic shadow what this gateway is and what is in force.
func (p *pass) reportFacts() {
	t := maps.Clone(p.facts)
	if t == nil {
		t = shadow.Tree{}
	}
	for _, s := range settingTable() {
		t[s.path] = p.inForce(s.path)
	}
	maps.Copy(t, p.gatewayControls())
	p.toSession(shadow.Report{Shadow: "", Fields: t})
}

// tree turns a value with JSON tags into canonical leaves.
func tree(v any) shadow.Tree {
	plain, err := shadow.Plain(v)
	t, ok := plain.(shadow.Tree)
	if err != nil || !ok { // plain words and numbers: it cannot be
		return shadow.Tree{}
	}
	return t
}
