package building

import (
	"slices"
	"time"

	"hoistway/fsm/elevator"
)

// Config describes a building. [New] says all that is wrong with it at once.
// [Bench] is a whole one.
type Config struct {
	Cars []Car
	// Groups says which lifts share landing buttons for people. With none, every
	// lift has buttons of its own only, and people take one after another.
	Groups    []Group
	Emergency Emergency
}

// Car describes one lift. Its zero fields mean nothing: every figure is given,
// but for AdvanceOpening.
type Car struct {
	ID       string
	Landings []Landing // bottom to top; a level that the lift passes by is left out
	Start    string    // label of the landing at which it stands at first, doors closed
	Recall   string    // label of the landing to which fire recalls it
	Limits   Limits

	StartDelay time.Duration // from doors closed to the first movement
	Levelling  time.Duration // from the end of the flight to standing level
	// AdvanceOpening is how long before it is level the doors begin to open, within
	// the levelling. 0: not before.
	AdvanceOpening time.Duration

	DoorOpen  time.Duration // closed to fully open
	DoorClose time.Duration // open to fully closed
	Nudge     time.Duration // open to fully closed when nudging, never quicker than DoorClose
	// NudgeAfter is how long an obstruction may last before the door closes
	// slowly on it.
	NudgeAfter   time.Duration
	DwellCar     time.Duration // fully open after a car call; 0: no longer than somebody passes
	DwellLanding time.Duration // fully open after a landing call; 0 likewise

	RatedKg int // overload is a tenth above, 75 kg at least
}

// Landing is one stop of a lift.
type Landing struct {
	Label    string          // as people read it
	Wire     int             // the controller's number, above zero
	HeightMM int             // above a datum, one for all lifts of a group
	Doors    []elevator.Side // all of them open at a stop
}

// Group is a set of lifts with common landing buttons. A level is a label; the
// lifts need not serve the same ones.
type Group struct {
	ID      string
	Cars    []string
	Control Control
}

// Emergency says what happens on the generator: the lifts that are on it are
// brought to a landing, one at a time in order of the description, and let people
// out; then only the selected ones run.
type Emergency struct {
	Landing  string   // label; "": each to its recall landing
	Selected []string // ids
}

// Control is how a group gives landing calls to its cars.
type Control uint8

const (
	// ControlUnknown is no control: refused.
	ControlUnknown Control = iota
	// Nearest gives a call for good to the car that suits best by landings alone:
	// the fewer between, the better; a car that comes towards the call in its
	// direction one better, one that goes away from it the worst.
	Nearest
	// Collective gives a call to the car that will pass it first, and gives it
	// anew as cars come and go.
	Collective
	// Estimated gives a call to the car that costs people the least time, those
	// already promised included, and gives it anew until that car is bound for it.
	Estimated
	// Destination asks people at the landing where they want to go, sends them to
	// one car for good, and likes to put the same destinations together.
	Destination

	alone // no group: people press one lift's own button
)

var controlNames = []string{"unknown", "nearest", "collective", "estimated", "destination"}

func (c Control) String() string {
	if int(c) < len(controlNames) {
		return controlNames[c]
	}
	return "none"
}

// ControlNames are the words for the controls that a group may have.
func ControlNames() []string { return slices.Clone(controlNames[Nearest:]) }

// ParseControl reads one of [ControlNames].
func ParseControl(s string) (Control, bool) {
	i := slices.Index(controlNames, s)
	return Control(max(i, 0)), i > 0
}

// Table is the floor table of the lift, as a gateway would be given it.
func (c Car) Table() elevator.Table {
	t := make(elevator.Table, len(c.Landings))
	for i, l := range c.Landings {
		t[i] = elevator.Landing{Label: l.Label, Wire: l.Wire, Doors: append([]elevator.Side(nil), l.Doors...)}
	}
	return t
}

// Bench is the demonstration building: lifts L1 and L2 with landings B1, G, 1, 2
// and 3, a front door at each and a rear door at G too.
func Bench() Config {
	l1, l2 := benchCar("L1", "B1"), benchCar("L2", "2")
	return Config{Cars: []Car{l1, l2}}
}

func benchCar(id, start string) Car {
	c := Car{
		ID: id, Start: start, Recall: "G",
		Limits:       Limits{Speed: 2.5, Accel: 1.0, Jerk: 1.4},
		StartDelay:   500 * time.Millisecond,
		Levelling:    700 * time.Millisecond,
		DoorOpen:     1800 * time.Millisecond,
		DoorClose:    2400 * time.Millisecond,
		Nudge:        6 * time.Second,
		NudgeAfter:   20 * time.Second,
		DwellCar:     2 * time.Second,
		DwellLanding: 2 * time.Second,
		RatedKg:      630,
	}
	for i, label := range []string{"B1", "G", "1", "2", "3"} {
		doors := []elevator.Side{elevator.Front}
		if label == "G" {
			doors = append(doors, elevator.Rear)
		}
		c.Landings = append(c.Landings, Landing{Label: label, Wire: i + 1, HeightMM: 3800 * i, Doors: doors})
	}
	return c
}

// byLabel finds a landing, 0 for none.
func (c *Car) byLabel(label string) elevator.Floor {
	for i := range c.Landings {
		if c.Landings[i].Label == label {
			return elevator.Floor(i + 1)
		}
	}
	return 0
}

// overloadKg is the load above which the car will not leave.
func (c *Car) overloadKg() int { return c.RatedKg + max(c.RatedKg/10, 75) }

// height is the height of f in metres above the lowest landing.
func (c *Car) height(f elevator.Floor) float64 {
	return float64(c.Landings[f-1].HeightMM-c.Landings[0].HeightMM) / 1000
}
