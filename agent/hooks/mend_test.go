package hooks

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
)

// WH-7, WH-10: at 2 % of five minutes a person is told; at 5 % the service's half hour
// runs; the rate forgets after five minutes.
func TestFailureRate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, l := newDisk(), &lift{plan: plain}
		h := open(t, d, map[string]*lift{"L1": l})
		told := func() string {
			var out []string
			for _, a := range h.status(t, "L1").Alarms {
				out = append(out, a.Code)
			}
			return strings.Join(out, " ")
		}
		for n := range 98 {
			h.push(t, "L1", fmt.Sprintf("m%d 1", n))
		}
		h.Turned("L1", 413)
		if got := told(); got != "" {
			t.Errorf("1 of 99: %s", got)
		}
		h.Turned("L1", 413)
		if got := told(); got != "E-6031" || strings.Count(h.log.String(), "E-6031") != 1 {
			t.Errorf("2 of 100: %q\n%s", got, h.log)
		}
		if s := h.status(t, "L1"); !s.SuspendsAt.IsZero() {
			t.Errorf("at 2 %% the service does not suspend: %v", s.SuspendsAt)
		}
		for range 4 {
			h.Turned("L1", 503)
		}
		if s := h.status(t, "L1"); time.Until(s.SuspendsAt) != 30*time.Minute || !strings.Contains(s.Alarms[0].Detail, "30m") {
			t.Errorf("at 5 %%: %+v", s)
		}
		time.Sleep(5*time.Minute + rateStep)
		h.push(t, "L1", "later 1")
		if s := h.status(t, "L1"); told() != "" || !s.SuspendsAt.IsZero() || s.Failures != 0 {
			t.Errorf("after five good minutes: %+v", s)
		}
		h.end()
	})
}

// WH-6, WH-12: at the start it subscribes, then what was missed is asked for and
// everything read, and again every few minutes; after a gap that is longer than the
// service keeps messages only the reading counts.
func TestRepair(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := plain
		plan.Repair, plan.Window, plan.Renew = 5*time.Minute, time.Hour, []time.Duration{20 * time.Minute}
		d, l := newDisk(), &lift{plan: plan, missed: []string{"x 5", "foreign", "- 6", "- 6"}}
		h := open(t, d, map[string]*lift{"L1": l})
		synctest.Wait()
		if _, asked := l.seen(); !slices.Equal(asked, []string{"subscribe 0", "read"}) {
			t.Errorf("nothing was ever heard: %v", asked)
		}
		time.Sleep(5*time.Minute + time.Second)
		took, asked := l.seen()
		if !slices.Equal(asked[2:], []string{"missed", "missed taken", "read"}) || !slices.Equal(took, []string{"x after ", "- after 5"}) {
			t.Errorf("after five minutes: %v, took %v", asked, took)
		}
		l.set(func(l *lift) { l.broken = drivers.ErrTimeout })
		time.Sleep(50 * time.Minute)
		if s := h.status(t, "L1"); len(s.Alarms) != 3 || s.Alarms[0].Code != "E-6034" {
			t.Errorf("%+v", s.Alarms)
		}
		time.Sleep(30 * time.Minute) // the gap is now longer than the window
		l.set(func(l *lift) { l.broken, l.asked = nil, nil })
		time.Sleep(5 * time.Minute)
		_, asked = l.seen()
		if slices.Contains(asked, "missed") || !slices.Contains(asked, "read") || !slices.Contains(asked, "subscribe 0") {
			t.Errorf("after a long gap: %v", asked)
		}
		if s := h.status(t, "L1"); slices.ContainsFunc(s.Alarms, func(a Alarm) bool { return !strings.HasPrefix(a.Detail, "missed") }) {
			t.Errorf("%+v", s.Alarms)
		}
		h.end()
	})
}

// WH-10: that the push is suspended is asked, told as an alarm, mended by command, and
// followed by a full read. A vendor's notice is an alarm with a countdown.
func TestSuspendedPush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := plain
		plan.Probe, plan.CanEnable, plan.Steps = time.Minute, true, []string{"open the console"}
		d, l := newDisk(), &lift{plan: plan, on: true}
		h := open(t, d, map[string]*lift{"L1": l})
		synctest.Wait()
		if s := h.status(t, "L1"); s.Pushing != "yes" {
			t.Errorf("%+v", s)
		}
		if err := h.Notice("L1", "over 5 % of your messages failed"); err != nil {
			t.Error(err)
		}
		h.push(t, "L1", "good 1") // a good message ends no notice
		time.Sleep(10*time.Minute + time.Second)
		s := h.status(t, "L1")
		if len(s.Alarms) != 1 || s.Alarms[0].Code != "E-6033" || !strings.Contains(s.Alarms[0].Detail, "in 20m") {
			t.Errorf("the notice: %+v", s.Alarms)
		}
		l.set(func(l *lift) { l.on = false })
		time.Sleep(time.Minute + time.Second) // past the next probe
		if s := h.status(t, "L1"); s.Pushing != "suspended" || s.Alarms[0].Code != "E-6032" {
			t.Errorf("suspended: %+v", s)
		}
		l.set(func(l *lift) { l.on, l.asked = true, nil })
		if err := h.Enable(t.Context(), "L1"); err != nil {
			t.Error(err)
		}
		synctest.Wait()
		if _, asked := l.seen(); !slices.Equal(asked, []string{"enable", "read", "pushing"}) {
			t.Errorf("after the command: %v", asked)
		}
		time.Sleep(time.Minute + time.Second)
		if s := h.status(t, "L1"); s.Pushing != "yes" || len(s.Alarms) != 0 {
			t.Errorf("%+v", s)
		}
		// Somebody else may have had it go on, in the vendor's console.
		l.set(func(l *lift) { l.on = false })
		time.Sleep(time.Minute + time.Second)
		l.set(func(l *lift) { l.on, l.asked = true, nil })
		time.Sleep(time.Minute + time.Second)
		if _, asked := l.seen(); !slices.Contains(asked, "read") {
			t.Errorf("after a suspension everything is read: %v", asked)
		}
		l.set(func(l *lift) { l.enable = drivers.ErrNotCapable })
		if err := h.Enable(t.Context(), "L1"); !errors.Is(err, drivers.ErrNotCapable) {
			t.Error(err)
		}
		if err := h.Enable(t.Context(), "L2"); !errors.Is(err, ErrNoPush) {
			t.Error(err)
		}
		h.end()
	})
}

// WH-14: the service's queue is a second way: the same ids, and told that they are taken
// only once they are kept.
func TestQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		plan := plain
		plan.Queue = time.Minute
		d, l := newDisk(), &lift{plan: plan, queued: []string{"a 1", "b 2"}}
		d.fail = errors.New("no space left on device")
		h := open(t, d, map[string]*lift{"L1": l})
		time.Sleep(time.Second)
		if _, asked := l.seen(); slices.Contains(asked, "queued taken") {
			t.Errorf("nothing is kept: %v", asked)
		}
		d.set(func(d *disk) { d.fail = nil })
		h.push(t, "L1", "b 2")
		time.Sleep(time.Minute)
		took, asked := l.seen()
		if !slices.Contains(asked, "queued taken") || len(took) != 2 {
			t.Errorf("%v, took %v", asked, took)
		}
		h.end()
	})
}
