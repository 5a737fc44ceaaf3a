package ops

import (
	"fmt"
	"slices"
)

const (
	maxReports  = 60  // nights
	maxFindings = 500 // in one report; more are counted
	inspectAt   = 3 * 3600
	daySeconds  = 24 * 3600
	silentFor   = 4 * 3600
	checkWithin = 120 // seconds for a device to report in full when it is asked
	maxAsked    = 100 // devices a night, by turns: a fleet never reports at once
)

// Report is what one night's inspection found.
type Report struct {
	At       int64         `json:"at"`
	Things   int           `json:"things"`
	Count    map[Level]int `json:"count"`
	Findings []Finding     `json:"findings"`
	More     int           `json:"more,omitempty"` // findings that did not fit
	Touched  int           `json:"touched"`        // shadows whose delta was shown once more
	Metrics  Metrics       `json:"metrics"`        // of the day before
}

// Finding is one line of a report, and whom it is sent to.
type Finding struct {
	Level  Level  `json:"level"`
	To     string `json:"to"`
	What   string `json:"what"` // silent, not_reported, behind, service_advised
	Serial string `json:"serial"`
	Shadow string `json:"shadow,omitempty"`
	Text   string `json:"text"`
	Stats  *Stats `json:"stats,omitempty"`
}

type touchKey struct {
	Member
	version int64
}

// Reports are the nights' reports, the newest last.
func (d *Desk) Reports() []Report { return copies(d.reports) }

// day counts the inspections that are due until then.
func (d *Desk) day(now int64) int64 { return (now + d.o.Zone - inspectAt) / daySeconds }

// tickInspection looks once after each 03:00. One that was slept through is made up for.
func (d *Desk) tickInspection(now int64) {
	switch today := d.day(now); {
	case d.lastDay == 0:
		d.lastDay = today // the first night is to come
	case today > d.lastDay:
		d.lastDay = today
		d.inspect(now)
	}
}

// Inspect is an inspection at once, besides the nightly one.
func (d *Desk) Inspect(now int64) Result {
	d.inspect(now)
	return d.done()
}

func (d *Desk) inspect(now int64) {
	d.bounds(now)
	r := &Report{At: now, Things: len(d.things.rows), Count: map[Level]int{}, Metrics: d.Metrics(now)}
	open := map[touchKey]int64{}
	for _, t := range d.things.all() {
		d.inspectSilent(r, t, now)
		d.inspectDelta(r, t, open, now)
		if why := t.Stats.advise(now); why != "" {
			s := t.Stats
			s.OnlineS = s.online(now)
			r.add(Finding{Level: Warning, What: "service_advised", Serial: t.Serial, Text: why, Stats: &s})
		}
		t.Stats.anew(now)
		d.things.put(t.Serial, t)
	}
	d.touched = open
	for _, f := range d.Behind() {
		r.add(Finding{Level: Warning, What: "behind", Serial: f.Serial, Shadow: f.Shadow, Text: fmt.Sprintf("batch %s: %s", f.Batch, f.Fate)})
	}
	d.figures.anew()
	d.ask(now)
	d.reports.put(fmt.Sprint(d.reports.next), r)
	d.sendReport(r)
}

func (d *Desk) inspectSilent(r *Report, t *Thing, now int64) {
	last := max(d.fleet.Seen(t.Serial).LastSeen, t.Since)
	if away := now - last; away > silentFor {
		level := Warning
		if away > daySeconds {
			level = Urgent
		}
		r.add(Finding{Level: level, What: "silent", Serial: t.Serial, Text: fmt.Sprintf("nothing heard for %d h", away/3600)})
	}
}

// inspectDelta finds what is wished and not reported, though not finally answered
// either. Its delta is shown once more as it is: the same version is the same wish, so
// that a device which has carried it out does not do so again.
func (d *Desk) inspectDelta(r *Report, t *Thing, open map[touchKey]int64, now int64) {
	for _, name := range t.Shadows {
		doc, ok := d.fleet.Document(t.Serial, name)
		if !ok {
			continue
		}
		m := Member{t.Serial, name}
		if !slices.ContainsFunc(keys(doc.Delta()), func(p string) bool { f, _ := fate(doc, p); return f == Written }) {
			continue
		}
		key := touchKey{m, doc.Version}
		at, touched := d.touched[key]
		if !touched {
			at = now
			d.out.Touches = append(d.out.Touches, m)
			r.Touched++
			r.add(Finding{Level: Info, What: "not_reported", Serial: m.Serial, Shadow: m.Shadow, Text: "shown once more"})
		} else {
			r.add(Finding{Level: Warning, What: "not_reported", Serial: m.Serial, Shadow: m.Shadow, Text: fmt.Sprintf("shown once more %d h ago, in vain", (now-at)/3600)})
		}
		open[key] = at
	}
}

// ask has some devices report in full, each night others, which shows how true their
// shadows were.
func (d *Desk) ask(now int64) {
	all := d.things.rows
	for i := range all {
		t := all[(int(d.day(now))*maxAsked+i)%len(all)].v
		if len(d.out.Asks) == maxAsked || !d.fleet.Seen(t.Serial).Online {
			continue
		}
		d.out.Asks = append(d.out.Asks, t.Serial)
		for _, name := range t.Shadows {
			d.figures.ask(Member{t.Serial, name}, now+checkWithin)
		}
	}
}

func (r *Report) add(f Finding) {
	f.To = f.Level.concerns()
	r.Count[f.Level]++
	if len(r.Findings) >= maxFindings {
		r.More++
		return
	}
	r.Findings = append(r.Findings, f)
}

// sendReport tells each whom it concerns how much there is for them.
func (d *Desk) sendReport(r *Report) {
	for _, level := range []Level{Urgent, Warning, Info} {
		if n := r.Count[level]; n > 0 {
			d.notice(Notice{At: r.At, Level: level, What: "inspection", ID: fmt.Sprint(r.At), Text: fmt.Sprintf("the inspection of %d things found %d of level %s", r.Things, n, level)})
		}
	}
}
