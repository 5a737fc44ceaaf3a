package building

import "math"

// UpPeak is a building as the round-trip calculation of the trade sees it: people
// only come in, at an entrance below Floors landings that are all alike.
type UpPeak struct {
	Floors     int     // N, landings above the entrance
	Persons    float64 // P, in the car as it leaves, a mean and so not whole
	Hop        float64 // tv, s to pass one landing at rated speed
	Express    float64 // tx, s more for the way to the first of them
	Stop       float64 // ts, s that a stop costs on top
	Transfer   float64 // tp, s for one person, in or out
	Lifts      int     // L
	Population int     // U
}

// RoundTrip is what the calculation says.
type RoundTrip struct {
	Stops    float64 // S, mean number above the entrance
	Highest  float64 // H, mean highest landing of reversal
	Seconds  float64 // RTT
	Interval float64 // INT, s between cars at the entrance
	Handled  float64 // HC5, persons in five minutes, of all lifts
	Percent  float64 // of the population in five minutes
}

// RoundTrip calculates with the formulas of Barney, which CIBSE guide D and the
// calculation method of ISO 8100-32 share. They know no jerk and no dwell, so a
// living building is slower.
func (u UpPeak) RoundTrip() RoundTrip {
	n, p := float64(u.Floors), u.Persons
	r := RoundTrip{Stops: n * (1 - math.Pow(1-1/n, p)), Highest: n}
	for i := 1; i < u.Floors; i++ {
		r.Highest -= math.Pow(float64(i)/n, p)
	}
	rtt := 2*(r.Highest*u.Hop+u.Express) + (r.Stops+1)*u.Stop + 2*p*u.Transfer
	h := u.Handling(rtt)
	h.Stops, h.Highest = r.Stops, r.Highest
	return h
}

// Handling is what follows from a round trip of so many seconds, however it was
// found; stops and reversal are left out.
func (u UpPeak) Handling(rtt float64) RoundTrip {
	r := RoundTrip{Seconds: rtt, Interval: rtt / float64(u.Lifts)}
	r.Handled = 300 * u.Persons / r.Interval
	r.Percent = 100 * r.Handled / float64(u.Population)
	return r
}
