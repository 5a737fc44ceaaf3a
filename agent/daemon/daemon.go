// Package daemon is the wiring of the agent: the only place where the store, the
// uplink, the drivers, the core, its loop and the local API meet. The command
// line and the simulator's demo both call [Run].
package daemon

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"sync"
	"time"

	"hoistway/agent/config"
	"hoistway/agent/core"
	"hoistway/agent/gateway"
	"hoistway/agent/hooks"
	"hoistway/drivers"
	"hoistway/sync/replica"
)

// Store is where the agent keeps its records: a batch as a whole or not at all.
type Store = replica.Store

// Deps are the outside world, handed in so that a test may play it. The zero
// value of every field but Log is the real world or nobody.
type Deps struct {
	Log     *slog.Logger
	Version string
	// Notify tells the service manager (READY=1, STATUS=…, WATCHDOG=1, STOPPING=1).
	Notify func(state string)
	// WatchdogEvery is the service manager's limit between two WATCHDOG=1; 0 is none.
	WatchdogEvery time.Duration
	// Ready gets the address of the local API once it answers.
	Ready      func(apiAddress string)
	Listen     func(network, address string) (net.Listener, error)
	Dial       func(ctx context.Context, network, address string) (net.Conn, error)
	OpenSerial func(path string, mode drivers.SerialMode) (io.ReadWriteCloser, error)
	Trace      func(drivers.Frame)
	// Store may stand before the agent's store, to play a disk that is full or slow.
	Store func(Store) Store
	// Seed makes the spread of retries repeatable; 0 takes one from the clock.
	Seed uint64
}

func (d Deps) filled() Deps {
	if d.Notify == nil {
		d.Notify = func(string) {}
	}
	if d.Ready == nil {
		d.Ready = func(string) {}
	}
	if d.Listen == nil {
		d.Listen = net.Listen
	}
	if d.Dial == nil {
		d.Dial = (&net.Dialer{}).DialContext
	}
	if d.Store == nil {
		d.Store = func(s Store) Store { return s }
	}
	if d.Seed == 0 {
		d.Seed = uint64(time.Now().UnixNano())
	}
	return d
}

// Run runs the agent until ctx ends, and then until no robot stands in a doorway
// (25 s at most). The configuration must be one without faults.
func Run(ctx context.Context, c *config.Config, d Deps) (err error) {
	d = d.filled()
	a := &agent{c: c, d: d, clock: newClock()}
	if err := a.open(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.close()) }()
	if c.Device.OnRobot() {
		return a.ride(ctx)
	}
	if err := a.load(); err != nil {
		return err
	}
	return a.run(ctx)
}

// agent is the parts of one running agent.
type agent struct {
	c     *config.Config
	d     Deps
	clock clock
	parts
	core  *core.Core
	first core.Result
	gate  *gateway.Gateway
	view  func() *core.View // of the loop, or on a robot of the mirror
	hooks *hooks.Hooks
	pulse *pulse
}

// run starts the parts around the loop, runs the loop, and ends the parts after
// it: the API answers robots until the last of them is out of the doorway.
func (a *agent) run(ctx context.Context) error {
	ctx, abort := context.WithCancelCause(ctx)
	defer abort(nil)
	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	var wg sync.WaitGroup
	defer wg.Wait()
	defer stop()
	part := func(what string, run func(context.Context) error) {
		wg.Go(func() {
			if err := run(inner); err != nil && inner.Err() == nil {
				abort(fmt.Errorf("%s: %w", what, err))
			}
		})
	}
	listener, err := a.d.Listen("tcp", a.c.API.Listen)
	if err != nil {
		return fmt.Errorf("E-3004: local API: %w", err)
	}
	other, err := a.openTLS()
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	if err := a.assemble(); err != nil {
		return errors.Join(err, listener.Close(), other.close())
	}
	wg.Go(func() { a.replica.Run(inner) })
	if a.uplink != nil {
		part("uplink", a.uplink.Run)
	}
	if a.site != nil {
		part("the site's broker", a.site.Run)
	}
	part("Open-RMF", a.rmf.Run)
	part("store", a.endWhenDamaged)
	part("flight record", a.recorder.Run)
	part("audit", a.audit.Run)
	part("pushed messages", a.hooks.Run)
	part("event stream", a.api.Run)
	part("local API", func(ctx context.Context) error { return a.api.Serve(ctx, listener) })
	if other.listener != nil {
		part("API over TLS", func(ctx context.Context) error { return a.api.ServeTLS(ctx, other.listener, other.cert) })
		part("certificate", func(ctx context.Context) error { return other.cert.Run(ctx, a.d.Log) })
		a.d.Log.Info("open to others", "api", "https://"+other.listener.Addr().String(), "certificate_until", other.cert.Until())
	}
	a.d.Ready(listener.Addr().String())
	a.d.Log.Info("running", "api", "http://"+listener.Addr().String(), "lifts", len(a.c.Lifts), "version", a.d.Version)
	defer context.AfterFunc(ctx, func() { a.d.Notify("STOPPING=1") })()
	err = a.gate.Run(ctx)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = errors.Join(err, cause)
	}
	return err
}
