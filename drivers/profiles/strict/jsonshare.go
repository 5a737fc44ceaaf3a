package strict

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// shareFrom is how long a schema must be, in bytes, for naming it to be shorter.
const shareFrom = 160

// Share names each larger schema that stands in several places of a JSON Schema, under
// $defs of the root, and points there instead. A description stays where it stands.
func Share(root map[string]any) map[string]any {
	sh := sharing{counts: map[string]int{}, names: map[string]string{}, defs: map[string]any{}}
	sh.count(root)
	out := sh.inner(root)
	if len(sh.defs) > 0 {
		out["$defs"] = sh.defs
	}
	return out
}

type sharing struct {
	counts map[string]int    // by what a schema says
	names  map[string]string // of those that are shared
	defs   map[string]any
}

// says is a schema without its description, as text.
func says(s map[string]any) string {
	bare := make(map[string]any, len(s))
	for k, v := range s {
		if k != "description" {
			bare[k] = v
		}
	}
	b, _ := json.Marshal(bare) // of maps, lists and texts alone
	return string(b)
}

func (sh *sharing) count(s map[string]any) {
	sh.counts[says(s)]++
	if sh.counts[says(s)] == 1 {
		each(s, func(part map[string]any) any { sh.count(part); return part })
	}
}

// shared is a schema in its place: itself, or where it is told.
func (sh *sharing) shared(s map[string]any) any {
	text := says(s)
	if sh.counts[text] < 2 || len(text) < shareFrom {
		return sh.inner(s)
	}
	name, had := sh.names[text]
	if !had {
		name = fmt.Sprintf("s%d", len(sh.names)+1)
		sh.names[text] = name
		def := sh.inner(s)
		delete(def, "description")
		sh.defs[name] = def
	}
	ref := map[string]any{"$ref": "#/$defs/" + name}
	if d, ok := s["description"]; ok {
		ref["description"] = d
	}
	return ref
}

func (sh *sharing) inner(s map[string]any) map[string]any {
	return each(s, func(part map[string]any) any { return sh.shared(part) })
}

// each gives a copy of a schema in which f took the place of the schemas right below
// it, in the order of their names.
func each(s map[string]any, f func(map[string]any) any) map[string]any {
	out := make(map[string]any, len(s))
	for _, k := range slices.Sorted(maps.Keys(s)) {
		out[k] = partOf(k, s[k], f)
	}
	return out
}

func partOf(k string, v any, f func(map[string]any) any) any {
	switch v := v.(type) {
	case map[string]any:
		switch k {
		case "properties":
			in := make(map[string]any, len(v))
			for _, name := range slices.Sorted(maps.Keys(v)) {
				in[name] = f(v[name].(map[string]any))
			}
			return in
		case "items", "additionalProperties":
			return f(v)
		}
	case []any:
		in := make([]any, len(v))
		for i := range v {
			in[i] = f(v[i].(map[string]any))
		}
		return in
	}
	return v
}
