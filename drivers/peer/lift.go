package peer

import (
	"time"

	"hoistway/drivers/peer/wire"
	"hoistway/fsm/elevator"
)

// reading turns what a gateway says of a lift into a snapshot.
type reading struct {
	asked  elevator.Instant // before the question left
	floors elevator.Table
}

// snapshot lays l over s. What the other side has not read is not known here either.
func (r reading) snapshot(l *wire.Lift, s *elevator.Snapshot) {
	s.Floor = seen(r, l.Floor, r.floor)
	s.Motion = seen(r, l.Motion, elevator.ParseMotion)
	s.Mode = seen(r, l.Mode, elevator.ParseMode)
	s.Position, s.Load, s.Vendor = seen(r, l.PositionMm, whole), seen(r, l.LoadKg, whole), seen(r, l.VendorCode, whole)
	s.Overload, s.Nudging = seen(r, l.Overload, yes), seen(r, l.Nudging, yes)
	s.Obstruction, s.EmergencyStop = seen(r, l.Obstruction, yes), seen(r, l.EmergencyStop, yes)
	s.UpCalls, s.DownCalls, s.CarCalls = seen(r, l.Calls.Up, r.set), seen(r, l.Calls.Down, r.set), seen(r, l.Calls.Car, r.set)
	s.Doors = [elevator.Sides]elevator.Seen[elevator.Door]{}
	for word, d := range l.Doors {
		if side, ok := elevator.ParseSide(word); ok && side != elevator.SideUnknown {
			s.Doors[side] = seen(r, d, elevator.ParseDoor)
		}
	}
	s.Holds = [elevator.Sides]elevator.Instant{} // the other side tells none
}

// seen dates a value and judges it no better than the other side does.
func seen[T comparable, W any](r reading, v wire.Value[W], read func(W) (T, bool)) elevator.Seen[T] {
	if v.AgeMs == nil || *v.AgeMs < 0 {
		return elevator.Seen[T]{Failed: v.Quality != elevator.QualityUnknown.String()}
	}
	out := elevator.Seen[T]{
		At: before(r.asked, *v.AgeMs), Source: elevator.Controller,
		Failed: v.Quality != elevator.Good.String() && v.Quality != elevator.Stale.String(),
	}
	if v.Value != nil {
		out.Value, _ = read(*v.Value) // a word that is not known is an unknown value
	}
	return out
}

// before is the instant so many whole milliseconds earlier. The other side drops what
// is less than one, so that one more is taken off. It is never zero, which means never.
func before(i elevator.Instant, ms int64) elevator.Instant {
	if at := i - elevator.Instant(span(ms)) - elevator.Instant(time.Millisecond); at != 0 {
		return at
	}
	return -1
}

// span is a bounded number of milliseconds, so that no product wraps around.
func span(ms int64) time.Duration {
	const longest = 1 << 40 // 34 years
	return time.Duration(min(max(ms, 0), longest)) * time.Millisecond
}

func whole(n int32) (int32, bool) { return n, true }

func yes(b bool) (elevator.Tri, bool) {
	if b {
		return elevator.Yes, true
	}
	return elevator.No, true
}

func (r reading) floor(label string) (elevator.Floor, bool) {
	f := r.floors.ByLabel(label)
	return f, f != 0
}

// set is the floors of these labels; one that this side's table lacks is left out.
func (r reading) set(labels []string) (elevator.FloorSet, bool) {
	var out elevator.FloorSet
	for _, label := range labels {
		out = out.With(r.floors.ByLabel(label))
	}
	return out, true
}

// strange lists the floors of the other side that this table lacks.
func (r reading) strange(l *wire.Lift) (out []string) {
	for _, f := range l.Floors {
		if r.floors.ByLabel(f.Label) == 0 {
			out = append(out, f.Label)
		}
	}
	return out
}

// fail marks everything as not read.
func fail(s *elevator.Snapshot) {
	for _, f := range []*bool{
		&s.Floor.Failed, &s.Motion.Failed, &s.Mode.Failed, &s.Position.Failed, &s.Overload.Failed, &s.Nudging.Failed,
		&s.Obstruction.Failed, &s.EmergencyStop.Failed, &s.Load.Failed, &s.UpCalls.Failed, &s.DownCalls.Failed,
		&s.CarCalls.Failed, &s.Vendor.Failed,
	} {
		*f = true
	}
	for i := range s.Doors {
		s.Doors[i].Failed = i > 0
	}
}
