package face

import (
	"net/http"

	"hoistway/simulator/cloud"
	"hoistway/simulator/cloud/ops"
)

func (f *Face) deskRoutes() map[string]act {
	return map[string]act{
		"GET /v1/groups":                look(f, func(d cloud.Desk) any { return list(d.Ops.Groups()) }),
		"PUT /v1/groups/{name}":         f.setGroup,
		"DELETE /v1/groups/{name}":      drop(f, "name", func(d cloud.Desk, name string) (ops.Result, error) { return d.Ops.DropGroup(name) }),
		"GET /v1/groups/{name}/members": f.members,
		"GET /v1/batches":               look(f, func(d cloud.Desk) any { return list(d.Ops.Batches()) }),
		"POST /v1/batches":              f.startBatch,
		"GET /v1/batches/{id}":          f.batch,
		"POST /v1/batches/{id}/stop":    f.stopBatch,
		"GET /v1/behind":                look(f, func(d cloud.Desk) any { return d.Ops.Behind() }),
		"GET /v1/alarms":                look(f, func(d cloud.Desk) any { return list(d.Ops.Incidents()) }),
		"GET /v1/inspections":           look(f, func(d cloud.Desk) any { return list(d.Ops.Reports()) }),
		"POST /v1/inspections":          f.inspect,
		"GET /v1/metrics":               f.metrics,
		"GET /v1/topology":              look(f, func(d cloud.Desk) any { return list(d.Ops.Topology()) }),
		"PUT /v1/topology/{id...}":      f.setNode,
		"DELETE /v1/topology/{id...}":   drop(f, "id", func(d cloud.Desk, id string) (ops.Result, error) { return d.Ops.DropNode(id) }),
		"GET /v1/touched/{id...}":       f.touched,
		"GET /v1/history/desired":       f.history((*ops.Desk).Desired),
		"GET /v1/history/reported":      f.history((*ops.Desk).Reported),
	}
}

func look(f *Face, at func(d cloud.Desk) any) act {
	return func(asked) (status int, body any, err error) {
		f.cloud.Look(func(d cloud.Desk) { body = at(d) })
		return http.StatusOK, body, nil
	}
}

func drop(f *Face, param string, do func(d cloud.Desk, name string) (ops.Result, error)) act {
	return func(a asked) (int, any, error) {
		err := f.ofDesk(a, func(d cloud.Desk) (ops.Result, error) { return do(d, a.r.PathValue(param)) })
		return http.StatusNoContent, nil, err
	}
}

func (f *Face) setGroup(a asked) (int, any, error) {
	var g ops.Group
	if err := body(a, &g); err != nil {
		return 0, nil, err
	}
	g.Name = a.r.PathValue("name")
	err := f.ofDesk(a, func(d cloud.Desk) (ops.Result, error) { return d.Ops.SetGroup(g) })
	return http.StatusOK, g, err
}

func (f *Face) members(a asked) (status int, body any, err error) {
	err = &problem{Status: http.StatusNotFound, Detail: "there is no such group"}
	f.cloud.Look(func(d cloud.Desk) {
		if g, ok := d.Ops.Group(a.r.PathValue("name")); ok {
			status, body, err = http.StatusOK, list(d.Ops.Members(g, a.r.URL.Query().Get("lifts") == "true")), nil
		}
	})
	return status, body, err
}

// newBatch is what an operator says of one.
type newBatch struct {
	ID          string         `json:"id"`
	Group       string         `json:"group"`
	Lifts       bool           `json:"lifts"`
	Desired     map[string]any `json:"desired"`
	Limit       int64          `json:"limit_s"`
	Wave        int            `json:"wave"`
	MaxFailures float64        `json:"max_failures"`
}

func (f *Face) startBatch(a asked) (int, any, error) {
	var b newBatch
	if err := body(a, &b); err != nil {
		return 0, nil, err
	}
	err := f.ofDesk(a, func(d cloud.Desk) (ops.Result, error) {
		return d.Ops.StartBatch(ops.Batch{
			ID: b.ID, By: a.who.Name, Group: b.Group, Lifts: b.Lifts, Desired: b.Desired, Limit: b.Limit, Wave: b.Wave, MaxFailures: b.MaxFailures,
		}, d.Now)
	})
	if err != nil {
		return 0, nil, err
	}
	return f.batchOf(b.ID, http.StatusCreated)
}

func (f *Face) batch(a asked) (int, any, error) { return f.batchOf(a.r.PathValue("id"), http.StatusOK) }

// batchView is a batch with its members.
type batchView struct {
	ops.Batch
	Members []ops.Follow `json:"members"`
}

func (f *Face) batchOf(id string, as int) (status int, body any, err error) {
	err = &problem{Status: http.StatusNotFound, Detail: "there is no such batch"}
	f.cloud.Look(func(d cloud.Desk) {
		if b, members, ok := d.Ops.Batch(id); ok {
			status, body, err = as, batchView{b, list(members)}, nil
		}
	})
	return status, body, err
}

func (f *Face) stopBatch(a asked) (int, any, error) {
	id := a.r.PathValue("id")
	if err := f.ofDesk(a, func(d cloud.Desk) (ops.Result, error) { return d.Ops.StopBatch(id, a.who.Name, d.Now) }); err != nil {
		return 0, nil, err
	}
	return f.batchOf(id, http.StatusOK)
}

func (f *Face) inspect(a asked) (status int, body any, err error) {
	err = f.ofDesk(a, func(d cloud.Desk) (ops.Result, error) {
		r := d.Ops.Inspect(d.Now)
		all := d.Ops.Reports()
		body = all[len(all)-1]
		return r, nil
	})
	return http.StatusCreated, body, err
}

// figures are the five metrics, and how readers of documents were served.
type figures struct {
	ops.Metrics
	Hot cloud.HotStats `json:"hot_copies"`
}

func (f *Face) metrics(asked) (int, any, error) {
	out := figures{Hot: f.cloud.HotStats()}
	f.cloud.Look(func(d cloud.Desk) { out.Metrics = d.Ops.Metrics(d.Now) })
	return http.StatusOK, out, nil
}

func (f *Face) setNode(a asked) (int, any, error) {
	var n ops.Node
	if err := body(a, &n); err != nil {
		return 0, nil, err
	}
	n.ID = a.r.PathValue("id")
	err := f.ofDesk(a, func(d cloud.Desk) (ops.Result, error) { return d.Ops.SetNode(n) })
	return http.StatusNoContent, nil, err
}

func (f *Face) touched(a asked) (status int, body any, err error) {
	err = &problem{Status: http.StatusNotFound, Detail: "there is no such node"}
	f.cloud.Look(func(d cloud.Desk) {
		if ids := d.Ops.Touched(a.r.PathValue("id")); ids != nil {
			status, body, err = http.StatusOK, ids, nil
		}
	})
	return status, body, err
}

func (f *Face) history(of func(*ops.Desk, ops.Query) []ops.Entry) act {
	return func(a asked) (int, any, error) {
		q, err := query(a.r)
		if err != nil {
			return 0, nil, err
		}
		return look(f, func(d cloud.Desk) any { return of(d.Ops, q) })(a)
	}
}

func query(r *http.Request) (q ops.Query, err error) {
	v := r.URL.Query()
	q = ops.Query{Serial: v.Get("serial"), Path: v.Get("path"), Batch: v.Get("batch")}
	if v.Has("shadow") {
		name := v.Get("shadow")
		q.Shadow = &name
	}
	if q.Since, err = seconds(r, "since"); err != nil {
		return q, err
	}
	if q.Until, err = seconds(r, "until"); err != nil {
		return q, err
	}
	limit, err := seconds(r, "limit")
	q.Limit = int(min(limit, 1000))
	return q, err
}
