package profiles

import (
	"slices"
	"time"

	"hoistway/drivers/profiles/strict"
)

// NodeTypes are the types of values that can be written.
func NodeTypes() []string {
	return []string{"bool", "sbyte", "byte", "int16", "uint16", "int32", "uint32", "int64", "uint64", "float", "double", "string"}
}

// nodesKeys are those of a server with nodes.
func nodesKeys() []strict.Key {
	id := func() strict.Schema { return strict.Of(strict.Name).In(1, 200) }
	kind := func() strict.Schema { return strict.OneOf(NodeTypes()...) }
	return []strict.Key{{Name: "nodes", Required: true, Doc: "each node by a name of the profile's own", Schema: strict.MapOf(strict.Name, strict.Keys(
		strict.Key{Name: "node", Doc: "the node: ns=2;s=…, nsu=urn:…;s=…, i=…; anything else stands below the link's base; {name} in it is a value of the command", Schema: id()},
		strict.Key{Name: "access", Default: "read", Doc: "a node that is read and written stands here twice", Schema: strict.OneOf("read", "write")},
		strict.Key{Name: "type", Doc: "read: no other is believed; write: what is written", Schema: kind()},
		strict.Key{Name: "subscribe", Doc: "the server tells of changes, sampled so often; without it the node is read", Schema: strict.Of(strict.Duration).Within(20*time.Millisecond, 10*time.Second)},
		strict.Key{Name: "method", Doc: "the method that is called, in the place of node", Schema: id()},
		strict.Key{Name: "object", Doc: "the object of the method", Schema: id()},
		strict.Key{Name: "inputs", Doc: "what the method takes, in its order", Schema: strict.ListOf(strict.Keys(
			strict.Key{Name: "name", Required: true, Doc: "a command gives it by this name", Schema: wordName()},
			strict.Key{Name: "type", Required: true, Doc: "what the method takes", Schema: kind()},
		), 1, 20)},
		within("2s"),
	), 1, 200)}}
}

// nodes reads the section.
func (b *builder) nodes(root *strict.Value) {
	n := &Nodes{list: map[string]*Node{}}
	b.p.nodes = n
	b.needs, b.heard = map[string][]string{}, map[string]bool{}
	for _, e := range root.Get("nodes").Items() {
		x := b.node(e)
		n.list[x.Name] = x
		b.messages[x.Name] = true
		if x.Write {
			b.needs[x.Name] = x.Args
		} else {
			b.heard[x.Name] = true
		}
	}
	b.place = func(v *strict.Value, message, place string) {
		if x := n.list[message]; x != nil && x.Write {
			b.fault(v, message+" is written, nothing is read from it", "a node of its own with access: read")
		}
		if _, err := ParsePath(place); err != nil {
			b.fault(v, err.Error(), "")
		}
	}
}

func (b *builder) node(v *strict.Value) *Node {
	n := &Node{
		Name: v.Key(), Type: v.Get("type").Text(), Subscribe: v.Get("subscribe").Duration(), Within: v.Get("within").Duration(),
		Calls: v.Get("method").Given(), id: v.Get("node").Text(), object: v.Get("object").Text(),
	}
	n.Write = n.Calls || v.Get("access").Text() == "write"
	if !messageName().Match.MatchString(n.Name) {
		b.fault(v, "not a name in small letters", "")
	}
	if n.Calls {
		n.id = v.Get("method").Text()
	}
	b.nodeShape(v, n)
	b.holesOf(v, n)
	for _, i := range v.Get("inputs").Items() {
		in := NodeInput{i.Get("name").Text(), i.Get("type").Text()}
		n.Inputs, n.Args = append(n.Inputs, in), append(n.Args, in.Name)
	}
	if n.Write && !n.Calls {
		n.Args = append(n.Args, "value")
	}
	slices.Sort(n.Args)
	n.Args = slices.Compact(n.Args)
	return n
}

// nodeShape looks whether the keys of a node go together.
func (b *builder) nodeShape(v *strict.Value, n *Node) {
	if !v.OK() {
		return
	}
	switch {
	case n.Calls == v.Get("node").Given():
		b.fault(v, "it is a node or a method", "node, or method and object")
	case n.Calls != v.Get("object").Given():
		b.fault(v, "a method belongs to an object", "method and object")
	case !n.Calls && v.Get("inputs").Given():
		b.fault(v.Get("inputs"), "inputs are for a method", "")
	case n.Write && !n.Calls && !v.Get("type").Given():
		b.fault(v, "what is written needs a type", "type: int16")
	case n.Write && v.Get("subscribe").Given():
		b.fault(v.Get("subscribe"), "what is written is not told", "a node of its own with access: read")
	}
}

func (b *builder) holesOf(v *strict.Value, n *Node) {
	for _, id := range []string{n.id, n.object} {
		names, ok := holes(id)
		if !ok {
			b.fault(v, "a { without its }", "")
		}
		for _, name := range names {
			if !wordName().Match.MatchString(name) || !n.Write {
				b.fault(v, "{"+name+"}: only what is written can have a value of a command in it", "")
			}
		}
		n.Args = append(n.Args, names...)
	}
}
