package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"hoistway/simulator/real"
)

// verdict is how a demo with a number of rides ended.
type verdict struct {
	Pass    bool            `json:"pass"`
	Why     string          `json:"why"`
	Seconds float64         `json:"seconds"`
	Rides   []rideVerdict   `json:"rides"`
	Shadows []shadowVerdict `json:"shadows"`
}

type rideVerdict struct {
	ID          string  `json:"ride_id"`
	Robot       string  `json:"robot"`
	Lift        string  `json:"lift"`
	From        string  `json:"from"`
	To          string  `json:"to"`
	Seconds     float64 `json:"seconds"`
	Transitions int     `json:"transitions"`
	End         string  `json:"end"`
}

// shadowVerdict sets the gateway's copy beside the cloud's.
type shadowVerdict struct {
	Name         string `json:"name"` // "" is the classic shadow
	Version      int64  `json:"version"`
	CloudVersion int64  `json:"cloud_version"`
	Updates      int64  `json:"updates"`
	Delta        int    `json:"delta"` // leaves that still differ
	Agree        bool   `json:"agree"`
}

// await waits for all rides to end and for the cloud to hold what the gateway
// reports. It gives up when the demo's patience ends.
func (d *demo) await(ctx context.Context, asked <-chan asked) (*verdict, error) {
	ctx, cancel := context.WithTimeout(ctx, d.flags.patience)
	defer cancel()
	v := &verdict{Pass: true}
	d.wishSetting()
	for asking := true; asking; {
		select {
		case a, more := <-asked:
			if a.err != nil {
				return nil, fmt.Errorf("ride of %s from %s to %s: %w", a.robot, a.from, a.to, a.err)
			}
			if asking = more; more {
				v.Rides = append(v.Rides, d.outcome(ctx, a))
			}
		case <-ctx.Done():
			asking = false
		}
	}
	for !d.compare(v) && sleep(ctx, 200*time.Millisecond) {
	}
	v.Seconds = time.Since(d.start).Seconds()
	v.judge(d.flags.rides)
	if !v.Pass && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		v.Why += fmt.Sprintf("; gave up after %s (--patience)", d.flags.patience)
	}
	if err := ctx.Err(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		return nil, errors.New("stopped before the verdict")
	}
	return v, nil
}

// wishSetting has the stand-in cloud wish one setting, as an operator would.
func (d *demo) wishSetting() {
	err := d.site.StandIn().Desire(real.Serial, "", map[string]any{"wait_timeout": json.Number("120")})
	if err != nil {
		d.log.Warn("the cloud can not wish a setting now", "error", err)
	}
}

// outcome waits for one ride's end.
func (d *demo) outcome(ctx context.Context, a asked) rideVerdict {
	v := rideVerdict{ID: a.id, Robot: a.robot, Lift: a.lift, From: a.from, To: a.to, End: "not over"}
	for {
		var r real.AgentRide
		if d.site.Read("/v1/rides/"+a.id, &r) == nil && len(r.Transitions) > 0 {
			last := r.Transitions[len(r.Transitions)-1]
			v.Seconds, v.Transitions, v.End = last.At.Sub(a.at).Seconds(), len(r.Transitions), r.State+" "+r.Phase
			if r.State == "DONE" {
				return v
			}
			v.End += ", not over"
		}
		if !sleep(ctx, 200*time.Millisecond) {
			return v
		}
	}
}

// compare sets both copies of each shadow side by side.
func (d *demo) compare(v *verdict) bool {
	var s real.AgentSync
	if d.site.Read("/v1/shadow", &s) != nil {
		return false
	}
	v.Shadows = v.Shadows[:0]
	all := len(s.Shadows) > 0
	for _, doc := range s.Shadows {
		row := shadowVerdict{Name: doc.Name, Version: doc.Version, Updates: doc.Updates, Delta: len(doc.State.Delta)}
		if held, ok := d.site.StandIn().Document(real.Serial, doc.Name); ok {
			row.CloudVersion = held.Version
			row.Delta += len(held.Delta())
		}
		row.Agree = row.Delta == 0 && row.Version == row.CloudVersion && row.Version > 0 && len(doc.Pending) == 0
		all = all && row.Agree
		v.Shadows = append(v.Shadows, row)
	}
	return all
}

func (v *verdict) judge(want int) {
	arrived := 0
	for _, r := range v.Rides {
		if r.End == "DONE arrived" {
			arrived++
		}
	}
	agree := len(v.Shadows) > 0
	for _, s := range v.Shadows {
		agree = agree && s.Agree
	}
	v.Pass = arrived == want && agree
	v.Why = fmt.Sprintf("%d of %d rides arrived; gateway and cloud ", arrived, want)
	if agree {
		v.Why += "agree, delta empty"
	} else {
		v.Why += "do not agree"
	}
}

// tell prints the verdict; one that is not a pass is a finding.
func (d *demo) tell(v verdict) error {
	if !d.flags.asJSON {
		d.table(v)
	} else if err := writeJSON(d.out, v); err != nil {
		return err
	}
	if !v.Pass {
		return status{exitFinding, errors.New("E-8001: the demo did not pass: " + v.Why)}
	}
	return nil
}

func (d *demo) table(v verdict) {
	w := tabwriter.NewWriter(d.out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "\nride\trobot\tlift\tway\ttime\ttransitions\tend")
	for _, r := range v.Rides {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s→%s\t%.1f s\t%d\t%s\n", r.ID, r.Robot, r.Lift, r.From, r.To, r.Seconds, r.Transitions, r.End)
	}
	fmt.Fprintln(w, "\nshadow\tversion\tin the cloud\tupdates\tdelta")
	for _, s := range v.Shadows {
		name, delta := s.Name, "empty"
		if name == "" {
			name = "(gateway)"
		}
		if s.Delta > 0 {
			delta = fmt.Sprintf("%d differ", s.Delta)
		}
		fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%s\n", name, s.Version, s.CloudVersion, s.Updates, delta)
	}
	_ = w.Flush()
	word := "PASS"
	if !v.Pass {
		word = "FAIL"
	}
	fmt.Fprintf(d.out, "\nverdict: %s in %.1f s: %s\n", word, v.Seconds, v.Why)
}
