package elevator

import "strconv"

// Floor is a place in a [Table]: 1 is the lowest landing, 0 is unknown. It is
// neither the label that people read nor the number that the controller uses.
type Floor uint8

// MaxFloors bounds a table; calls are kept as bits of a uint64.
const MaxFloors = 64

// Landing is one row of a floor table.
type Landing struct {
	Label string // as the building has it: B2, G, M, 3A
	Wire  int    // the controller's own number
	Doors []Side // the sides that open here
}

// Table lists the landings of one lift from bottom to top. It is read-only once made.
type Table []Landing

// Label returns the label of f, or "" for an unknown floor.
func (t Table) Label(f Floor) string {
	if f == 0 || int(f) > len(t) {
		return ""
	}
	return t[f-1].Label
}

// Wire returns the controller's number of f; ok is false for an unknown floor.
func (t Table) Wire(f Floor) (n int, ok bool) {
	if f == 0 || int(f) > len(t) {
		return 0, false
	}
	return t[f-1].Wire, true
}

// ByLabel finds a landing by its label. Zero means that there is none.
func (t Table) ByLabel(label string) Floor {
	for i := range t {
		if t[i].Label == label {
			return Floor(i + 1)
		}
	}
	return 0
}

// ByWire finds a landing by the controller's number. Zero means that there is
// none: a number outside the table is an unknown floor, never the nearest one.
func (t Table) ByWire(n int) Floor {
	for i := range t {
		if t[i].Wire == n {
			return Floor(i + 1)
		}
	}
	return 0
}

// Opens reports whether side s opens at f.
func (t Table) Opens(f Floor, s Side) bool {
	if f == 0 || int(f) > len(t) {
		return false
	}
	for _, d := range t[f-1].Doors {
		if d == s {
			return true
		}
	}
	return false
}

// FloorSet is a set of floors.
type FloorSet uint64

// Has reports whether f is in the set.
func (s FloorSet) Has(f Floor) bool { return f != 0 && f <= MaxFloors && s&(1<<(f-1)) != 0 }

// With returns the set with f in it.
func (s FloorSet) With(f Floor) FloorSet {
	if f == 0 || f > MaxFloors {
		return s
	}
	return s | 1<<(f-1)
}

func (f Floor) String() string {
	if f == 0 {
		return "unknown"
	}
	return "#" + strconv.Itoa(int(f))
}
