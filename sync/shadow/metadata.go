package shadow

import (
	"encoding/json"
	"maps"
	"strconv"
)

func num[N int | int64 | uint64](n N) json.Number {
	if n < 0 {
		return json.Number(strconv.FormatInt(int64(n), 10))
	}
	return json.Number(strconv.FormatUint(uint64(n), 10))
}

// intOf reads a whole number that fits; ok is false for anything else.
func intOf(v any) (n int64, ok bool) {
	j, is := v.(json.Number)
	if !is {
		return 0, false
	}
	n, err := j.Int64()
	return n, err == nil
}

// mergeMeta follows a merge of patch into state: each leaf the patch writes gets
// leaf, each one it removes loses its own, the others keep theirs.
func mergeMeta(meta, state, patch, leaf Tree) Tree {
	out := maps.Clone(meta)
	if out == nil {
		out = Tree{}
	}
	for k, p := range patch {
		pt, isTree := p.(Tree)
		if !isTree {
			setMeta(out, k, stamp(p, leaf))
			continue
		}
		sub, m := Tree(nil), Tree(nil)
		if s, was := state[k].(Tree); was {
			sub = s
			m, _ = out[k].(Tree)
		}
		if next := mergeMeta(m, sub, pt, leaf); len(next) > 0 {
			out[k] = next
		} else {
			delete(out, k)
		}
	}
	return out
}

func setMeta(out Tree, k string, m any) {
	if m == nil {
		delete(out, k)
		return
	}
	out[k] = m
}

// stamp is the metadata of a new value: arrays have one for each element. All
// leaves of one write share theirs.
func stamp(v any, leaf Tree) any {
	switch v := v.(type) {
	case nil:
		return nil
	case Tree:
		out := Tree{}
		for k, e := range v {
			out[k] = stamp(e, leaf)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = stamp(e, leaf)
		}
		return out
	}
	return leaf
}

// metaFor is the part of meta that belongs to the leaves of state.
func metaFor(state, meta Tree) Tree {
	out := Tree{}
	for k, s := range state {
		m, there := meta[k]
		if !there {
			continue
		}
		st, isTree := s.(Tree)
		mt, both := m.(Tree)
		if isTree && both {
			out[k] = metaFor(st, mt)
			continue
		}
		out[k] = m
	}
	return out
}
