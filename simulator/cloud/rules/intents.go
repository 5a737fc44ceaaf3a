package rules

import (
	"encoding/json"
	"maps"
	"slices"

	"hoistway/sync/shadow"
)

const intentsKey = "_intents"

// superseded adds to an operator's write the end of those headers that speak for
// nothing any more: each of their fields is written now, was written since, or is
// gone. Kept, they would fill the document of a device that is away.
func superseded(d shadow.Document, patch shadow.Tree) shadow.Tree {
	headers, _ := d.Desired[intentsKey].(shadow.Tree)
	metas, _ := d.DesiredMeta[intentsKey].(shadow.Tree)
	written, isTree := patch[intentsKey].(shadow.Tree)
	if _, there := patch[intentsKey]; there && !isTree {
		return patch // all of them go, or the write is refused
	}
	ends := maps.Clone(written)
	if ends == nil {
		ends = shadow.Tree{}
	}
	for id, header := range headers {
		if _, again := written[id]; !again && !speaks(header, newest(metas[id]), d, patch) {
			ends[id] = nil
		}
	}
	if len(ends) == 0 {
		return patch
	}
	out := maps.Clone(patch)
	out[intentsKey] = ends
	return out
}

// speaks: a header of that version has a field left that no later write took.
func speaks(header any, version int64, d shadow.Document, patch shadow.Tree) bool {
	h, _ := header.(shadow.Tree)
	fields, _ := h["fields"].([]any)
	return slices.ContainsFunc(fields, func(f any) bool {
		name, _ := f.(string)
		_, rewritten := patch[name]
		_, wished := d.Desired[name]
		return wished && !rewritten && newest(d.DesiredMeta[name]) <= version
	})
}

// newest is the highest version in a part of the metadata.
func newest(meta any) int64 {
	var top int64
	switch m := meta.(type) {
	case shadow.Tree:
		if n, ok := m["version"].(json.Number); ok {
			v, _ := n.Int64()
			return v
		}
		for _, e := range m {
			top = max(top, newest(e))
		}
	case []any:
		for _, e := range m {
			top = max(top, newest(e))
		}
	}
	return top
}

// closeIntents takes from desired the headers that reported mirrors: the device
// says by that mirror that it has consumed them, whatever came of it, and waits
// for their going before it takes the mirror down. A header that was written anew
// meanwhile is not the one mirrored, and stays.
func (c *call) closeIntents(name string) {
	d := c.thing.shadows[name]
	headers, _ := d.Desired[intentsKey].(shadow.Tree)
	mirrors, _ := d.Reported[intentsKey].(shadow.Tree)
	gone := shadow.Tree{}
	for id, header := range headers {
		if mirror, consumed := mirrors[id]; consumed && shadow.Equal(header, mirror) {
			gone[id] = nil
		}
	}
	if len(gone) == 0 {
		return
	}
	if err := c.write(name, shadow.Update{Desired: shadow.Tree{intentsKey: gone}}); err != nil {
		c.result.Note = "a consumed intent stays: " + err.Error()
	}
}
