package building

import (
	"errors"
	"math"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

func rush(seed uint64) Traffic {
	t, _ := TrafficOf("lunch", 15, "G", seed)
	return t
}

// SM-4: 1000 replications of an hour at 180 persons an hour. Of a Poisson process
// the number has the mean 180 and the variance 180, so the mean of the
// replications lies within 2.576 · √(180/1000) of 180 in 99 of 100 cases, and the
// variance over the mean within 2.576 · √(2/999) of 1.
func TestArrivalsArePoisson(t *testing.T) {
	const runs, want = 1000, 180.0
	var sum, squares float64
	for seed := range uint64(runs) {
		s := newSource(rush(seed), 2, 5, 0)
		n := 0.0
		for ; s.next <= elevator.Instant(time.Hour); n++ {
			s.batch()
		}
		sum += n
		squares += n * n
	}
	mean := sum / runs
	variance := (squares - sum*mean) / (runs - 1)
	half := 2.576 * math.Sqrt(want/runs)
	t.Logf("mean %.3f, 99 %% interval %.3f to %.3f; variance over mean %.3f, %.3f to %.3f", mean,
		want-half, want+half, variance/mean, 1-2.576*math.Sqrt(2./999), 1+2.576*math.Sqrt(2./999))
	if math.Abs(mean-want) > half {
		t.Errorf("mean of %d hours is %.3f", runs, mean)
	}
	if math.Abs(variance/mean-1) > 2.576*math.Sqrt(2./999) {
		t.Errorf("variance over mean is %.3f", variance/mean)
	}
}

// SM-1: batches have their mean, and everybody goes where the mix says. Sizes are
// geometric with mean 2.5 and variance 2.5·1.5; a share p has variance p(1-p).
func TestBatchesAndMix(t *testing.T) {
	const n = 20_000
	tr := rush(7)
	tr.Batch = 2.5
	s := newSource(tr, 2, 5, 0)
	var people int
	var in, out, between, same float64
	for range n {
		size, from, to := s.batch()
		people += size
		switch {
		case from == to:
			same++
		case from == 2:
			in++
		case to == 2:
			out++
		default:
			between++
		}
	}
	// Batches come at 0.05/2.5 a second: the last of n at n·50 s, give or take √n·50 s.
	root := math.Sqrt(n)
	if mean := s.next.Sub(0).Seconds() / (n + 1); math.Abs(mean-50) > 2.576*50/root {
		t.Errorf("a batch every %.3f s", mean)
	}
	for _, c := range []struct {
		what            string
		got, want, wide float64
	}{
		{"batch", float64(people) / n, 2.5, 2.576 * math.Sqrt(2.5*1.5) / root},
		{"in", in / n, 0.45, 2.576 * math.Sqrt(0.45*0.55) / root},
		{"out", out / n, 0.45, 2.576 * math.Sqrt(0.45*0.55) / root},
		{"between", between / n, 0.10, 2.576 * math.Sqrt(0.1*0.9) / root},
		{"nowhere", same, 0, 0},
	} {
		t.Logf("%s %.4f, 99 %% interval %.4f to %.4f", c.what, c.got, c.want-c.wide, c.want+c.wide)
		if math.Abs(c.got-c.want) > c.wide {
			t.Errorf("%s is %.4f, want %.4f ± %.4f", c.what, c.got, c.want, c.wide)
		}
	}
}

// SM-1: 12 % of 1500 people in five minutes are 180 people, 0.6 a second.
func TestDemand(t *testing.T) {
	for _, name := range []string{"up-peak", "down-peak", "two-way", "lunch"} {
		r, err := TrafficOf(name, 1500*12/100, "", 1)
		must(t, err)
		near(t, name, r.Rate, 0.6, 1e-12)
		if m := r.Mix; m.In+m.Out+m.Between != 100 {
			t.Errorf("%s: %+v", name, m)
		}
	}
	if _, err := TrafficOf("tea", 180, "", 1); !errors.Is(err, ErrRange) {
		t.Errorf("an unknown mix: %v", err)
	}
}

// SM-1: with no entrance named, people come in at G, or at the lowest landing.
func TestEntranceThatIsNotNamed(t *testing.T) {
	for label, want := range map[string]string{"G": "G", "0": "B1"} {
		c := Bench()
		for i := range c.Cars {
			c.Cars[i].Landings[1].Label, c.Cars[i].Recall = label, label
		}
		b, err := New(c)
		must(t, err)
		must(t, b.Populate(Traffic{Seed: 1, Rate: 1, Batch: 1, Mix: Mix{In: 1}, Transfer: time.Second}))
		b.Advance(elevator.Instant(5 * time.Second))
		if w := b.Waiting(); len(w) != 1 || w[0].Label != want {
			t.Errorf("people wait at %+v, want all at %s", w, want)
		}
	}
}

func TestTrafficThatCannotBe(t *testing.T) {
	b := bench(t)
	for what, c := range map[string]struct {
		change func(*Traffic)
		want   error
	}{
		"no rate":     {func(r *Traffic) { r.Rate = math.NaN() }, ErrRange},
		"backwards":   {func(r *Traffic) { r.Rate = -1 }, ErrRange},
		"no batch":    {func(r *Traffic) { r.Batch = 0 }, ErrRange},
		"no mix":      {func(r *Traffic) { r.Mix = Mix{} }, ErrRange},
		"less than 0": {func(r *Traffic) { r.Mix.Out = -1 }, ErrRange},
		"slow":        {func(r *Traffic) { r.Transfer = time.Hour }, ErrRange},
		"no entrance": {func(r *Traffic) { r.Entrance = "17" }, ErrNoLanding},
	} {
		r := rush(1)
		c.change(&r)
		if err := b.Populate(r); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", what, err, c.want)
		}
	}
	if b.Next() != 0 || b.People() != (People{}) {
		t.Error("a refused traffic brought people")
	}
	c := Bench()
	c.Cars[1].Landings = c.Cars[1].Landings[:4]
	unlike, err := New(c)
	must(t, err)
	if err := unlike.Populate(rush(1)); !errors.Is(err, ErrTables) {
		t.Errorf("lifts of different landings: %v", err)
	}
}
