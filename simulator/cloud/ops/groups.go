package ops

import (
	"fmt"
	"slices"

	"hoistway/sync/shadow"
)

const (
	maxThings = 100_000
	maxGroups = 1000
	maxWords  = 200 // in one dimension of a group
)

// Hours in which a thing works.
const (
	Day    = "day"
	Night  = "night"
	AllDay = "all-day"
)

// Tags say where a thing is, what it is, and when it works. They are kept apart from
// its shadow: no device sees them.
type Tags struct {
	Campus   string `json:"campus,omitempty"`
	Building string `json:"building,omitempty"`
	Kind     string `json:"kind,omitempty"`
	Hours    string `json:"hours,omitempty"` // day, night, all-day
}

// Thing is what the desk knows of a device beside its documents.
type Thing struct {
	Serial  string   `json:"serial"`
	Tags    Tags     `json:"tags"`
	Lifts   []string `json:"lifts,omitempty"`
	Shadows []string `json:"shadows,omitempty"` // "" is the classic one
	Since   int64    `json:"since"`             // first heard of
	Stats   Stats    `json:"stats"`
}

// Group selects things. An empty dimension selects all; within one, any word fits.
type Group struct {
	Name     string   `json:"name"`
	Campus   []string `json:"campus,omitempty"`
	Building []string `json:"building,omitempty"`
	Lift     []string `json:"lift,omitempty"`
	Kind     []string `json:"kind,omitempty"`
	Hours    []string `json:"hours,omitempty"`
}

// thing is the row of a serial, made when it is first heard of; nil for more than
// there may be.
func (d *Desk) thing(serial string, now int64) *Thing {
	t := d.things.get(serial)
	if t == nil && !d.things.full() {
		t = &Thing{Serial: serial, Tags: Tags{Hours: AllDay}, Since: now}
		d.place(t)
	}
	return t
}

// place keeps a thing whose tags may be others now.
func (d *Desk) place(t *Thing) {
	d.things.put(t.Serial, t)
	d.census = nil
}

// Enrol takes what a registration says of a device. What an operator has set stays.
func (d *Desk) Enrol(serial string, said Tags, lifts []string, now int64) Result {
	t := d.thing(serial, now)
	if t == nil {
		return d.done()
	}
	for _, s := range []struct{ have, said *string }{
		{&t.Tags.Campus, &said.Campus}, {&t.Tags.Building, &said.Building}, {&t.Tags.Kind, &said.Kind},
	} {
		if *s.have == "" {
			*s.have = *s.said
		}
	}
	if len(lifts) > 0 {
		t.Lifts = slices.Sorted(slices.Values(lifts))
	}
	d.place(t)
	return d.done()
}

// shadowIs keeps the list of a thing's shadows.
func (d *Desk) shadowIs(m Member, exists bool, now int64) {
	t := d.thing(m.Serial, now)
	if t == nil {
		return
	}
	i, listed := slices.BinarySearch(t.Shadows, m.Shadow)
	switch {
	case exists && !listed:
		t.Shadows = slices.Insert(slices.Clone(t.Shadows), i, m.Shadow)
	case !exists && listed:
		t.Shadows = slices.Delete(slices.Clone(t.Shadows), i, i+1)
	default:
		return
	}
	d.things.put(m.Serial, t)
}

// Tag sets the tags of a thing as an operator has them.
func (d *Desk) Tag(serial string, tags Tags, now int64) (Result, error) {
	switch tags.Hours {
	case "":
		tags.Hours = AllDay
	case Day, Night, AllDay:
	default:
		return d.done(), fmt.Errorf("%w: hours %q: want %s, %s or %s", ErrInvalid, tags.Hours, Day, Night, AllDay)
	}
	if !shadow.ValidName(serial) {
		return d.done(), fmt.Errorf("%w: serial %q", ErrInvalid, serial)
	}
	t := d.thing(serial, now)
	if t == nil {
		return d.done(), fmt.Errorf("thing: %w", ErrFull)
	}
	t.Tags = tags
	d.place(t)
	return d.done(), nil
}

// Things are all things, from the one that was heard of first.
func (d *Desk) Things() []Thing { return copies(d.things) }

// Thing is one of them.
func (d *Desk) Thing(serial string) (Thing, bool) { return copyOf(d.things, serial) }

// SetGroup makes a group, or changes it. Batches under way keep their members.
func (d *Desk) SetGroup(g Group) (Result, error) {
	for _, words := range [][]string{g.Campus, g.Building, g.Lift, g.Kind, g.Hours} {
		if len(words) > maxWords {
			return d.done(), fmt.Errorf("%w: %d words in one dimension, at most %d", ErrInvalid, len(words), maxWords)
		}
	}
	switch {
	case !shadow.ValidName(g.Name):
		return d.done(), fmt.Errorf("%w: name of a group %q", ErrInvalid, g.Name)
	case d.groups.get(g.Name) == nil && d.groups.full():
		return d.done(), fmt.Errorf("group: %w", ErrFull)
	}
	d.groups.put(g.Name, &g)
	return d.done(), nil
}

// DropGroup takes a group away.
func (d *Desk) DropGroup(name string) (Result, error) {
	if !d.groups.drop(name) {
		return d.done(), fmt.Errorf("%w group: %q", ErrUnknown, name)
	}
	return d.done(), nil
}

// Groups are all groups.
func (d *Desk) Groups() []Group { return copies(d.groups) }

// Group is one of them.
func (d *Desk) Group(name string) (Group, bool) { return copyOf(d.groups, name) }

// Members are the shadows that a group means: the classic ones of its things, or those
// of its lifts.
func (d *Desk) Members(g Group, lifts bool) []Member {
	var out []Member
	for _, t := range d.things.all() {
		if !g.has(t) {
			continue
		}
		if !lifts {
			out = append(out, Member{Serial: t.Serial})
			continue
		}
		for _, l := range t.Lifts {
			if fits(g.Lift, l) {
				out = append(out, Member{t.Serial, l})
			}
		}
	}
	return out
}

func (g Group) has(t *Thing) bool {
	return fits(g.Campus, t.Tags.Campus) && fits(g.Building, t.Tags.Building) && fits(g.Kind, t.Tags.Kind) &&
		fits(g.Hours, t.Tags.Hours) && (len(g.Lift) == 0 || slices.ContainsFunc(t.Lifts, func(l string) bool { return fits(g.Lift, l) }))
}

func fits(words []string, word string) bool { return len(words) == 0 || slices.Contains(words, word) }

// copies hands out rows that nobody can change here.
func copies[T any](t *table[T]) []T {
	out := make([]T, len(t.rows))
	for i, r := range t.rows {
		out[i] = *r.v
	}
	return out
}

func copyOf[T any](t *table[T], name string) (T, bool) {
	if v := t.get(name); v != nil {
		return *v, true
	}
	var none T
	return none, false
}
