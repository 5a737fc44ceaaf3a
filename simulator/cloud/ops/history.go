package ops

import (
	"maps"
	"slices"
	"strconv"

	"hoistway/sync/shadow"
)

const (
	maxHistory = 20_000 // entries of each kind
	maxQuery   = 1000   // entries in one answer
)

// Entry is one version of one section of one shadow: what changed, from what to what. A
// value that is null was not there, or is gone.
type Entry struct {
	At int64 `json:"at"`
	Member
	Version int64       `json:"version"`
	Old     shadow.Tree `json:"old"`
	New     shadow.Tree `json:"new"`
	By      string      `json:"by,omitempty"` // of a desired write
	ID      string      `json:"id,omitempty"` // of its intent
	Batch   string      `json:"batch,omitempty"`
}

type history struct{ table *table[Entry] }

func (h history) add(e Entry) { h.table.put(strconv.FormatInt(h.table.next, 10), &e) }

// Query narrows the history; zero values do not.
type Query struct {
	Serial string
	Shadow *string
	Path   string // top-level name that changed
	Batch  string
	Since  int64
	Until  int64
	Limit  int // 0 = 100, at most 1000
}

// Desired is the history of wishes, the newest first.
func (d *Desk) Desired(q Query) []Entry { return d.desired.query(q) }

// Reported is the history of what devices said, the newest first.
func (d *Desk) Reported(q Query) []Entry { return d.reported.query(q) }

func (h history) query(q Query) []Entry {
	limit := min(q.Limit, maxQuery)
	if limit <= 0 {
		limit = 100
	}
	out := []Entry{}
	for _, r := range slices.Backward(h.table.rows) {
		if len(out) == limit {
			break
		}
		if q.fits(*r.v) {
			out = append(out, *r.v)
		}
	}
	return out
}

func (q Query) fits(e Entry) bool {
	_, was := e.Old[q.Path]
	_, is := e.New[q.Path]
	return (q.Serial == "" || q.Serial == e.Serial) && (q.Shadow == nil || *q.Shadow == e.Shadow) &&
		(q.Path == "" || was || is) && (q.Batch == "" || q.Batch == e.Batch) &&
		(q.Since == 0 || e.At >= q.Since) && (q.Until == 0 || e.At < q.Until)
}

// remember keeps what one version changed.
func (d *Desk) remember(m Member, before, after shadow.Document, by string, now int64) {
	e := Entry{At: now, Member: m, Version: after.Version}
	if e.Old, e.New = changed(before.Desired, after.Desired); len(e.New) > 0 {
		wrote := e
		wrote.By = by
		wrote.header(after)
		d.desired.add(wrote)
		d.wished[m] = after.Version
	}
	if !after.Exists() {
		delete(d.wished, m) // one that is made again much later counts anew
	}
	if e.Old, e.New = changed(before.Reported, after.Reported); len(e.New) > 0 {
		d.reported.add(e)
	}
}

// changed are the top-level values that differ, before and after.
func changed(before, after shadow.Tree) (was, is shadow.Tree) {
	was, is = shadow.Tree{}, shadow.Tree{}
	for name := range shadow.Diff(before, after) {
		if plain(name) {
			was[name], is[name] = before[name], after[name]
		}
	}
	return was, is
}

// header takes who wished it from the intent that was written with it.
func (e *Entry) header(d shadow.Document) {
	headers, _ := d.Desired["_intents"].(shadow.Tree)
	metas, _ := d.DesiredMeta["_intents"].(shadow.Tree)
	for _, id := range slices.Sorted(maps.Keys(headers)) {
		h, _ := headers[id].(shadow.Tree)
		if newest(metas[id]) != d.Version {
			continue
		}
		e.ID = id
		e.Batch, _ = h["batch"].(string)
		if by, named := h["by"].(string); named {
			e.By = by
		}
		return
	}
}

// DesiredVersion is the last version in which a desired value of a shadow was written
// or taken away: what an operator's condition is held against. That a device consumed
// an intent does not count.
func (d *Desk) DesiredVersion(m Member) int64 {
	top := d.wished[m]
	doc, _ := d.fleet.Document(m.Serial, m.Shadow)
	for path, meta := range doc.DesiredMeta {
		if plain(path) {
			top = max(top, newest(meta))
		}
	}
	return top
}
