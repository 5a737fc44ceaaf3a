package building

import (
	"math"
	"testing"
)

// upPeak is a building as the round-trip calculation of the trade sees it: people
// only come in, at an entrance below Floors landings that are all alike.
type upPeak struct {
	Floors     int     // N, landings above the entrance
	Persons    float64 // P, in the car as it leaves, a mean and so not whole
	Hop        float64 // tv, s to pass one landing at rated speed
	Express    float64 // tx, s more for the way to the first of them
	Stop       float64 // ts, s that a stop costs on top
	Transfer   float64 // tp, s for one person, in or out
	Lifts      int     // L
	Population int     // U
}

// roundTrip is what the calculation says.
type roundTrip struct {
	Stops    float64 // S, mean number above the entrance
	Highest  float64 // H, mean highest landing of reversal
	Seconds  float64 // RTT
	Interval float64 // INT, s between cars at the entrance
	Handled  float64 // HC5, persons in five minutes, of all lifts
	Percent  float64 // of the population in five minutes
}

// roundTrip calculates with the formulas of Barney, which CIBSE guide D and the
// calculation method of ISO 8100-32 share. They know no jerk and no dwell, so a
// living building is slower.
func (u upPeak) roundTrip() roundTrip {
	n, p := float64(u.Floors), u.Persons
	r := roundTrip{Stops: n * (1 - math.Pow(1-1/n, p)), Highest: n}
	for i := 1; i < u.Floors; i++ {
		r.Highest -= math.Pow(float64(i)/n, p)
	}
	rtt := 2*(r.Highest*u.Hop+u.Express) + (r.Stops+1)*u.Stop + 2*p*u.Transfer
	h := u.handling(rtt)
	h.Stops, h.Highest = r.Stops, r.Highest
	return h
}

// handling is what follows from a round trip of so many seconds, however it was
// found; stops and reversal are left out.
func (u upPeak) handling(rtt float64) roundTrip {
	r := roundTrip{Seconds: rtt, Interval: rtt / float64(u.Lifts)}
	r.Handled = 300 * u.Persons / r.Interval
	r.Percent = 100 * r.Handled / float64(u.Population)
	return r
}

// digits asks for a figure as published with so many decimal places.
func digits(t *testing.T, what string, got, want float64, places int) {
	t.Helper()
	if math.Abs(got-want) > 0.5*math.Pow10(-places)+1e-12 {
		t.Errorf("%s is %.*f, want %.*f", what, places+1, got, places, want)
	}
}

// SM-1: an office whose answer is published: 102.71 persons in five minutes,
// 25.68 a car, 6.01 %; the rest worked out from the formulas by hand.
func TestRoundTripOfAnOffice(t *testing.T) {
	r := upPeak{
		Floors: 19, Persons: 12.8, Hop: 1.52, Express: 0.48,
		Stop: 6, Transfer: 1.2, Lifts: 4, Population: 1710,
	}.roundTrip()
	digits(t, "S", r.Stops, 9.489670, 6)
	digits(t, "H", r.Highest, 18.067376, 6)
	digits(t, "RTT", r.Seconds, 149.5428, 4)
	digits(t, "INT", r.Interval, 37.386, 3)
	digits(t, "HC5", r.Handled, 102.713, 3)
	digits(t, "HC5 as published", r.Handled, 102.71, 2)
	digits(t, "HC5 of a car as published", r.Handled/4, 25.68, 2)
	digits(t, "%POP as published", r.Percent, 6.01, 2)
	digits(t, "%POP", r.Percent, 6.0066, 4)
}

// SM-1: ten landings and ten people, to the digits in which it was worked out.
func TestRoundTripOfTens(t *testing.T) {
	r := upPeak{Floors: 10, Persons: 10, Lifts: 1, Population: 1}.roundTrip()
	digits(t, "S", r.Stops, 6.513215599, 9)
	digits(t, "H", r.Highest, 9.5085658075, 10)
}

// SM-1: a published comparison: eight lifts, 19.2 people a trip of 202.3 s, 1900 at
// work: 25.3 s between cars, 227.8 persons and 12.0 % in five minutes.
func TestHandlingAsPublished(t *testing.T) {
	r := upPeak{Persons: 19.2, Lifts: 8, Population: 1900}.handling(202.3)
	digits(t, "INT", r.Interval, 25.3, 1)
	digits(t, "HC5", r.Handled, 227.8, 1)
	digits(t, "%POP", r.Percent, 12.0, 1)
}

// SM-1: ten landings 3.3 m apart and eight people, with a stop that counts in full:
// the flight of one floor 4.6525, doors 1.8 and 3, start 0.5, levelling 0.7, less
// what it takes to pass. Three lifts.
func TestRoundTripWithStopsInFull(t *testing.T) {
	hop := 3.3 / 1.6
	stop := NewFlight(3.3, setB).Seconds() + 1.8 + 3 + 0.5 + 0.7 - hop
	r := upPeak{Floors: 10, Persons: 8, Hop: hop, Stop: stop, Transfer: 1.2, Lifts: 3, Population: 1}.roundTrip()
	digits(t, "RTT", r.Seconds, 115.17, 2)
	digits(t, "INT", r.Interval, 38.39, 2)
	digits(t, "HC5", r.Handled, 62.5, 1)
}
