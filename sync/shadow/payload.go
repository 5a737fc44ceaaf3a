package shadow

import "fmt"

// The payload builders give what a service publishes. nowSec is the server's
// time in epoch seconds; token is the request's clientToken, "" for none.

// GetPayload is get/accepted. extra holds siblings of state (our connection,
// for one) and may be nil.
func (d Document) GetPayload(nowSec int64, token string, extra Tree) []byte {
	t := d.fullTree()
	if delta := d.Delta(); len(delta) > 0 {
		t["state"].(Tree)["delta"] = delta
		t["metadata"].(Tree)["delta"] = metaFor(delta, d.DesiredMeta)
	}
	t["timestamp"] = num(nowSec)
	for _, k := range sortedKeys(extra) {
		if _, taken := t[k]; !taken {
			t[k] = extra[k]
		}
	}
	return Encode(withToken(t, token))
}

// fullTree is state, metadata and version: what get, documents and a conflict show.
func (d Document) fullTree() Tree {
	state, meta := Tree{}, Tree{}
	if len(d.Desired) > 0 {
		state["desired"], meta["desired"] = d.Desired, d.DesiredMeta
	}
	if len(d.Reported) > 0 {
		state["reported"], meta["reported"] = d.Reported, d.ReportedMeta
	}
	t := Tree{"state": state, "metadata": meta, "version": num(d.Version)}
	if d.LastDesired > 0 {
		t["last_desired"] = num(d.LastDesired)
	}
	if d.LastReported > 0 {
		t["last_reported"] = num(d.LastReported)
	}
	return t
}

// AcceptedPayload is update/accepted: only what u asked for and what came of it.
// d is the document after u. A reported leaf that came too late is left out.
func (d Document) AcceptedPayload(u Update, nowSec int64) []byte {
	state, meta := Tree{}, Tree{}
	addSection(state, "desired", u.Desired, u.ClearDesired)
	addSection(state, "reported", d.taken(u), u.ClearReported)
	if len(u.Desired) > 0 {
		meta["desired"] = metaFor(u.Desired, d.DesiredMeta)
	}
	if r, _ := state["reported"].(Tree); len(r) > 0 {
		meta["reported"] = metaFor(r, d.ReportedMeta)
	}
	t := Tree{"state": state, "metadata": meta, "version": num(d.Version), "timestamp": num(nowSec)}
	return Encode(withToken(t, u.Token))
}

// taken is the part of u.Reported that the document now says.
func (d Document) taken(u Update) Tree {
	if u.Reported == nil || u.Order == nil {
		return u.Reported
	}
	return takenTree(u.Reported, d.Reported)
}

func takenTree(patch, state Tree) Tree {
	out := Tree{}
	for k, p := range patch {
		pt, isTree := p.(Tree)
		st, was := state[k].(Tree)
		switch {
		case isTree && (was || state[k] == nil):
			out[k] = takenTree(pt, st)
		case Equal(p, state[k]):
			out[k] = p
		}
	}
	return out
}

// DeltaPayload is update/delta; ok is false when desired and reported agree and
// there is nothing to send.
func (d Document) DeltaPayload(nowSec int64, token string) (payload []byte, ok bool) {
	delta := d.Delta()
	if len(delta) == 0 {
		return nil, false
	}
	t := Tree{
		"state":     delta,
		"metadata":  metaFor(delta, d.DesiredMeta),
		"version":   num(d.Version),
		"timestamp": num(nowSec),
	}
	return Encode(withToken(t, token)), true
}

// DocumentsPayload is update/documents: d is the document now, previous the one before.
func (d Document) DocumentsPayload(previous Document, nowSec int64, token string) []byte {
	t := Tree{"current": d.fullTree(), "timestamp": num(nowSec)}
	if previous.Exists() {
		t["previous"] = previous.fullTree()
	}
	return Encode(withToken(t, token))
}

// DeletedPayload is delete/accepted of a document that [Document.Deleted] gave.
func (d Document) DeletedPayload(nowSec int64, token string) []byte {
	return Encode(withToken(Tree{"version": num(d.Version), "timestamp": num(nowSec)}, token))
}

// RejectedPayload is any /rejected. current is the document of a 409, which our
// own service hands along so that no read is needed; nil leaves it out.
func RejectedPayload(r *Rejection, nowSec int64, token string, current *Document) []byte {
	t := Tree{"code": num(r.Code), "message": r.Message, "timestamp": num(nowSec)}
	if current != nil && current.Exists() {
		t["current"] = current.fullTree()
	}
	return Encode(withToken(t, token))
}

func withToken(t Tree, token string) Tree {
	if token != "" {
		t["clientToken"] = token
	}
	return t
}

// ParseDocument reads get/accepted, the current of a conflict, or a document
// that a store keeps in that shape. The computed delta is not taken over.
func ParseDocument(t Tree) (Document, error) {
	version, ok := intOf(t["version"])
	if !ok || version < 0 {
		return Document{}, fmt.Errorf("%w: no version", ErrMalformed)
	}
	state, _ := t["state"].(Tree)
	meta, _ := t["metadata"].(Tree)
	d := Document{Version: version}
	d.Desired, _ = state["desired"].(Tree)
	d.Reported, _ = state["reported"].(Tree)
	d.DesiredMeta, _ = meta["desired"].(Tree)
	d.ReportedMeta, _ = meta["reported"].(Tree)
	d.LastDesired, _ = intOf(t["last_desired"])
	d.LastReported, _ = intOf(t["last_reported"])
	return d, nil
}
