package profiles

import (
	"fmt"
	"math"
	"slices"
	"time"

	"hoistway/fsm/elevator"
)

// Source is a message, by its name in the profile, that values are taken from.
type Source struct {
	Name   string
	Every  time.Duration // how often it is wanted
	Fast   bool
	Points []string // what it feeds: floor, door.front
}

// told is one value of a message and what it means.
type told struct {
	part part
	side elevator.Side
	name string // floor, door.front

	source string
	path   string
	slow   bool

	byLabel  bool             // a floor comes as the label of the table
	words    map[string]uint8 // value to the part's own enumeration
	min, max float64
	scale    float64
	add      float64
	first    int // wire number of bit 0
}

// Sources lists the messages that points are taken from, in the order of the points;
// none for a map of registers.
func (p *Profile) Sources() []Source {
	var out []Source
	at := map[string]int{}
	for i := range p.told {
		t := &p.told[i]
		k, had := at[t.source]
		if !had {
			k = len(out)
			at[t.source] = k
			out = append(out, Source{Name: t.source, Every: p.slow})
		}
		s := &out[k]
		s.Points = append(s.Points, t.name)
		if !t.slow {
			s.Every, s.Fast = p.traits.FastPoll, true
		}
	}
	return out
}

// Lay lays what the message of a source says over a snapshot. get gives the value at
// a path of it; at is when the question left, or for a pushed message the time of
// what it tells, as it is known. What is older than what is known changes nothing.
//
// A value without a word is unknown, never a guess. One that the message does not say
// is noted as failed, unless partial: then it stays as it was.
func (p *Profile) Lay(source string, partial bool, get func(path string) Raw, floors elevator.Table, at elevator.Instant, into *elevator.Snapshot) {
	p.LayDated(source, partial, get, floors, at, into, nil)
}

// LayDated is Lay where words can overtake each other: of a door hold, too, what is older
// than what is known changes nothing.
func (p *Profile) LayDated(source string, partial bool, get func(path string) Raw, floors elevator.Table, at elevator.Instant, into *elevator.Snapshot, holds *Holds) {
	doors := false
	for i := range p.told {
		t := &p.told[i]
		if t.source != source {
			continue
		}
		r := get(t.path)
		if r.Kind == RawNone && partial {
			continue
		}
		doors = doors || t.part == door
		l := laying{floors: floors, at: at, into: into, holds: holds}
		l.told(t, r)
	}
	if doors && p.stopped {
		l := laying{at: at, into: into}
		put(&into.Motion, standing(into), elevator.Implied, l.at)
	}
}

// Lose marks the parts that a source feeds as failed. A hold goes on: the device
// keeps it whether or not it can be reached.
func (p *Profile) Lose(source string, into *elevator.Snapshot) {
	for i := range p.told {
		if t := &p.told[i]; t.source == source {
			fail(&point{part: t.part, side: t.side}, into)
			into.Motion.Failed = into.Motion.Failed || t.part == door && p.stopped
		}
	}
}

// told lays one value.
func (l *laying) told(t *told, r Raw) {
	s := l.into
	switch t.part {
	case floor:
		lay(l, t, &s.Floor, r, t.floor(r, l.floors))
	case motion:
		lay(l, t, &s.Motion, r, elevator.Motion(t.words[r.Word()]))
	case door:
		lay(l, t, &s.Doors[t.side], r, elevator.Door(t.words[r.Word()]))
	case mode:
		lay(l, t, &s.Mode, r, elevator.Mode(t.words[r.Word()]))
	case upCalls:
		l.lamps(t, &s.UpCalls, r)
	case downCalls:
		l.lamps(t, &s.DownCalls, r)
	case carCalls:
		l.lamps(t, &s.CarCalls, r)
	case holdLeft:
		l.leftOf(t, r)
	case position, load, vendor:
		l.toldNumber(t, r)
	default:
		if v := tri(t.part, s); v != nil {
			lay(l, t, v, r, elevator.Tri(t.words[r.Word()]))
		}
	}
}

// lay puts a value that the message said; of one that it did not say only the attempt
// is noted.
func lay[T comparable](l *laying, t *told, into *elevator.Seen[T], r Raw, v T) {
	if r.Kind == RawNone {
		into.Failed = into.Failed || into.At <= l.at
		return
	}
	put(into, v, elevator.Controller, l.at)
}

// put keeps what is newer.
func put[T comparable](into *elevator.Seen[T], v T, by elevator.Source, at elevator.Instant) {
	if into.At == 0 || into.At <= at { // what was so before this process began lies below zero
		*into = elevator.Seen[T]{Value: v, At: at, Source: by}
	}
}

func (t *told) floor(r Raw, floors elevator.Table) elevator.Floor {
	if t.byLabel {
		return floors.ByLabel(r.Word())
	}
	n, ok := r.Whole()
	if !ok || n < math.MinInt32 || n > math.MaxInt32 {
		return 0
	}
	return floors.ByWire(int(n))
}

// lamps lays which calls are lit. What is no such thing is noted as failed: none lit
// would say that a call may be pressed again.
func (l *laying) lamps(t *told, into *elevator.Seen[elevator.FloorSet], r Raw) {
	set, ok := t.set(r, l.floors)
	if !ok {
		r = Raw{}
	}
	lay(l, t, into, r, set)
}

// set turns the bits of a number, or a list of landings, into floors. Landings that
// the table lacks are nobody's here; what names no landing at all spoils the set.
func (t *told) set(r Raw, floors elevator.Table) (out elevator.FloorSet, ok bool) {
	if r.Kind == RawList {
		for _, e := range r.List {
			if !t.names(e) {
				return 0, false
			}
			out = out.With(t.floor(e, floors))
		}
		return out, true
	}
	n, ok := r.Whole()
	if !ok || n < 0 {
		return 0, false
	}
	for i := range elevator.MaxFloors {
		if n>>i&1 != 0 {
			out = out.With(floors.ByWire(t.first + i))
		}
	}
	return out, true
}

// names reports a value that can name a landing.
func (t *told) names(r Raw) bool {
	if t.byLabel {
		return r.Word() != ""
	}
	_, ok := r.Whole()
	return ok
}

func (l *laying) toldNumber(t *told, r Raw) {
	into := number(t.part, l.into)
	f, ok := r.Number()
	n := math.Round(f*t.scale + t.add)
	if !ok || f < t.min || f > t.max || n < math.MinInt32 || n > math.MaxInt32 {
		into.Failed = into.Failed || into.At <= l.at
		return
	}
	put(into, int32(n), elevator.Controller, l.at)
}

// leftOf reckons the end of a hold; see left.
func (l *laying) leftOf(t *told, r Raw) {
	if !l.holds.newer(t.side, l.at) {
		return
	}
	l.into.Holds[t.side] = 0
	if n, ok := r.Whole(); ok && n > 1 && float64(n) >= t.min && float64(n) <= t.max {
		l.into.Holds[t.side] = l.at.Add(time.Duration(n-1) * time.Second)
	}
}

func (t *told) String() string { return fmt.Sprintf("%s from %s.%s", t.name, t.source, t.path) }

// PlacesIn lists where in the message of a source the values of points stand, each once.
func (p *Profile) PlacesIn(source string) (out []string) {
	for i := range p.told {
		if t := &p.told[i]; t.source == source && !slices.Contains(out, t.path) {
			out = append(out, t.path)
		}
	}
	return out
}
