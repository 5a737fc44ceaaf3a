package conformance

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/sync/shadow"
)

// gateway is a device in the same process: the real session, which follows wait_timeout
// and standby, and whose messages can be spoilt on the way.
type gateway struct {
	session *shadow.Session
	out     chan shadow.Message
	in      chan shadow.Message
	spoil   func(shadow.Message) []shadow.Message
}

func newGateway(spoil func(shadow.Message) []shadow.Message) *gateway {
	x := "hoistway/things/GW-CHECK"
	return &gateway{
		session: shadow.New(shadow.Config{
			Serial: "GW-CHECK", Prefix: x + "/shadow", Beside: x, Shadows: []string{"", "L1"}, Seed: 1,
			Register: shadow.Tree{"kind": "lift-gateway"},
		}),
		out: make(chan shadow.Message, 1000), in: make(chan shadow.Message, 1000), spoil: spoil,
	}
}

func (g *gateway) Publish(_ context.Context, m shadow.Message) error {
	g.in <- m
	return nil
}

func (g *gateway) Receive(ctx context.Context) (shadow.Message, error) {
	select {
	case m := <-g.out:
		return m, nil
	case <-ctx.Done():
		return shadow.Message{}, ctx.Err()
	}
}

// run is the device's loop, in the bubble's time.
func (g *gateway) run(ctx context.Context) {
	began := time.Now()
	step := func(in shadow.Input) { g.step(in, int64(time.Since(began))+1) }
	step(shadow.Report{Fields: shadow.Tree{"wait_timeout": json.Number("90")}})
	step(shadow.Up{Session: 1})
	for {
		tick := time.NewTimer(100 * time.Millisecond)
		select {
		case m := <-g.in:
			step(shadow.Received{Message: m})
		case <-tick.C:
			step(shadow.Tick{})
		case <-ctx.Done():
			return
		}
		tick.Stop()
	}
}

func (g *gateway) step(in shadow.Input, now int64) {
	for _, o := range g.session.Step(in, now, nil) {
		switch o := o.(type) {
		case shadow.Publish:
			out := []shadow.Message{o.Message}
			if g.spoil != nil {
				out = g.spoil(o.Message)
			}
			for _, m := range out {
				g.out <- m
			}
		case shadow.Apply:
			g.step(shadow.Applied{Shadow: o.Shadow, Intent: o.Intent, Results: verdicts(o)}, now)
		}
	}
}

func verdicts(a shadow.Apply) (out []shadow.Result) {
	for _, path := range slices.Sorted(maps.Keys(a.Values)) {
		v, _ := a.Values[path].(json.Number)
		r := shadow.Result{Path: path, Code: 200, Value: a.Values[path]}
		switch {
		case a.Values[path] == nil:
		case path != "wait_timeout" && path != "standby":
			r = shadow.Result{Path: path, Code: 405, Detail: "not a setting"}
		case strings.HasPrefix(string(v), "-"):
			r = shadow.Result{Path: path, Code: 400, Detail: "too short"}
		}
		out = append(out, r)
	}
	return out
}

func failedDevice(t *testing.T, spoil func(shadow.Message) []shadow.Message) (names []string, r Report) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		g := newGateway(spoil)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		go g.run(ctx)
		var err error
		if r, err = Device(ctx, Options{Serial: "GW-CHECK"}, g); err != nil {
			t.Fatal(err)
		}
	})
	for _, v := range r.Cases {
		if len(v.Wrong) > 0 {
			names = append(names, v.Name)
		}
	}
	return names, r
}

// SH-2, SH-8: the session that gateways have does all that is asked for.
func TestTheSessionConforms(t *testing.T) {
	names, r := failedDevice(t, nil)
	if len(names) > 0 || len(r.Cases) < 10 {
		t.Errorf("%v\n%+v", names, r)
	}
}

// What a device does otherwise is found, first in the case that is about it; what a
// wrong word leaves in the document may spoil a later one.
func TestOtherDevicesAreFound(t *testing.T) {
	instead := func(old, with string) func(shadow.Message) []shadow.Message {
		return func(m shadow.Message) []shadow.Message {
			m.Payload = []byte(strings.Replace(string(m.Payload), old, with, 1))
			return []shadow.Message{m}
		}
	}
	silent := func(m shadow.Message) []shadow.Message {
		if strings.HasSuffix(m.Topic, "/heartbeat") {
			return nil
		}
		return []shadow.Message{m}
	}
	for _, c := range []struct {
		name  string
		spoil func(shadow.Message) []shadow.Message
		want  string
	}{
		{"does not beat", silent, "beats"},
		{"has another word for a value that cannot be", instead(`"ac":400`, `"ac":500`), "refuses"},
		{"says everything twice", func(m shadow.Message) []shadow.Message { return []shadow.Message{m, m} }, "once"},
		{"writes desired", instead(`"state":{"reported":{"_intents"`, `"state":{"desired":{"wait_timeout":120},"reported":{"_intents"`), "follows"},
	} {
		names, r := failedDevice(t, c.spoil)
		if len(names) == 0 || names[0] != c.want || len(names) > 4 {
			t.Errorf("%s: found %q, want %q\n%+v", c.name, names, c.want, r)
		}
	}
}
