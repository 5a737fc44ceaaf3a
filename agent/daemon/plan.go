package daemon

import (
	"time"

	"hoistway/agent/config"
	"hoistway/agent/core"
	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm"
	"hoistway/sync/aws"
	"hoistway/sync/shadow"
)

// protocol is the version of the words spoken with the cloud.
const protocol = "1"

// ridePlan carries a profile's traits over into what a ride must know.
// longest is the most that one hold may ask of its device; 0 is not bounded.
func ridePlan(shelf *drivers.Shelf[*profiles.Profile], name string, src []byte, l config.Lift) (plan fsm.Plan, longest time.Duration, err error) {
	p, err := shelf.Get(name, src, func() (*profiles.Profile, error) { return profiles.Whole(name, src) })
	if err != nil {
		return fsm.Plan{}, 0, err
	}
	t := p.Traits()
	return fsm.Plan{
		Style: fsm.CallStyle(t.Style), Confirm: fsm.Confirm(t.Confirm),
		HasHold: t.HasHold, HasLapse: t.HasLapse, HasCancel: t.HasCancel, Toggles: t.Toggles,
		Claims: t.Claims, Notifies: t.Notifies,
		CancelMayClose: t.CancelMayClose, NotifyMayClose: t.NotifyMayClose, PermitsEnter: t.PermitsEnter, PermitsLeave: t.PermitsLeave, Blind: t.Blind,
		Sight: l.RobotSight == "allowed", Network: network(p.Protocol),
		AcceptWithin: t.AcceptWithin, ClaimWithin: t.ClaimWithin, LevelFor: t.LevelFor, Poll: t.FastPoll,
		RecallFloor: l.Table().ByLabel(l.RecallFloor), SafeFloor: l.Table().ByLabel(l.SafeFloor),
	}, p.LongestHold(), nil
}

// network reports a protocol in which nobody answers where the vendor's network is down.
// With the others it is a line.
func network(protocol string) bool {
	return protocol == "http" || protocol == "pubsub"
}

func rideParams(r config.Rides) fsm.Params {
	p := fsm.DefaultParams()
	p.WaitTimeout, p.Retries, p.HoldLimit = r.WaitTimeout, r.Retries, r.HoldLimit
	p.HoldRenew, p.Expiry, p.Standby = r.HoldRenew, r.Expiry, r.Standby
	return p
}

// cloudConfig is nil without a cloud.
func (a *agent) cloudConfig() *shadow.Config {
	if a.c.Cloud == nil {
		return nil
	}
	x := "hoistway/things/" + a.c.Device.Serial
	c := &shadow.Config{Serial: a.c.Device.Serial, Prefix: x + "/shadow", Beside: x, Shadows: []string{""}, Seed: a.d.Seed, Commands: core.Commands()}
	if a.c.Cloud.Flavour == config.AWS {
		c.Prefix, c.Dialect = aws.Prefix(c.Serial), aws.New(c.Serial, x)
	}
	lifts := []any{}
	for _, l := range a.c.Lifts {
		c.Shadows = append(c.Shadows, l.ID)
		lifts = append(lifts, l.ID)
	}
	for _, o := range a.c.Cloud.Operators {
		c.Operators = append(c.Operators, shadow.Operator{Name: o.Name, Key: o.Key})
	}
	c.Register = shadow.Tree{
		"kind": a.c.Device.Kind, "firmware": a.d.Version, "protocol": protocol, "lifts": lifts, "store": a.storeWord(),
		"instance": a.instance,
		"static":   shadow.Tree{"campus": a.c.Device.Site.Campus, "building": a.c.Device.Site.Building, "groups": groups(a.c.Lifts)},
	}
	return c
}

// groups tells which lifts stand in for each other, as the file has them.
func groups(lifts []config.Lift) shadow.Tree {
	out := shadow.Tree{}
	for _, l := range lifts {
		if l.Group != "" {
			of, _ := out[l.Group].([]any)
			out[l.Group] = append(of, l.ID)
		}
	}
	return out
}

// storeWord tells the cloud whether this device still knows what it has done.
func (a *agent) storeWord() string {
	if a.fresh {
		return "fresh"
	}
	return "kept"
}
