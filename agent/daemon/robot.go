package daemon

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"

	"hoistway/agent/core"
	"hoistway/agent/localapi"
	"hoistway/agent/robot/escort"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// ride is run on a robot: no lift is run here, the rides of one robot are mirrored.
func (a *agent) ride(ctx context.Context) error {
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
	mirror, err := a.mirror()
	if err != nil {
		return errors.Join(err, listener.Close(), other.close())
	}
	part("store", a.endWhenDamaged)
	part("audit", a.audit.Run)
	part("event stream", a.api.Run)
	part("local API", func(ctx context.Context) error { return a.api.Serve(ctx, listener) })
	if other.listener != nil {
		part("API over TLS", func(ctx context.Context) error { return a.api.ServeTLS(ctx, other.listener, other.cert) })
		part("certificate", func(ctx context.Context) error { return other.cert.Run(ctx, a.d.Log) })
	}
	a.d.Ready(listener.Addr().String())
	a.d.Log.Info("running on a robot", "api", "http://"+listener.Addr().String(), "robot", a.c.Robots[0].ID, "lifts", len(a.c.Lifts), "version", a.d.Version)
	defer context.AfterFunc(ctx, func() { a.d.Notify("STOPPING=1") })()
	err = mirror.Run(ctx)
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		err = errors.Join(err, cause)
	}
	return err
}

// mirror makes what stands in the place of the ride loop, and the API before it.
func (a *agent) mirror() (*escort.Escort, error) {
	a.watched = newWatched(a.store)
	a.pulse = newPulse(a.clock.now, a.d.WatchdogEvery, a.d.Notify)
	o := escort.Options{
		Robot: a.c.Robots[0].ID, Word: "agent-" + strings.ToLower(rand.Text()[:12]), Store: a.watched, Boot: a.clock.boot, Every: a.c.Robot.Every,
		Now: a.clock.now, Wall: time.Now, Publish: a.publish, Beat: a.pulse.beat, Log: a.d.Log,
	}
	for i, l := range a.c.Lifts {
		u := l.URL()
		o.Lifts = append(o.Lifts, escort.Lift{ID: l.ID, Group: l.Group, Far: farName(u, l.ID), Gateway: u.Host, Floors: l.Table(), Link: a.lifts[i].Link})
	}
	if where := a.c.Robot.Displacement; where != "" {
		var err error
		if o.Source, err = escort.NewSource(where, a.c.Robot.Timeout, a.d.Dial); err != nil {
			return nil, fmt.Errorf("E-1201: robot.displacement: %w", err)
		}
	}
	m, err := escort.New(o)
	if err != nil {
		return nil, err
	}
	a.view = m.View
	a.api, err = localapi.New(a.mirrorOptions(m))
	return m, err
}

// farName is what the gateway calls a lift.
func farName(u *url.URL, id string) string {
	if far := u.Query().Get("lift"); far != "" {
		return far
	}
	return id
}

func (a *agent) mirrorOptions(m *escort.Escort) localapi.Options {
	o := localapi.Options{
		Backend: m, Words: words{m}, Now: a.clock.now, Wall: time.Now, Log: a.d.Log, Version: a.d.Version,
		Ready: a.ready, Live: a.live, Help: explainFault, Bench: a.desk.Bench, Audit: a.audit, Cars: carSizes(a.c.Lifts),
	}
	r := a.c.Robots[0]
	o.Robots = []localapi.RobotAuth{{ID: r.ID, TokenSHA256: r.TokenSHA256, Crossing: r.Crossing, FootprintM: r.FootprintM, MassKg: r.MassKg}}
	for _, t := range a.c.API.Technicians {
		o.Technicians = append(o.Technicians, localapi.TechAuth{Name: t.Name, TokenSHA256: t.TokenSHA256})
	}
	return o
}

// words says of a ride what the newest page of the mirror says.
type words struct{ m *escort.Escort }

func (w words) Withheld(r *fsm.Ride, now elevator.Instant) []fsm.Unmet {
	return w.m.Page().Withheld(r, now)
}

func (w words) Advise(r *fsm.Ride, now elevator.Instant) fsm.Advice {
	return w.m.Page().Advise(r, now)
}

func (w words) Pass(r *fsm.Ride, now elevator.Instant) (fsm.LeavePass, bool) {
	return w.m.Page().Pass(r, now)
}

func (w words) Queued(r *fsm.Ride) string { return w.m.Page().Queued(r) }

var _ localapi.Backend = (*escort.Escort)(nil)

var _ func() *core.View = (*escort.Escort)(nil).View
