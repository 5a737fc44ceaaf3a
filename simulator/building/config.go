package building

import (
	"time"

	"hoistway/fsm/elevator"
)

// Config describes a building. Its zero fields mean nothing: every figure is
// given, and [New] says all that is wrong at once. [Bench] is a whole one.
type Config struct {
	Cars []Car
}

// Car describes one lift.
type Car struct {
	ID       string
	Landings []Landing // bottom to top
	Start    string    // label of the landing at which it stands at first, doors closed
	Recall   string    // label of the landing to which fire recalls it
	Limits   Limits

	StartDelay time.Duration // from doors closed to the first movement
	Levelling  time.Duration // from the end of the flight to standing level

	DoorOpen  time.Duration // closed to fully open
	DoorClose time.Duration // open to fully closed
	Nudge     time.Duration // open to fully closed when nudging
	// NudgeAfter is how long an obstruction may last before the door closes
	// slowly on it.
	NudgeAfter   time.Duration
	DwellCar     time.Duration // fully open after a car call
	DwellLanding time.Duration // fully open after a landing call

	RatedKg int // overload is a tenth above, 75 kg at least
}

// Landing is one stop of a lift.
type Landing struct {
	Label    string          // as people read it
	Wire     int             // the controller's number, above zero
	HeightMM int             // above any datum
	Doors    []elevator.Side // all of them open at a stop
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
