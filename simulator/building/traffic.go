package building

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"hoistway/fsm/elevator"
)

// Bounds of a traffic: a rush that no building has seen, and a person a fortnight.
const (
	maxRate  = 100.0
	minRate  = 1e-6
	maxBatch = 100.0
)

// Mix is where people come from and go to, in shares of any unit: into the
// building from its entrance, out of it, and between the other landings.
type Mix struct {
	In, Out, Between float64
}

// mixes are those that have a name. Up-peak and lunch are those of the BCO guide of
// 2014 for offices, which asks for 12 and 13 % of the population in five minutes;
// down-peak is up-peak turned round.
var mixes = []struct {
	name string
	mix  Mix
}{
	{"up-peak", Mix{In: 85, Out: 10, Between: 5}},
	{"down-peak", Mix{In: 10, Out: 85, Between: 5}},
	{"two-way", Mix{In: 50, Out: 50}},
	{"lunch", Mix{In: 45, Out: 45, Between: 10}},
}

// MixNames are the names that [TrafficOf] knows.
func MixNames() (names []string) {
	for _, m := range mixes {
		names = append(names, m.name)
	}
	return names
}

// TrafficOf is traffic as the trade speaks of it: a named mix, so many people in five
// minutes, each alone and a second long in the door. It is ErrRange for another name.
func TrafficOf(name string, inFiveMinutes float64, entrance string, seed uint64) (Traffic, error) {
	for _, m := range mixes {
		if m.name == name {
			return Traffic{
				Seed: seed, Rate: inFiveMinutes / (5 * time.Minute).Seconds(), Batch: 1,
				Mix: m.mix, Entrance: entrance, Transfer: time.Second,
			}, nil
		}
	}
	return Traffic{}, fmt.Errorf("%q is no mix of people, %s: %w", name, strings.Join(MixNames(), ", "), ErrRange)
}

// Traffic describes how people come: a Poisson process of batches.
type Traffic struct {
	Group    string // "": the only one, or the lifts of a building without groups
	Seed     uint64
	Rate     float64       // persons per second; 0: nobody comes any more
	Batch    float64       // mean number who come together, from one landing to one; 1: each alone
	Mix      Mix           // needed unless Rate is 0
	Entrance string        // label of the landing of In and Out; "": G, or the lowest
	Transfer time.Duration // that one person takes through the door
}

func (t Traffic) check(landings int) error {
	m := t.Mix
	switch {
	case t.Rate == 0:
		return nil
	case !(t.Rate >= minRate && t.Rate <= maxRate): // refuses what is not a number, too
		return fmt.Errorf("rate of %v persons/s: %w", t.Rate, ErrRange)
	case !(t.Batch >= 1 && t.Batch <= maxBatch):
		return fmt.Errorf("batch of %v: %w", t.Batch, ErrRange)
	case !(m.In >= 0 && m.Out >= 0 && m.Between >= 0 && m.In+m.Out+m.Between > 0 && m.In+m.Out+m.Between < 1e9):
		return fmt.Errorf("mix %+v: %w", m, ErrRange)
	case m.Between > 0 && landings < 3:
		return fmt.Errorf("traffic between %d landings: %w", landings, ErrRange)
	case t.Transfer < 0 || t.Transfer > time.Minute:
		return fmt.Errorf("transfer of %v: %w", t.Transfer, ErrRange)
	}
	return nil
}

// source draws the arrivals of a traffic. One stream, drawn in order of time, so
// that the seed alone decides.
type source struct {
	of       Traffic
	rng      *rand.Rand
	entrance elevator.Floor
	landings int
	next     elevator.Instant // of the next batch
}

func newSource(t Traffic, entrance elevator.Floor, landings int, now elevator.Instant) source {
	s := source{of: t, entrance: entrance, landings: landings, next: never}
	if t.Rate > 0 {
		s.rng = rand.New(rand.NewPCG(t.Seed, 0))
		s.next = now + s.gap()
	}
	return s
}

// gap is the time to the next batch.
func (s *source) gap() elevator.Instant {
	return seconds(s.rng.ExpFloat64() * s.of.Batch / s.of.Rate)
}

// batch draws who comes at the instant next, and when the batch after it comes.
// Sizes are geometric, so that their mean is any number from 1 on.
func (s *source) batch() (size int, from, to elevator.Floor) {
	from, to = s.trip()
	for size = 1; size < maxBatch*10 && s.rng.Float64() >= 1/s.of.Batch; size++ {
	}
	s.next += s.gap()
	return size, from, to
}

func (s *source) trip() (from, to elevator.Floor) {
	m := s.of.Mix
	u := s.rng.Float64() * (m.In + m.Out + m.Between)
	other := s.other(s.entrance, 0)
	switch {
	case u < m.In:
		return s.entrance, other
	case u < m.In+m.Out:
		return other, s.entrance
	}
	if s.landings < 3 { // u fell on the very end of the shares
		return other, s.entrance
	}
	return other, s.other(s.entrance, other)
}

// other draws a landing that is neither a nor b; b may be 0.
func (s *source) other(a, b elevator.Floor) elevator.Floor {
	for {
		if f := elevator.Floor(1 + s.rng.IntN(s.landings)); f != a && f != b {
			return f
		}
	}
}
