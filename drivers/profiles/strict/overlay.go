package strict

import (
	"slices"
	"strings"
)

// Loose is a schema of which nothing is required, outside of lists: what a file may
// hold that is laid over another.
func Loose(s Schema) Schema {
	switch s.Kind {
	case Object:
		keys := slices.Clone(s.Keys)
		for i := range keys {
			keys[i].Required = false
			keys[i].Schema = Loose(keys[i].Schema)
		}
		s.Keys = keys
	case Map:
		elem := Loose(*s.Elem)
		s.Elem = &elem
		if s.Range != nil {
			s.Range = &Range{0, s.Range.Hi}
		}
	}
	return s
}

// Overlay lays one file's value over another's, which were read by the same schema.
// Mappings are joined key by key; what else upper says replaces what lower says. Each
// part keeps its own place. Neither of the two may be used afterwards.
func Overlay(lower, upper *Value) *Value {
	switch {
	case lower == nil || !lower.given:
		return upper
	case upper == nil || !upper.given:
		return lower
	case !lower.ok || !upper.ok || upper.schema.Kind != Object && upper.schema.Kind != Map:
		return upper
	case upper.schema.Kind == Map:
		upper.items = overlayItems(lower.items, upper.items)
		return upper
	}
	for name, c := range lower.keys {
		upper.keys[name] = Overlay(c, upper.keys[name])
	}
	return upper
}

// overlayItems joins the entries of two mappings; lower's order comes first.
func overlayItems(lower, upper []*Value) []*Value {
	same := func(a, b *Value) bool {
		if a.schema.Kind != b.schema.Kind {
			return false
		}
		return a.key == b.key || a.keyInt == b.keyInt && a.keyInt != 0
	}
	out := slices.Clone(lower)
	for _, u := range upper {
		if i := slices.IndexFunc(out, func(l *Value) bool { return same(l, u) }); i >= 0 {
			out[i] = Overlay(out[i], u)
			continue
		}
		out = append(out, u)
	}
	return out
}

// Remove takes what stands at a path of keys (points.vendor, errors.7) out of v;
// false when nothing stands there.
func (v *Value) Remove(path string) bool {
	key, rest, deeper := strings.Cut(path, ".")
	c := v.keys[key]
	at := slices.IndexFunc(v.items, func(i *Value) bool { return v.schema.Kind == Map && i.key == key })
	if at >= 0 {
		c = v.items[at]
	}
	switch {
	case c == nil:
		return false
	case deeper:
		return c.Remove(rest)
	case at >= 0:
		v.items = slices.Delete(v.items, at, at+1)
	default:
		delete(v.keys, key)
	}
	return true
}

// Complete tells what a value lacks that its schema requires, at any depth. s is the
// schema as it was before it was made loose; the value reads by it from then on.
func Complete(v *Value, s *Schema) []Fault {
	var r reader
	r.complete(v, s)
	return r.faults
}

func (r *reader) complete(v *Value, s *Schema) {
	v.schema = s
	if !v.ok {
		return
	}
	switch s.Kind {
	case Object:
		r.required(v, nil)
		for i := range s.Keys {
			if c := v.keys[s.Keys[i].Name]; c != nil {
				r.complete(c, &s.Keys[i].Schema)
			}
		}
	case Map:
		if m := v.between(float64(len(v.items))); m != nil {
			r.add(v.place, m.msg, m.hint)
		}
		for _, c := range v.items {
			r.complete(c, s.Elem)
		}
	}
}
