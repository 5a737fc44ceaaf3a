package core

import (
	"fmt"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/sync/shadow"
)

// control is a field of a shadow that is an order: to stop, to maintain, to go on after a
// fault. What it wants is brought to the site as a person's order is, and stands behind it.
type control struct {
	path    string
	class   shadow.Class
	touches bool // a controller
	gateway bool // of the classic shadow, too
	// judge looks at the value without changing anything.
	judge func(p *pass, a shadow.Apply) shadow.Result
	// do carries out what was judged to be good. It may still find that it is not.
	do func(p *pass, a shadow.Apply, r *shadow.Result)
}

func controlTable() []control {
	return []control{
		{path: "emergency", class: shadow.ClassRestrictive, gateway: true, judge: judgeEmergency, do: doEmergency},
		{path: "maintenance", class: shadow.ClassRestrictive, judge: judgeMaintenance, do: doMaintenance},
		{path: "recovery", class: shadow.ClassOperation, touches: true, judge: judgeRecovery, do: doRecovery},
		{path: "reset", class: shadow.ClassPermissive, judge: judgeReset, do: doReset},
	}
}

func findControl(name, path string) (control, bool) {
	for _, c := range controlTable() {
		if c.path == path && (name != "" || c.gateway) {
			return c, true
		}
	}
	return control{}, false
}

func good(path string, v any) shadow.Result { return shadow.Result{Path: path, Code: ackOK, Value: v} }

func bad(path string, code int, format string, args ...any) shadow.Result {
	return shadow.Result{Path: path, Code: code, Detail: fmt.Sprintf(format, args...)}
}

// ask brings an order of the cloud to the site and says what it was answered.
func (p *pass) ask(in dispatch.Input) dispatch.Reply {
	var r dispatch.Reply
	p.asked = &r
	p.toSite(in)
	p.asked = nil
	return r
}

// by names whoever the header says has written an order.
func by(a shadow.Apply) string {
	if a.By == "" {
		return "the cloud"
	}
	return a.By + ", by the cloud"
}

// Emergency stops as a person's stop does; it is never the fire recall.

func judgeEmergency(p *pass, a shadow.Apply) shadow.Result {
	on, ok := a.Values["emergency"].(bool)
	switch {
	case a.Values["emergency"] == nil:
		return good("emergency", nil)
	case !ok:
		return bad("emergency", ackRefused, "emergency takes true or false")
	case !on:
		if why := p.lockOf(a.Shadow); why != "" {
			return bad("emergency", ackLocked, "%s", why)
		}
	}
	return good("emergency", on)
}

func doEmergency(p *pass, a shadow.Apply, r *shadow.Result) {
	if on, ok := a.Values["emergency"].(bool); ok {
		p.settleWith(r, dispatch.Stop{Lift: a.Shadow, On: on, By: by(a), Cloud: true})
	}
}

func judgeMaintenance(p *pass, a shadow.Apply) shadow.Result {
	v := a.Values["maintenance"]
	m, ok := readMaintenance(v)
	switch {
	case v == nil:
		return good("maintenance", nil)
	case !ok:
		return bad("maintenance", ackRefused, `maintenance takes {"on": true or false, "until": epoch seconds or nothing}`)
	case !m.on:
		if why := p.lockOf(a.Shadow); why != "" {
			return bad("maintenance", ackLocked, "%s", why)
		}
	case m.until != 0 && a.Now != 0 && m.until <= a.Now:
		return bad("maintenance", ackOver, "its end has passed")
	}
	return good("maintenance", v)
}

type maintenance struct {
	on    bool
	until int64 // epoch seconds of the service, 0 = until it is ended
}

func readMaintenance(v any) (m maintenance, ok bool) {
	t, isTree := v.(shadow.Tree)
	m.on, ok = t["on"].(bool)
	for k, e := range t {
		switch k {
		case "on":
		case "until":
			var fits bool
			m.until, fits = whole(e)
			ok = ok && fits && m.until > 0
		default:
			ok = false
		}
	}
	return m, ok && isTree
}

// doMaintenance: where the service's time is not known, its end is not either, and it lasts
// until it is ended.
func doMaintenance(p *pass, a shadow.Apply, r *shadow.Result) {
	m, ok := readMaintenance(a.Values["maintenance"])
	if !ok {
		return
	}
	in := dispatch.Maintain{Lift: a.Shadow, On: m.on, By: by(a), Cloud: true, Named: m.until}
	if m.until != 0 && a.Now != 0 {
		in.For = time.Duration(min(m.until-a.Now, maxAhead)) * time.Second
	}
	p.settleWith(r, in)
}

// maxAhead bounds an end in the far future, in seconds.
const maxAhead = 10 * 365 * 24 * 3600

// settleWith brings an order to the site, and a refusal into the result.
func (p *pass) settleWith(r *shadow.Result, in dispatch.Input) {
	if a := p.ask(in); a.Status != dispatch.Accepted {
		*r = bad(r.Path, ackRefused, "%s", a.Detail)
	}
}

// Recovery is the cloud's plan for one fault of one ride of this lift, used once.

func judgeRecovery(p *pass, a shadow.Apply) shadow.Result {
	v := a.Values["recovery"]
	if v == nil {
		return good("recovery", nil)
	}
	t, _ := v.(shadow.Tree)
	ride, plan, ok := readRecovery(t)
	if !ok {
		return bad("recovery", ackRefused, `recovery takes {"ride", "fault_no", "do": wait, retry, other_lift or lock, "wait_s": 0 to 3600 or nothing}`)
	}
	r := p.site.Ride(ride)
	if r == nil || r.Lift != a.Shadow {
		return bad("recovery", ackOver, "there is no such ride at this lift any more")
	}
	if why := r.MayRecover(plan); why != "" {
		return bad("recovery", ackOver, "%s", why)
	}
	return good("recovery", v)
}

// readRecovery carries a plan over into the words of a ride: to wait for so long is to try
// again after it, to wait without end is to hold.
func readRecovery(t shadow.Tree) (ride string, plan fsm.Recover, ok bool) {
	ride, _ = t["ride"].(string)
	no, whole1 := whole(t["fault_no"])
	wait, whole2 := whole(t["wait_s"])
	do, _ := t["do"].(string)
	plan = fsm.Recover{FaultNo: int(no), Plan: do, Delay: time.Duration(wait) * time.Second}
	_, waits := t["wait_s"]
	if waits && (!whole2 || wait < 0 || wait > 3600) || ride == "" || !whole1 {
		return ride, plan, false
	}
	switch do {
	case "retry", "other_lift", "lock":
		return ride, plan, true
	case "wait":
		plan.Plan = map[bool]string{true: "retry", false: "hold"}[waits]
		return ride, plan, true
	}
	return ride, plan, false
}

func doRecovery(p *pass, a shadow.Apply, r *shadow.Result) {
	t, ok := a.Values["recovery"].(shadow.Tree)
	if !ok {
		p.forget(a.Shadow, "recovery")
		return
	}
	ride, plan, _ := readRecovery(t)
	p.settleWith(r, dispatch.Recover{Ride: ride, Recover: plan})
}

// Reset is a person's word from afar, signed: where the robot is it says itself, unless the
// robot has said that it is outside.

func judgeReset(p *pass, a shadow.Apply) shadow.Result {
	v := a.Values["reset"]
	if v == nil {
		return good("reset", nil)
	}
	t, _ := v.(shadow.Tree)
	id, _ := t["ride"].(string)
	no, ok := whole(t["fault_no"])
	if id == "" || !ok {
		return bad("reset", ackRefused, `reset takes {"ride", "fault_no", "robot_is": outside, removed or inside}`)
	}
	r := p.site.Ride(id)
	switch {
	case r == nil || r.Lift != a.Shadow || int64(r.FaultNo) != no || r.State != fsm.Fault && r.State != fsm.FaultLocked:
		return bad("reset", ackOver, "that fault is over")
	case p.lockOf(a.Shadow) != "":
		return bad("reset", ackLocked, "%s", p.lockOf(a.Shadow))
	case whereabouts(t, r) == "":
		return bad("reset", ackRefused, "nobody knows where the robot is: say robot_is")
	}
	return good("reset", v)
}

func whereabouts(t shadow.Tree, r *fsm.Ride) fsm.Whereabouts {
	said, there := t["robot_is"]
	if !there && r.Where == fsm.Outside {
		return fsm.RobotOutside
	}
	for _, w := range []fsm.Whereabouts{fsm.RobotOutside, fsm.RobotRemoved, fsm.RobotInside} {
		if said == string(w) {
			return w
		}
	}
	return ""
}

func doReset(p *pass, a shadow.Apply, r *shadow.Result) {
	t, ok := a.Values["reset"].(shadow.Tree)
	if !ok {
		p.forget(a.Shadow, "reset")
		return
	}
	id, _ := t["ride"].(string)
	p.settleWith(r, dispatch.Reset{Ride: id, RobotIs: whereabouts(t, p.site.Ride(id)), By: by(a)})
}

// forget reports no longer an order that desired asks for no longer.
func (p *pass) forget(lift, path string) {
	p.gone = append(p.gone, shadow.Report{Shadow: lift, Fields: shadow.Tree{path: nil}})
}
