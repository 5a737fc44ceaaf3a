package ops

import (
	"fmt"
	"slices"
	"strings"

	"hoistway/sync/shadow"
)

const (
	maxNodes = 50_000
	maxOf    = 64 // links of one node
)

// Node is a place or a device. What it is part of, or needs, stands above it.
type Node struct {
	ID   string   `json:"id"`           // kind/name, as floor/A/3 or door/A/3-east
	Kind string   `json:"kind"`         // campus, building, lift, floor, door, gateway, robot
	Name string   `json:"name"`         // for people
	Of   []string `json:"of,omitempty"` // ids of the nodes above
}

var nodeKinds = []string{"campus", "building", "lift", "floor", "door", "gateway", "robot"}

// SetNode adds what no registration tells: floors, access doors, robots. Campus,
// buildings, gateways and lifts are there by their tags.
func (d *Desk) SetNode(n Node) (Result, error) {
	kind, name, ok := strings.Cut(n.ID, "/")
	switch {
	case !ok || name == "" || len(n.ID) > 128 || len(n.Name) > 128:
		return d.done(), fmt.Errorf("%w: id of a node %q: want kind/name", ErrInvalid, n.ID)
	case !slices.Contains(nodeKinds, kind):
		return d.done(), fmt.Errorf("%w: kind %q: want one of %s", ErrInvalid, kind, strings.Join(nodeKinds, ", "))
	case len(n.Of) > maxOf:
		return d.done(), fmt.Errorf("%w: %d links of one node, at most %d", ErrInvalid, len(n.Of), maxOf)
	case d.nodes.get(n.ID) == nil && d.nodes.full():
		return d.done(), fmt.Errorf("node: %w", ErrFull)
	}
	if n.Kind = kind; n.Name == "" {
		n.Name = name
	}
	d.nodes.put(n.ID, &n)
	return d.done(), nil
}

// DropNode takes away what SetNode added.
func (d *Desk) DropNode(id string) (Result, error) {
	if !d.nodes.drop(id) {
		return d.done(), fmt.Errorf("%w node: %q", ErrUnknown, id)
	}
	return d.done(), nil
}

// Topology is every node, places before what is in them.
func (d *Desk) Topology() []Node {
	graph := d.graph()
	out := make([]Node, 0, len(graph))
	for _, n := range graph {
		out = append(out, n)
	}
	slices.SortFunc(out, func(a, b Node) int {
		if k := slices.Index(nodeKinds, a.Kind) - slices.Index(nodeKinds, b.Kind); k != 0 {
			return k
		}
		return strings.Compare(a.ID, b.ID)
	})
	return out
}

// Touched names what a fault of a node touches: the node, and all below it; and the
// robots that are aboard one of its lifts now.
func (d *Desk) Touched(id string) []string { return d.under(d.web(), id) }

// web is the graph with its links the other way round too.
type web struct {
	nodes map[string]Node
	below map[string][]string
}

func (d *Desk) web() web {
	w := web{d.graph(), map[string][]string{}}
	for _, n := range w.nodes {
		for _, up := range n.Of {
			w.below[up] = append(w.below[up], n.ID)
		}
	}
	return w
}

func (d *Desk) under(w web, id string) []string {
	if _, known := w.nodes[id]; !known {
		return nil
	}
	out := []string{id}
	for i := 0; i < len(out); i++ {
		out = union(out, slices.Sorted(slices.Values(w.below[out[i]])))
		out = union(out, d.aboard(out[i]))
	}
	return out
}

// graph joins what the tags tell with what operators have added.
func (d *Desk) graph() map[string]Node {
	g := map[string]Node{}
	add := func(kind, name string, of ...string) string {
		n := Node{ID: kind + "/" + name, Kind: kind, Name: name}
		n.Of = slices.DeleteFunc(of, func(s string) bool { return s == "" })
		if _, there := g[n.ID]; !there {
			g[n.ID] = n
		}
		return n.ID
	}
	for _, t := range d.things.all() {
		var place string
		if t.Tags.Campus != "" {
			place = add("campus", t.Tags.Campus)
		}
		if t.Tags.Building != "" {
			place = add("building", t.Tags.Building, place)
		}
		gateway := add("gateway", t.Serial, place)
		for _, l := range t.Lifts {
			add("lift", t.Serial+"/"+l, gateway)
		}
	}
	for _, n := range d.nodes.all() {
		g[n.ID] = *n
	}
	return g
}

// aboard names the robot whose ride holds a lift now, as its shadow reports.
func (d *Desk) aboard(id string) []string {
	serial, lift, ok := strings.Cut(strings.TrimPrefix(id, "lift/"), "/")
	if !ok || !strings.HasPrefix(id, "lift/") {
		return nil
	}
	doc, _ := d.fleet.Document(serial, lift)
	ride, _ := doc.Reported["ride"].(shadow.Tree)
	if robot, _ := ride["robot"].(string); robot != "" {
		return []string{"robot/" + robot}
	}
	return nil
}

// node is where an alarm comes from.
func (at Source) node() string {
	if at.Lift != "" {
		return "lift/" + at.Serial + "/" + at.Lift
	}
	return "gateway/" + at.Serial
}
