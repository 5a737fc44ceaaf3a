package daemon

import (
	"context"
	"encoding/json"
	"testing"
	"time"

	"hoistway/agent/localapi"
	"hoistway/simulator/building"
	"hoistway/simulator/cloud"
	"hoistway/simulator/robots"
)

func startCloud(t *testing.T, r *rig) *cloud.Cloud {
	t.Helper()
	c, err := cloud.Start(context.Background(), cloud.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	r.cloud = c.URL()
	return c
}

func (r *rig) shadow(name string) localapi.ShadowDocument {
	var s localapi.Shadow
	_ = r.get("/v1/shadow", &s)
	for _, d := range s.Shadows {
		if d.Name == name {
			return d
		}
	}
	return localapi.ShadowDocument{}
}

// held is a value that the cloud holds as reported.
func held(c *cloud.Cloud, name, key string) any {
	d, _ := c.Document("GW-T", name)
	return d.Reported[key]
}

// SH-7, SH-16, RD-9: the broker is not there at the start, comes, goes in mid-ride
// and comes again. The ride goes on; the cloud ends with what is true.
func TestBrokerComesAndGoes(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := startCloud(t, r)
	if err := c.StopBroker(); err != nil {
		t.Fatal(err)
	}
	r.start()
	r.robot(robots.Manner{})
	r.online()
	if err := c.StartBroker(); err != nil {
		t.Fatal(err)
	}
	r.until("the state in the cloud", func() bool { return held(c, "L1", "state") == "IDLE" }, func() any { return held(c, "L1", "state") })
	r.post("/v1/rides", callFromG)
	r.reaches("r1", "MOVING")
	if err := c.StopBroker(); err != nil {
		t.Fatal(err)
	}
	r.reaches("r1", "DONE")
	if err := c.StartBroker(); err != nil {
		t.Fatal(err)
	}
	r.until("the shadow caught up", func() bool {
		mine := r.shadow("L1")
		d, ok := c.Document("GW-T", "L1")
		return ok && held(c, "L1", "state") == "IDLE" && mine.Version == d.Version && mine.Sync == "converged"
	}, func() any { return r.shadow("L1") })
}

// SH-8, RD-15: a wished setting is applied, mirrored and acknowledged so that the
// delta empties; it outlives a restart; one that is refused says why and changes nothing.
func TestSettingByTheCloud(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := startCloud(t, r)
	r.start()
	r.until("the first report", func() bool { return held(c, "", "wait_timeout") != nil }, func() any { return r.shadow("") })
	wish := func(v string, id string) {
		patch := map[string]any{"wait_timeout": json.Number(v)}
		if err := c.Desire("GW-T", "", patch, cloud.Intent{ID: id, Priority: 5, TTL: time.Hour, By: "ops"}); err != nil {
			t.Fatal(err)
		}
	}
	wish("120", "i-1")
	r.until("the setting in force", func() bool {
		d, _ := c.Document("GW-T", "")
		return held(c, "", "wait_timeout") == json.Number("120") && len(d.Delta()) == 0 && r.shadow("").Sync == "converged"
	}, func() any { return r.shadow("") })
	wish("2", "i-2")
	r.until("the refusal", func() bool { return r.shadow("").Sync == "settled" }, func() any { return r.shadow("") })
	if v := held(c, "", "wait_timeout"); v != json.Number("120") {
		t.Errorf("in force after a refused wish: %v", v)
	}
	acks, _ := held(c, "", "_ack").(map[string]any)
	ack, _ := acks["wait_timeout"].(map[string]any)
	if ack["ac"] != json.Number("400") || ack["ad"] == "" {
		t.Errorf("ack %v", acks)
	}
	r.stop()
	r.start()
	r.until("the shadow after a restart", func() bool { return r.shadow("").Sync == "settled" }, func() any { return r.shadow("") })
	if v := held(c, "", "wait_timeout"); v != json.Number("120") {
		t.Errorf("in force after a restart: %v", v)
	}
}

// RD-4: a door that sticks lets nobody in: no permit, and the wait limit judges.
func TestStuckDoor(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	r.rides = "{wait_timeout: 15s}"
	r.world.Do(func(b *building.Building) {
		if err := b.StickDoor("L1", 1, true); err != nil {
			t.Fatal(err)
		}
	})
	r.start()
	r.robot(robots.Manner{})
	r.online()
	r.post("/v1/rides", callFromG)
	r.reaches("r1", "FAULT")
	ride := r.ride("r1")
	if ride.Fault.Code != "WAIT_TIMEOUT" || ride.Where != "outside" {
		t.Errorf("fault %+v, robot %s", ride.Fault, ride.Where)
	}
	for _, m := range ride.Marks {
		if m.To == "MOVING" {
			t.Error("the robot rode through a door that does not open")
		}
	}
}

// SH-17: the same device comes back as the same thing, with a greater session.
func TestSessionNumbersGrow(t *testing.T) {
	t.Parallel()
	r := newRig(t)
	c := startCloud(t, r)
	session := func() uint64 {
		p, ok := c.Presence("GW-T")
		if !ok || !p.Online {
			return 0
		}
		return p.Session
	}
	r.start()
	r.until("presence", func() bool { return session() > 0 }, func() any { return session() })
	first := session()
	r.stop()
	gone := time.Now().Add(patience)
	for session() != 0 && time.Now().Before(gone) {
		time.Sleep(20 * time.Millisecond)
	}
	r.start()
	r.until("a newer session", func() bool { return session() > first }, func() any { return session() })
}
