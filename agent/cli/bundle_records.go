package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"hoistway/agent/commission"
	"hoistway/agent/config"
	"hoistway/agent/journal"
	"hoistway/agent/localapi"
)

const (
	maxRecords  = 20      // flight records in a bundle
	maxRecorded = 8 << 20 // bytes of all of them
)

// putRecords puts in the flight records of the rides that the agent still knows: those
// that had a fault before the others, the newest first.
func (d *bundling) putRecords(ctx context.Context, b *commission.Bundle, c *client, conf *config.Config) {
	rides, err := read[[]localapi.Ride](c.get(ctx, at("rides")))
	if err != nil {
		b.Missing("records", err)
		return
	}
	slices.SortStableFunc(rides, func(x, y localapi.Ride) int {
		return cmp.Or(cmp.Compare(faulted(y), faulted(x)), strings.Compare(lastChange(y), lastChange(x)))
	})
	total, left := 0, 0
	for i, ride := range rides {
		name := "records/" + ride.ID + ".json"
		if i >= maxRecords {
			left++
			continue
		}
		raw, err := recordFor(ctx, c, ride, conf)
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
		b.Missing("records", fmt.Errorf("%d rides more; the first %d are in", left, maxRecords))
	}
}

// recordFor gives a record without the frames of a link that may hold secrets.
func recordFor(ctx context.Context, c *client, ride localapi.Ride, conf *config.Config) ([]byte, error) {
	r, err := read[journal.Record](c.get(ctx, at("rides", ride.ID, "record")))
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

// faulted is 1 for a ride that has, or had, a fault.
func faulted(r localapi.Ride) int {
	if r.Fault != nil || slices.ContainsFunc(r.Marks, func(m localapi.Transition) bool { return m.To == "FAULT" || m.To == "FAULT_LOCKED" }) {
		return 1
	}
	return 0
}

// lastChange is when a ride changed last, "" where nobody knows; such times sort as text.
func lastChange(r localapi.Ride) string {
	if len(r.Marks) == 0 {
		return ""
	}
	return r.Marks[len(r.Marks)-1].At
}
