package hooks

import (
	"errors"
	"fmt"
	"time"

	"hoistway/drivers"
)

// Status is what people may know of a lift's pushes. Times are zero for never.
type Status struct {
	Verify     string
	Unsigned   bool
	Heard      time.Time // something was last heard by push
	Repaired   time.Time // everything was last read anew
	Queue      int
	Taken      uint64
	Duplicates uint64
	Foreign    uint64
	Other      uint64
	Refused    uint64
	Checks     uint64
	Late       uint64
	Turned     uint64  // for want of room
	Failures   float64 // part of the answers of five minutes that were no yes
	Pushing    string  // yes, suspended, unknown
	SuspendsAt time.Time
	Silence    time.Duration
	CanEnable  bool
	Alarms     []Alarm
	Steps      []string
	Confirmed  []string
}

// Alarm stands as long as its cause does.
type Alarm struct{ Code, Detail string }

// watch is what is known of the service itself.
type watch struct {
	asked      bool // it has told whether it pushes
	on         bool
	repaired   time.Time
	suspendsAt time.Time
	noticed    string           // the vendor's own words; "" for none
	broken     map[string]error // what of the mending fails
	loud       bool             // too many answers are no yes
}

// Status of a lift; ok is false for one whose controller pushes nothing.
func (h *Hooks) Status(lift string) (s Status, ok bool) {
	d := h.desks[lift]
	if d == nil {
		return s, false
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	now := h.o.Wall()
	c, w := d.counts, &d.watch
	s = Status{
		Verify: d.plan.Verify, Unsigned: d.plan.Unsigned, Repaired: w.repaired, Queue: len(d.queue), Taken: c.taken, Duplicates: c.duplicates,
		Foreign: c.foreign, Other: c.other, Refused: c.refused, Checks: c.checks, Late: c.late, Turned: c.turned,
		Pushing: w.word(), SuspendsAt: w.suspendsAt, Silence: d.plan.Silence, CanEnable: d.plan.CanEnable,
		Steps: d.plan.Steps, Confirmed: d.plan.Confirmed,
	}
	if d.kept.Heard > 0 {
		s.Heard = time.UnixMilli(d.kept.Heard)
	}
	s.Failures, _ = d.rate.share(now)
	s.Alarms = d.alarms(now, s.Failures)
	return s, true
}

func (w *watch) word() string {
	switch {
	case !w.asked:
		return "unknown"
	case w.on:
		return "yes"
	}
	return "suspended"
}

// alarms lists what stands; d.mu is held.
func (d *desk) alarms(now time.Time, share float64) (out []Alarm) {
	w := &d.watch
	left := ""
	if !w.suspendsAt.IsZero() {
		left = fmt.Sprintf("; the service suspends the push in %s", max(0, w.suspendsAt.Sub(now)).Round(time.Minute))
	}
	if w.asked && !w.on {
		out = append(out, Alarm{"E-6032", "the service has suspended its push: hoistway webhooks enable " + d.id})
		left = ""
	}
	if w.noticed != "" {
		out = append(out, Alarm{"E-6033", w.noticed + left})
	}
	if share >= warnAt {
		out = append(out, Alarm{"E-6031", fmt.Sprintf("%.0f %% of the messages of five minutes were not taken%s", share*100, left)})
	}
	for _, what := range []string{"subscribe", "missed", "repair", "queue", "probe"} {
		if err := w.broken[what]; err != nil {
			out = append(out, Alarm{"E-6034", what + ": " + err.Error()})
		}
	}
	if d.plan.Verify == "none" || d.plan.Unsigned {
		out = append(out, Alarm{"E-6035", "messages without a signature are taken, as the site's link says"})
	}
	return out
}

// answered counts an answer, and warns once when too many were no yes.
func (d *desk) answered(status int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := d.h.o.Wall()
	d.rate.add(now, status/100 == 2)
	share, bad := d.rate.share(now)
	w := &d.watch
	if loud := share >= warnAt; loud != w.loud {
		w.loud = loud
		if loud {
			d.h.o.Log.Warn("pushed messages are not taken", "code", "E-6031", "lift", d.id, "share", fmt.Sprintf("%.3f", share), "messages", bad)
		}
	}
	switch {
	case share >= suspendAt && w.suspendsAt.IsZero():
		w.suspendsAt = now.Add(d.plan.SuspendsAfter)
	case share < warnAt && w.noticed == "":
		w.suspendsAt = time.Time{}
	}
}

// told notes whether a part of the mending works; one that cannot be is no failure.
func (d *desk) told(what string, err error) {
	if isNotCapable(err) {
		err = nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.watch.broken == nil {
		d.watch.broken = map[string]error{}
	}
	if was := d.watch.broken[what]; (was == nil) != (err == nil) {
		if err != nil {
			d.h.o.Log.Warn("what pushes miss is not made good", "code", "E-6034", "lift", d.id, "what", what, "error", err)
		} else {
			d.h.o.Log.Info("what pushes miss is made good again", "lift", d.id, "what", what)
		}
	}
	d.watch.broken[what] = err
}

func isNotCapable(err error) bool { return errors.Is(err, drivers.ErrNotCapable) }

func (d *desk) repaired() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watch.repaired = d.h.o.Wall()
}

// gap is how long nothing was sure to have come: since something was heard or
// everything was read.
func (d *desk) gap() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	last := d.watch.repaired
	if heard := time.UnixMilli(d.kept.Heard); heard.After(last) {
		last = heard
	}
	return d.h.o.Wall().Sub(last)
}

// pushing takes the service's own word; after a suspension everything is read anew.
func (d *desk) pushing(on bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := &d.watch
	switch {
	case !on && (!w.asked || w.on):
		d.h.o.Log.Error("the service has suspended its push", "code", "E-6032", "lift", d.id)
	case on && w.asked && !w.on:
		d.h.o.Log.Info("the service pushes again", "lift", d.id)
		w.noticed, w.suspendsAt = "", time.Time{}
		poke(d.mend)
	}
	w.asked, w.on = true, on
}

// enabled follows a request that had the push go on; the next probe tells whether it does.
func (d *desk) enabled() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.watch.noticed, d.watch.suspendsAt = "", time.Time{}
	d.watch.asked = false
	poke(d.mend)
}

// maxNotice bounds the vendor's words.
const maxNotice = 400

func (d *desk) notice(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	r := []rune(text)
	d.watch.noticed = string(r[:min(len(r), maxNotice)])
	d.watch.suspendsAt = d.h.o.Wall().Add(d.plan.SuspendsAfter)
	d.h.o.Log.Error("the vendor tells of its push", "code", "E-6033", "lift", d.id, "text", d.watch.noticed)
}
