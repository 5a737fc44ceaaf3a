package daemon

import (
	"context"
	"fmt"
	"time"

	"hoistway/agent/config"
	"hoistway/agent/core"
	"hoistway/agent/gateway"
	"hoistway/agent/rmf"
	"hoistway/agent/rmf/bridge"
	"hoistway/fsm"
	"hoistway/sync/mqttlink"
)

// openSite makes the link to the site's broker of Open-RMF, if there is one; it dials
// only in Run.
func (a *agent) openSite() error {
	c := a.c.RMF
	if c == nil || c.Broker == "" {
		return nil
	}
	secret, err := readSecret(c.PasswordFile)
	if err != nil {
		return fmt.Errorf("E-7002: password of the site's broker: %w", err)
	}
	tlsConfig, err := tlsFor(c.CAFile, c.CertFile, c.KeyFile)
	if err != nil {
		return fmt.Errorf("E-7003: certificates of the site's broker: %w", err)
	}
	a.site, err = mqttlink.New(mqttlink.Options{
		Broker: c.Broker, ClientID: "hoistway-rmf-" + a.c.Device.Serial, Username: c.Username, Password: secret, TLS: tlsConfig,
		Topics: bridge.Topics(c.Prefix), Dial: a.d.Dial, LongestPause: longestAway, Seed: a.d.Seed, Log: a.d.Log,
	})
	return err
}

// bridge joins Open-RMF with the loop; without a broker it serves the local API alone.
func (a *agent) bridge() *bridge.Bridge {
	o := bridge.Options{
		Desk: newRMFDesk(a.gate, a.c.Robots), Config: rmf.Config{Sessions: map[string]string{}},
		Now: a.clock.now, Wall: time.Now, Log: a.d.Log,
	}
	for _, r := range a.c.Robots {
		o.Config.Robots = append(o.Config.Robots, r.ID)
	}
	if c := a.c.RMF; c != nil {
		o.Prefix = c.Prefix
		for _, s := range c.Sessions {
			o.Config.Sessions[s.Name] = s.Robot
		}
	}
	if a.site != nil { // a nil *Link is not a nil Broker
		o.Broker = a.site
	}
	return bridge.New(o)
}

// rmfDesk says Open-RMF's orders in the words of the ride loop.
type rmfDesk struct {
	gate     *gateway.Gateway
	crossing map[string]time.Duration // by robot
}

func newRMFDesk(gate *gateway.Gateway, robots []config.Robot) *rmfDesk {
	d := &rmfDesk{gate: gate, crossing: map[string]time.Duration{}}
	for _, r := range robots {
		d.crossing[r.ID] = r.Crossing
	}
	return d
}

func (d *rmfDesk) View() *core.View { return d.gate.View() }

func (d *rmfDesk) Do(ctx context.Context, o rmf.Order) (core.Answer, error) {
	switch o := o.(type) {
	case rmf.Open:
		return d.gate.Ask(ctx, core.CreateRide{From: o.Floor, Open: true, Request: fsm.Request{
			ID: o.Ride, Task: rmf.TaskPrefix + o.Session, Robot: o.Robot, Lift: o.Lift, Ready: true, Crossing: d.crossing[o.Robot],
		}})
	case rmf.Redirect:
		return d.gate.Ask(ctx, core.PatchRide{Ride: o.Ride, To: o.Floor, Aboard: true, By: o.By})
	case rmf.Claim:
		return d.gate.Ask(ctx, core.ClaimRide{Ride: o.Ride, Says: o.Says, By: o.By})
	case rmf.Cancel:
		return d.gate.Ask(ctx, core.CancelRide{Ride: o.Ride, By: o.By})
	}
	return core.Answer{Status: core.Impossible, Code: "E-2115", Detail: "the ride loop knows no such order"}, nil
}
