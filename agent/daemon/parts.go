package daemon

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"time"

	"hoistway/agent/audit"
	"hoistway/agent/commission"
	"hoistway/agent/core"
	"hoistway/agent/gateway"
	"hoistway/agent/journal"
	"hoistway/agent/localapi"
	"hoistway/agent/rmf/bridge"
	"hoistway/drivers"
	"hoistway/drivers/all"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/drivers/wrap"
	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/sync/boltstore"
	"hoistway/sync/mqttlink"
	"hoistway/sync/replica"
	"hoistway/sync/shadow"
)

// parts are what must be closed again.
type parts struct {
	file     *boltstore.Store
	store    Store // the file, or what stands before it
	setAside string
	fresh    bool
	lines    *fieldbus.Lines
	lifts    []gateway.Lift
	desk     *commission.Desk
	audit    *audit.Log
	recorder *journal.Recorder
	plans    map[string]fsm.Plan
	longest  time.Duration // that one hold may ask of every device; 0 = not known
	uplink   *mqttlink.Link
	site     *mqttlink.Link // the site's broker of Open-RMF
	session  atomic.Uint64
	instance string
	watched  *watched
	replica  *replica.Replica
	rmf      *bridge.Bridge
	api      *localapi.Server
}

// open opens what may fail for good; nothing is dialled yet.
func (a *agent) open() error {
	if err := a.openStore(); err != nil {
		return err
	}
	if err := a.openLifts(); err != nil {
		return errors.Join(err, a.close())
	}
	if err := a.openUplink(); err != nil {
		return errors.Join(err, a.close())
	}
	if err := a.openSite(); err != nil {
		return errors.Join(err, a.close())
	}
	return nil
}

func (a *agent) openStore() error {
	dir := a.c.Store.Dir
	if err := os.MkdirAll(dir, 0o750); err != nil {
		return fmt.Errorf("E-4003: store folder: %w", err)
	}
	store, opened, err := boltstore.Open(filepath.Join(dir, "state.db"), boltstore.Options{})
	switch {
	case errors.Is(err, boltstore.ErrInUse):
		return fmt.Errorf("E-4006: store: %w", err)
	case err != nil:
		return fmt.Errorf("E-4004: store: %w", err)
	}
	a.file, a.store, a.setAside, a.fresh = store, a.d.Store(store), opened.SetAside, opened.Fresh
	switch {
	case opened.SetAside != "":
		a.d.Log.Error("the store was damaged; it is set aside and a fresh one is in use",
			"code", "E-4001", "file", opened.SetAside, "why", opened.Why)
	case opened.Why != "":
		a.d.Log.Warn("the store opened one commit back", "code", "E-4001", "why", opened.Why)
	}
	return nil
}

func (a *agent) openLifts() error {
	a.openDesk()
	env := drivers.Env{Now: a.clock.now, Dial: a.d.Dial, OpenSerial: a.d.OpenSerial, Trace: a.trace, PubSub: newBrokers(a.d).get, Log: a.d.Log}
	a.lines = fieldbus.NewLines(env)
	a.desk.Count(a.lines.Stats)
	registry, err := all.Builtin(a.lines, env)
	if err != nil {
		return err
	}
	var shelf drivers.Shelf[*profiles.Profile] // a fleet of one profile reads it once
	a.plans = map[string]fsm.Plan{}
	for _, l := range a.c.Lifts {
		name, src := a.c.ProfileSource(l.ID)
		opener, err := registry.New(drivers.Spec{
			Lift: l.ID, URL: l.URL(), ProfileName: name, Profile: src, Floors: l.Table(),
		})
		if err != nil {
			return fmt.Errorf("E-1202: lift %s: %w", l.ID, err)
		}
		link, err := opener.Open(context.Background())
		if err != nil {
			return fmt.Errorf("E-1202: lift %s: %w", l.ID, err)
		}
		a.desk.Add(l.ID, l.URL(), link)
		a.lifts = append(a.lifts, gateway.Lift{ID: l.ID, Link: wrap.Log(link, a.d.Log.With("lift", l.ID))})
		if a.c.Device.OnRobot() {
			continue // a gateway carries its rides
		}
		plan, longest, err := ridePlan(&shelf, name, src, l)
		if err != nil {
			return fmt.Errorf("E-1202: lift %s: %w", l.ID, err)
		}
		a.plans[l.ID] = plan
		if longest > 0 && (a.longest == 0 || longest < a.longest) {
			a.longest = longest
		}
	}
	return nil
}

// openUplink makes the link to the cloud, if there is one; it dials only in Run.
func (a *agent) openUplink() error {
	cloud := a.c.Cloud
	if cloud == nil {
		return nil
	}
	if err := a.loadInstance(); err != nil {
		return fmt.Errorf("E-4004: store: %w", err)
	}
	secret, err := readSecret(cloud.PasswordFile)
	if err != nil {
		return fmt.Errorf("E-7002: broker password: %w", err)
	}
	tlsConfig, err := tlsFor(cloud.CAFile, cloud.CertFile, cloud.KeyFile)
	if err != nil {
		return fmt.Errorf("E-7003: broker certificates: %w", err)
	}
	a.uplink, err = mqttlink.New(mqttlink.Options{
		Broker: cloud.Broker, ClientID: a.c.Device.Serial, Username: cloud.Username, Password: secret, TLS: tlsConfig,
		Topics: shadow.New(*a.cloudConfig()).Topics(), BeforeConnect: a.beforeConnect, Dial: a.d.Dial,
		ConnectSpread: cloud.ConnectSpread, Seed: a.d.Seed, Log: a.d.Log,
	})
	return err
}

func readSecret(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	raw, err := os.ReadFile(path)
	return strings.TrimSpace(string(raw)), err
}

func tlsFor(ca, cert, key string) (*tls.Config, error) {
	c := &tls.Config{MinVersion: tls.VersionTLS12}
	if ca != "" {
		raw, err := os.ReadFile(ca)
		if err != nil {
			return nil, err
		}
		c.RootCAs = x509.NewCertPool()
		if !c.RootCAs.AppendCertsFromPEM(raw) {
			return nil, fmt.Errorf("%s holds no certificate", ca)
		}
	}
	if cert != "" {
		pair, err := tls.LoadX509KeyPair(cert, key)
		if err != nil {
			return nil, err
		}
		c.Certificates = []tls.Certificate{pair}
	}
	return c, nil
}

// load makes the core and hands it what the store holds.
func (a *agent) load() error {
	a.core = core.New(a.coreConfig())
	var rows []shadow.Record
	for _, bucket := range core.Buckets() {
		r, err := a.store.Load(bucket)
		if err != nil {
			return fmt.Errorf("E-4004: store: %w", err)
		}
		rows = append(rows, r...)
	}
	first, errs := a.core.Load(rows, a.clock.core())
	for _, err := range errs {
		a.d.Log.Error("a record of the store can not be read; it is left out", "code", "E-4005", "error", err)
	}
	a.first = first
	return nil
}

// coreConfig carries the settings over into the core's own words.
func (a *agent) coreConfig() core.Config {
	site := dispatch.Config{Params: rideParams(a.c.Rides)}
	for _, l := range a.c.Lifts {
		site.Lifts = append(site.Lifts, dispatch.Lift{
			ID: l.ID, Group: l.Group, Area: l.Area, CarID: l.Car.ID, Deck: l.Deck, Floors: l.Table(), Plan: a.plans[l.ID],
		})
	}
	for _, r := range a.c.Robots {
		site.Robots = append(site.Robots, r.ID)
	}
	return core.Config{Site: site, Cloud: a.cloudConfig(), LongestHold: a.longest, Boot: a.clock.boot, Facts: shadow.Tree{
		"kind": a.c.Device.Kind, "firmware": a.d.Version, "protocol": protocol,
	}}
}

func (a *agent) close() error {
	var errs []error
	for _, l := range a.lifts {
		errs = append(errs, l.Link.Close())
	}
	if a.lines != nil {
		errs = append(errs, a.lines.CloseAll())
	}
	if a.file != nil {
		errs = append(errs, a.file.Close())
	}
	return errors.Join(errs...)
}
