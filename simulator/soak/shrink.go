package soak

import (
	"fmt"
	"slices"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"
	"hoistway/simulator/laws"
	"hoistway/simulator/scenarios"
	"hoistway/simulator/virtual"
)

const (
	trials = 600              // replays that a shrink may take
	margin = 10 * time.Minute // that a replay may be later with the breach
	lead   = elevator.Instant(2 * time.Second)
)

// shrinker looks for a short story that breaks the law.
type shrinker struct {
	Options
	law   laws.Law
	setup virtual.Setup
	left  int
	seed  uint64        // of the file
	after time.Duration // the last act the breach came
	// The last story that broke it: what was done, and the breach.
	deeds  []deed
	breach laws.Breach
}

// shrink cuts the plan of a run that broke a law at the end of day days-1; nil when it is
// stopped.
func (o Options) shrink(p *play, days int) *Story {
	b := p.watch.Breaches()[0]
	s := &shrinker{Options: o, law: b.Law, setup: o.setup(), left: trials, seed: o.Seed}
	t := &Story{Law: b.Law, At: b.At, Scenario: "# no part of the run alone breaks it\n", Again: o.again(days)}
	if acts := s.window(b.At, days); acts != nil {
		acts = minimal(acts, s.breaks)
		acts = s.simpler(acts)
		acts = s.sooner(acts)
		t.Exact = s.onBench(acts)
		t.At, t.Acts, t.Scenario = s.breach.At, len(s.deeds), s.scenario()
	}
	if o.stopped() {
		return nil
	}
	return t
}

// again is the command that shows the run again up to its breach.
func (o Options) again(days int) string {
	return fmt.Sprintf("hoistway-sim soak --seed %d --years %.4f --cars %d --rides-per-day %d --faults %g --cloud=%t",
		o.Seed, float64(days)/daysAYear, o.Cars, o.RidesPerDay, o.Faults, o.Cloud)
}

// window finds the shortest end of the run that breaks the law on a fresh site.
func (s *shrinker) window(at elevator.Instant, days int) []act {
	for _, back := range []time.Duration{10 * time.Minute, time.Hour, 6 * time.Hour, day, 7 * day, time.Duration(days) * day} {
		from := max(0, at-elevator.Instant(back))
		var acts []act
		for d := int(from / elevator.Instant(day)); d < days; d++ {
			for _, a := range s.dayPlan(d) {
				if a.at >= from && a.at <= at {
					a.at -= from
					acts = append(acts, a)
				}
			}
		}
		if len(acts) > 0 {
			s.after = at.Sub(from + acts[len(acts)-1].at)
		}
		if s.breaks(acts) {
			return acts
		}
		if from == 0 {
			break
		}
	}
	return nil
}

// breaks replays acts on a fresh site.
func (s *shrinker) breaks(acts []act) bool {
	if s.left <= 0 || s.stopped() {
		return false
	}
	s.left--
	p, err := s.play(s.setup)
	if err != nil {
		return false
	}
	p.keep, p.due = true, append([]act(nil), acts...)
	last := lead
	if len(acts) > 0 {
		last = acts[len(acts)-1].at
	}
	if p.until(last + elevator.Instant(max(patience, s.after)+margin)) {
		return false
	}
	for _, b := range p.watch.Breaches() {
		if b.Law == s.law {
			s.deeds, s.breach, s.after = p.deeds, b, b.At.Sub(last)
			return true
		}
	}
	return false
}

// minimal takes acts away for as long as the rest still breaks: halves first, then ever
// smaller parts, until no single one can go (delta debugging, after Zeller).
func minimal(acts []act, breaks func([]act) bool) []act {
	for n := 2; len(acts) > 1; {
		size := (len(acts) + n - 1) / n
		cut := false
		for from := 0; from < len(acts) && !cut; from += size {
			rest := append(append([]act(nil), acts[:from]...), acts[min(from+size, len(acts)):]...)
			if breaks(rest) {
				acts, cut = rest, true
			}
		}
		switch {
		case cut:
			n = max(n-1, 2)
		case n >= len(acts):
			return acts
		default:
			n = min(2*n, len(acts))
		}
	}
	if len(acts) == 1 && breaks(nil) {
		return nil
	}
	return acts
}

// simpler takes the conditions off the faults and the options off the rides.
func (s *shrinker) simpler(acts []act) []act {
	for i := range acts {
		for _, plain := range plainer(acts[i].do) {
			try := append([]act(nil), acts...)
			try[i].do = plain
			if s.breaks(try) {
				acts = try
			}
		}
	}
	return acts
}

// plainer lists ways to say an act with less.
func plainer(a scenarios.Act) []scenarios.Act {
	switch a := a.(type) {
	case scenarios.Inject:
		f := faults.Fault{Kind: a.Fault.Kind, Target: a.Fault.Target, Arg: a.Fault.Arg, For: a.Fault.For}
		bare := f
		bare.Arg = ""
		return []scenarios.Act{scenarios.Inject{Fault: f}, scenarios.Inject{Fault: bare}}
	case scenarios.AskRide:
		a.FromDoor, a.ToDoor, a.NotReady = "", "", false
		return []scenarios.Act{a}
	}
	return nil
}

// sooner takes idle time out: first before the story, then between its acts.
func (s *shrinker) sooner(acts []act) []act {
	for i := range acts {
		was := lead
		if i > 0 {
			was = acts[i-1].at
		}
		for gap := acts[i].at - was; gap > 10*elevator.Instant(time.Second) || i == 0 && gap > 0; gap = acts[i].at - was {
			cut := gap
			if i > 0 {
				cut = gap / 2
			}
			try := append([]act(nil), acts...)
			for j := i; j < len(try); j++ {
				try[j].at -= cut
			}
			if !s.breaks(try) {
				break
			}
			acts = try
		}
	}
	return acts
}

// onBench tries the story on the site that scenario files play on. The last story
// that broke the law stays the one that is told.
func (s *shrinker) onBench(acts []act) bool {
	was := s.setup
	s.left = max(s.left, 2)
	if renamed, ok := rename(s.deeds, acts); ok {
		s.setup = virtual.Bench(s.Seed)
		if s.breaks(renamed) && s.plays() {
			return true
		}
	}
	s.setup = was
	s.breaks(acts)
	return false
}

// seeds are tried for a file that does not break the law with the run's own.
const seeds = 16

// plays reports that the story's file breaks the law when it is played as it is.
func (s *shrinker) plays() bool {
	own := s.Seed
	for n := range uint64(seeds) {
		s.seed = own
		if n > 0 {
			s.seed = n
		}
		if s.fileBreaks() {
			return true
		}
	}
	s.seed = own
	return false
}

func (s *shrinker) fileBreaks() bool {
	script, wrong := scenarios.Parse("story", []byte(s.scenario()))
	if len(wrong) > 0 {
		return false
	}
	setup, err := virtual.ForScript(script)
	if err != nil {
		return false
	}
	site, err := virtual.New(setup)
	if err != nil {
		return false
	}
	look := func(now elevator.Instant) {
		if s.Options.law != nil {
			s.Options.law(site.Watch(), now)
		}
	}
	if _, err := scenarios.Play(scenarios.NewPlayer(script), site, look); err != nil {
		return false
	}
	return slices.ContainsFunc(site.Breaches(), func(b laws.Breach) bool { return b.Law == s.law })
}
