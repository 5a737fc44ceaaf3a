package strict

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// Read reads src, the content of file, by a schema of kind Object. The value is
// never nil; with faults it holds what could be read. Faults come in the order of
// the file. It opens nothing: file is only a name.
func Read(file string, src []byte, s *Schema) (*Value, []Fault) {
	root := &Value{schema: s, place: place{file: file, line: 1, col: 1}}
	node, faults := parse(file, src)
	if len(faults) > 0 {
		return root, Sort(faults)
	}
	var r reader
	if node == nil {
		r.required(root, nil)
		return root, r.faults
	}
	r.value(root, node)
	return root, Sort(r.faults)
}

type reader struct{ faults []Fault }

func (r *reader) add(p place, msg, hint string) { r.faults = append(r.faults, p.fault(msg, hint)) }

// value reads node into v by v's schema.
func (r *reader) value(v *Value, node ast.Node) {
	v.given = true
	v.place = begin(v.place, node)
	switch v.schema.Kind {
	case Object:
		r.object(v, node)
	case Map:
		r.mapping(v, node)
	case List:
		r.list(v, node)
	default:
		r.leaf(v, node)
	}
}

func (r *reader) leaf(v *Value, node ast.Node) {
	w, ok := scalarOf(node)
	if !ok {
		r.add(v.place, "wants "+v.schema.Kind.String()+", is "+shape(node), "")
		return
	}
	if m := v.scalar(w); m != nil {
		r.add(v.place, m.msg, m.hint)
		return
	}
	v.ok = true
}

func (r *reader) list(v *Value, node ast.Node) {
	seq, ok := node.(*ast.SequenceNode)
	if !ok {
		r.add(v.place, "wants a list, is "+shape(node), "")
		return
	}
	v.ok = true
	if m := v.between(float64(len(seq.Values))); m != nil {
		r.add(v.place, m.msg, m.hint)
		v.ok = false
		return
	}
	for i, n := range seq.Values {
		item := &Value{schema: v.schema.Elem, place: v.place}
		item.place.path += "[" + strconv.Itoa(i) + "]"
		r.value(item, n)
		v.items = append(v.items, item)
	}
}

// pair is one key of a mapping with its value.
type pair struct {
	key   string
	plain bool
	place place // of the key
	value ast.Node
}

// pairs lists a mapping's keys once each and reports those that come again.
func (r *reader) pairs(v *Value, node ast.Node) ([]pair, bool) {
	m, ok := node.(*ast.MappingNode)
	if !ok {
		r.add(v.place, "wants a mapping, is "+shape(node), "")
		return nil, false
	}
	var out []pair
	seen := make(map[string]int, len(m.Values))
	for _, mv := range m.Values {
		w, ok := scalarOf(mv.Key)
		at := begin(v.place, mv.Key)
		if !ok || w.null {
			r.add(at, "a key must be a plain word", "")
			continue
		}
		if u, hidden := unseen(w.text); hidden {
			r.add(at, fmt.Sprintf("the key holds the character %U, which cannot be seen", u), "write it anew by hand")
			continue
		}
		if line, twice := seen[w.text]; twice {
			at.path = join(at.path, clip(w.text))
			r.add(at, "the key is there twice", fmt.Sprintf("first in line %d", line))
			continue
		}
		seen[w.text] = at.line
		out = append(out, pair{w.text, !w.quoted, at, mv.Value})
	}
	return out, true
}

func (r *reader) object(v *Value, node ast.Node) {
	pairs, ok := r.pairs(v, node)
	if !ok {
		return
	}
	v.ok, v.keys = true, make(map[string]*Value, len(pairs))
	var meant []string
	for _, p := range pairs {
		p.place.path = join(v.place.path, clip(p.key))
		k := v.schema.key(p.key)
		switch {
		case k == nil:
			near, hint := unknownHint(p.key, v.schema.names())
			r.add(p.place, "unknown key", hint)
			meant = append(meant, near)
		case k.Refused != "":
			r.add(p.place, k.Refused, "leave it out")
		default:
			c := &Value{schema: &k.Schema, place: p.place}
			v.keys[p.key] = c
			r.value(c, p.value)
		}
	}
	r.required(v, meant)
}

func (r *reader) mapping(v *Value, node ast.Node) {
	pairs, ok := r.pairs(v, node)
	if !ok {
		return
	}
	v.ok = true
	if m := v.between(float64(len(pairs))); m != nil {
		r.add(v.place, m.msg, m.hint)
		v.ok = false
		return
	}
	seen := make(map[int64]bool)
	for _, p := range pairs {
		p.place.path = join(v.place.path, clip(p.key))
		c := &Value{schema: v.schema.Elem, place: p.place, key: p.key}
		if v.schema.Index == Int {
			n, ok := parseInt(p.key)
			if !ok || !p.plain {
				r.add(p.place, "the key wants a whole number", "")
				continue
			}
			if seen[n] {
				r.add(p.place, "the key is there twice", "written in two ways")
				continue
			}
			seen[n], c.keyInt = true, n
		}
		v.items = append(v.items, c)
		r.value(c, p.value)
	}
}

// required reports the keys that an object lacks, at the object's own place. One
// that is there but misspelt is told once, not twice.
func (r *reader) required(v *Value, meant []string) {
	for i := range v.schema.Keys {
		k := &v.schema.Keys[i]
		_, there := v.keys[k.Name]
		if _, instead := v.keys[k.Unless]; k.Required && !there && !instead && !slices.Contains(meant, k.Name) {
			at := v.place
			at.path = join(at.path, k.Name)
			r.add(at, "is missing", k.Doc)
		}
	}
}

func unknownHint(key string, names []string) (near, hint string) {
	const few = 8
	if near = nearest(key, names); near != "" {
		return near, DidYouMean(key, names)
	}
	if len(names) <= few {
		return "", "known here: " + strings.Join(names, ", ")
	}
	return "", ""
}

// scalarOf reads a scalar node.
func scalarOf(node ast.Node) (word, bool) {
	switch n := node.(type) {
	case nil, *ast.NullNode:
		return word{null: true, text: "null"}, true
	case *ast.StringNode:
		q := n.Token.Type == token.SingleQuoteType || n.Token.Type == token.DoubleQuoteType
		w := word{text: n.Value, quoted: q}
		if !q {
			w = plain(n.Value)
		}
		return w, true
	case *ast.LiteralNode:
		return word{text: n.Value.Value, quoted: true}, true
	case *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
		return word{text: n.GetToken().Value, number: true}, true
	case *ast.BoolNode:
		return word{text: n.Token.Value, truth: true}, true
	}
	return word{}, false
}

func shape(node ast.Node) string {
	if w, ok := scalarOf(node); ok {
		switch {
		case w.null:
			return "empty"
		case w.number:
			return "a number"
		}
		return "text"
	}
	switch node.(type) {
	case *ast.MappingNode:
		return "a mapping"
	case *ast.SequenceNode:
		return "a list"
	}
	return "something else"
}

// begin moves a place to where a node begins: a block mapping begins at its first key.
func begin(at place, node ast.Node) place {
	if node == nil {
		return at
	}
	if m, ok := node.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return begin(at, m.Values[0].Key)
	}
	if n, ok := node.(*ast.NullNode); ok && n.Token.Type == token.ImplicitNullType {
		return at // the key's place
	}
	return where(at, node.GetToken())
}

func clip(key string) string {
	if q := quote(key); len(key) > 40 || q != `"`+key+`"` || slices.Contains([]string{"", "."}, key) {
		return q
	}
	return key
}
