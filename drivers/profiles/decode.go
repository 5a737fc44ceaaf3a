package profiles

import (
	"fmt"
	"time"

	"hoistway/fsm/elevator"
)

// Decode lays the words of one answered block (one word an item, bits as 0 or 1)
// over a snapshot; at is when the question left, so that nothing looks younger
// than it is. Words of a number other than Count are an error and change nothing.
// A raw value that the profile does not name becomes unknown, never a guess. Of a
// number that is not believed only the attempt is noted, as failed.
func (p *Profile) Decode(b Block, words []uint16, floors elevator.Table, at elevator.Instant, into *elevator.Snapshot) error {
	if len(words) != int(b.Count) {
		return fmt.Errorf("%s %d: %d words came, %d were asked", b.Table, b.Addr, len(words), b.Count)
	}
	if b.Table.bits() {
		for i, w := range words {
			if w > 1 {
				return fmt.Errorf("%s %d: a bit came as %d", b.Table, int(b.Addr)+i, w)
			}
		}
	}
	l := laying{floors: floors, at: at, into: into}
	for i := range p.points {
		if pt := &p.points[i]; pt.within(b) {
			l.lay(pt, pt.items(b, words))
		}
	}
	if l.hot != nil {
		l.value(l.hot, l.hotRaw) // what it means may depend on the mode of the same answer
	}
	if p.stopped && l.doors {
		into.Motion = elevator.Seen[elevator.Motion]{Value: standing(into), At: at, Source: elevator.Implied}
	}
	return nil
}

// Fail marks the parts that block b feeds as failed. A hold goes on: the device
// keeps it whether or not it can be reached.
func (p *Profile) Fail(b Block, into *elevator.Snapshot) {
	for i := range p.points {
		pt := &p.points[i]
		if !pt.within(b) {
			continue
		}
		fail(pt, into)
		if pt.part == door && p.stopped {
			into.Motion.Failed = true
		}
	}
}

// standing is what open doors say of the car where nothing else does.
func standing(s *elevator.Snapshot) elevator.Motion {
	for _, d := range s.Doors[1:] {
		if d.Value == elevator.DoorOpen && !d.Failed {
			return elevator.Stopped
		}
	}
	return elevator.MotionUnknown
}

// laying is one decoding under way.
type laying struct {
	floors elevator.Table
	at     elevator.Instant
	into   *elevator.Snapshot
	holds  *Holds // nil: words come in their order

	doors  bool // a door was among the points
	hot    *point
	hotRaw int64
}

func (l *laying) lay(pt *point, items []uint16) {
	s := l.into
	l.doors = l.doors || pt.part == door
	raw, ok := int64(0), true
	if !set(pt.part) || !pt.table.bits() {
		raw, ok = pt.read(items)
	}
	if !ok {
		fail(pt, s)
		return
	}
	switch pt.part {
	case upCalls:
		s.UpCalls = seen(pt.set(items, l.floors), l.at)
	case downCalls:
		s.DownCalls = seen(pt.set(items, l.floors), l.at)
	case carCalls:
		s.CarCalls = seen(pt.set(items, l.floors), l.at)
	default:
		if pt.hot != nil {
			l.hot, l.hotRaw = pt, raw
			return
		}
		l.value(pt, raw)
	}
}

func (l *laying) value(pt *point, raw int64) {
	s := l.into
	switch pt.part {
	case floor:
		l.floor(pt, raw)
	case holdLeft:
		l.left(pt, raw)
	case position, load, vendor:
		l.number(pt, raw)
	default:
		w, ok := pt.word(raw)
		if !ok {
			fail(pt, s)
			return
		}
		l.word(pt, w)
	}
}

func (l *laying) floor(pt *point, raw int64) {
	f := l.floors.ByWire(int(raw))
	if pt.hot != nil {
		var ok bool
		if f, ok = pt.landing(raw, l.floors, l.into.Mode); !ok {
			l.into.Floor.Failed = true
			return
		}
	}
	l.into.Floor = seen(f, l.at)
}

func (l *laying) word(pt *point, w uint8) {
	s := l.into
	switch pt.part {
	case motion:
		s.Motion = seen(elevator.Motion(w), l.at)
	case door:
		s.Doors[pt.side] = seen(elevator.Door(w), l.at)
	case mode:
		s.Mode = seen(elevator.Mode(w), l.at)
	default:
		if t := tri(pt.part, s); t != nil {
			*t = seen(elevator.Tri(w), l.at)
		}
	}
}

func (l *laying) number(pt *point, raw int64) {
	into := number(pt.part, l.into)
	n, ok := pt.number(raw)
	if !ok {
		into.Failed = true
		return
	}
	*into = seen(n, l.at)
}

// left reckons the end of a hold. The device counts whole seconds, so one of them
// may be nearly over.
func (l *laying) left(pt *point, raw int64) {
	l.into.Holds[pt.side] = 0
	if raw > 1 && pt.believed(raw) {
		l.into.Holds[pt.side] = l.at.Add(time.Duration(raw-1) * time.Second)
	}
}

// Age marks what is older than its point allows as failed.
func (p *Profile) Age(now elevator.Instant, s *elevator.Snapshot) {
	for i := range p.points {
		if pt := &p.points[i]; pt.age > 0 && seenAt(pt, s) != 0 && now.Sub(seenAt(pt, s)) > pt.age {
			fail(pt, s)
		}
	}
}

func seen[T comparable](v T, at elevator.Instant) elevator.Seen[T] {
	return elevator.Seen[T]{Value: v, At: at, Source: elevator.Controller}
}

func fail(pt *point, s *elevator.Snapshot) {
	switch pt.part {
	case floor:
		s.Floor.Failed = true
	case motion:
		s.Motion.Failed = true
	case door:
		s.Doors[pt.side].Failed = true
	case mode:
		s.Mode.Failed = true
	case upCalls:
		s.UpCalls.Failed = true
	case downCalls:
		s.DownCalls.Failed = true
	case carCalls:
		s.CarCalls.Failed = true
	case position, load, vendor:
		number(pt.part, s).Failed = true
	default:
		if t := tri(pt.part, s); t != nil {
			t.Failed = true
		}
	}
}

func number(p part, s *elevator.Snapshot) *elevator.Seen[int32] {
	switch p {
	case position:
		return &s.Position
	case load:
		return &s.Load
	}
	return &s.Vendor
}

// tri is nil for a part that is no yes or no.
func tri(p part, s *elevator.Snapshot) *elevator.Seen[elevator.Tri] {
	switch p {
	case overload:
		return &s.Overload
	case nudging:
		return &s.Nudging
	case obstruction:
		return &s.Obstruction
	case emergencyStop:
		return &s.EmergencyStop
	case mayEnter:
		return &s.MayEnter
	case mayLeave:
		return &s.MayLeave
	case claimed:
		return &s.Claimed
	}
	return nil
}

// seenAt is when a part was last read.
func seenAt(pt *point, s *elevator.Snapshot) elevator.Instant {
	switch pt.part {
	case floor:
		return s.Floor.At
	case motion:
		return s.Motion.At
	case door:
		return s.Doors[pt.side].At
	case mode:
		return s.Mode.At
	case upCalls:
		return s.UpCalls.At
	case downCalls:
		return s.DownCalls.At
	case carCalls:
		return s.CarCalls.At
	case position, load, vendor:
		return number(pt.part, s).At
	}
	if t := tri(pt.part, s); t != nil {
		return t.At
	}
	return 0
}
