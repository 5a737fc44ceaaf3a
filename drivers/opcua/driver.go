package opcua

import (
	"context"
	"fmt"
	"time"

	"github.com/gopcua/opcua/ua"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

// Factory is for opc.tcp://host:4840?base=ns=2;s=Lift1.
func Factory(env drivers.Env) drivers.Factory {
	shelf := &drivers.Shelf[*profiles.Profile]{}
	return drivers.Factory{Scheme: Scheme, New: func(s drivers.Spec) (drivers.Opener, error) { return newOpener(env, s, shelf) }}
}

// offlineAfter is how long nothing good may come before a link is offline.
const offlineAfter = 5 * time.Second

// opener is a checked link that is not started.
type opener struct {
	env     drivers.Env
	lift    string
	to      target
	prof    *profiles.Profile
	nodes   *profiles.Nodes
	floors  elevator.Table
	sources []source
}

// source is a node that feeds points.
type source struct {
	profiles.Source
	node *profiles.Node
	at   string // its id as text
}

func newOpener(env drivers.Env, s drivers.Spec, shelf *drivers.Shelf[*profiles.Profile]) (*opener, error) {
	p, err := shelf.Get(s.ProfileName, s.Profile, func() (*profiles.Profile, error) { return profiles.Whole(s.ProfileName, s.Profile) })
	if err != nil {
		return nil, err
	}
	if p.Nodes() == nil {
		return nil, fmt.Errorf("profile %s speaks %s, not OPC UA", s.ProfileName, p.Protocol)
	}
	to, err := parseTarget(s.URL)
	if err != nil {
		return nil, fmt.Errorf("link of lift %s: %w", s.Lift, err)
	}
	o := &opener{env: env, lift: s.Lift, to: to, prof: p, nodes: p.Nodes(), floors: s.Floors}
	return o, o.check()
}

// check looks whether each node has an id that can be one.
func (o *opener) check() error {
	for _, name := range o.nodes.Names() {
		n := o.nodes.Node(name)
		args := map[string]profiles.Raw{}
		for _, a := range n.Args {
			args[a] = profiles.RawOfInt(1)
		}
		id, object, err := n.At(o.to.base, args)
		for _, text := range []string{id, object} {
			if err == nil && text != "" {
				_, err = parseID(text, nil)
			}
		}
		if err != nil {
			return fmt.Errorf("%w: nodes.%s: %w", drivers.ErrConfig, name, err)
		}
	}
	for _, s := range o.prof.Sources() {
		n := o.nodes.Node(s.Name)
		at, _, err := n.At(o.to.base, nil)
		if err != nil {
			return fmt.Errorf("%w: nodes.%s: %w", drivers.ErrConfig, s.Name, err)
		}
		o.sources = append(o.sources, source{s, n, at})
	}
	return nil
}

// Open starts the link. It fails where the files cannot be had, never because the
// server is absent.
func (o *opener) Open(context.Context) (drivers.Link, error) {
	id, err := o.to.load()
	if err != nil {
		return nil, fmt.Errorf("lift %s: %w", o.lift, err)
	}
	l := &link{
		opener: o, id: id, view: view.New(o.env.Now, offlineAfter), shut: make(chan struct{}), news: make(chan struct{}, 1),
		asking: make(chan struct{}, 1), batch: mostNodes, quiet: o.env.Now(),
	}
	l.flow = l.newFlow()
	l.ctx, l.stop = context.WithCancel(context.Background())
	l.wg.Go(func() { l.run(l.ctx) })
	l.wg.Go(func() { l.flow.Run(l.ctx) })
	return l, nil
}

func (o *opener) within(n *profiles.Node) time.Duration {
	if o.to.timeout > 0 {
		return o.to.timeout
	}
	return n.Within
}

// parseID reads a node id; a nil list of namespaces takes any URI.
func parseID(text string, namespaces []string) (*ua.NodeID, error) {
	if namespaces == nil {
		if uri, ok := namespaceOf(text); ok {
			namespaces = []string{uri}
		}
	}
	e, err := ua.ParseExpandedNodeID(text, namespaces)
	if err != nil {
		return nil, err
	}
	return ua.NewNodeIDFromExpandedNodeID(e), nil
}
