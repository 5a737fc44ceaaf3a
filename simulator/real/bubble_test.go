package real

import (
	"testing"
	"testing/synctest"

	"hoistway/simulator/scenarios"
)

// SM-3, SM-4: the scenarios that the pure laws play, played by the real daemon: its
// store on a disk, its drivers, its loop, its API and its uplink, with robots over
// HTTP, in a bubble of virtual time. Goroutines are not seeded, so the verdict alone
// counts.
func TestTheRealDaemonPlaysTheLibrary(t *testing.T) {
	for _, f := range scenarios.Library() {
		script, faults := scenarios.Parse(f.Name, f.Source)
		if len(faults) > 0 {
			t.Fatal(faults[0])
		}
		if script.OnlyVirtual != "" {
			continue
		}
		t.Run(f.Name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { playInBubble(t, script) })
		})
	}
}

func playInBubble(t *testing.T, script *scenarios.Script) {
	o := Setup(script)
	o.Net, o.Dir, o.Version = Pipes(), t.TempDir(), "test"
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	var lines []scenarios.Line
	v, err := s.Play(t.Context(), script, func(_ scenarios.Instant, fresh []scenarios.Line) { lines = append(lines, fresh...) })
	if err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Errorf("taking the site down: %v", err)
	}
	if !v.Passed {
		t.Errorf("%v\n%s", v.Failures, scenarios.Transcript(script.Title, lines))
	}
}
