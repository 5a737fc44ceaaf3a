package building

import (
	"errors"
	"fmt"
	"time"

	"hoistway/fsm/elevator"
)

// Bounds of a description, wide enough for any real lift and narrow enough that
// nothing overflows.
const (
	maxCars     = 64
	maxHeightMM = 1_000_000
	maxTime     = time.Hour
	minDoorTime = 100 * time.Millisecond // a door takes some time, so no two events chase each other
	maxRatedKg  = 20_000
	// Landings of one shaft are apart by more than the zone in which a door unlocks.
	minApartMM = 250
)

func (c Config) check() error {
	var faults []error
	fault := func(format string, args ...any) { faults = append(faults, fmt.Errorf(format, args...)) }
	if n := len(c.Cars); n == 0 || n > maxCars {
		fault("%d cars: a building has 1 to %d", n, maxCars)
	}
	seen := map[string]bool{}
	for i := range c.Cars {
		car := &c.Cars[i]
		if car.ID == "" || seen[car.ID] {
			fault("car %d: id %q is empty or taken", i+1, car.ID)
		}
		seen[car.ID] = true
		car.check(func(format string, args ...any) { fault("car %q: "+format, append([]any{car.ID}, args...)...) })
	}
	c.checkGroups(fault)
	c.checkEmergency(fault)
	return errors.Join(faults...)
}

func (c *Car) check(fault func(string, ...any)) {
	c.checkLandings(fault)
	for _, at := range []struct{ what, label string }{{"start", c.Start}, {"recall", c.Recall}} {
		if c.byLabel(at.label) == 0 {
			fault("%s: there is no landing %q", at.what, at.label)
		}
	}
	for _, l := range []struct {
		what string
		is   float64
	}{{"speed", c.Limits.Speed}, {"acceleration", c.Limits.Accel}, {"jerk", c.Limits.Jerk}} {
		if !(l.is >= 0.01 && l.is <= 100) { // refuses what is not a number, too
			fault("%s %v: 0.01 to 100", l.what, l.is)
		}
	}
	if c.RatedKg < 1 || c.RatedKg > maxRatedKg {
		fault("rated load %d kg: 1 to %d", c.RatedKg, maxRatedKg)
	}
	c.checkTimes(fault)
}

func (c *Car) checkTimes(fault func(string, ...any)) {
	for _, d := range []struct {
		what    string
		is, min time.Duration
	}{
		{"start delay", c.StartDelay, 0},
		{"levelling", c.Levelling, 0},
		{"door opening", c.DoorOpen, minDoorTime},
		{"door closing", c.DoorClose, minDoorTime},
		{"nudging", c.Nudge, minDoorTime},
		{"nudging after", c.NudgeAfter, 0},
		{"dwell after a car call", c.DwellCar, 0},
		{"dwell after a landing call", c.DwellLanding, 0},
	} {
		if d.is < d.min || d.is > maxTime {
			fault("%s %v: %v to %v", d.what, d.is, d.min, maxTime)
		}
	}
	c.checkDoorTimes(fault)
}

// checkDoorTimes asks that the times of a door go together.
func (c *Car) checkDoorTimes(fault func(string, ...any)) {
	for _, d := range []struct {
		what string
		is   time.Duration
	}{{"a car call", c.DwellCar}, {"a landing call", c.DwellLanding}} {
		if d.is > 0 && c.DoorOpen > d.is {
			fault("door opening %v is slower than the dwell of %v after %s", c.DoorOpen, d.is, d.what)
		}
	}
	if c.AdvanceOpening < 0 || c.AdvanceOpening > c.Levelling {
		fault("advance opening %v: 0 to the levelling of %v, as a door opens only at a landing", c.AdvanceOpening, c.Levelling)
	}
}

func (c *Car) checkLandings(fault func(string, ...any)) {
	if n := len(c.Landings); n < 2 || n > elevator.MaxFloors {
		fault("%d landings: a lift has 2 to %d", n, elevator.MaxFloors)
	}
	labels, wires, below := map[string]bool{}, map[int]bool{}, -2*maxHeightMM
	for _, l := range c.Landings {
		if l.Label == "" || labels[l.Label] {
			fault("landing label %q is empty or taken", l.Label)
		}
		if l.Wire < 1 || wires[l.Wire] {
			fault("landing %q: number %d is below 1 or taken", l.Label, l.Wire)
		}
		switch {
		case l.HeightMM < -maxHeightMM || l.HeightMM > maxHeightMM:
			fault("landing %q: height %d mm is beyond %d", l.Label, l.HeightMM, maxHeightMM)
		case l.HeightMM < below+minApartMM:
			fault("landing %q: height %d mm is not %d above the one below, at %d", l.Label, l.HeightMM, minApartMM, below)
		}
		labels[l.Label], wires[l.Wire], below = true, true, min(max(l.HeightMM, -maxHeightMM), maxHeightMM)
		checkDoors(l, fault)
	}
}

func checkDoors(l Landing, fault func(string, ...any)) {
	if len(l.Doors) == 0 {
		fault("landing %q has no door", l.Label)
	}
	var seen [elevator.Sides]bool
	for _, s := range l.Doors {
		if s == elevator.SideUnknown || int(s) >= elevator.Sides || seen[s] {
			fault("landing %q: door %v is none, or named twice", l.Label, s)
			continue
		}
		seen[s] = true
	}
}
