package commission

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"hoistway/fsm/elevator"
)

// freshFor is how old a value may be that is shown as good.
const freshFor = 3 * time.Second

// Row is one point of a lift as it stands. Value is "" for what is not known.
type Row struct {
	Point   string `json:"point"`
	Value   string `json:"value"`
	AgeMs   *int64 `json:"age_ms"` // nil: never read
	Quality string `json:"quality"`
}

// Picture lists the points of a snapshot in a fixed order. Those that were never
// read are left out: the profile may not have them.
func Picture(s elevator.Snapshot, floors elevator.Table, now elevator.Instant) []Row {
	p := picture{now: now}
	add(&p, "floor", s.Floor, func(f elevator.Floor) string { return floors.Label(f) })
	add(&p, "motion", s.Motion, elevator.Motion.String)
	for side := elevator.Front; int(side) < elevator.Sides; side++ {
		add(&p, "door."+side.String(), s.Doors[side], elevator.Door.String)
	}
	add(&p, "mode", s.Mode, elevator.Mode.String)
	add(&p, "position", s.Position, func(n int32) string { return fmt.Sprintf("%d mm", n) })
	add(&p, "load", s.Load, func(n int32) string { return fmt.Sprintf("%d kg", n) })
	add(&p, "overload", s.Overload, elevator.Tri.String)
	add(&p, "nudging", s.Nudging, elevator.Tri.String)
	add(&p, "obstruction", s.Obstruction, elevator.Tri.String)
	add(&p, "emergency_stop", s.EmergencyStop, elevator.Tri.String)
	lamps := func(set elevator.FloorSet) string { return lit(set, floors) }
	add(&p, "may_enter", s.MayEnter, elevator.Tri.String)
	add(&p, "may_leave", s.MayLeave, elevator.Tri.String)
	add(&p, "claimed", s.Claimed, elevator.Tri.String)
	add(&p, "up_calls", s.UpCalls, lamps)
	add(&p, "down_calls", s.DownCalls, lamps)
	add(&p, "car_calls", s.CarCalls, lamps)
	add(&p, "vendor", s.Vendor, func(n int32) string { return fmt.Sprint(n) })
	return p.rows
}

type picture struct {
	now  elevator.Instant
	rows []Row
}

func add[T comparable](p *picture, name string, v elevator.Seen[T], word func(T) string) {
	if v.At == 0 && !v.Failed {
		return
	}
	r := Row{Point: name, Quality: v.Quality(p.now, freshFor).String()}
	if v.At != 0 {
		ms := p.now.Sub(v.At).Milliseconds()
		r.AgeMs, r.Value = &ms, word(v.Value)
	}
	if r.Value == "unknown" {
		r.Value = ""
	}
	p.rows = append(p.rows, r)
}

func lit(set elevator.FloorSet, floors elevator.Table) string {
	var out []string
	for i := range floors {
		if set.Has(elevator.Floor(i + 1)) {
			out = append(out, floors[i].Label)
		}
	}
	return cmp.Or(strings.Join(out, " "), "none")
}
