package soak

import (
	"fmt"

	"hoistway/fsm/elevator"
	"hoistway/simulator/scenarios"
)

// Run plays the years. It ends at the first law that is broken, and then looks for the
// shortest story that breaks it. An error is of the options or of the site, or, of a run
// that was stopped before, [scenarios.ErrStopped]; a failed run is a report. One that is
// stopped in its search has no story.
func Run(o Options) (Report, error) {
	if err := o.check(); err != nil {
		return Report{}, err
	}
	p, err := o.play(o.setup())
	if err != nil {
		return Report{}, fmt.Errorf("soak: %w", err)
	}
	days, held := 0, true
	for days < o.days() && held {
		p.due = append(p.due[:0], o.dayPlan(days)...)
		days++
		held = p.until(elevator.Instant(days) * elevator.Instant(day))
		if days%7 == 0 || days == o.days() {
			o.progress(p, days)
		}
	}
	if !held && p.watch.Broken() == 0 {
		return Report{}, scenarios.ErrStopped
	}
	r := o.report(p, days)
	if !held {
		r.Story = o.shrink(p, days)
	}
	return r, nil
}

func (o Options) progress(p *play, days int) {
	if o.Progress == nil {
		return
	}
	p.news()
	o.Progress(Progress{
		Week: (days + 6) / 7, Years: float64(days) / daysAYear, Rides: p.tally.rides, Faults: p.tally.faults,
		Breaches: p.watch.Broken(), Hash: p.watch.Hash(),
	})
}
