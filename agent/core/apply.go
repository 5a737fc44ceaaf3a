package core

import (
	"maps"
	"slices"
	"strings"

	"hoistway/sync/shadow"
)

// Ack codes of the sync contract.
const (
	ackOK        = 200
	ackElsewhere = 203 // set otherwise by somebody on site
	ackRefused   = 400
	ackNotYours  = 405
	ackOver      = 410
	ackLocked    = 423
	ackWith      = 424
	ackFailed    = 500
)

// Rules is the field table: of each field of the shadows its class, its time to live and
// whether to carry it out touches a controller.
func Rules() []shadow.Rule {
	var out []shadow.Rule
	for _, s := range settingTable() {
		out = append(out, shadow.Rule{Path: s.path, Class: shadow.ClassConfig})
	}
	for _, c := range controlTable() {
		out = append(out, shadow.Rule{Path: c.path, Class: c.class, Touches: c.touches})
	}
	for _, path := range observed() {
		out = append(out, shadow.Rule{Path: path, Class: shadow.ClassObserved})
	}
	return out
}

// apply judges one intent: all of its values are put in force, or none.
func (p *pass) apply(a shadow.Apply) shadow.Applied {
	out := shadow.Applied{Shadow: a.Shadow, Intent: a.Intent}
	for _, path := range slices.Sorted(maps.Keys(a.Values)) {
		out.Results = append(out.Results, p.judge(a, path))
	}
	next, settings := p.together(a, out.Results)
	if slices.ContainsFunc(out.Results, func(r shadow.Result) bool { return r.Code != ackOK }) {
		p.notAlone(out.Results)
		return out
	}
	if next != nil {
		p.enforce(a, next, settings)
	}
	for i := range out.Results {
		p.carryOut(a, &out.Results[i])
	}
	return out
}

func (p *pass) judge(a shadow.Apply, path string) shadow.Result {
	if c, ok := findControl(a.Shadow, path); ok {
		return c.judge(p, a)
	}
	s, ok := findSetting(path)
	switch v := a.Values[path]; {
	case a.Shadow != "" || !ok:
		return shadow.Result{Path: path, Code: ackNotYours, Detail: whyNot(path)}
	case v == nil:
		return shadow.Result{Path: path, Code: ackOK, Value: s.show(&p.file)}
	case !s.read(v, &Settings{}):
		return shadow.Result{Path: path, Code: ackRefused, Value: p.inForce(path), Detail: path + " takes " + s.takes}
	default:
		return shadow.Result{Path: path, Code: ackOK, Value: v}
	}
}

// together holds the settings of an intent against each other and those in force; next is
// nil when there is none among its values, or when one of them is refused.
func (p *pass) together(a shadow.Apply, results []shadow.Result) (next accepted, s Settings) {
	own := func(r shadow.Result) bool { _, ok := findSetting(r.Path); return ok && a.Shadow == "" }
	if !slices.ContainsFunc(results, own) {
		return nil, s
	}
	next = p.accepted.with(a)
	s, err := next.over(p.file, p.longest)
	if err == nil {
		return next, s
	}
	m := s.misfit(p.longest)
	for i, r := range results {
		if m != nil && r.Code == ackOK && own(r) && m.names(r.Path) {
			results[i] = shadow.Result{Path: r.Path, Code: ackRefused, Value: p.inForce(r.Path), Detail: m.why}
		}
	}
	return nil, s
}

// notAlone answers the good values of an intent that has a bad one.
func (p *pass) notAlone(results []shadow.Result) {
	for i, r := range results {
		if r.Code == ackOK {
			results[i] = shadow.Result{Path: r.Path, Code: ackWith, Value: p.inForce(r.Path), Detail: "refused together with another value"}
		}
	}
}

func (p *pass) carryOut(a shadow.Apply, r *shadow.Result) {
	if c, ok := findControl(a.Shadow, r.Path); ok {
		c.do(p, a, r)
		if c.class == shadow.ClassRestrictive {
			r.Value = p.controlsOf(a.Shadow)[r.Path]
		}
		p.line("info", "order of the cloud", a.Shadow, "", "path", r.Path, "code", string(number(int64(r.Code))), "by", a.By, "intent", a.Intent)
	}
}

// whyNot tells of a field that nobody may wish for why, where somebody may look for it.
func whyNot(path string) string {
	switch path {
	case "firmware":
		return "this gateway has no updater"
	case "task":
		return "a gateway takes no task: that is for the agent of a robot"
	case "poll_ms", "report_period", "operation_profile", "connect_spread":
		return "this gateway does not change that at run time"
	}
	if slices.Contains(verbs(), strings.ReplaceAll(path, "-", "_")) {
		return "this is done once and is no state: use a command"
	}
	return "not a setting of this shadow"
}

// verbs are asked for by commands, or not at all.
func verbs() []string {
	return []string{
		"action", "call", "close_door", "command", "do", "hold", "landing_call", "open_door", "reboot", "reset_fault", "restart",
		"run_update", "self_test", "snapshot", "update",
	}
}
