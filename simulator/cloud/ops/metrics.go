package ops

import (
	"maps"
	"slices"
	"strings"

	"hoistway/sync/shadow"
)

const (
	maxOpen      = 50_000 // wishes and rides that are looked after
	maxLatencies = 1000   // the newest count
)

// Metrics are the figures by which the whole is judged, since the last inspection. A
// share is null when there was nothing to take it of.
type Metrics struct {
	Coverage    *float64 `json:"coverage"`      // of devices that are online: has a shadow
	Success     *float64 `json:"delta_success"` // of wishes that had an end: in force
	LatencyP95  *int64   `json:"latency_p95_s"` // from a wish to its report, seconds
	Accuracy    *float64 `json:"accuracy"`      // of fields looked at: shown as they were
	SelfHealing *float64 `json:"self_healing"`  // of faults that ended: without a person
	Conflicts   *float64 `json:"conflicts"`     // of reported writes: refused for their version

	Wishes int `json:"wishes"` // that had an end
	Faults int `json:"faults"` // that had an end
	Writes int `json:"writes"` // reported
}

// bound is where a figure leaves what it should be.
type bound struct {
	code  string
	least int // of samples, for the figure to mean something
	of    func(*figures) (part, whole int)
	bad   func(share float64) bool
}

func bounds() []bound {
	return []bound{
		{"METRIC_CONFLICTS", 1000, (*figures).ofConflicts, func(s float64) bool { return s > 0.002 }},
		{"METRIC_DELTA_SUCCESS", 250, (*figures).ofSuccess, func(s float64) bool { return s < 0.996 }},
		{"METRIC_ACCURACY", 100, (*figures).ofAccuracy, func(s float64) bool { return s < 0.99 }},
	}
}

// figures are the counts behind [Metrics].
type figures struct {
	open      map[wishKey]wish
	latencies []int64
	inForce   int
	failed    int
	conflicts int
	writes    int
	rides     map[string]bool // in fault
	healed    int
	locked    int
	asked     map[Member]int64 // to report in full, until when
	compared  int
	agreed    int
}

type wishKey struct {
	Member
	path string
}

type wish struct{ version, at int64 }

func (f *figures) ofConflicts() (int, int) { return f.conflicts, f.writes + f.conflicts }
func (f *figures) ofSuccess() (int, int)   { return f.inForce, f.inForce + f.failed }
func (f *figures) ofAccuracy() (int, int)  { return f.agreed, f.compared }
func (f *figures) ofHealing() (int, int)   { return f.healed, f.healed + f.locked }

// anew begins another day. What is under way stays.
func (f *figures) anew() { *f = figures{open: f.open, rides: f.rides, asked: f.asked} }

func (f *figures) heard(h Happened) {
	ride := h.Serial + "/" + h.ID
	switch h.Kind {
	case Conflict:
		f.conflicts++
	case Expired:
		f.failed++
	case RideFault:
		if f.rides == nil {
			f.rides = map[string]bool{}
		}
		if len(f.rides) < maxOpen {
			f.rides[ride] = true
		}
	case RideDone:
		if f.rides[ride] {
			delete(f.rides, ride)
			f.healed++
		}
	case RideLocked:
		delete(f.rides, ride)
		f.locked++
	}
}

func (f *figures) ask(m Member, until int64) {
	if f.asked == nil {
		f.asked = map[Member]int64{}
	}
	f.asked[m] = until
}

// measure follows each wish from its write to its end.
func (d *Desk) measure(m Member, before, after shadow.Document, now int64) {
	f := &d.figures
	if f.open == nil {
		f.open = map[wishKey]wish{}
	}
	for path := range after.Desired {
		if v := newest(after.DesiredMeta[path]); v == after.Version && plain(path) && len(f.open) < maxOpen {
			f.open[wishKey{m, path}] = wish{v, now} // what it replaced is superseded, and no failure
		}
	}
	for path := range before.Desired {
		key := wishKey{m, path}
		w, open := f.open[key]
		if !open {
			continue
		}
		if _, still := after.Desired[path]; !still {
			delete(f.open, key)
			continue
		}
		switch is, _ := fate(after, path); is {
		case InForce:
			f.inForce++
			f.latencies = append(f.latencies, now-w.at)
			f.latencies = f.latencies[max(0, len(f.latencies)-maxLatencies):]
			delete(f.open, key)
		case Refused:
			f.failed++
			delete(f.open, key)
		}
	}
	f.compare(m, before, after, now)
}

// compare: the first report after a device was asked for all of it shows how many
// fields of the shadow had been as they were.
func (f *figures) compare(m Member, before, after shadow.Document, now int64) {
	if !changedReported(before, after) {
		return
	}
	f.writes++
	until, asked := f.asked[m]
	if !asked {
		return
	}
	delete(f.asked, m)
	if now > until {
		return
	}
	fields := slices.DeleteFunc(keys(after.Reported), func(p string) bool { return !plain(p) })
	f.compared += len(fields)
	for _, p := range fields {
		if shadow.Equal(before.Reported[p], after.Reported[p]) {
			f.agreed++
		}
	}
}

// changedReported: this version was a write of reported.
func changedReported(before, after shadow.Document) bool {
	return newest(after.ReportedMeta) == after.Version || len(shadow.Diff(before.Reported, after.Reported)) > 0
}

// plain paths are values, not the sync's own words.
func plain(path string) bool { return !strings.HasPrefix(path, "_") }

// Metrics are the figures since the last inspection.
func (d *Desk) Metrics(now int64) Metrics {
	f := &d.figures
	online, covered := 0, 0
	for _, r := range d.things.rows {
		if d.fleet.Seen(r.v.Serial).Online {
			online++
			if len(r.v.Shadows) > 0 {
				covered++
			}
		}
	}
	m := Metrics{
		Coverage: ratio(covered, online), Success: ratio(f.ofSuccess()), Accuracy: ratio(f.ofAccuracy()),
		SelfHealing: ratio(f.ofHealing()), Conflicts: ratio(f.ofConflicts()),
		Wishes: f.inForce + f.failed, Faults: f.healed + f.locked, Writes: f.writes,
	}
	if n := len(f.latencies); n > 0 {
		sorted := slices.Sorted(slices.Values(f.latencies))
		m.LatencyP95 = &sorted[(n*95+99)/100-1]
	}
	return m
}

// bounds alarms of each figure that left its bound.
func (d *Desk) bounds(now int64) {
	for _, b := range bounds() {
		if part, whole := b.of(&d.figures); whole >= b.least && b.bad(share(part, whole)) {
			d.raise(Source{}, b.code, now)
		}
	}
}

func ratio(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	s := share(part, whole)
	return &s
}

func keys(t shadow.Tree) []string { return slices.Sorted(maps.Keys(t)) }
