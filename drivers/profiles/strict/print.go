package strict

import (
	"slices"
	"strconv"
	"strings"
)

// Print writes what a value holds as a file that reads as the same, in the order of the
// schema: two files that mean the same print alike. Top-level keys in without are left out.
func Print(v *Value, without ...string) []byte {
	var b strings.Builder
	for i := range v.schema.Keys {
		name := v.schema.Keys[i].Name
		c := v.keys[name]
		if c == nil || !c.ok || slices.Contains(without, name) {
			continue
		}
		b.WriteString(name + ":")
		if c.schema.Kind == Object || c.schema.Kind == Map {
			below := c.entries()
			if len(below) == 0 {
				b.WriteString(" {}")
			}
			for _, e := range below {
				b.WriteString("\n  " + e)
			}
			b.WriteString("\n")
			continue
		}
		b.WriteString(" " + c.flow() + "\n")
	}
	return []byte(b.String())
}

// keyed is one key of a mapping, as it is written, and its value.
type keyed struct {
	key string
	v   *Value
}

// pairs are the keys of a mapping in the order of the schema, else of the keys.
func (v *Value) pairs() (out []keyed) {
	if v.schema.Kind == Map {
		sorted := slices.Clone(v.items)
		slices.SortFunc(sorted, func(a, b *Value) int {
			if v.schema.Index == Int {
				return int(a.keyInt - b.keyInt)
			}
			return strings.Compare(a.key, b.key)
		})
		for _, c := range sorted {
			key := strconv.Quote(c.key)
			if v.schema.Index == Int {
				key = strconv.FormatInt(c.keyInt, 10)
			}
			out = append(out, keyed{key, c})
		}
		return out
	}
	for i := range v.schema.Keys {
		if c := v.keys[v.schema.Keys[i].Name]; c != nil && c.ok {
			out = append(out, keyed{v.schema.Keys[i].Name, c})
		}
	}
	return out
}

// entries are the keys of a mapping with their values, each on one line.
func (v *Value) entries() (out []string) {
	for _, p := range v.pairs() {
		out = append(out, p.key+": "+p.v.flow())
	}
	return out
}

// flow is the value on one line.
func (v *Value) flow() string {
	switch v.schema.Kind {
	case Object, Map:
		return "{" + strings.Join(v.entries(), ", ") + "}"
	case List:
		var parts []string
		for _, c := range v.items {
			parts = append(parts, c.flow())
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case Text, Name:
		return strconv.Quote(v.text)
	case Int:
		return strconv.FormatInt(v.num, 10)
	case Float:
		return strconv.FormatFloat(v.float, 'f', -1, 64)
	case Bool:
		return strconv.FormatBool(v.flag)
	case Duration:
		return clock(v.Duration())
	}
	return v.text
}
