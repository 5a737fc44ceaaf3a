package building

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

// SM-1: whole round trips of the living building against their exact expectation,
// a sum over pairs of stops. 19 landings, the first 5 m up and the others 3.8 m,
// 12 people a trip, doors 1.8 and 3 s, dwell 3 and 5 s, transfer 1.2 s.
func TestRoundTripsOfALivingBuilding(t *testing.T) {
	for _, c := range []struct {
		what    string
		b       *Building
		carries int
		exact   float64
	}{
		{"office", tower(t), 12, 190.1835},
		{"office", tower(t), 13, 198.1383},
		{"second building", second(t, 3*time.Second, 5*time.Second), 8, 122.74},
		{"second building without a dwell", second(t, 0, 0), 8, 114.96},
	} {
		mean := tripsOf(t, c.b, c.carries)
		t.Logf("%s, %d people: a mean round trip of %.3f s, exact %.3f s, off by %.3f %%", c.what, c.carries, mean, c.exact, 100*(mean/c.exact-1))
		if math.Abs(mean/c.exact-1) > 0.005 {
			t.Errorf("%s: a round trip takes %.3f s, want %.3f", c.what, mean, c.exact)
		}
	}
}

// tripsOf is the mean of 3000 round trips with so many people each.
func tripsOf(t *testing.T, b *Building, carries int) float64 {
	const trips = 3000
	rng := rand.New(rand.NewPCG(1, 2))
	refill := func() {
		for range carries {
			b.bring(1, 1, elevator.Floor(2+rng.IntN(len(b.Table("L1"))-1)))
		}
	}
	refill()
	var began []elevator.Instant
	away := false
	for len(began) <= trips {
		b.Advance(b.Next())
		s := b.Car("L1")
		switch {
		case s.Motion != elevator.Stopped && !away:
			away = true
			if r := b.People().Riding; r != carries {
				t.Fatalf("left with %d", r)
			}
			refill()
		case s.Motion == elevator.Stopped && s.Floor == 1 && away:
			away, began = false, append(began, b.Now())
		}
	}
	return began[trips].Sub(began[0]).Seconds() / trips
}

// second is the second building, with one lift.
func second(t *testing.T, car, hall time.Duration) *Building {
	c := Bench()
	c.Cars = c.Cars[:1]
	k := &c.Cars[0]
	k.Landings = nil
	for i := range 11 {
		k.Landings = append(k.Landings, Landing{
			Label: string(rune('a' + i)), Wire: i + 1, HeightMM: 3300 * i, Doors: []elevator.Side{elevator.Front},
		})
	}
	k.Start, k.Recall, k.RatedKg, k.Limits = "a", "a", 1600, setB
	k.DoorClose, k.DwellCar, k.DwellLanding = 3*time.Second, car, hall
	b, err := New(c)
	must(t, err)
	b.groups[0].settleIn()
	b.groups[0].crowd.transfer = 1200 * time.Millisecond
	return b
}

// SM-1: the expectation itself, of the flights of this room, in its three parts:
// flights 87.837 s, dwells 41.931 s, and 6 s of doors, start and levelling a stop.
func TestRoundTripExpected(t *testing.T) {
	flights, dwells, stops := expected(19, 12, 3, 5, officeFlight)
	digits(t, "flights", flights, 87.837, 3)
	digits(t, "dwells", dwells, 41.931, 3)
	digits(t, "doors and the rest", (stops+1)*6, 60.416, 3)
	digits(t, "round trip", flights+dwells+(stops+1)*6, 190.1835, 4)
	flights, dwells, stops = expected(19, 13, 3, 5, officeFlight)
	of13 := flights + dwells + (stops+1)*6
	digits(t, "round trip with 13", of13, 198.1383, 4)
	// Published for a mean of 12.84: 196.813 s by a model, 196.815 s simulated.
	between := 190.1835 + 0.84*(of13-190.1835)
	for _, published := range []float64{196.813, 196.815} {
		near(t, "round trip with 12.84", between, published, 0.0005)
	}
}

// officeFlight is the time between two stops of the office, 0 the entrance.
func officeFlight(i, j int) float64 {
	way := 3.8 * float64(j-i)
	if i == 0 {
		way += 5 - 3.8
	}
	return NewFlight(way, Bench().Cars[0].Limits).Seconds()
}

// setB is a lift without a machine room.
var setB = Limits{1.6, 0.9, 1.2}

// SM-1: a second building, ten landings 3.3 m apart and eight people: 114.96 s when
// doors wait for people alone, 122.74 s with a dwell of 3 or 5 s at least.
func TestRoundTripExpectedOfASecondBuilding(t *testing.T) {
	fly := func(i, j int) float64 { return NewFlight(3.3*float64(j-i), setB).Seconds() }
	for _, c := range []struct{ car, hall, want float64 }{{0, 0, 114.96}, {3, 5, 122.74}} {
		flights, dwells, stops := expected(10, 8, c.car, c.hall, fly)
		digits(t, "round trip", flights+dwells+(stops+1)*6, c.want, 2)
	}
}

// expected sums over all pairs of landings that can be one stop and the next, 0
// the entrance: people choose among n landings alike, so that m given ones stay
// free with the chance (1-m/n)^p. Dwells are so long at least after a car call and
// after a landing call, and 1.2 s a person.
func expected(n, p int, car, hall float64, fly func(i, j int) float64) (flights, dwells, stops float64) {
	free := func(m int) float64 { return math.Pow(1-float64(m)/float64(n), float64(p)) }
	for j := 1; j <= n; j++ {
		flights += fly(0, j) * (free(j-1) - free(j)) // the first stop
		flights += fly(0, j) * (free(n-j) - free(n-j+1))
		for i := 1; i < j; i++ {
			m := j - i - 1
			flights += fly(i, j) * (free(m) - 2*free(m+1) + free(m+2))
		}
	}
	stops = float64(n) * (1 - free(1))
	dwells = max(hall, 1.2*float64(p))
	chance := 1.0 // of k people at one landing: binomial
	for k := range p + 1 {
		if k > 0 {
			chance *= float64(p-k+1) / float64(k)
			dwells += float64(n) * max(car, 1.2*float64(k)) * chance *
				math.Pow(1/float64(n), float64(k)) * math.Pow(1-1/float64(n), float64(p-k))
		}
	}
	return flights, dwells, stops
}

// tower is the published office with one of its lifts.
func tower(t *testing.T) *Building {
	c := Bench()
	c.Cars = c.Cars[:1]
	car := &c.Cars[0]
	car.Landings = nil
	for i := range 20 {
		h := 0
		if i > 0 {
			h = 5000 + 3800*(i-1)
		}
		car.Landings = append(car.Landings, Landing{
			Label: string(rune('a' + i)), Wire: i + 1, HeightMM: h, Doors: []elevator.Side{elevator.Front},
		})
	}
	car.Start, car.Recall, car.RatedKg = "a", "a", 1600
	car.DoorClose, car.DwellCar, car.DwellLanding = 3*time.Second, 3*time.Second, 5*time.Second
	b, err := New(c)
	must(t, err)
	b.groups[0].settleIn()
	b.groups[0].crowd.transfer = 1200 * time.Millisecond
	return b
}
