package strict

import (
	"slices"
	"strings"
)

// Lay writes what [Print] does for people: what is longer than wide characters stands
// on several lines, where YAML can break it.
func Lay(v *Value, wide int, without ...string) []byte {
	var b strings.Builder
	for _, p := range v.pairs() {
		if !slices.Contains(without, p.key) {
			p.lay(&b, "", wide)
		}
	}
	return []byte(b.String())
}

func (p keyed) lay(b *strings.Builder, indent string, wide int) {
	line := indent + p.key + ": " + p.v.flow()
	top := indent == "" && (p.v.schema.Kind == Object || p.v.schema.Kind == Map) && len(p.v.pairs()) > 0
	if !top && len(line) <= wide || !p.v.breaks() {
		b.WriteString(line + "\n")
		return
	}
	b.WriteString(indent + p.key + ":\n")
	indent += "  "
	for _, c := range p.v.items {
		if p.v.schema.Kind == List {
			b.WriteString(indent + "- " + c.flow() + "\n")
		}
	}
	if p.v.schema.Kind != List {
		for _, below := range p.v.pairs() {
			below.lay(b, indent, wide)
		}
	}
}

// breaks reports a value that can stand on several lines.
func (v *Value) breaks() bool {
	switch v.schema.Kind {
	case Object, Map:
		return len(v.pairs()) > 0
	case List:
		return len(v.items) > 0
	}
	return false
}
