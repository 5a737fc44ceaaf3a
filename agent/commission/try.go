package commission

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// Trial is what a profile makes of a controller, with nothing stored.
type Trial struct {
	Link      string   `json:"link"`
	Profile   string   `json:"profile"`
	Hash      string   `json:"profile_sha256"`
	State     string   `json:"state"` // online, offline, unknown
	Values    []Row    `json:"values"`
	Missing   []string `json:"missing"` // points of the profile that brought no value
	Plan      []Read   `json:"plan"`
	Reads     int      `json:"reads_per_cycle"`
	CycleMs   int64    `json:"cycle_ms"`  // one whole reading, measured
	Occupancy float64  `json:"occupancy"` // share of the time that the line is busy
	SlowestMs float64  `json:"slowest_answer_ms"`
	Dropped   int      `json:"dropped"`       // what came and was no answer
	Why       string   `json:"why,omitempty"` // of the last failure
	Err       error    `json:"-"`             // the same; nil where the agent told
}

// Read is one question of the read plan.
type Read struct {
	Question string   `json:"question"`
	EveryMs  int64    `json:"every_ms"`
	WireUs   int64    `json:"wire_us,omitempty"`
	Points   []string `json:"points"`
	Note     string   `json:"note,omitempty"`
}

// Reads words a plan for print and for JSON.
func Reads(plan []drivers.PlannedRead) []Read {
	out := []Read{}
	for _, p := range plan {
		out = append(out, Read{p.Question, p.Every.Milliseconds(), p.Wire.Microseconds(), append([]string{}, p.Points...), p.Note})
	}
	return out
}

// Try reads everything once, and then watches for d what polling costs (0: not at all).
func (s *Session) Try(ctx context.Context, d time.Duration) Trial {
	t := Trial{Link: s.Target.Link.Redacted(), Profile: s.Profile.ID, Hash: s.Profile.Hash(), Values: []Row{}, Missing: []string{}}
	t.Plan = Reads(s.Plan())
	t.Reads = len(t.Plan)
	t.see(ctx, s)
	took := t.CycleMs
	if d > 0 {
		sleep(ctx, d)
		t.see(ctx, s)
	}
	t.CycleMs = took // of the first, which had the line for itself
	t.Missing = append(t.Missing, s.missing(t.Values)...)
	t.cost(s)
	return t
}

// see reads everything once.
func (t *Trial) see(ctx context.Context, s *Session) {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	start := time.Now()
	snap, err := s.Link.Read(ctx)
	t.CycleMs = time.Since(start).Milliseconds()
	if err != nil {
		t.Err, t.Why = err, err.Error()
	}
	t.State = snap.Link.String()
	t.Values = Picture(snap, s.Floors, s.Now())
}

func (t *Trial) cost(s *Session) {
	sum := s.Traffic.Tally()
	var mode *drivers.SerialMode
	if isSerial(s.Target.Link) {
		if m, err := ModeOf(s.Target.Link); err == nil {
			mode = &m
		}
	}
	t.Occupancy, t.Dropped = sum.Occupancy(mode), sum.Dropped
	t.SlowestMs = float64(sum.SlowestAnswer.Microseconds()) / 1000
}

// missing are the points that the plan feeds and that have no good value.
func (s *Session) missing(rows []Row) []string {
	var out []string
	for _, p := range Points(s.Profile) {
		if s.noSuchDoor(p) {
			continue
		}
		if !slices.ContainsFunc(rows, func(r Row) bool { return r.Point == p && r.Value != "" && r.Quality == "good" }) {
			out = append(out, p)
		}
	}
	return out
}

func (s *Session) noSuchDoor(point string) bool { return noSuchDoor(s.Floors, point) }

// noSuchDoor reports that a point is of a door which no landing of the table has.
func noSuchDoor(floors elevator.Table, point string) bool {
	name, is := strings.CutPrefix(point, "door.")
	side, ok := elevator.ParseSide(name)
	if !is || !ok {
		return false
	}
	for i := range floors {
		if floors.Opens(elevator.Floor(i+1), side) {
			return false
		}
	}
	return true
}

// Points names every point that a profile reads and that a snapshot shows, in the
// order of Picture.
func Points(p *profiles.Profile) []string {
	var s elevator.Snapshot
	for _, b := range p.ReadPlan() {
		p.Fail(b, &s)
	}
	for _, src := range p.Sources() {
		p.Lose(src.Name, &s)
	}
	var out []string
	for _, r := range Picture(s, nil, 1) {
		out = append(out, r.Point)
	}
	return out
}

// Labels names what of a profile stands in count items from addr, item by item:
// "position 1/2" for the first register of two. Items that mean nothing have none.
func Labels(p *profiles.Profile, b profiles.Block) []string {
	out := make([]string, b.Count)
	if p == nil {
		return out
	}
	for i := range out {
		one := profiles.Block{Table: b.Table, Addr: b.Addr + uint16(i), Count: 1}
		names := p.PointsIn(one)
		for _, n := range names {
			out[i] = join(out[i], n)
		}
		if i+1 == len(out) {
			continue
		}
		two := one
		two.Count = 2
		next := p.PointsIn(profiles.Block{Table: b.Table, Addr: one.Addr + 1, Count: 1})
		for _, n := range p.PointsIn(two) {
			if !slices.Contains(names, n) && !slices.Contains(next, n) {
				out[i], out[i+1] = join(out[i], n+" 1/2"), join(out[i+1], n+" 2/2")
			}
		}
	}
	return out
}

func join(a, b string) string {
	if a == "" {
		return b
	}
	return fmt.Sprintf("%s, %s", a, b)
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
