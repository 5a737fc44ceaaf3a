package building

import (
	"fmt"
	"math"
	"time"

	"hoistway/fsm/elevator"
)

// Trial is one run of a building with people.
type Trial struct {
	Traffic Traffic       // its seed is not used
	Warmup  time.Duration // lived through before anything counts
	Length  time.Duration // that counts
}

// Estimate is what independent runs of a trial say about the mean waiting time.
type Estimate struct {
	Runs   []time.Duration // the mean of each run in which somebody stepped in
	People int             // who stepped in, of all runs
	Mean   time.Duration   // of the means
	// Half is half the width of the interval that holds the true mean in 95 of 100
	// cases: Mean ± Half, by Student's distribution.
	Half time.Duration
}

// minRuns is the fewest runs that say something about how far they scatter.
const minRuns = 5

// Replicate lives through n runs of a trial in new buildings, each with seeds of
// its own that follow from the one given. The same seed gives the same estimate.
// It is ErrRange for fewer than five runs or a length that is none, and else what
// [New] and [Building.Populate] say.
func Replicate(c Config, t Trial, n int, seed uint64) (Estimate, error) {
	if n < minRuns || t.Warmup < 0 || t.Length <= 0 {
		return Estimate{}, fmt.Errorf("%d runs of %v after %v: %w", n, t.Length, t.Warmup, ErrRange)
	}
	e := Estimate{Runs: make([]time.Duration, 0, n)}
	for i := range n {
		t.Traffic.Seed = mix(seed, uint64(i))
		waits, err := t.run(c)
		if err != nil {
			return Estimate{}, fmt.Errorf("run %d: %w", i+1, err)
		}
		if waits.Count > 0 {
			e.Runs = append(e.Runs, waits.Mean)
			e.People += waits.Count
		}
	}
	e.Mean, e.Half = Interval(e.Runs)
	return e, nil
}

func (t Trial) run(c Config) (Tally, error) {
	b, err := New(c)
	if err != nil {
		return Tally{}, err
	}
	if err := b.Populate(t.Traffic); err != nil {
		return Tally{}, err
	}
	b.Advance(elevator.Instant(t.Warmup))
	for _, g := range b.groups {
		if g.crowd != nil {
			g.crowd.wait = histogram{}
		}
	}
	b.Advance(elevator.Instant(t.Warmup + t.Length))
	return b.People().Wait, nil
}

// mix draws the i-th seed of a series: a step of splitmix64 (Steele, Lea and
// Flood, 2014).
func mix(seed, i uint64) uint64 {
	z := seed + (i+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Interval is the mean of independent figures, and half the width of its 95 %
// interval; 0 for fewer than two.
func Interval(of []time.Duration) (mean, half time.Duration) {
	n := float64(len(of))
	if n < 2 {
		return 0, 0
	}
	var sum, squares float64
	for _, d := range of {
		sum += d.Seconds()
	}
	for _, d := range of {
		squares += (d.Seconds() - sum/n) * (d.Seconds() - sum/n)
	}
	h := student95(n-1) * math.Sqrt(squares/(n-1)/n)
	return time.Duration(seconds(sum / n)), time.Duration(seconds(h))
}

// student95 is the two-sided 95 % point of Student's distribution, by the series of
// Cornish and Fisher in the normal point: good to half a per cent from four degrees
// of freedom on.
func student95(df float64) float64 {
	const z = 1.959964
	g1 := (z*z*z + z) / 4
	g2 := (5*math.Pow(z, 5) + 16*z*z*z + 3*z) / 96
	g3 := (3*math.Pow(z, 7) + 19*math.Pow(z, 5) + 17*z*z*z - 15*z) / 384
	return z + g1/df + g2/(df*df) + g3/(df*df*df)
}
