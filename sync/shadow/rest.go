package shadow

import "maps"

// rest is what a shadow has still to say, name by name. Sessions ask for it after
// every input, and most inputs change none of it: so it is kept, and of what it is
// made from (want, acked, doubt) whoever changes a name has that name checked again.
type rest struct {
	patch   Tree
	unclear map[string]struct{} // names in patch that may be wrong or missing
}

func newRest() rest { return rest{patch: Tree{}, unclear: map[string]struct{}{}} }

func (r *rest) recheck(name string) { r.unclear[name] = struct{}{} }

// recheckAll is for the names of trees that change as a whole.
func (r *rest) recheckAll(trees ...Tree) {
	for _, t := range trees {
		for name := range t {
			r.recheck(name)
		}
	}
}

// pending is what the service does not know to be so: the difference against what
// it acknowledged, and every leaf that a write of unknown fate has touched. It is
// to be read at once: what is to last must be a copy, of the names at least.
func (t *twin) pending() Tree {
	for name := range t.rest.unclear {
		if v, waits := t.pendingAt(name); waits {
			t.rest.patch[name] = v
		} else {
			delete(t.rest.patch, name)
		}
	}
	clear(t.rest.unclear)
	return t.rest.patch
}

func (t *twin) pendingAt(name string) (patch any, waits bool) {
	w, wanted := t.want[name]
	if !wanted {
		return nil, false
	}
	patch, waits = diffValue(t.acked[name], w)
	if d, touched := t.doubt[name]; touched {
		return force(d, w, patch), true
	}
	return patch, waits
}

// force is the patch that also sets every leaf of shape to what want says.
func force(shape, want, patch any) any {
	st, ok1 := shape.(Tree)
	wt, ok2 := want.(Tree)
	if !ok1 || !ok2 {
		return clone(want)
	}
	pt, _ := patch.(Tree)
	out := maps.Clone(pt)
	if out == nil {
		out = Tree{}
	}
	for k := range st {
		out[k] = force(st[k], wt[k], out[k])
	}
	return out
}
