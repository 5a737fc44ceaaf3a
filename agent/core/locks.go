package core

import (
	"slices"

	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// A lock on site outranks whatever the cloud wants to release: a technician's stop or
// maintenance, a key switch, a fire input. The cloud may still restrict beside it.

// lockOf says what locks a lift on site, or with "" all lifts; "" is nothing.
func (p *pass) lockOf(lift string) string {
	s := p.site.Standing()
	if s.All != nil {
		return "stopped on site by " + s.All.By
	}
	if lift == "" {
		return ""
	}
	if stop, ok := s.Stops[lift]; ok {
		return "stopped on site by " + stop.By
	}
	if m, ok := s.Maintenance[lift]; ok {
		return "in maintenance on site by " + m.By
	}
	c, _ := p.site.View(lift)
	if c.AreaAlarm != nil && !c.AreaAlarm.Drill {
		return "an alarm of its area stands: " + string(c.AreaAlarm.Kind)
	}
	if keyed(c.Car.Mode.Value) {
		return "the lift is in mode " + c.Car.Mode.Value.String()
	}
	return ""
}

// keyed are the modes that a key, a fire input or a quake switch brings a lift into.
func keyed(m elevator.Mode) bool {
	return slices.Contains([]elevator.Mode{
		elevator.Independent, elevator.Inspection, elevator.Fire, elevator.Firefighter, elevator.Seismic, elevator.EmergencyStop,
		elevator.Attendant, elevator.CabinetRecall, elevator.OccupantEvacuation,
	}, m)
}

// liftControls are what is in force of a lift's orders, with who has it so.
func (p *pass) liftControls(c dispatch.CarView) shadow.Tree {
	s := p.site.Standing()
	_, local := s.Stops[c.ID]
	_, cloud := s.Cloud.Stops[c.ID]
	return shadow.Tree{
		"maintenance": p.maintained(c), "emergency": local || cloud, "emergency_by": side(local, cloud),
	}
}

// gatewayControls are those of all lifts.
func (p *pass) gatewayControls() shadow.Tree {
	s := p.site.Standing()
	local, cloud := s.All != nil, s.Cloud.All != nil
	return shadow.Tree{"emergency": local || cloud, "emergency_by": side(local, cloud)}
}

func side(local, cloud bool) any {
	switch {
	case local:
		return "local"
	case cloud:
		return "cloud"
	}
	return nil
}

// maintained is the field maintenance: what is in force, by whom, and the end that the
// cloud has named.
func (p *pass) maintained(c dispatch.CarView) shadow.Tree {
	if c.Maintenance == nil {
		return shadow.Tree{"on": false}
	}
	t := shadow.Tree{"on": true, "by": "local"}
	switch {
	case c.Maintenance.By == dispatch.ByWindow:
		t["by"] = "window"
	case c.Maintenance.Cloud:
		t["by"] = "cloud"
	}
	if m := p.site.Standing().Cloud.Maintenance[c.ID]; m.Named != 0 {
		t["until"] = number(m.Named)
	}
	return t
}

// overruled tells the cloud which of its orders are over by no word of its own: ended on
// site, or by the time that it has named.
func (p *pass) overruled() {
	was, now := p.cloudWas, p.site.Standing().Cloud
	p.cloudWas = now
	if p.asked != nil || p.session == nil {
		return // it was its own word
	}
	if was.All != nil && now.All == nil {
		p.amended("", "emergency", ackElsewhere, "ended on site")
	}
	for _, lift := range p.site.Lifts() {
		if _, still := now.Stops[lift]; !still && was.Stops[lift].Cloud {
			p.amended(lift, "emergency", ackElsewhere, "ended on site")
		}
		m := was.Maintenance[lift]
		if _, still := now.Maintenance[lift]; still || !m.Cloud {
			continue
		}
		if m.Until.Reached(p.t.Now) {
			p.amended(lift, "maintenance", ackOver, "its end has passed")
			continue
		}
		p.amended(lift, "maintenance", ackElsewhere, "ended on site")
	}
}

func (p *pass) amended(name, path string, code int, why string) {
	p.toSession(shadow.Amended{Shadow: name, Results: []shadow.Result{{
		Path: path, Code: code, Value: p.controlsOf(name)[path], Detail: why,
	}}})
}

// controlsOf are the orders in force at a lift, or with "" at all lifts.
func (p *pass) controlsOf(name string) shadow.Tree {
	if name == "" {
		return p.gatewayControls()
	}
	c, _ := p.site.View(name)
	return p.liftControls(c)
}

// observed are the fields of a lift's shadow that are reported only.
func observed() []string {
	out := []string{"link", "mode", "occupied", "owner", "accepting", "not_accepting_why", "emergency_by"}
	for path := range tree(fsm.Fields{}) {
		out = append(out, path)
	}
	slices.Sort(out)
	return out
}
