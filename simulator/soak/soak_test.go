package soak

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/laws"
	"hoistway/simulator/scenarios"
)

var (
	years = flag.Float64("soak.years", 0, "play so many years of four cars, with faults")
	seed  = flag.Uint64("soak.seed", 7, "of -soak.years")
	each  = flag.Float64("soak.faults", 3, "a day, of -soak.years")
)

// SM-4, IL-9: as many years as the flag says.
func TestYears(t *testing.T) {
	if *years <= 0 {
		t.Log("say -soak.years 1 to play a year")
		return
	}
	o := options()
	began := time.Now()
	o.Years, o.Seed, o.Faults, o.Cloud = *years, *seed, *each, *each > 0
	o.Elapsed = func() time.Duration { return time.Since(began) }
	o.Progress = func(p Progress) { t.Logf("%+v", p) }
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Log("\n" + r.Text())
	if r.Failed() {
		t.Fail()
	}
}

// short is two weeks of two cars in which each kind of fault begins a few times.
func short() Options {
	return Options{Years: 14.0 / daysAYear, Seed: 5, Cars: 2, RidesPerDay: 40, Faults: 16}
}

// SM-3, SM-4, IL-9
func TestWeeks(t *testing.T) {
	o := short()
	var weeks []int
	o.Progress = func(p Progress) { weeks = append(weeks, p.Week) }
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Failed() {
		t.Fatal(r.Text())
	}
	if !slices.Equal(weeks, []int{1, 2}) || r.Ended["arrived"] < 300 || r.Resets == 0 {
		t.Errorf("weeks %v, ended %v, resets %d", weeks, r.Ended, r.Resets)
	}
	never := 0
	for _, f := range r.Faults {
		if f.Begun == 0 {
			never++ // each is dealt four times; some wait for a state that their ride never comes to
		}
	}
	if never > 3 {
		t.Errorf("%d kinds of fault never began: %v", never, r.Missing)
	}
	if raw, err := json.Marshal(r); err != nil || !strings.Contains(string(raw), `"hash":"`+r.Hash) {
		t.Errorf("%s, %v", raw, err)
	}
}

// SM-3: a day with a cloud, and with what can befall it.
func TestADayWithACloud(t *testing.T) {
	o := short()
	o.Cloud, o.Years, o.Faults = true, 1.0/daysAYear, 60
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if r.Failed() {
		t.Fatal(r.Text())
	}
	for _, f := range r.Faults {
		if f.Kind == "broker-gone" && f.Begun == 0 {
			t.Error("the broker was there all day")
		}
	}
}

// SM-4: one seed, one run; another seed, another.
func TestOneSeedOneRun(t *testing.T) {
	hash := func(seed uint64) string {
		o := short()
		o.Years, o.Seed = 2.0/daysAYear, seed
		r, err := Run(o)
		if err != nil || r.Events == 0 {
			t.Fatal(r.Text(), err)
		}
		return r.Hash
	}
	if a, b := hash(1), hash(1); a != b {
		t.Errorf("one seed, %s and %s", a, b)
	}
	if hash(1) == hash(2) {
		t.Error("two seeds, one hash")
	}
}

// SM-3: a run that came to no fault and few edges fails if it was long enough, and names them.
func TestWhatIsNeverReachedFails(t *testing.T) {
	o := short()
	o.Years, o.Faults, o.Full = 1.0/daysAYear, 0.5, 1.0/daysAYear
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Failed() || !slices.Contains(r.Missing, "fault fire never began") && !slices.Contains(r.Missing, "fault kill never began") {
		t.Fatal(r.Text())
	}
	if o.Full = 2.0 / daysAYear; true {
		if r, err = Run(o); err != nil || r.Failed() || len(r.Missing) == 0 {
			t.Fatal("a short run only lists them:", r.Text(), err)
		}
	}
}

// IL-9: a law of the test is found broken, and cut down to the ride and the fault that
// break it, as a scenario that can be read.
func TestABrokenLawIsShrunk(t *testing.T) {
	o := short()
	o.law = func(w *laws.Watch, now elevator.Instant) {
		for st := range w.Rides {
			if st.State == fsm.Fault {
				w.Add(laws.Breach{At: now, Law: "test-no-fault", Ride: st.Ride, Text: "a fault"})
				return
			}
		}
	}
	r, err := Run(o)
	if err != nil {
		t.Fatal(err)
	}
	if !r.Failed() || r.Breaches[0].Law != "test-no-fault" || r.Story == nil {
		t.Fatal(r.Text())
	}
	s := r.Story
	if s.Law != "test-no-fault" || s.Acts > 2 || !strings.Contains(s.Scenario, " fault ") || !strings.Contains(s.Scenario, "ride ") {
		t.Error(r.Text())
	}
	if _, wrong := scenarios.Parse("story", []byte(s.Scenario)); len(wrong) > 0 {
		t.Error(wrong[0])
	}
	if s.Again != fmt.Sprintf("hoistway-sim soak --seed 5 --years %.4f --cars 2 --rides-per-day 40 --faults 16 --cloud=false", r.Years) {
		t.Error(s.Again)
	}
	broke := false
	law := o.law
	o.law = func(w *laws.Watch, now elevator.Instant) { law(w, now); broke = broke || w.Broken() > 0 }
	o.Stop = func() bool { return broke }
	if r, err = Run(o); err != nil || !r.Failed() || r.Story != nil {
		t.Error("stopped in the search of a story:", r.Text(), err)
	}
}

// SM-4: a run that is stopped before its end judges nothing.
func TestARunIsStopped(t *testing.T) {
	o := short()
	o.Stop = func() bool { return true }
	if r, err := Run(o); !errors.Is(err, scenarios.ErrStopped) || r.Asked != 0 {
		t.Error(r.Text(), err)
	}
}
