package commission

import (
	"fmt"
	"net/url"
	"strings"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/modbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// Change is a point that took a new value, or something that happened beside the
// values (Point is then "").
type Change struct {
	At    time.Duration `json:"at_ns"` // since the start of the recording
	Point string        `json:"point,omitempty"`
	From  string        `json:"from,omitempty"`
	To    string        `json:"to,omitempty"`
	Event string        `json:"event,omitempty"`
}

// Played is a recording run through a profile.
type Played struct {
	Reads, Writes, Exceptions, Silent, Undated int
	Changes                                    []Change
	Points                                     []string // that the profile reads
	Steps                                      []Step   // the exchanges, for a test case
}

// Step is one exchange of a recording, and the points after it.
type Step struct {
	modbus.Passed
	Rows []Row
}

// Replay runs a recording through a profile, with no wire: what would have been
// known, and when. Only the link's own unit counts.
func Replay(rec Recording, t Target) (Played, error) {
	p := Played{Points: Points(t.Profile)}
	u, err := url.Parse(rec.Link)
	if err != nil {
		return p, fmt.Errorf("%w: the recording's link is no link", drivers.ErrConfig)
	}
	if !strings.HasPrefix(u.Scheme, "modbus+") { // what stands behind the scheme may hold a secret
		return p, fmt.Errorf("%w: recordings of %q links cannot be replayed by this version", drivers.ErrNotCapable, u.Scheme)
	}
	r := player{Target: t, played: &p, unit: unitOf(u)}
	tap := modbus.Tap{TCP: u.Scheme == "modbus+tcp"}
	for _, f := range rec.Frames {
		for _, x := range tap.Feed(f) {
			if x.Unit == r.unit {
				r.step(x)
			}
		}
	}
	return p, nil
}

func unitOf(u *url.URL) byte {
	var n byte = 1
	if s := u.Query().Get("unit"); s != "" {
		if _, err := fmt.Sscan(s, &n); err != nil {
			return 1
		}
	}
	return n
}

// player is one replay under way.
type player struct {
	Target
	played *Played
	unit   byte
	snap   elevator.Snapshot
	last   map[string]string
}

func (r *player) step(x modbus.Passed) {
	switch {
	case x.Silent:
		r.played.Silent++
		r.Profile.Fail(x.Block, &r.snap)
		r.event(x.At, modbus.Question(x.Block)+" was not answered")
	case x.Code != 0:
		r.played.Exceptions++
		r.Profile.Fail(x.Block, &r.snap)
		r.event(x.At, fmt.Sprintf("%s: exception %d", modbus.Question(x.Block), x.Code))
	case x.Wrote != nil:
		r.played.Writes++
		r.event(x.At, "wrote "+modbus.WriteQuestion(*x.Wrote))
	default:
		r.played.Reads++
		if err := r.Profile.Decode(x.Block, x.Words, r.Floors, x.At, &r.snap); err != nil {
			r.event(x.At, err.Error())
		}
	}
	rows := Picture(r.snap, r.Floors, x.At)
	r.compare(x.At, rows)
	r.played.Steps = append(r.played.Steps, Step{x, rows})
}

func (r *player) event(at elevator.Instant, text string) {
	r.played.Changes = append(r.played.Changes, Change{At: time.Duration(at), Event: text})
}

// compare notes what differs from before; a value that failed is not known.
func (r *player) compare(at elevator.Instant, rows []Row) {
	now := map[string]string{}
	for _, row := range rows {
		v := row.Value
		if row.Quality == elevator.Failed.String() || v == "" {
			v = "unknown"
		}
		now[row.Point] = v
		if had, ok := r.last[row.Point]; !ok || had != v {
			r.played.Changes = append(r.played.Changes, Change{At: time.Duration(at), Point: row.Point, From: had, To: v})
		}
	}
	r.last = now
}

// blockOf finds the block of a profile's plan that an exchange answered.
func blockOf(p *profiles.Profile, b profiles.Block) (profiles.Block, bool) {
	for _, x := range p.ReadPlan() {
		if x.Table == b.Table && x.Addr == b.Addr && x.Count == b.Count {
			return x, true
		}
	}
	return b, false
}
