package fleet

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hoistway/simulator/cloud"
	"hoistway/simulator/cloud/rules"
	"hoistway/sync/replica/replicatest"
)

func startCloud(t *testing.T) *cloud.Cloud { return startCloudAt(t, "") }

func startCloudAt(t *testing.T, broker string) *cloud.Cloud {
	t.Helper()
	idle := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, idle) })
	c, err := cloud.Start(t.Context(), cloud.Options{Broker: broker})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// SM-5: everything that befalls a fleet, and nothing is lost or done twice.
func TestFleetLives(t *testing.T) {
	c := startCloud(t)
	var seen []Progress
	r, err := Run(t.Context(), Options{
		Gateways: 100, Broker: c.URL(), For: 6 * time.Second, RidesPerDay: 15_000, Drift: 10 * time.Minute,
		OnlinePercent: 98, DropsPerHour: 30, Settings: 20, Spread: time.Second, Seed: 7,
		Progress: func(p Progress) { seen = append(seen, p) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + r.Text())
	if !r.OK() {
		t.Error("not ok")
	}
	if r.Reached != 100 || r.Registered != 100 || r.Audit.Settled != 100 || r.Audit.Answered != 200 {
		t.Errorf("reached %d, registered %d, audit %+v", r.Reached, r.Registered, r.Audit)
	}
	if d := r.Rides; d.Done < 30 || d.Told+d.Overtaken+d.Read != d.Transitions {
		t.Errorf("rides %+v", d)
	}
	// One that was on its way at the end of the life may have left all the same.
	if x := r.Settings; x.Wished == 0 || x.CarriedOut < x.Wished || x.CarriedOut > x.Wished+1 || x.Refused != 0 || x.Twice != 0 {
		t.Errorf("settings %+v", r.Settings)
	}
	if r.PowerCuts == 0 || r.Latency.Samples == 0 || r.Latency.P50 <= 0 || r.Rides.Bytes < 100 || r.Memory.PerGatewayHeap <= 0 {
		t.Errorf("report %+v", r)
	}
	if len(seen) < 5 || seen[0].Gateways != 100 || seen[len(seen)-1].Online == 0 {
		t.Errorf("progress %+v", seen)
	}
	for _, g := range []string{"fleet-1", "fleet-100"} {
		saidGoodbye(t, c, g)
	}
}

// saidGoodbye waits for the word that the broker has taken to be heard behind it as well.
func saidGoodbye(t *testing.T, c *cloud.Cloud, gateway string) {
	t.Helper()
	var p rules.Presence
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		var known bool
		if p, known = c.Presence(gateway); known && !p.Online && p.Reason == "stop" {
			return
		}
	}
	t.Errorf("%s did not say goodbye: %+v", gateway, p)
}

// SM-5: all connections are cut at once; the client's own wait spreads their return
// over its window, and the shadows are in step again.
func TestStorm(t *testing.T) {
	c := startCloud(t)
	r, err := Run(t.Context(), Options{
		Gateways: 80, Broker: c.URL(), For: 4 * time.Second, RidesPerDay: 10_000, Storms: 1, OnlinePercent: 100, DropsPerHour: -1,
		Settings: -1, Spread: 3 * time.Second, Seed: 5,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + r.Text())
	if len(r.Storms) != 1 || r.Storms[0].By != "fleet" || !r.OK() {
		t.Fatalf("ok %t, storms %+v", r.OK(), r.Storms)
	}
	s := r.Storms[0]
	if s.Connected.Gateways != 80 || s.Connected.Back != 80 || s.InStep.Back != 80 || r.Drops != 80 || r.ForeignLosses != 0 {
		t.Errorf("storm %+v, %d drops, %d lost", s, r.Drops, r.ForeignLosses)
	}
	// Uniform over 3 s: that all but a quarter come in the first second happens never.
	if s.Connected.P50 < 300*time.Millisecond || s.Connected.BySecond[0] > 60 {
		t.Errorf("they came back together: %v", s.Connected.BySecond)
	}
}

// SM-5: a broker that dies and starts again is a storm that is not ours.
func TestBrokerRestarts(t *testing.T) {
	m := startMosquitto(t)
	startCloudAt(t, m.url)
	again := false
	r, err := Run(t.Context(), Options{
		Gateways: 50, Broker: m.url, For: 6 * time.Second, RidesPerDay: 10_000, OnlinePercent: 100, DropsPerHour: -1,
		Settings: -1, Spread: time.Second, Seed: 3,
		Progress: func(p Progress) {
			if p.Part == "life" && !again {
				again = true
				m.restart()
			}
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + r.Text())
	if len(r.Storms) != 1 || r.Storms[0].By != "broker" || r.Storms[0].Connected.Gateways != 50 || r.Storms[0].Connected.Back != 50 {
		t.Errorf("storms %+v", r.Storms)
	}
	if !r.OK() || r.ForeignLosses < 50 {
		t.Errorf("not ok: %d lost, audit %+v, rides %+v", r.ForeignLosses, r.Audit, r.Rides)
	}
}

// SM-5: a broker behind which no cloud answers, which is said before the slowest would have come.
func TestNoCloud(t *testing.T) {
	m := startMosquitto(t)
	f := newFleet(Options{Gateways: 3, Broker: m.url, Spread: -1}.filled())
	f.hearing = 2 * time.Second
	_, err := f.run(t.Context())
	if !errors.Is(err, ErrCloud) || !strings.Contains(err.Error(), "3 of 3 gateways") || f.now() > f.patience/2 {
		t.Errorf("after %s: %v", f.now(), err)
	}
}

func TestContextEndsAll(t *testing.T) {
	c := startCloud(t)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, err := Run(ctx, Options{
		Gateways: 20, Broker: c.URL(), RidesPerDay: 10_000, Spread: -1, Seed: 1,
		Progress: func(p Progress) {
			if p.Part == "life" {
				cancel()
			}
		},
	})
	if err != nil || !r.Incomplete || r.Reached != 20 || r.OK() {
		t.Errorf("%v, %+v", err, r)
	}
}

func TestRefusals(t *testing.T) {
	good := Options{Gateways: 5, Broker: "mqtt://127.0.0.1:1", For: time.Second}
	for name, spoil := range map[string]func(*Options){
		"no gateways":        func(o *Options) { o.Gateways = 0 },
		"too many":           func(o *Options) { o.Gateways = 100_001 },
		"no broker":          func(o *Options) { o.Broker = "" },
		"TLS":                func(o *Options) { o.Broker = "mqtts://127.0.0.1" },
		"time below zero":    func(o *Options) { o.For = -1 },
		"endless storms":     func(o *Options) { o.For, o.Storms = 0, 1 },
		"a clock a week off": func(o *Options) { o.Drift = 7 * 24 * time.Hour },
		"101 % online":       func(o *Options) { o.OnlinePercent = 101 },
		"a name with /":      func(o *Options) { o.Name = "a/b" },
		"too many rides":     func(o *Options) { o.RidesPerDay = 1e6 },
	} {
		o := good
		spoil(&o)
		if _, err := Run(t.Context(), o); !errors.Is(err, errOptions) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Run(t.Context(), good); !errors.Is(err, ErrBroker) {
		t.Errorf("nobody listens: %v", err)
	}
}

// A listener that says nothing is no broker; the run says so and ends with ctx.
func TestMuteBroker(t *testing.T) {
	defer goleak.VerifyNone(t)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = l.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	r, err := Run(ctx, Options{Gateways: 3, Broker: "mqtt://" + l.Addr().String(), For: time.Second, Spread: -1})
	if err != nil || !r.Incomplete || r.Reached != 0 {
		t.Errorf("%v, %+v", err, r)
	}
}

// SM-5, ST-3: the store of a gateway without a disk keeps the contract of every store.
func TestStoreOfMemory(t *testing.T) {
	disks := map[string]*memory{}
	replicatest.Store(t, func(_ *testing.T, dir string) (replicatest.Subject, func()) {
		if disks[dir] == nil {
			disks[dir] = &memory{}
		}
		return disks[dir], func() {}
	})
}

// SM-5: what is missing, and how to get it.
func TestTooFewFiles(t *testing.T) {
	if err := enough(10_064, 10_064); err != nil {
		t.Error(err)
	}
	err := enough(10_064, 4096)
	if !errors.Is(err, ErrFiles) {
		t.Fatal(err)
	}
	for _, part := range []string{"10064", "4096", "ulimit -n", "LimitNOFILE"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q says nothing of %q", err, part)
		}
	}
}
