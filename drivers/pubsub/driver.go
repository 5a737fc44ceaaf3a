package pubsub

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

// Factories are mqtt://host:1883 and mqtts://host:8883.
func Factories(env drivers.Env) []drivers.Factory {
	shelf := &drivers.Shelf[*profiles.Profile]{}
	var out []drivers.Factory
	for _, scheme := range []string{"mqtt", "mqtts"} {
		out = append(out, drivers.Factory{Scheme: scheme, New: func(s drivers.Spec) (drivers.Opener, error) { return newOpener(env, s, shelf) }})
	}
	return out
}

// opener is a checked link that is not started.
type opener struct {
	env    drivers.Env
	lift   string
	to     target
	prof   *profiles.Profile
	api    *profiles.Topics
	floors elevator.Table
}

func newOpener(env drivers.Env, s drivers.Spec, shelf *drivers.Shelf[*profiles.Profile]) (*opener, error) {
	p, err := shelf.Get(s.ProfileName, s.Profile, func() (*profiles.Profile, error) { return profiles.Whole(s.ProfileName, s.Profile) })
	if err != nil {
		return nil, err
	}
	if p.Topics() == nil {
		return nil, fmt.Errorf("profile %s speaks %s, not through a broker", s.ProfileName, p.Protocol)
	}
	to, err := parseTarget(s.URL, p.Topics().Params)
	if err != nil {
		return nil, fmt.Errorf("link of lift %s: %w", s.Lift, err)
	}
	o := &opener{env: env, lift: s.Lift, to: to, prof: p, api: p.Topics(), floors: s.Floors}
	return o, o.check()
}

// check looks whether the link's words make topics.
func (o *opener) check() error {
	for _, name := range o.api.Names() {
		m := o.api.Topic(name)
		args := map[string]profiles.Raw{}
		for _, a := range m.Args {
			args[a] = profiles.RawOfInt(1)
		}
		g := profiles.Given{Site: o.to.site, Args: args, Nonce: "0", ID: profiles.RawOfText("0")}
		_, err := o.api.To(m, g)
		if err == nil {
			_, err = o.api.From(m, g)
		}
		if err != nil {
			return fmt.Errorf("%w: lift %s: message %s: %w", drivers.ErrConfig, o.lift, name, err)
		}
	}
	return nil
}

// Open joins the broker. It does not wait for it.
func (o *opener) Open(ctx context.Context) (drivers.Link, error) {
	if o.env.PubSub == nil {
		return nil, fmt.Errorf("%w: this program knows no brokers", drivers.ErrNotCapable)
	}
	nonce := make([]byte, 4)
	_, _ = rand.Read(nonce) // never fails
	bus, err := o.env.PubSub(ctx, o.to.broker)
	if err != nil {
		return nil, fmt.Errorf("broker %s: %w", o.to.broker.Host, err)
	}
	l := &link{
		opener: o, bus: bus, nonce: hex.EncodeToString(nonce), view: view.New(o.env.Now, o.api.Silent), shut: make(chan struct{}),
		news: make(chan struct{}, 1), latest: map[string][]byte{}, waits: map[*wait]bool{},
	}
	l.flow = l.newFlow()
	l.ctx, l.stop = context.WithCancel(context.Background())
	if err := l.subscribe(); err != nil {
		l.leave()
		return nil, errors.Join(err, bus.Close())
	}
	l.wg.Go(func() { l.poll(l.ctx) })
	l.wg.Go(func() { l.flow.Run(l.ctx) })
	return l, nil
}
