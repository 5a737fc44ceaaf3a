package rules

import (
	"fmt"
	"maps"
	"slices"

	"hoistway/sync/shadow"
)

// Wish is one desired write on its way to being so: the fields of one header, or one
// field that was written without a header.
type Wish struct {
	Serial, Shadow string
	ID             string // of the header; field@version without one
	Headed         bool
	Fields         []string // those no later write took
	Version        int64    // of the document that this write made
	Priority       int64    // 0, promote, to 9
	At, Expires    int64    // epoch seconds; 0 for Expires is never
	Batch, By      string
	State          WishState
	Code           int64 // the device's ack, 0 = none
	Detail         string
	EndedAt        int64
}

// WishState is how far a write is.
type WishState string

// The states of a desired write; those from in force on are final.
const (
	WishQueued     WishState = "queued"   // in the document; the device has not seen it
	WishFetched    WishState = "fetched"  // the device knows a version that holds it
	WishAccepted   WishState = "accepted" // consumed, and waits for something to end
	WishInForce    WishState = "in_force"
	WishRefused    WishState = "refused" // Code and Detail say why
	WishExpired    WishState = "expired"
	WishSuperseded WishState = "superseded" // later writes took all its fields
)

const (
	maxWishes       = 200 // of one thing
	defaultPriority = 5
	ackKey          = "_ack"
)

// Ended tells whether nothing more will become of the write.
func (w Wish) Ended() bool { return w.EndedAt > 0 }

// waits: the device has not consumed it.
func (w Wish) waits() bool { return w.State == WishQueued || w.State == WishFetched }

func (w Wish) record() shadow.Record {
	return record(ofWish, "state", func() any { return w }, w.Serial, w.Shadow, w.ID)
}

// wished looks at a write for what it takes from earlier wishes, and for new ones.
func (c *call) wished(name string, u shadow.Update) {
	if u.Desired == nil && !u.ClearDesired {
		return
	}
	after := c.thing.shadows[name]
	for _, w := range c.open(name) {
		c.outdate(w, after, u.Desired)
	}
	headers, _ := u.Desired[intentsKey].(shadow.Tree)
	headed := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(headers)) {
		if header, ok := headers[id].(shadow.Tree); ok {
			c.add(newWish(name, id, header, after), headed)
		}
	}
	for _, field := range slices.Sorted(maps.Keys(u.Desired)) {
		if u.Desired[field] != nil && field != intentsKey && !headed[field] {
			w := Wish{Shadow: name, ID: fmt.Sprintf("%s@%d", field, after.Version), Fields: []string{field}, Priority: defaultPriority}
			c.add(w, headed)
		}
	}
}

// newWish is what a header asks for; a field that is not in desired is ignored.
func newWish(name, id string, header shadow.Tree, d shadow.Document) Wish {
	w := Wish{Shadow: name, ID: id, Headed: true, Priority: defaultPriority}
	fields, _ := header["fields"].([]any)
	for _, f := range fields {
		if field, _ := f.(string); d.Desired[field] != nil {
			w.Fields = append(w.Fields, field)
		}
	}
	if p, ok := integer(header["priority"]); ok {
		w.Priority = p
	}
	w.Expires, _ = integer(header["ttl_s"]) // from now on, until it is added
	w.Batch, _ = header["batch"].(string)
	w.By, _ = header["by"].(string)
	return w
}

func (c *call) add(w Wish, headed map[string]bool) {
	for _, f := range w.Fields {
		headed[f] = true
	}
	d := c.thing.shadows[w.Shadow]
	w.Serial, w.Version, w.At, w.State = c.thing.Serial, d.Version, c.now, WishQueued
	if w.Expires = lifetime(w, d); w.Expires > 0 {
		w.Expires += c.now
	}
	c.forgetWishes(w)
	c.thing.wishes = append(c.thing.wishes, &w)
	c.wishIs(&w)
}

// forgetWishes makes room: the one of the same name goes, and of too many the oldest
// that ended, or else the oldest.
func (c *call) forgetWishes(w Wish) {
	t := c.thing
	i := slices.IndexFunc(t.wishes, func(o *Wish) bool { return o.ID == w.ID && o.Shadow == w.Shadow })
	if i < 0 && len(t.wishes) >= maxWishes {
		i = max(0, slices.IndexFunc(t.wishes, func(o *Wish) bool { return o.Ended() }))
	}
	if i >= 0 {
		gone := t.wishes[i].record()
		gone.Body = nil
		c.result.Puts = append(c.result.Puts, gone)
		t.wishes = slices.Delete(t.wishes, i, i+1)
	}
}

// outdate takes from a wish the fields that were written anew or are gone.
func (c *call) outdate(w *Wish, d shadow.Document, patch shadow.Tree) {
	left := slices.DeleteFunc(slices.Clone(w.Fields), func(f string) bool {
		_, anew := patch[f]
		return anew || d.Desired[f] == nil
	})
	if len(left) == len(w.Fields) {
		return
	}
	if len(left) == 0 {
		c.endWish(w, WishSuperseded, 0, "")
		return
	}
	w.Fields = left
	c.result.Puts = append(c.result.Puts, w.record())
}

// open are the wishes of one shadow that may still become so.
func (c *call) open(name string) (out []*Wish) {
	for _, w := range c.thing.wishes {
		if w.Shadow == name && !w.Ended() {
			out = append(out, w)
		}
	}
	return out
}

// fetched: the device knows this version of a shadow.
func (c *call) fetched(name string, version int64) {
	for _, w := range c.thing.wishes {
		if w.State == WishQueued && w.Shadow == name && w.Version <= version {
			w.State = WishFetched
			c.wishIs(w)
		}
	}
}

// judgeWishes reads from reported what became of each.
func (c *call) judgeWishes(name string) {
	d := c.thing.shadows[name]
	for _, w := range c.open(name) {
		state, code, detail := w.outcome(d)
		switch {
		case state == WishAccepted && w.waits():
			w.State, w.Code, w.Detail = state, code, detail
			c.wishIs(w)
		case state != w.State && state != WishAccepted && state != "":
			c.endWish(w, state, code, detail)
		}
	}
}

// outcome is "" while the device has not said a word on the write.
func (w *Wish) outcome(d shadow.Document) (state WishState, code int64, detail string) {
	consumed, same := w.State == WishAccepted || w.mirrored(d), true
	for _, f := range w.Fields {
		same = same && shadow.Equal(d.Desired[f], d.Reported[f])
		ack, ok := w.ack(d, f)
		if !ok {
			continue
		}
		consumed = true
		ac, _ := integer(ack["ac"])
		if code == 0 || code == 424 || ac > 299 && ac != 424 {
			code = ac
			detail, _ = ack["ad"].(string)
		}
	}
	switch {
	case code == 408:
		return WishExpired, code, detail
	case code > 299:
		return WishRefused, code, detail
	case same && (consumed || !w.Headed):
		return WishInForce, code, detail
	case consumed:
		return WishAccepted, code, detail
	}
	return "", 0, ""
}

// mirrored: reported holds the header as it stands in desired.
func (w *Wish) mirrored(d shadow.Document) bool {
	headers, _ := d.Desired[intentsKey].(shadow.Tree)
	mirrors, _ := d.Reported[intentsKey].(shadow.Tree)
	header, there := headers[w.ID]
	return w.Headed && there && shadow.Equal(header, mirrors[w.ID])
}

// ack is the device's answer to this write of a field, and not to another.
func (w *Wish) ack(d shadow.Document, field string) (shadow.Tree, bool) {
	acks, _ := d.Reported[ackKey].(shadow.Tree)
	ack, ok := acks[field].(shadow.Tree)
	av, told := integer(ack["av"])
	id, _ := ack["id"].(string)
	return ack, ok && (!told || av >= w.Version) && (id == w.ID || id == "" && !w.Headed)
}

func (c *call) endWish(w *Wish, state WishState, code int64, detail string) {
	w.State, w.Code, w.Detail, w.EndedAt = state, code, detail, c.now
	c.wishIs(w)
}

// wishIs stores and tells the state that a write is in now.
func (c *call) wishIs(w *Wish) {
	c.tell(News{Kind: Write, Shadow: w.Shadow, ID: w.ID, Code: string(w.State), Text: w.Detail, Batch: w.Batch, By: w.By})
	c.result.Puts = append(c.result.Puts, w.record())
}

// Wishes are the desired writes of a thing and what became of them, oldest first, at
// most 200. One that stays queued is not yet in force: the device is away.
func (s *Service) Wishes(serial string) (out []Wish) {
	if t := s.things[serial]; t != nil {
		for _, w := range t.wishes {
			out = append(out, *w)
		}
	}
	return out
}
