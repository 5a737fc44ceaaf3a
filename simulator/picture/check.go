package picture

import (
	"fmt"
	"slices"
)

// Bounds of a site in a picture.
const (
	MaxFloors = 300
	MaxLifts  = 64
	MaxRobots = 1000
)

func sides() []string { return []string{"front", "rear", "left", "right"} }

// fault says what cannot be drawn, or nil.
func (h Header) fault() error {
	switch {
	case h.Picture != Format:
		return fmt.Errorf("%w: hoistway_picture is %d, want %d", ErrFormat, h.Picture, Format)
	case len(h.Floors) == 0 || len(h.Floors) > MaxFloors:
		return fmt.Errorf("%d floors: want 1 to %d", len(h.Floors), MaxFloors)
	case len(h.Lifts) == 0 || len(h.Lifts) > MaxLifts:
		return fmt.Errorf("%d lifts: want 1 to %d", len(h.Lifts), MaxLifts)
	case len(h.Robots) > MaxRobots:
		return fmt.Errorf("%d robots: want at most %d", len(h.Robots), MaxRobots)
	}
	seen := map[string]bool{}
	for i, f := range h.Floors {
		if err := fresh(seen, "floor", f.Label); err != nil {
			return err
		}
		if i > 0 && f.HeightMM <= h.Floors[i-1].HeightMM {
			return fmt.Errorf("floor %q at %d mm is not above floor %q at %d mm", f.Label, f.HeightMM, h.Floors[i-1].Label, h.Floors[i-1].HeightMM)
		}
	}
	floors, lifts := seen, map[string]bool{}
	for _, l := range h.Lifts {
		if err := fresh(lifts, "lift", l.ID); err != nil {
			return err
		}
		if err := l.fault(floors); err != nil {
			return fmt.Errorf("lift %q: %w", l.ID, err)
		}
	}
	robots := map[string]bool{}
	for _, r := range h.Robots {
		if err := fresh(robots, "robot", r); err != nil {
			return err
		}
	}
	return nil
}

func (l Lift) fault(floors map[string]bool) error {
	for floor, at := range l.Doors {
		if !floors[floor] {
			return fmt.Errorf("doors at floor %q, which is not there", floor)
		}
		for _, side := range at {
			if !slices.Contains(sides(), side) {
				return fmt.Errorf("a door at the side %q: want front, rear, left or right", side)
			}
		}
	}
	if l.Recall != "" && !floors[l.Recall] {
		return fmt.Errorf("recall to floor %q, which is not there", l.Recall)
	}
	return nil
}

func fresh(seen map[string]bool, kind, name string) error {
	if name == "" {
		return fmt.Errorf("a %s without a name", kind)
	}
	if seen[name] {
		return fmt.Errorf("%s %q twice", kind, name)
	}
	seen[name] = true
	return nil
}

// check goes along with the frames of one header.
type check struct {
	floors, lifts map[string]bool
	cars          int
	at            int64
}

func newCheck(h Header) check {
	c := check{floors: map[string]bool{}, lifts: map[string]bool{}, cars: len(h.Lifts)}
	for _, f := range h.Floors {
		c.floors[f.Label] = true
	}
	for _, l := range h.Lifts {
		c.lifts[l.ID] = true
	}
	return c
}

// next takes the frame after those before, or says why it cannot be one.
func (c *check) next(f Frame) error {
	if f.AtMS < c.at {
		return fmt.Errorf("at_ms %d comes after %d", f.AtMS, c.at)
	}
	if len(f.Cars) != c.cars {
		return fmt.Errorf("%d cars for %d lifts", len(f.Cars), c.cars)
	}
	for i, car := range f.Cars {
		if err := c.car(car); err != nil {
			return fmt.Errorf("car %d: %w", i+1, err)
		}
	}
	for _, w := range f.Wait {
		if !c.floors[w.Floor] || w.Up < 0 || w.Down < 0 {
			return fmt.Errorf("waiting at %q: up %d, down %d", w.Floor, w.Up, w.Down)
		}
	}
	for _, w := range f.Wires {
		if !c.lifts[w.Lift] {
			return fmt.Errorf("a wire of lift %q, which is not there", w.Lift)
		}
	}
	for _, wait := range slices.Concat(f.Waits, f.RideWaits) {
		if wait < 0 {
			return fmt.Errorf("a waiting time of %d ms", wait)
		}
	}
	c.at = f.AtMS
	return nil
}

func (c *check) car(car Car) error {
	for side, open := range car.Doors {
		if !slices.Contains(sides(), side) || !(open >= 0 && open <= 1) {
			return fmt.Errorf("door %q open by %v: want 0 to 1", side, open)
		}
	}
	if car.Floor != "" && !c.floors[car.Floor] {
		return fmt.Errorf("at floor %q, which is not there", car.Floor)
	}
	for _, lit := range slices.Concat(car.Up, car.Down, car.Calls) {
		if !c.floors[lit] {
			return fmt.Errorf("a call at floor %q, which is not there", lit)
		}
	}
	if car.People < 0 || car.LoadKg < 0 {
		return fmt.Errorf("%d people, %d kg", car.People, car.LoadKg)
	}
	return nil
}
