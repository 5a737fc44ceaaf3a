package real

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"hoistway/simulator/scenarios"
)

// SM-3, SM-4: the scenarios that the pure laws play, played by the real daemon: its
// store on a disk, its drivers, its loop, its API and its uplink, with robots over
// HTTP, in a bubble of virtual time. Goroutines are not seeded, so the verdict alone
// counts. A bubble fails by itself when a goroutine of it is left over.
func TestTheRealDaemonPlaysTheLibrary(t *testing.T) {
	played := 0
	for _, f := range scenarios.Library() {
		script, faults := scenarios.Parse(f.Name, f.Source)
		if len(faults) > 0 {
			t.Fatal(faults[0])
		}
		if script.OnlyVirtual != "" || testing.Short() && !slices.Contains(short(), f.Name) {
			continue
		}
		played++
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) { judge(t, f.Name, script) })
		})
	}
	if testing.Short() && played != len(short()) {
		t.Errorf("%d of the %d scenarios of the short run are there", played, len(short()))
	}
}

// short are the scenarios of a run that has little time: between them they meet each
// family of faults, each host fault, both wires and more than one robot.
func short() []string {
	return []string{
		"plain-ride", "two-robots-one-lift", "killed-while-crossing", "disk-full", "messages-lost", "broker-gone",
		"robot-reboots", "cable-pulled", "earthquake", "not-at-the-door-yet",
	}
}

func judge(t *testing.T, name string, script *scenarios.Script) {
	v, told := playInBubble(t, script)
	if dir := os.Getenv("SCENARIO_TRANSCRIPTS"); dir != "" {
		if err := os.WriteFile(filepath.Join(dir, name+".txt"), []byte(told), 0o600); err != nil {
			t.Error(err)
		}
	}
	if !v.Passed {
		t.Errorf("%v\n%s", v.Failures, told)
	}
}

// playInBubble gives the verdict, and the transcript of it.
func playInBubble(t *testing.T, script *scenarios.Script) (scenarios.Verdict, string) {
	t.Helper()
	s := siteOf(t, Setup(script))
	var lines []scenarios.Line
	v, err := s.Play(t.Context(), script, func(_ scenarios.Instant, fresh []scenarios.Line) { lines = append(lines, fresh...) })
	if err != nil {
		t.Error(err)
	}
	return v, scenarios.Transcript(script.Title, lines)
}

// siteOf is a site on pipes, for a test in a bubble; it goes with the test.
func siteOf(t *testing.T, o Options) *Site {
	t.Helper()
	o.Net, o.Dir, o.Version = inProcess(), t.TempDir(), "test"
	s, err := Start(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("taking the site down: %v", err)
		}
	})
	return s
}
