package building

import (
	"math"
	"slices"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

// SM-4: 500 replications of 100 gaps at 0.05 people a second. Of an exponential
// distribution the mean is 20 s and so is the standard deviation; the mean of 50,000
// lies within 1.96·20/√50000 of it in 95 of 100 cases, the variance over the squared
// mean within 1.96·√(8/50000) of 1, and the distance of Kolmogorov and Smirnov below
// 1.358/√50000. Asked are the 99 % bounds, 2.576 and 1.628.
func TestGapsAreExponential(t *testing.T) {
	const runs, each, want = 500, 100, 20.0
	var gaps []float64
	var means []time.Duration
	for seed := range uint64(runs) {
		s := newSource(rush(seed), 2, 5, 0)
		last, sum := elevator.Instant(0), 0.0
		for range each {
			gap := s.next.Sub(last).Seconds()
			last, sum = s.next, sum+gap
			gaps = append(gaps, gap)
			s.batch()
		}
		means = append(means, time.Duration(seconds(sum/each)))
	}
	mean, half := interval(means)
	n := float64(len(gaps))
	var squares float64
	for _, g := range gaps {
		squares += (g - mean.Seconds()) * (g - mean.Seconds())
	}
	variance := squares / (n - 1) / (want * want)
	slices.Sort(gaps)
	distance := 0.0
	for i, g := range gaps {
		f := 1 - math.Exp(-g/want)
		distance = max(distance, f-float64(i)/n, float64(i+1)/n-f)
	}
	t.Logf("mean gap %.4f s ± %.4f (95 %%), exact 20; variance over squared mean %.4f ± %.4f; distance %.5f, 95 %% bound %.5f",
		mean.Seconds(), half.Seconds(), variance, 1.96*math.Sqrt(8/n), distance, 1.358/math.Sqrt(n))
	if math.Abs(mean.Seconds()-want) > 2.576*want/math.Sqrt(n) {
		t.Errorf("mean gap %v", mean)
	}
	if math.Abs(variance-1) > 2.576*math.Sqrt(8/n) {
		t.Errorf("variance over squared mean %.4f", variance)
	}
	if distance > 1.628/math.Sqrt(n) {
		t.Errorf("distance %.5f", distance)
	}
}

// SM-4: 500 replications of 200 trips of the lunch mix from and to five landings.
// Each share keeps its 99 % interval, and the 20 pairs of landings the bound of chi
// square with 19 degrees of freedom at 99 %, 36.19. From G, landing 2, each of four
// others gets a quarter of the 45 %, as many come from it, and a pair without G is
// one of twelve of the 10 %.
func TestTripsAreOfTheMix(t *testing.T) {
	const runs, each = 500, 200
	var pairs [6][6]float64
	var in []time.Duration // shares, as if seconds
	for seed := range uint64(runs) {
		s := newSource(rush(seed), 2, 5, 0)
		into := 0.0
		for range each {
			_, from, to := s.batch()
			pairs[from][to]++
			if from == 2 {
				into++
			}
		}
		in = append(in, time.Duration(seconds(into/each)))
	}
	share, half := interval(in)
	t.Logf("share of those who come in %.5f ± %.5f (95 %%), exact 0.45", share.Seconds(), half.Seconds())
	const n = runs * each
	if math.Abs(share.Seconds()-0.45) > 2.576*math.Sqrt(0.45*0.55/n) {
		t.Errorf("share %.5f", share.Seconds())
	}
	chi := 0.0
	for from := 1; from <= 5; from++ {
		for to := 1; to <= 5; to++ {
			want := n * 0.10 / 12
			switch {
			case from == to:
				if pairs[from][to] != 0 {
					t.Error("trips to where one is")
				}
				continue
			case from == 2 || to == 2:
				want = n * 0.45 / 4
			}
			chi += (pairs[from][to] - want) * (pairs[from][to] - want) / want
		}
	}
	t.Logf("chi square of the pairs %.2f, 95 %% bound 30.14, 99 %% bound 36.19", chi)
	if chi > 36.19 {
		t.Errorf("chi square %.2f", chi)
	}
}
