package face

import (
	"net/http"

	"hoistway/simulator/cloud"
	"hoistway/simulator/cloud/ops"
	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

const maxSamples = 1000 // in one answer

func (f *Face) thingRoutes() map[string]act {
	return map[string]act{
		"GET /v1/things":                          f.things,
		"GET /v1/things/{serial}":                 f.thing,
		"PUT /v1/things/{serial}/tags":            f.setTags,
		"PUT /v1/things/{serial}/replaces/{old}":  f.replace,
		"GET /v1/things/{serial}/shadow":          f.shadow,
		"GET /v1/things/{serial}/shadow/{name}":   f.shadow,
		"PATCH /v1/things/{serial}/shadow":        f.desire,
		"PATCH /v1/things/{serial}/shadow/{name}": f.desire,
		"GET /v1/things/{serial}/writes":          ofThing(f, func(d cloud.Desk, serial string) any { return each(d.Rules.Wishes(serial), viewWrite) }),
		"GET /v1/things/{serial}/events":          ofThing(f, func(d cloud.Desk, serial string) any { return each(d.Rules.Events(serial), viewEvent) }),
		"GET /v1/things/{serial}/commands":        ofThing(f, func(d cloud.Desk, serial string) any { return each(d.Rules.Orders(serial), viewCommand) }),
		"POST /v1/things/{serial}/commands":       f.command,
		"GET /v1/things/{serial}/telemetry":       f.telemetry,
	}
}

// thingView is a device as an operator sees it.
type thingView struct {
	ops.Thing
	Online   bool        `json:"online"`
	Semi     bool        `json:"semi"` // it is there, and its reports stand still
	LastSeen int64       `json:"last_seen"`
	Facts    shadow.Tree `json:"facts,omitempty"` // as it registered
}

func viewOf(d cloud.Desk, t ops.Thing) thingView {
	p, _ := d.Rules.Presence(t.Serial, d.Now)
	facts, _ := d.Rules.Facts(t.Serial)
	return thingView{Thing: t, Online: p.Online, Semi: p.Semi, LastSeen: p.LastSeen, Facts: facts.Facts}
}

func (f *Face) things(asked) (int, any, error) {
	out := []thingView{}
	f.cloud.Look(func(d cloud.Desk) {
		for _, t := range d.Ops.Things() {
			out = append(out, viewOf(d, t))
		}
	})
	return http.StatusOK, out, nil
}

func (f *Face) thing(a asked) (status int, body any, err error) {
	return ofThing(f, func(d cloud.Desk, serial string) any {
		t, _ := d.Ops.Thing(serial)
		return viewOf(d, t)
	})(a)
}

// ofThing looks at a thing that was heard of, or says 404.
func ofThing(f *Face, look func(d cloud.Desk, serial string) any) act {
	return func(a asked) (status int, body any, err error) {
		err = errNoThing
		f.cloud.Look(func(d cloud.Desk) {
			if t, ok := d.Ops.Thing(a.r.PathValue("serial")); ok {
				status, body, err = http.StatusOK, look(d, t.Serial), nil
			}
		})
		return status, body, err
	}
}

func list[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}

func (f *Face) setTags(a asked) (int, any, error) {
	var tags ops.Tags
	if err := body(a, &tags); err != nil {
		return 0, nil, err
	}
	err := f.ofDesk(a, func(d cloud.Desk) (ops.Result, error) { return d.Ops.Tag(a.r.PathValue("serial"), tags, d.Now) })
	return http.StatusNoContent, nil, err
}

func (f *Face) replace(a asked) (int, any, error) {
	err := f.act(a, func(d cloud.Desk) (r rules.Result, o ops.Result, err error) {
		r, err = d.Rules.Replace(a.r.PathValue("serial"), a.r.PathValue("old"), d.Now)
		return r, o, err
	})
	return http.StatusNoContent, nil, err
}

// order is an operator's command.
type order struct {
	ID      string      `json:"id"`
	Name    string      `json:"cmd"`
	Args    shadow.Tree `json:"args"`
	Sig     shadow.Tree `json:"sig"`
	Expires int64       `json:"exp"`
}

func (f *Face) command(a asked) (int, any, error) {
	var o order
	if err := body(a, &o); err != nil {
		return 0, nil, err
	}
	issued := rules.Order{Serial: a.r.PathValue("serial"), ID: o.ID, Name: o.Name, By: a.who.Name, Args: o.Args, Sig: o.Sig, Expires: o.Expires}
	err := f.act(a, func(d cloud.Desk) (r rules.Result, res ops.Result, err error) {
		issued, r, err = d.Rules.Issue(issued, d.Now)
		return r, res, err
	})
	return http.StatusAccepted, viewCommand(issued), err
}

func (f *Face) telemetry(a asked) (int, any, error) {
	from, err := seconds(a.r, "from")
	if err != nil {
		return 0, nil, err
	}
	to, err := seconds(a.r, "to")
	if err != nil {
		return 0, nil, err
	}
	series := a.r.URL.Query().Get("series")
	return ofThing(f, func(d cloud.Desk, serial string) any {
		if series == "" {
			return map[string]any{"series": list(d.Rules.Series(serial))}
		}
		if to == 0 {
			to = d.Now + 1
		}
		return map[string]any{"series": series, "samples": each(d.Rules.Samples(serial, series, from, to, maxSamples), viewSample)}
	})(a)
}
