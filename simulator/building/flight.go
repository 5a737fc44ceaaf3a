package building

import "math"

// Limits bound the motion of a car: m/s, m/s², m/s³, each above zero.
type Limits struct {
	Speed float64
	Accel float64
	Jerk  float64
}

// Flight is the quickest motion over a distance from standing to standing within
// [Limits]: seven phases (jerk up, hold, jerk down, cruise, and the same
// mirrored), of which any but the jerk phases may have no length.
type Flight struct {
	dist   float64
	jerk   float64
	ramp   float64 // seconds of each of the four jerk phases
	hold   float64 // seconds of each of the two phases of constant acceleration
	cruise float64 // seconds at peak speed
}

// NewFlight plans a motion over dist metres, dist not below zero.
//
// The rise to rated speed takes a jerk phase of a/j twice with v/a - a/j between
// them; where v·j < a² rated speed is reached before rated acceleration and the
// phase between has no length. Where the distance is too short for that rise and
// its mirror, the peak speed p solves p·(p/a + a/j) = dist; where even rated
// acceleration is not reached, four jerk phases of (dist/2j)^⅓ remain.
func NewFlight(dist float64, l Limits) Flight {
	f := Flight{dist: dist, jerk: l.Jerk}
	f.ramp, f.hold = l.Accel/l.Jerk, l.Speed/l.Accel-l.Accel/l.Jerk
	if l.Speed*l.Jerk < l.Accel*l.Accel {
		f.ramp, f.hold = math.Sqrt(l.Speed/l.Jerk), 0
	}
	if rise := l.Speed * (2*f.ramp + f.hold); dist >= rise {
		f.cruise = (dist - rise) / l.Speed
		return f
	}
	// Without a plateau this bound lies above any distance that comes here.
	if full := l.Accel / l.Jerk; dist >= 2*l.Accel*full*full {
		f.ramp = full
		f.hold = (math.Sqrt(full*full+4*dist/l.Accel) - 3*full) / 2
		return f
	}
	f.ramp, f.hold = math.Cbrt(dist/(2*l.Jerk)), 0
	return f
}

// Seconds is how long the motion takes.
func (f Flight) Seconds() float64 { return 4*f.ramp + 2*f.hold + f.cruise }

// Peak is the highest speed of the motion.
func (f Flight) Peak() float64 { return f.jerk * f.ramp * (f.ramp + f.hold) }

// At gives the place, speed and acceleration t seconds after the start. Before
// the start and after the end the car stands.
func (f Flight) At(t float64) (x, v, a float64) {
	rise := 2*f.ramp + f.hold
	switch total := f.Seconds(); {
	case t <= 0:
		return 0, 0, 0
	case t >= total:
		return f.dist, 0, 0
	case t > rise+f.cruise:
		x, v, a = f.rising(total - t)
		return f.dist - x, v, -a
	case t > rise:
		x, v, _ = f.rising(rise)
		return x + v*(t-rise), v, 0
	}
	return f.rising(t)
}

// rising is the motion in the first three phases.
func (f Flight) rising(t float64) (x, v, a float64) {
	const half, sixth = 1.0 / 2, 1.0 / 6
	t1 := min(t, f.ramp)
	a = f.jerk * t1
	v = half * a * t1
	x = sixth * a * t1 * t1
	t2 := min(t-t1, f.hold)
	x += v*t2 + half*a*t2*t2
	v += a * t2
	t3 := t - t1 - t2
	x += v*t3 + half*a*t3*t3 - sixth*f.jerk*t3*t3*t3
	v += a*t3 - half*f.jerk*t3*t3
	return x, v, a - f.jerk*t3
}

// Shares is the time in seconds up to which f and g, planned with the same
// limits, are one and the same motion. Until then a car on f may change to g and
// nobody aboard could tell.
func (f Flight) Shares(g Flight) float64 {
	switch {
	case f.dist == g.dist:
		return math.Inf(1)
	case f.ramp != g.ramp:
		return min(f.ramp, g.ramp)
	case f.hold != g.hold:
		return f.ramp + min(f.hold, g.hold)
	}
	return 2*f.ramp + f.hold + min(f.cruise, g.cruise)
}
