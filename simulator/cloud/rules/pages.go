package rules

import (
	"cmp"
	"slices"

	"hoistway/sync/shadow"
)

const pageSize = 50

// intents is a view of what waits for the device, in the order of its execution. It is
// a notice: the device carries out what the document says.
func (c *call) intents() {
	t, token, ok := c.request()
	if !ok {
		return
	}
	page, fit := whole(t["page"])
	if _, there := t["page"]; there && (!fit || page > maxWishes) {
		c.bad(token, "page")
		return
	}
	waiting := c.waiting()
	from := min(int(page)*pageSize, len(waiting))
	to := min(from+pageSize, len(waiting))
	list := []any{}
	for _, w := range waiting[from:to] {
		list = append(list, w.summary())
	}
	answer := shadow.Tree{"intents": list}
	if to < len(waiting) {
		answer["next"] = number(int64(page) + 1)
	}
	c.accept(answer, token)
}

// waiting are the writes that the device has not consumed and that are not over.
func (c *call) waiting() []*Wish {
	out := slices.DeleteFunc(slices.Clone(c.thing.wishes), func(w *Wish) bool {
		return !w.waits() || w.Expires > 0 && c.now >= w.Expires
	})
	slices.SortStableFunc(out, func(a, b *Wish) int {
		return cmp.Or(cmp.Compare(a.Priority, b.Priority), cmp.Compare(a.At, b.At))
	})
	return out
}

func (w *Wish) summary() shadow.Tree {
	fields := []any{}
	for _, f := range w.Fields {
		fields = append(fields, f)
	}
	t := shadow.Tree{"id": w.ID, "fields": fields, "priority": number(w.Priority)}
	for name, text := range map[string]string{"shadow": w.Shadow, "batch": w.Batch, "by": w.By} {
		if text != "" {
			t[name] = text
		}
	}
	if w.Expires > 0 {
		t["exp"] = number(w.Expires)
	}
	return t
}

// intent answers with the values of one write: 410 if it is over, 404 if there never
// was one.
func (c *call) intent(id string) {
	_, token, ok := c.request()
	if !ok {
		return
	}
	refusal := &shadow.Rejection{Code: 404, Message: "No such intent"}
	for _, w := range c.thing.wishes {
		if w.ID != id {
			continue
		}
		if w.waits() && (w.Expires == 0 || c.now < w.Expires) {
			c.accept(shadow.Tree{"id": id, "values": w.values(c.thing.shadows[w.Shadow])}, token)
			return
		}
		refusal = &shadow.Rejection{Code: 410, Message: "The intent is over"}
	}
	c.refuse(refusal, token, nil)
}

func (w *Wish) values(d shadow.Document) shadow.Tree {
	out := shadow.Tree{}
	for _, f := range w.Fields {
		out[f] = d.Desired[f]
	}
	return out
}
