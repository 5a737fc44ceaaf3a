package daemon

import (
	"fmt"
	"time"

	"hoistway/agent/core"
	"hoistway/agent/explain"
	"hoistway/agent/gateway"
	"hoistway/agent/hooks"
	"hoistway/agent/localapi"
	"hoistway/fsm/elevator"
	"hoistway/sync/replica"
)

// assemble joins the loop with what is around it. Nothing runs yet.
func (a *agent) assemble() error {
	var uplink replica.Uplink
	if a.uplink != nil { // a nil *Link is not a nil Uplink
		uplink = a.uplink
	}
	a.watched = newWatched(a.store)
	a.replica = replica.New(a.watched, uplink, a.d.Log)
	a.pulse = newPulse(a.clock.now, a.d.WatchdogEvery, a.d.Notify)
	a.gate = gateway.New(gateway.Options{
		Core: a.core, Lifts: a.lifts, Carrier: a.replica, Uplink: a.replica.Events(), Session: a.session.Load,
		Now: a.clock.now, Wall: time.Now, Publish: a.publish, Beat: a.pulse.beat, Witness: a.witness(), Log: a.d.Log,
		First: a.first, SetAside: a.setAside,
	})
	a.view = a.gate.View
	var err error
	if a.hooks, err = hooks.New(a.hookOptions()); err != nil {
		return fmt.Errorf("E-4004: %w", err)
	}
	a.rmf = a.bridge()
	a.api, err = localapi.New(a.apiOptions())
	return err
}

func (a *agent) hookOptions() hooks.Options {
	o := hooks.Options{Commit: a.replica.Commit, Load: a.store.Load, Now: a.clock.now, Wall: time.Now, Log: a.d.Log}
	for _, l := range a.lifts {
		o.Lifts = append(o.Lifts, hooks.Lift{ID: l.ID, Link: l.Link})
	}
	return o
}

func (a *agent) publish(v *core.View) {
	if a.api != nil {
		a.api.Publish(v)
	}
	if a.rmf != nil {
		a.rmf.Publish()
	}
}

func (a *agent) apiOptions() localapi.Options {
	o := localapi.Options{
		Backend: a.gate, Now: a.clock.now, Wall: time.Now, Log: a.d.Log, Version: a.d.Version,
		Ready: a.ready, Live: a.live, Help: explainFault, Bench: a.desk.Bench, Pushes: a.hooks, Records: a.recorder, Audit: a.audit,
		Cars: carSizes(a.c.Lifts), RMF: a.rmf,
	}
	for _, r := range a.c.Robots {
		o.Robots = append(o.Robots, localapi.RobotAuth{
			ID: r.ID, TokenSHA256: r.TokenSHA256, Crossing: r.Crossing, FootprintM: r.FootprintM, MassKg: r.MassKg,
		})
	}
	for _, t := range a.c.API.Technicians {
		o.Technicians = append(o.Technicians, localapi.TechAuth{Name: t.Name, TokenSHA256: t.TokenSHA256})
	}
	return o
}

// explainFault names the error code that explains a ride's fault, and what helps.
func explainFault(fault string) (code, todo string) {
	code = explain.ForFault(fault)
	if e, ok := explain.Lookup(code); ok {
		todo = e.Do
	}
	return code, todo
}

// standstill is how long the loop may be silent before it counts as hung.
const standstill = 5 * time.Second

// live fails when the ride loop stands still.
func (a *agent) live() error {
	if age := a.pulse.age(); age > standstill {
		return fmt.Errorf("the ride loop has not passed for %s", age.Round(time.Second))
	}
	return nil
}

// ready says whether a robot may be sent to this gateway, and if not why not.
// One lift that answers is enough; the silent ones are named all the same.
func (a *agent) ready() (bool, []string) {
	var reasons []string
	ok := true
	if err := a.live(); err != nil {
		ok, reasons = false, append(reasons, err.Error())
	}
	v := a.view()
	if v.StoreFault != "" {
		ok, reasons = false, append(reasons, "nothing can be stored: "+v.StoreFault)
	}
	if v.SetAside != "" {
		reasons = append(reasons, "the store was damaged at the start and is set aside as "+v.SetAside)
	}
	online := 0
	for _, l := range v.Lifts {
		if l.Car.Link == elevator.Online {
			online++
		} else {
			reasons = append(reasons, fmt.Sprintf("lift %s is %s", l.ID, l.Car.Link))
		}
	}
	return ok && online > 0, reasons
}
