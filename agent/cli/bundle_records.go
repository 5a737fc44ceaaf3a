package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"hoistway/agent/commission"
	"hoistway/agent/config"
	"hoistway/agent/journal"
)

const (
	maxRecords  = 20      // flight records in a bundle
	maxRecorded = 8 << 20 // bytes of all of them
)

// putRecords puts in flight records, also of rides long over: those of rides that had a
// fault before the others, the newest first.
func (d *bundling) putRecords(ctx context.Context, b *commission.Bundle, c *client, conf *config.Config) {
	kept, err := read[[]journal.Kept](c.get(ctx, at("records")+"?limit=1000"))
	if err != nil {
		b.Missing("records", err)
		return
	}
	slices.SortStableFunc(kept, func(x, y journal.Kept) int { return faults(y) - faults(x) })
	total, left := 0, 0
	for i, k := range kept {
		name := "records/" + k.Ride + ".json"
		if i >= maxRecords {
			left++
			continue
		}
		raw, err := recordFor(ctx, c, k.Ride, conf)
		switch {
		case err != nil:
			b.Missing(name, err)
		case total+len(raw) > maxRecorded:
			b.Missing(name, fmt.Errorf("the records together have %d bytes at most", maxRecorded))
		default:
			total += len(raw)
			b.Text(name, string(raw))
		}
	}
	if left > 0 {
		b.Missing("records", fmt.Errorf("%d records more; the first %d are in", left, maxRecords))
	}
}

// recordFor gives a record without the frames of a link that may hold secrets.
func recordFor(ctx context.Context, c *client, ride string, conf *config.Config) ([]byte, error) {
	r, err := read[journal.Record](c.get(ctx, at("rides", ride, "record")))
	if err != nil {
		return nil, err
	}
	bare := slices.ContainsFunc(conf.Lifts, func(l config.Lift) bool {
		return l.ID == r.Ride.Lift && l.URL() != nil && commission.FramesAreBare(l.URL().Scheme)
	})
	if !bare && len(r.Lanes.Frames) > 0 {
		r.Lanes.Frames = []journal.FrameMark{}
		r.Damage = append(r.Damage, "frames are left out: those of this kind of link may hold secrets")
	}
	raw, err := json.MarshalIndent(r, "", " ")
	return raw, err
}

// faults is 1 for the record of a ride that has, or had, a fault.
func faults(k journal.Kept) int {
	if k.Faulted {
		return 1
	}
	return 0
}
