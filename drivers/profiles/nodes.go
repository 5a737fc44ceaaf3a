package profiles

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// Nodes is a controller whose values and commands are nodes of an OPC UA server.
// Read-only, so safe for several goroutines.
type Nodes struct{ list map[string]*Node }

// Node is one node: a value that is read or written, or a method that is called.
type Node struct {
	Name      string
	Type      string        // bool, int16, …; "" where it is only read and any will do
	Write     bool          // written or called, not read
	Subscribe time.Duration // told by the server as it changes, sampled so often; 0: read
	Within    time.Duration
	Calls     bool // it is a method
	Args      []string
	Inputs    []NodeInput // of a method, in their order

	id, object string // with {names} in them
}

// NodeInput is one argument of a method.
type NodeInput struct{ Name, Type string }

// ErrNoBase is a node that is named below a base which the link does not say.
var ErrNoBase = errors.New("the link has no base, such as ns=2;s=Lift1. in base=")

// Nodes are those of a profile that speaks OPC UA, else nil.
func (p *Profile) Nodes() *Nodes { return p.nodes }

// Node gives one by its name.
func (n *Nodes) Node(name string) *Node { return n.list[name] }

// Names lists the nodes, sorted.
func (n *Nodes) Names() []string { return slices.Sorted(maps.Keys(n.list)) }

// At gives the id of the node, and of a method's object, as the server knows it.
func (n *Node) At(base string, args map[string]Raw) (id, object string, err error) {
	if id, err = filledID(n.id, base, args); err != nil || !n.Calls {
		return id, "", err
	}
	object, err = filledID(n.object, base, args)
	return id, object, err
}

// Relative reports whether the link has to say a base for this node.
func (n *Node) Relative() bool { return relative(n.id) || n.Calls && relative(n.object) }

// idForms are how a whole node id begins; what begins otherwise is below the base.
var idForms = []string{"ns=", "nsu=", "i=", "s=", "g=", "b="}

func relative(id string) bool {
	return !slices.ContainsFunc(idForms, func(f string) bool { return strings.HasPrefix(id, f) })
}

func filledID(id, base string, args map[string]Raw) (string, error) {
	var b strings.Builder
	if relative(id) {
		if base == "" {
			return "", fmt.Errorf("node %q: %w", id, ErrNoBase)
		}
		b.WriteString(base)
	}
	for {
		head, rest, found := strings.Cut(id, "{")
		b.WriteString(head)
		if !found {
			return b.String(), nil
		}
		name, tail, _ := strings.Cut(rest, "}")
		w := args[name].Word()
		if w == "" {
			return "", fmt.Errorf("{%s}: %w", name, ErrMissing)
		}
		b.WriteString(w)
		id = tail
	}
}

// holes lists the names in an id; ok is false for a { without its }.
func holes(id string) (names []string, ok bool) {
	for {
		_, rest, found := strings.Cut(id, "{")
		if !found {
			return names, !strings.Contains(id, "}")
		}
		name, tail, closed := strings.Cut(rest, "}")
		if !closed {
			return names, false
		}
		names, id = append(names, name), tail
	}
}

// PickNode gives the value at a place of what a node says: the empty place is the
// whole value, [2] an element of a list.
func PickNode(v any, place string) Raw {
	p, err := ParsePath(place)
	if err != nil {
		return Raw{}
	}
	return p.Pick(v, nil)
}
