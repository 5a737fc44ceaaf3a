package soak

import (
	"errors"
	"fmt"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/laws"
	"hoistway/simulator/virtual"
)

// ErrOptions is what every wrong option wraps.
var ErrOptions = errors.New("a soak that cannot be")

// Options say what to play. The zero Options play nothing.
type Options struct {
	Years       float64 // of 365 days
	Seed        uint64
	Cars        int // 1 to 16
	RidesPerDay int // of all robots together
	// Faults is how many begin in a day on average, in the order of a shuffled deck of
	// all kinds; 0: clean traffic.
	Faults float64
	// Cloud joins a cloud to the site. Faults of a cloud need one.
	Cloud bool
	// Full is the length in years from which everything must have been reached;
	// 0: [FullYears].
	Full float64
	// Progress, where it is set, is called at the end of each simulated week.
	Progress func(Progress)
	// Elapsed, where it is set, tells how long the run has taken: this package has no
	// clock.
	Elapsed func() time.Duration
	// Stop, where it is set, is asked some times in a simulated minute; true ends the run.
	Stop func() bool

	// law is a law of a test, asked after each step.
	law func(w *laws.Watch, now elevator.Instant)
}

// FullYears is the usual length from which a run must have reached everything: by then
// each fault has begun some eight times.
const FullYears = 1.0

// Progress is how far a run has come.
type Progress struct {
	Week     int
	Years    float64
	Rides    int
	Faults   int
	Breaches int
	Hash     uint64
}

const (
	day       = 24 * time.Hour
	daysAYear = 365
	maxYears  = 1000
	maxCars   = 16
	maxRides  = 5000
	maxFaults = 200
)

func (o Options) check() error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%w: %s", ErrOptions, fmt.Sprintf(format, args...))
	}
	switch {
	case !(o.Years > 0 && o.Years <= maxYears):
		return bad("%v years; more than 0, up to %d", o.Years, maxYears)
	case o.Cars < 1 || o.Cars > maxCars:
		return bad("%d cars; 1 to %d", o.Cars, maxCars)
	case o.RidesPerDay < 1 || o.RidesPerDay > maxRides:
		return bad("%d rides a day; 1 to %d", o.RidesPerDay, maxRides)
	case !(o.Faults >= 0 && o.Faults <= maxFaults):
		return bad("%v faults a day; 0 to %d", o.Faults, maxFaults)
	}
	return nil
}

func (o Options) stopped() bool { return o.Stop != nil && o.Stop() }

func (o Options) days() int { return max(1, int(o.Years*daysAYear+0.5)) }

func (o Options) full() float64 {
	if o.Full > 0 {
		return o.Full
	}
	return FullYears
}

// setup is the site: cars like those of the bench, and two robots to a car.
func (o Options) setup() virtual.Setup {
	s := virtual.Setup{Seed: o.Seed, Cloud: o.Cloud, Lean: true}
	bench := building.Bench().Cars
	for i := range o.Cars {
		c := bench[i%len(bench)]
		c.ID = liftID(i)
		s.Building.Cars = append(s.Building.Cars, c)
		l := virtual.Lift{ID: c.ID, Wire: virtual.TCP}
		if serial(c.ID) {
			l.Wire = virtual.RTU
		}
		s.Lifts = append(s.Lifts, l)
	}
	for i := range o.robots() {
		s.Robots = append(s.Robots, virtual.Robot{ID: robotID(i)})
	}
	return s
}

func (o Options) robots() int { return 2 * o.Cars }

// serial tells the lifts on serial lines: every second, as on the bench.
func serial(lift string) bool { return lift != "" && lift[len(lift)-1]%2 == 0 }

func liftID(i int) string  { return fmt.Sprintf("L%d", i+1) }
func robotID(i int) string { return fmt.Sprintf("R%d", i+1) }
