package shadow

import (
	"encoding/json"
	"maps"
)

// Clone copies a JSON value so deeply that nothing is shared.
func Clone[V any](v V) V {
	c, _ := clone(v).(V) // a nil interface stays the zero V
	return c
}

func clone(v any) any {
	switch v := v.(type) {
	case Tree:
		if v == nil {
			return v
		}
		c := make(Tree, len(v))
		for k, e := range v {
			c[k] = clone(e)
		}
		return c
	case []any:
		c := make([]any, len(v))
		for i, e := range v {
			c[i] = clone(e)
		}
		return c
	}
	return v
}

// Merge gives base as patch leaves it: objects go field by field, null removes
// the key, arrays and plain values are replaced whole. An object in which no
// leaf is left does not exist. Neither argument is changed; what patch does not touch
// is shared with base, so trees that were merged are not to be changed in place.
func Merge(base, patch Tree) Tree {
	out := maps.Clone(base)
	if out == nil {
		out = Tree{}
	}
	for k, p := range patch {
		v := mergeValue(out[k], p)
		if v == nil {
			delete(out, k)
			continue
		}
		out[k] = v
	}
	return out
}

func mergeValue(base, patch any) any {
	p, ok := patch.(Tree)
	if !ok {
		return clone(patch)
	}
	b, _ := base.(Tree)
	if m := Merge(b, p); len(m) > 0 {
		return m
	}
	return nil
}

// Delta is what desired wishes and reported does not say: the leaves of desired
// that are missing from reported or differ there, with their whole path. What
// only reported holds is never in it.
func Delta(desired, reported Tree) Tree {
	out := Tree{}
	for k, d := range desired {
		r, there := reported[k]
		dt, isTree := d.(Tree)
		rt, both := r.(Tree)
		switch {
		case isTree && (both || !there):
			if sub := Delta(dt, rt); len(sub) > 0 {
				out[k] = sub
			}
		case !there || !Equal(d, r):
			out[k] = clone(d)
		}
	}
	return out
}

// Diff is the patch that turns from into to: Merge(from, Diff(from, to)) equals
// to. A key that is gone, or null in to, is null in the patch.
func Diff(from, to Tree) Tree {
	out := Tree{}
	for k, f := range from {
		if to[k] == nil && f != nil {
			out[k] = nil
		}
	}
	for k, t := range to {
		if patch, differs := diffValue(from[k], t); differs {
			out[k] = patch
		}
	}
	return out
}

func diffValue(from, to any) (patch any, differs bool) {
	if to == nil {
		return nil, from != nil
	}
	if Equal(from, to) {
		return nil, false
	}
	ft, a := from.(Tree)
	tt, b := to.(Tree)
	if a && b {
		return Diff(ft, tt), true
	}
	return clone(to), true
}

// Equal compares two JSON values. Numbers are compared exactly and by value: 1
// equals 1.0 and 1e0, and 2^53 is not 2^53+1. Objects ignore the order of keys.
func Equal(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case Tree:
		b, ok := b.(Tree)
		return ok && equalTrees(a, b)
	case []any:
		b, ok := b.([]any)
		return ok && equalLists(a, b)
	case string:
		b, ok := b.(string)
		return ok && a == b
	case bool:
		b, ok := b.(bool)
		return ok && a == b
	case json.Number:
		if b, ok := b.(json.Number); ok && isWhole(string(a)) && isWhole(string(b)) {
			return a == b
		}
	}
	an, aok := numberOf(a)
	bn, bok := numberOf(b)
	return aok && bok && an == bn
}

func equalTrees(a, b Tree) bool {
	return maps.EqualFunc(a, b, func(x, y any) bool { return Equal(x, y) })
}

func equalLists(a, b []any) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if !Equal(a[i], b[i]) {
			return false
		}
	}
	return true
}

// depth counts the levels of nesting: a tree of plain values is 1.
func depth(v any) int {
	deepest := 0
	switch v := v.(type) {
	case Tree:
		for _, e := range v {
			deepest = max(deepest, depth(e))
		}
	case []any:
		for _, e := range v {
			deepest = max(deepest, depth(e))
		}
	default:
		return 0
	}
	return deepest + 1
}
