package face

import (
	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

// writeView is a desired write and what became of it.
type writeView struct {
	Shadow   string   `json:"shadow"`
	ID       string   `json:"id"`
	Fields   []string `json:"fields"`
	Version  int64    `json:"version"`
	Priority int64    `json:"priority"`
	At       int64    `json:"at"`
	Expires  int64    `json:"expires,omitempty"`
	Batch    string   `json:"batch,omitempty"`
	By       string   `json:"by,omitempty"`
	State    string   `json:"state"` // queued, fetched, accepted, in_force, refused, expired, superseded
	Code     int64    `json:"code,omitempty"`
	Detail   string   `json:"detail,omitempty"`
	EndedAt  int64    `json:"ended_at,omitempty"`
}

func viewWrite(w rules.Wish) writeView {
	return writeView{
		Shadow: w.Shadow, ID: w.ID, Fields: list(w.Fields), Version: w.Version, Priority: w.Priority, At: w.At, Expires: w.Expires,
		Batch: w.Batch, By: w.By, State: string(w.State), Code: w.Code, Detail: w.Detail, EndedAt: w.EndedAt,
	}
}

// commandView is a command and how far it is.
type commandView struct {
	ID         string      `json:"id"`
	Name       string      `json:"cmd"`
	By         string      `json:"by"`
	Args       shadow.Tree `json:"args,omitempty"`
	At         int64       `json:"at"`
	Expires    int64       `json:"exp"`
	State      string      `json:"state"` // issued, received, running, done, refused, failed, expired
	Reason     string      `json:"reason,omitempty"`
	Result     shadow.Tree `json:"result,omitempty"`
	ReceivedAt int64       `json:"received_at,omitempty"`
	EndedAt    int64       `json:"ended_at,omitempty"`
	Late       string      `json:"late,omitempty"` // what the device said after the end
	LateResult shadow.Tree `json:"late_result,omitempty"`
}

func viewCommand(o rules.Order) commandView {
	return commandView{
		ID: o.ID, Name: o.Name, By: o.By, Args: o.Args, At: o.At, Expires: o.Expires, State: string(o.State), Reason: o.Reason,
		Result: o.Result, ReceivedAt: o.ReceivedAt, EndedAt: o.EndedAt, Late: string(o.Late), LateResult: o.LateResult,
	}
}

// eventView is an event as the device told it.
type eventView struct {
	Body shadow.Tree `json:"event"`
	Late bool        `json:"late,omitempty"` // it came after a later one
	At   int64       `json:"received_at"`
}

func viewEvent(e rules.Event) eventView { return eventView{e.Body, e.Late, e.At} }

// viewSample is a value and its time.
func viewSample(s rules.Sample) [2]any { return [2]any{s.At, s.Value} }

// each shows all of a list; none is an empty one.
func each[T, V any](all []T, view func(T) V) []V {
	out := make([]V, len(all))
	for i, v := range all {
		out[i] = view(v)
	}
	return out
}
