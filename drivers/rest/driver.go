package rest

import (
	"context"
	"fmt"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

// Factories are http, https, ws and wss. Lifts that one program reaches through one
// account share its quota.
func Factories(env drivers.Env) []drivers.Factory {
	as := &accounts{}
	var out []drivers.Factory
	for _, scheme := range []string{"http", "https"} {
		out = append(out, drivers.Factory{Scheme: scheme, New: func(s drivers.Spec) (drivers.Opener, error) { return newRequests(s, env, as) }})
	}
	for _, scheme := range []string{"ws", "wss"} {
		out = append(out, drivers.Factory{Scheme: scheme, New: func(s drivers.Spec) (drivers.Opener, error) { return newSocket(s, env, as) }})
	}
	return out
}

// offlineAfter is how long no answer may be good before a link is offline.
const offlineAfter = 5 * time.Second

// spec is what both kinds of links are made of.
type spec struct {
	env    drivers.Env
	lift   string
	prof   *profiles.Profile
	floors elevator.Table
	to     target
	picks  picker
}

func newSpec(s drivers.Spec, env drivers.Env, as *accounts, service func(*profiles.Profile) *profiles.Service) (spec, error) {
	out := spec{env: env, lift: s.Lift, floors: s.Floors}
	p, err := as.shelf.Get(s.ProfileName, s.Profile, func() (*profiles.Profile, error) { return profiles.Whole(s.ProfileName, s.Profile) })
	if err != nil {
		return out, err
	}
	sv := service(p)
	if sv == nil {
		return out, fmt.Errorf("profile %s speaks %s, not what a %s link carries", s.ProfileName, p.Protocol, s.URL.Scheme)
	}
	out.prof = p
	if out.to, err = parseTarget(s.URL, sv); err != nil {
		return out, fmt.Errorf("link of lift %s: %w", s.Lift, err)
	}
	out.picks, err = newPicker(sv, out.to.site)
	return out, err
}

// open reads the secrets and makes the client.
func (s *spec) open(as *accounts, sv *profiles.Service, rate profiles.Rate) (*client, error) {
	secrets, err := readSecrets(s.to.secrets, sv.Secrets)
	if err != nil {
		return nil, err
	}
	a := as.of(s.to.base.Host+" "+s.prof.ID+" "+s.to.secrets, rate)
	return newClient(s.to, s.env, secrets, a)
}

func (s *spec) view() *view.View { return view.New(s.env.Now, offlineAfter) }

// requests is a checked link over HTTP that is not started.
type requests struct {
	spec
	as *accounts
}

func newRequests(s drivers.Spec, env drivers.Env, as *accounts) (drivers.Opener, error) {
	sp, err := newSpec(s, env, as, func(p *profiles.Profile) *profiles.Service {
		if p.HTTP() == nil {
			return nil
		}
		return &p.HTTP().Service
	})
	if err != nil {
		return nil, err
	}
	return &requests{sp, as}, nil
}

// Open starts the polls. It fails where the secrets cannot be had, never because the
// service is absent.
func (o *requests) Open(context.Context) (drivers.Link, error) {
	api := o.prof.HTTP()
	c, err := o.open(o.as, &api.Service, api.Rate)
	if err != nil {
		return nil, fmt.Errorf("lift %s: %w", o.lift, err)
	}
	v := o.view()
	if push := api.Push(); push != nil {
		v = view.New(o.env.Now, max(offlineAfter, push.Silence))
	}
	l := newLink(o.spec, v, 1)
	a := &asker{c, api}
	l.ask = a
	out := withPushes(l, a)
	l.run(func(ctx context.Context) { l.poll(ctx) })
	return out, nil
}
