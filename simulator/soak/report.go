package soak

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"hoistway/fsm/elevator"
	"hoistway/simulator/laws"
)

// Report is what came of a run.
type Report struct {
	Seed        uint64         `json:"seed"`
	Years       float64        `json:"years"` // that were played
	Cars        int            `json:"cars"`
	RidesPerDay int            `json:"rides_per_day"`
	FaultsADay  float64        `json:"faults_a_day"`
	Asked       int            `json:"asked"` // rides
	Ended       map[string]int `json:"ended"` // by how
	Resets      int            `json:"resets"`
	NotDone     int            `json:"not_done"` // acts that the site refused
	Faults      []FaultCount   `json:"faults"`
	Healing     laws.Healing   `json:"healing"`
	HealRate    float64        `json:"heal_rate"` // of recoverable call failures, without a person
	Edges       []laws.Edge    `json:"edges"`
	Events      uint64         `json:"events"` // in the hash
	Hash        string         `json:"hash"`
	Seconds     float64        `json:"seconds,omitempty"`          // that the run took, where that is known
	PerSecond   float64        `json:"years_per_second,omitempty"` // simulated
	// Missing names the faults and edges never reached. It fails a run of full length.
	Missing  []string      `json:"missing,omitempty"`
	Full     bool          `json:"full"` // long enough to demand them
	Breaches []laws.Breach `json:"breaches,omitempty"`
	Story    *Story        `json:"story,omitempty"` // the shortest that breaks the same law
}

// FaultCount is one kind of fault: how often it began, and how many of those struck.
type FaultCount struct {
	Kind   string `json:"kind"`
	Begun  int    `json:"begun"`
	Struck int    `json:"struck"`
}

// Story is a short way to a breach.
type Story struct {
	Law      laws.Law         `json:"law"`
	At       elevator.Instant `json:"at"` // of the breach, nanoseconds in the story
	Acts     int              `json:"acts"`
	Scenario string           `json:"scenario"` // as a scenario file
	Exact    bool             `json:"exact"`    // on the site of the scenario files; else on the soak's
	Again    string           `json:"again"`    // the command that shows the whole run again
}

// Failed reports a law broken, or a full run that did not reach everything.
func (r *Report) Failed() bool { return len(r.Breaches) > 0 || r.Full && len(r.Missing) > 0 }

// report sums a run up.
func (o Options) report(p *play, days int) Report {
	p.news()
	r := Report{
		Seed: o.Seed, Years: float64(days) / daysAYear, Cars: o.Cars, RidesPerDay: o.RidesPerDay, FaultsADay: o.Faults,
		Asked: p.tally.asked, Ended: p.tally.ends, Resets: p.tally.resets, NotDone: p.tally.refused,
		Edges: p.watch.Edges(), Events: p.watch.Events(), Hash: fmt.Sprintf("%016x", p.watch.Hash()), Breaches: p.watch.Breaches(),
	}
	r.Healing = p.watch.Healing()
	r.HealRate = r.Healing.Rate()
	if o.Faults > 0 {
		for _, k := range o.kinds() {
			r.Faults = append(r.Faults, FaultCount{k.Name, p.tally.begun[k.Name], p.tally.struck[k.Name]})
		}
		r.Full = r.Years >= o.full()
		r.Missing = r.missing()
	}
	if o.Elapsed != nil {
		if r.Seconds = o.Elapsed().Seconds(); r.Seconds > 0 {
			r.PerSecond = r.Years / r.Seconds
		}
	}
	return r
}

// missing names what a run with faults has not reached.
func (r *Report) missing() []string {
	var out []string
	for _, f := range r.Faults {
		switch {
		case f.Begun == 0:
			out = append(out, "fault "+f.Kind+" never began")
		case f.Struck == 0:
			out = append(out, "fault "+f.Kind+" never struck")
		}
	}
	for _, e := range r.Edges {
		if e.Count == 0 {
			out = append(out, fmt.Sprintf("no ride went from %s to %s", e.From, e.To))
		}
	}
	return out
}

// Text is the report for people.
func (r *Report) Text() string {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	say("seed %d: %.3f years of %d cars, %d rides a day, %g faults a day", r.Seed, r.Years, r.Cars, r.RidesPerDay, r.FaultsADay)
	say("rides asked for %d; ended: %s", r.Asked, counts(r.Ended))
	say("resets by people %d; acts refused by the site %d", r.Resets, r.NotDone)
	if len(r.Faults) > 0 {
		say("faults, begun and struck:")
		for _, f := range r.Faults {
			say("  %-20s %5d %5d", f.Kind, f.Begun, f.Struck)
		}
	}
	r.healing(say)
	say("edges of the diagram:")
	for _, e := range r.Edges {
		say("  %-12s → %-12s %7d", e.From, e.To, e.Count)
	}
	for _, m := range r.Missing {
		say("not reached: %s", m)
	}
	say("%d events, hash %s", r.Events, r.Hash)
	if r.PerSecond > 0 {
		say("%.1f s for %.0f days; a year would take %.0f s", r.Seconds, r.Years*daysAYear, 1/r.PerSecond)
	}
	for _, x := range r.Breaches {
		say("BROKEN %s", x)
	}
	if r.Story != nil {
		b.WriteString(r.Story.text())
	}
	say("%s", verdict(r.Failed()))
	return b.String()
}

// healing tells of the call failures.
func (r *Report) healing(say func(string, ...any)) {
	h := &r.Healing
	if h.Failures == 0 {
		return
	}
	say("call failures that can heal %d: %.2f%% without a person (locked %d, reset %d, over %d); its cause still on %d, withdrawn %d, others %d",
		h.Failures, 100*r.HealRate, h.Locked, h.Reset, h.Over, h.Stands, h.Withdrawn, h.Others)
	codes := slices.Sorted(maps.Keys(h.ByCode))
	for _, c := range codes {
		say("  %-20s %5d %5d", c, h.ByCode[c].Failures, h.ByCode[c].Healed)
	}
}

func (s *Story) text() string {
	where := "on the site of the scenario files"
	if !s.Exact {
		where = "on the soak's site only; the file is its story, not its replay"
	}
	return fmt.Sprintf("the shortest story, %d acts, %s:\n\n%s\nagain: %s\n", s.Acts, where, s.Scenario, s.Again)
}

func verdict(failed bool) string {
	if failed {
		return "FAILED"
	}
	return "all laws held"
}

// counts writes a map in the order of its words.
func counts(m map[string]int) string {
	var words []string
	for w := range m {
		words = append(words, w)
	}
	slices.Sort(words)
	for i, w := range words {
		words[i] = fmt.Sprintf("%s %d", w, m[w])
	}
	return strings.Join(words, ", ")
}
