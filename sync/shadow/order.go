package shadow

import "slices"

// Gone remembers a reported leaf that was removed, so that a late older write
// does not bring it back.
type Gone struct {
	Path  string // names joined by /
	Order Order
	At    int64 // epoch seconds
}

// Bounds of that memory.
const (
	goneMemory = 60 // seconds
	goneMost   = 64
)

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// inOrder is the part of u.Reported that is not older than what the document
// holds, leaf by leaf, and the memory of removed leaves after it.
func (d Document) inOrder(u Update, nowSec int64) (Tree, []Gone) {
	gone := slices.DeleteFunc(slices.Clone(d.Gone), func(g Gone) bool { return nowSec-g.At > goneMemory })
	f := orderFilter{order: *u.Order, at: nowSec, gone: gone}
	fresh := f.tree("", u.Reported, d.Reported, d.ReportedMeta)
	if over := len(f.gone) - goneMost; over > 0 {
		f.gone = f.gone[over:]
	}
	return fresh, f.gone
}

type orderFilter struct {
	order Order
	at    int64
	gone  []Gone
}

func (f *orderFilter) tree(at string, patch, state, meta Tree) Tree {
	out := Tree{}
	for _, k := range sortedKeys(patch) {
		path := at + k
		pt, isTree := patch[k].(Tree)
		st, was := state[k].(Tree)
		if isTree && (was || state[k] == nil) {
			mt, _ := meta[k].(Tree)
			out[k] = f.tree(path+"/", pt, st, mt)
			continue
		}
		if f.stale(path, meta[k]) {
			continue
		}
		out[k] = patch[k]
		f.remember(path, patch[k] == nil)
	}
	return out
}

// stale looks at the newest order under a node: replacing a whole object is as
// late as its latest leaf. Equal is stale too: it is a redelivery.
func (f *orderFilter) stale(path string, meta any) bool {
	if held, ok := newestOrder(meta); ok && !f.order.After(held) {
		return true
	}
	for _, g := range f.gone {
		if g.Path == path && !f.order.After(g.Order) {
			return true
		}
	}
	return false
}

func (f *orderFilter) remember(path string, removed bool) {
	f.gone = slices.DeleteFunc(f.gone, func(g Gone) bool { return g.Path == path })
	if removed {
		f.gone = append(f.gone, Gone{path, f.order, f.at})
	}
}

func newestOrder(meta any) (newest Order, found bool) {
	visit := func(v any) {
		if o, ok := newestOrder(v); ok && (!found || o.After(newest)) {
			newest, found = o, true
		}
	}
	switch m := meta.(type) {
	case Tree:
		epoch, ok1 := intOf(m["epoch"])
		seq, ok2 := intOf(m["seq"])
		if ok1 && ok2 {
			return Order{uint64(epoch), uint64(seq)}, true
		}
		for _, v := range m {
			visit(v)
		}
	case []any:
		for _, v := range m {
			visit(v)
		}
	}
	return newest, found
}
