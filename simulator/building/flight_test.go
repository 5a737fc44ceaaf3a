package building

import (
	"fmt"
	"math"
	"testing"

	"pgregory.net/rapid"
)

// SM-1: 25 flight times worked out by hand from the closed forms, and again by an
// independent solver; columns are 1, 2, 5, 10 and 20 floors.
func TestFlightTimes(t *testing.T) {
	floors := []float64{1, 2, 5, 10, 20}
	for _, c := range []struct {
		name   string
		limits Limits
		floor  float64
		want   []float64
	}{
		{"A geared", Limits{2.5, 1.0, 1.4}, 3.8, []float64{4.6779, 6.2740, 10.8143, 18.4143, 33.6143}},
		{"B machine-room-less", Limits{1.6, 0.9, 1.2}, 3.3, []float64{4.6525, 6.6528, 12.8403, 23.1528, 43.7778}},
		{"C slow", Limits{1.0, 0.8, 1.0}, 3.3, []float64{5.3500, 8.6500, 18.5500, 35.0500, 68.0500}},
		{"D gearless", Limits{4.0, 1.2, 1.6}, 4.0, []float64{4.4777, 5.9682, 9.0833, 14.0833, 24.0833}},
		{"E high-speed", Limits{6.0, 1.2, 1.6}, 4.0, []float64{4.4777, 5.9682, 8.9493, 12.4167, 19.0833}},
	} {
		for i, n := range floors {
			near(t, fmt.Sprintf("%s, %v floors", c.name, n), NewFlight(n*c.floor, c.limits).Seconds(), c.want[i], 0.001)
		}
	}
}

// SM-1: answers printed by others.
func TestPublishedFlights(t *testing.T) {
	setA := Limits{2.5, 1.0, 1.4}
	near(t, "one floor, peak", NewFlight(3.8, setA).Peak(), 1.6247, 0.001)
	near(t, "five floors of E, peak", NewFlight(20, Limits{6, 1.2, 1.6}).Peak(), 4.47, 0.001)
	near(t, "35 m", NewFlight(35, setA).Seconds(), 17.2143, 0.001)
	for _, c := range []struct{ dist, speed, want float64 }{
		{3, 0.63, 6.562},
		{3, 1.0, 5.417},
		{3, 1.6, 5.285},
	} {
		got := NewFlight(c.dist, Limits{c.speed, 0.6, 0.8}).Seconds()
		near(t, fmt.Sprintf("%v m at %v m/s", c.dist, c.speed), got, c.want, 0.001)
	}
	// 15 m by the same car.
	near(t, "15 m at 0.63 m/s", NewFlight(15, Limits{0.63, 0.6, 0.8}).Seconds(), 25.6, 0.001)
	near(t, "15 m at 1.6 m/s", NewFlight(15, Limits{1.6, 0.6, 0.8}).Seconds(), 12.8, 0.001)
}

// SM-1: rated speed before rated acceleration (v·j < a²). By hand, v 0.5, a 1, j 1:
// the ramp is √0.5 = 0.70711 s, the rise and its mirror cover 2·0.5·0.70711 =
// 0.70711 m; 2 m take 2/0.5 + 2·0.70711 = 5.41421 s, and 0.25 m, too short for
// it, (32·0.25)^⅓ = 2 s with a peak of (2/4)² = 0.25 m/s.
func TestFlightWithoutPlateau(t *testing.T) {
	l := Limits{0.5, 1, 1}
	long := NewFlight(2, l)
	near(t, "2 m", long.Seconds(), 5.41421, 1e-5)
	near(t, "2 m, peak", long.Peak(), 0.5, 1e-9)
	_, _, a := long.At(math.Sqrt(0.5))
	near(t, "2 m, highest acceleration", a, 0.70711, 1e-5)
	short := NewFlight(0.25, l)
	near(t, "0.25 m", short.Seconds(), 2, 1e-9)
	near(t, "0.25 m, peak", short.Peak(), 0.25, 1e-9)
}

// integrated is the time of a motion as found by adding up small steps: no closed
// form but that the jerk is +j, -j, 0, -j, +j, the ramps of one length. The ramp is
// found by halving, so that neither the speed nor half the way is passed.
func integrated(dist float64, l Limits) float64 {
	const dt = 1e-5
	rise := func(ramp float64) (x, v float64) {
		a := 0.0
		for i := range int(2 * ramp / dt) {
			j := l.Jerk
			if float64(i)*dt >= ramp {
				j = -j
			}
			a += j * dt
			v += a * dt
			x += v * dt
		}
		return x, v
	}
	low, high := 0.0, 10.0
	for range 40 {
		mid := (low + high) / 2
		if x, v := rise(mid); x > dist/2 || v > l.Speed {
			high = mid
		} else {
			low = mid
		}
	}
	x, v := rise(low)
	return 4*low + (dist-2*x)/v
}

// SM-1: motions that never know a constant acceleration (v·j < a²), those that reach
// rated speed and those that do not, against a sum of small steps.
func TestFlightWithoutPlateauByIntegration(t *testing.T) {
	for _, l := range []Limits{{0.5, 1, 1}, {0.63, 1.2, 0.8}, {1.0, 1.5, 1.0}} {
		for _, dist := range []float64{0.3, 1, 3, 15} {
			near(t, fmt.Sprintf("%v m with %+v", dist, l), NewFlight(dist, l).Seconds(), integrated(dist, l), 0.001)
		}
	}
}

// By hand, set A over 15.2 m: full ramps of 1/1.4 s, rise 3.214286 s over half of
// 8.035714 m, then 2.5 m/s.
func TestFlightLive(t *testing.T) {
	f := NewFlight(15.2, Limits{2.5, 1.0, 1.4})
	for _, c := range []struct{ t, x, v, a float64 }{
		{-1, 0, 0, 0},
		{0.5, 0.0291667, 0.175, 0.7},       // j·t³/6, j·t²/2, j·t
		{1 / 1.4, 0.0850340, 0.3571429, 1}, // end of the first ramp
		{2, 1.3707483, 1.6428571, 1},       // 0.0850340 + 0.3571429·1.2857143 + 1.2857143²/2
		{3.2142857, 4.0178571, 2.5, 0},     // rated speed
		{4.6471429, 7.6, 2.5, 0},           // half way
		{9.2942857, 15.2, 0, 0},
		{99, 15.2, 0, 0},
	} {
		x, v, a := f.At(c.t)
		near(t, fmt.Sprintf("place at %v s", c.t), x, c.x, 1e-6)
		near(t, fmt.Sprintf("speed at %v s", c.t), v, c.v, 1e-6)
		near(t, fmt.Sprintf("acceleration at %v s", c.t), a, c.a, 1e-6)
	}
}

// SM-1: whatever the limits and the distance, the motion covers the distance, is
// continuous and keeps the limits.
func TestFlightKeepsItsLimits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLimits(t)
		dist := rapid.Float64Range(0.01, 200).Draw(t, "dist")
		f := NewFlight(dist, l)
		const n = 400
		dt := f.Seconds() / n
		x0, v0, a0 := f.At(0)
		for i := 1; i <= n; i++ {
			x, v, a := f.At(float64(i) * dt)
			switch eps := 1e-9 * (1 + dist); {
			case x < x0-eps || x > dist+eps:
				t.Fatalf("step %d: place %v after %v of %v", i, x, x0, dist)
			case v < -eps || v > l.Speed+eps:
				t.Fatalf("step %d: speed %v over %v", i, v, l.Speed)
			case math.Abs(a) > l.Accel+eps:
				t.Fatalf("step %d: acceleration %v over %v", i, a, l.Accel)
			case math.Abs(a-a0) > l.Jerk*dt+eps:
				t.Fatalf("step %d: jerk %v over %v", i, (a-a0)/dt, l.Jerk)
			case math.Abs(x-x0-(v+v0)/2*dt) > l.Jerk*dt*dt*dt+eps:
				t.Fatalf("step %d: place and speed do not agree", i)
			}
			x0, v0, a0 = x, v, a
		}
		if math.Abs(x0-dist) > 1e-9*(1+dist) {
			t.Fatalf("ended at %v of %v", x0, dist)
		}
	})
}

// Up to the instant that Shares gives, two flights are one; right after it they are not.
func TestFlightShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLimits(t)
		f := NewFlight(rapid.Float64Range(0.1, 100).Draw(t, "f"), l)
		g := NewFlight(rapid.Float64Range(0.1, 100).Draw(t, "g"), l)
		until := f.Shares(g)
		if math.IsInf(until, 1) {
			return
		}
		at := until * rapid.Float64Range(0, 1).Draw(t, "part")
		x1, v1, a1 := f.At(at)
		x2, v2, a2 := g.At(at)
		if d := math.Abs(x1-x2) + math.Abs(v1-v2) + math.Abs(a1-a2); d > 1e-7 {
			t.Fatalf("apart by %v at %v of %v", d, at, until)
		}
		if f.dist-g.dist > 0.1 {
			_, _, a1 = f.At(until + 0.01)
			_, _, a2 = g.At(until + 0.01)
			if a1-a2 < 1e-6 {
				t.Fatalf("still one after %v: %v and %v", until, a1, a2)
			}
		}
	})
}

func drawLimits(t *rapid.T) Limits {
	return Limits{
		Speed: rapid.Float64Range(0.1, 10).Draw(t, "v"),
		Accel: rapid.Float64Range(0.2, 2).Draw(t, "a"),
		Jerk:  rapid.Float64Range(0.3, 3).Draw(t, "j"),
	}
}

// near asks for got within a part of want, or within that part of 1 for small figures.
func near(t testing.TB, what string, got, want, part float64) {
	t.Helper()
	if math.Abs(got-want) > part*max(1, math.Abs(want)) {
		t.Errorf("%s: got %.5f, want %.5f", what, got, want)
	}
}
