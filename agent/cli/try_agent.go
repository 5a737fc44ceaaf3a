package cli

import (
	"context"
	"maps"
	"slices"

	"hoistway/agent/commission"
	"hoistway/agent/localapi"
)

// triedByAgent is what try shows of a lift that the running agent reads.
func (b *benching) triedByAgent(ctx context.Context, to aim) (commission.Trial, error) {
	plan, err := read[localapi.BenchPlan](to.agent.get(ctx, to.path("plan", nil)))
	if err != nil {
		return commission.Trial{}, err
	}
	stats, err := read[localapi.BenchStats](to.agent.get(ctx, to.path("stats", nil)))
	if err != nil {
		return commission.Trial{}, err
	}
	lift, err := read[localapi.Lift](to.agent.get(ctx, at("lifts", to.lift)))
	if err != nil {
		return commission.Trial{}, err
	}
	t := commission.Trial{
		Link: stats.Link, State: lift.Link, Values: liftRows(lift), Missing: []string{}, Plan: plan.Reads, Reads: len(plan.Reads),
		Occupancy: stats.Occupancy, SlowestMs: stats.SlowestMs, Dropped: stats.Dropped, Why: stats.Diagnosis,
	}
	if to.conf != nil {
		if l := liftOf(to.conf, to.lift); l != nil {
			name, src := to.conf.ProfileSource(to.lift)
			t.Profile, t.Hash = l.Profile, commission.Hash(name, src)
		}
	}
	return t, nil
}

func liftRows(l localapi.Lift) []commission.Row {
	rows := []commission.Row{}
	put := func(name string, v localapi.Value) {
		if v.AgeMs != nil {
			rows = append(rows, commission.Row{Point: name, Value: plain(v.Value), AgeMs: v.AgeMs, Quality: v.Quality})
		}
	}
	put("floor", l.Floor)
	put("motion", l.Motion)
	for _, side := range slices.Sorted(maps.Keys(l.Doors)) {
		put("door."+side, l.Doors[side])
	}
	put("mode", l.Mode)
	put("position", l.Position)
	return rows
}
