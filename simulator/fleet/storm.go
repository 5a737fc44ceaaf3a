package fleet

import (
	"cmp"
	"slices"
	"time"
)

// cause is why a gateway was away. From stormCause on it is the storm's number.
type cause uint32

const (
	foreignCause cause = iota // not our doing: the broker, or the network
	arrivalCause
	dropCause
	powerCause
	stormCause
)

// absence is one time away; instants count from the start of the run, 0 = not yet.
type absence struct {
	why              cause
	lost, up, inStep time.Duration
}

// Spread tells how the members of a crowd came back.
type Spread struct {
	Gateways int             `json:"gateways"`
	Back     int             `json:"back"`
	P50      time.Duration   `json:"p50"` // from the cut until this part of all gateways was back; 0 = it never was
	P95      time.Duration   `json:"p95"`
	P100     time.Duration   `json:"p100"`
	BySecond []int           `json:"by_second"`
	waits    []time.Duration // sorted
}

// Storm is the loss of many connections at one instant.
type Storm struct {
	By        string        `json:"by"` // fleet, or broker when the cut was not ours
	At        time.Duration `json:"at"` // since the start of the run
	Connected Spread        `json:"connected"`
	InStep    Spread        `json:"in_step"` // the cloud has answered the read of the lift's shadow
}

// maxSeconds bounds a histogram; who needs longer is in its last second.
const maxSeconds = 600

func spreadOf(members []absence, start time.Duration, back func(absence) time.Duration) Spread {
	s := Spread{Gateways: len(members)}
	for _, a := range members {
		if at := back(a); at > 0 {
			s.waits = append(s.waits, max(0, at-start))
		}
	}
	slices.Sort(s.waits)
	s.Back = len(s.waits)
	s.P50, s.P95, s.P100 = s.after(50), s.after(95), s.after(100)
	for _, w := range s.waits {
		second := min(int(w/time.Second), maxSeconds-1)
		for len(s.BySecond) <= second {
			s.BySecond = append(s.BySecond, 0)
		}
		s.BySecond[second]++
	}
	return s
}

// after is how long it took until percent of all gateways were back.
func (s Spread) after(percent int) time.Duration {
	need := (s.Gateways*percent + 99) / 100
	if need == 0 || need > s.Back {
		return 0
	}
	return s.waits[need-1]
}

func up(a absence) time.Duration     { return a.up }
func inStep(a absence) time.Duration { return a.inStep }

// arrival is how the fleet came up the first time.
func arrival(history []absence) (connected, caughtUp Spread) {
	first := slices.DeleteFunc(slices.Clone(history), func(a absence) bool { return a.why != arrivalCause })
	return spreadOf(first, 0, up), spreadOf(first, 0, inStep)
}

// storms finds ours by their number, and those of the broker by many losses close
// together.
func storms(history []absence, cuts []time.Duration, gateways int) []Storm {
	var out []Storm
	for i, at := range cuts {
		members := slices.DeleteFunc(slices.Clone(history), func(a absence) bool { return a.why != stormCause+cause(i) })
		out = append(out, newStorm("fleet", at, members))
	}
	for _, crowd := range crowds(history, max(10, gateways/5)) {
		out = append(out, newStorm("broker", crowd[0].lost, crowd))
	}
	slices.SortStableFunc(out, func(a, b Storm) int { return cmp.Compare(a.At, b.At) })
	return out
}

func newStorm(by string, at time.Duration, members []absence) Storm {
	return Storm{By: by, At: at, Connected: spreadOf(members, at, up), InStep: spreadOf(members, at, inStep)}
}

// crowds are runs of foreign losses with no gap over two seconds.
func crowds(history []absence, least int) [][]absence {
	lost := slices.DeleteFunc(slices.Clone(history), func(a absence) bool { return a.why != foreignCause })
	slices.SortFunc(lost, func(a, b absence) int { return cmp.Compare(a.lost, b.lost) })
	var out [][]absence
	for len(lost) > 0 {
		n := 1
		for n < len(lost) && lost[n].lost-lost[n-1].lost <= 2*time.Second {
			n++
		}
		if n >= least {
			out = append(out, lost[:n])
		}
		lost = lost[n:]
	}
	return out
}
