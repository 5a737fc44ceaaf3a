package real

import (
	"cmp"
	"context"
	"time"

	"hoistway/simulator/scenarios"
)

// lookEvery is how often a scenario looks at the site. What lasts shorter can be
// missed, but for the states of a ride, which the agent remembers.
const lookEvery = 200 * time.Millisecond

// lookAside keeps the looks from the instants of the agent's polls, which go by fifths of a
// second, too: a look is several questions, and what changes between two of them never was.
const lookAside = 70 * time.Millisecond

// Setup is what a script wants of its site. The folder, the network and the log are
// the caller's to fill in.
func Setup(script *scenarios.Script) Options {
	o := Options{NoCloud: script.CloudOff, Seed: script.Seed, Robots: []Robot{{"R1", usualCrossing}, {"R2", usualCrossing}}}
	for _, r := range script.Robots {
		for i := range o.Robots {
			if o.Robots[i].ID == r.ID {
				o.Robots[i].Crossing = cmp.Or(r.Crossing, usualCrossing)
			}
		}
	}
	for _, l := range script.Lifts {
		o.Lifts = append(o.Lifts, Lift{l.ID, l.Kind})
	}
	for _, s := range script.Settings {
		o.Rides = append(o.Rides, Setting{s.Name, s.Value})
	}
	return o
}

const usualCrossing = 4 * time.Second

// Play plays a script on this site until it is over; when ctx ends before, the error
// is [scenarios.ErrStopped]. seen is called after each look with the lines that came
// since; nil: nobody. A site plays one script.
func (s *Site) Play(ctx context.Context, script *scenarios.Script, seen func(scenarios.Instant, []scenarios.Line)) (scenarios.Verdict, error) {
	p := scenarios.NewPlayer(script)
	next := time.NewTimer(lookAside)
	defer next.Stop()
	for {
		now := s.now()
		err := p.Look(now, s)
		if lines := p.Log(); seen != nil {
			seen(now, lines)
		}
		if err != nil || p.Over(now) {
			return p.Verdict(), err
		}
		select {
		case <-ctx.Done():
			return p.Verdict(), scenarios.ErrStopped
		case <-next.C:
			next.Reset(lookEvery)
		}
	}
}
