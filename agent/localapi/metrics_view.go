package localapi

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

type routeKey struct{}

func withRoute(ctx context.Context, route *string) context.Context {
	return context.WithValue(ctx, routeKey{}, route)
}

func noteRoute(ctx context.Context, pattern string) {
	if route, ok := ctx.Value(routeKey{}).(*string); ok {
		*route = pattern
	}
}

// viewCollector reads the view when somebody scrapes, so that nothing has to be
// kept in step.
type viewCollector struct {
	s                                                              *Server
	build, rides, online, heard, accepting, queue, alarms, storeOK *prometheus.Desc
	cloud, version, updates, delta, events, lost, drift            *prometheus.Desc
	failing, pushed, pushes, breaches, shut                        *prometheus.Desc
}

func newViewCollector(s *Server) *viewCollector {
	d := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc("hoistway_"+name, help, labels, nil)
	}
	return &viewCollector{
		s:         s,
		build:     d("build_info", "Always 1.", "version"),
		rides:     d("rides", "Rides that are kept, by state.", "state"),
		online:    d("lift_online", "1 online, 0 offline; absent while nothing was ever heard.", "lift"),
		heard:     d("lift_heard_age_seconds", "Since anything was read from the controller.", "lift"),
		accepting: d("lift_accepting", "1 while the lift takes new rides.", "lift"),
		queue:     d("lift_queue", "Rides that wait for the lift.", "lift"),
		alarms:    d("lift_alarms", "Standing alarms.", "lift"),
		storeOK:   d("store_ok", "0 while nothing can be stored."),
		cloud:     d("cloud_connected", "1 while connected; absent without a cloud."),
		version:   d("shadow_version", "Last accepted version.", "shadow"),
		updates:   d("shadow_updates_total", "Reported updates that the service accepted.", "shadow"),
		failing:   d("push_failing_ratio", "Part of the answers to pushed messages that were no yes, over five minutes.", "lift"),
		pushed:    d("push_heard_age_seconds", "Since a pushed message was taken.", "lift"),
		pushes:    d("push_messages_total", "Pushed messages, by what became of them.", "lift", "fate"),
		breaches:  d("rule_breaches_total", "Rules that always hold and were about to be broken, since the start; absent for a rule that never was.", "rule"),
		shut:      d("lift_shut", "1 while nothing is asked of the lift, as a rule was about to be broken, until a person resets the ride.", "lift"),
		events:    d("cloud_events_waiting", "Events that the cloud is not yet known to have."),
		lost:      d("cloud_dropped_total", "What the cloud will not get, since the start: events for want of room, samples for want of budget or connection.", "what"),
		drift:     d("cloud_clock_drift_seconds", "This machine's clock ahead of the cloud's; absent while that is not known."),
		delta:     d("shadow_delta", "Top-level keys in which desired and reported differ.", "shadow"),
	}
}

// Describe lists the metrics.
func (c *viewCollector) Describe(out chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{
		c.build, c.rides, c.online, c.heard, c.accepting, c.queue, c.alarms, c.storeOK, c.cloud, c.version, c.updates, c.delta,
		c.failing, c.pushed, c.pushes, c.breaches, c.shut, c.events, c.lost, c.drift,
	} {
		out <- d
	}
}

// Collect draws them from the latest view.
func (c *viewCollector) Collect(out chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		out <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	v, now := c.s.view(), c.s.o.Now()
	gauge(c.build, 1, c.s.o.Version)
	gauge(c.storeOK, flag(v.StoreFault == ""))
	counts := make(map[fsm.State]int)
	for i := range v.Rides {
		counts[v.Rides[i].Ride.State]++
	}
	for _, state := range []fsm.State{fsm.Idle, fsm.Requesting, fsm.Waiting, fsm.Moving, fsm.Exiting, fsm.Done, fsm.Fault, fsm.FaultLocked} {
		gauge(c.rides, float64(counts[state]), string(state))
	}
	for rule, n := range v.Breaches {
		out <- prometheus.MustNewConstMetric(c.breaches, prometheus.CounterValue, float64(n), rule)
	}
	c.collectLifts(v, now, gauge, out)
	if !v.Cloud {
		return
	}
	gauge(c.cloud, flag(v.Shadow.Connected))
	c.collectBeside(v, gauge, out)
	for i := range v.Shadow.Shadows {
		d := &v.Shadow.Shadows[i]
		gauge(c.version, float64(d.Version), d.Name)
		gauge(c.delta, float64(len(d.Delta)), d.Name)
		out <- prometheus.MustNewConstMetric(c.updates, prometheus.CounterValue, float64(d.Updates), d.Name)
	}
}

func (c *viewCollector) collectBeside(v *core.View, gauge func(*prometheus.Desc, float64, ...string), out chan<- prometheus.Metric) {
	b := &v.Shadow.Beside
	gauge(c.events, float64(b.Events))
	for what, n := range map[string]uint64{"events": b.Dropped, "samples": b.Samples} {
		out <- prometheus.MustNewConstMetric(c.lost, prometheus.CounterValue, float64(n), what)
	}
	if v.Drift.Known {
		gauge(c.drift, float64(v.Drift.Seconds))
	}
}

func (c *viewCollector) collectLifts(v *core.View, now elevator.Instant, gauge func(*prometheus.Desc, float64, ...string), out chan<- prometheus.Metric) {
	for i := range v.Lifts {
		l := &v.Lifts[i]
		heard, push := lastHeard(&l.Car), c.s.showPush(l.ID)
		if link := linkAt(&l.Car, heard, now, push.silenceOf()); link != elevator.LinkUnknown.String() {
			gauge(c.online, flag(link == elevator.Online.String()), l.ID)
		}
		if heard != 0 {
			gauge(c.heard, now.Sub(heard).Seconds(), l.ID)
		}
		gauge(c.accepting, flag(l.Accepting), l.ID)
		gauge(c.shut, flag(l.Breach != ""), l.ID)
		gauge(c.queue, float64(len(l.Queue)), l.ID)
		gauge(c.alarms, float64(len(alarmsOf(l, push))), l.ID)
		if push != nil {
			c.collectPush(push, l.ID, out)
		}
	}
}

func (c *viewCollector) collectPush(p *Push, lift string, out chan<- prometheus.Metric) {
	out <- prometheus.MustNewConstMetric(c.failing, prometheus.GaugeValue, p.Failing, lift)
	if p.HeardMs != nil {
		out <- prometheus.MustNewConstMetric(c.pushed, prometheus.GaugeValue, float64(*p.HeardMs)/1000, lift)
	}
	for fate, n := range map[string]uint64{
		"taken": p.Counts.Taken, "duplicate": p.Counts.Duplicates, "foreign": p.Counts.Foreign, "other": p.Counts.Other,
		"refused": p.Counts.Refused, "check": p.Counts.Checks, "late_value": p.Counts.Late, "turned": p.Counts.Turned,
	} {
		out <- prometheus.MustNewConstMetric(c.pushes, prometheus.CounterValue, float64(n), lift, fate)
	}
}

func flag(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
