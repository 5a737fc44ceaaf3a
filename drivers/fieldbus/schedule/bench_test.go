package schedule

import (
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

// BenchmarkPair is one transaction on a line of four units with three polls each:
// the step that sends it and the step that hears its answer, with the waits
// between the periods.
func BenchmarkPair(b *testing.B) {
	l, now := New(Settings{}), elevator.Instant(1)
	for u := range 4 {
		j := Join{Owner: Owner(u + 1), Unit: uint8(u + 1), Worst: 100 * time.Millisecond}
		for k, every := range []time.Duration{200, 200, 2000} {
			j.Polls = append(j.Polls, Poll{Key: Key(10*u + k), Every: every * time.Millisecond, Fast: k < 2})
		}
		Step(l, j, now)
	}
	next := Step(l, Opened{OK: true}, now)
	sent, steps := 0, 0
	b.ReportAllocs()
	for b.Loop() {
		for next.Do != Send {
			now = max(next.Until, now)
			next = Step(l, Tick{}, now)
			steps++
		}
		now = now.Add(10 * time.Millisecond)
		next = Step(l, Answered{Outcome: Good}, now)
		sent, steps = sent+1, steps+1
	}
	if sent != b.N || !l.Up() {
		b.Fatal("the line does not carry a transaction after each other")
	}
	b.ReportMetric(float64(steps)/float64(sent), "steps/op")
}
