package scenarios_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"hoistway/fsm/elevator"
	"hoistway/simulator/scenarios"
	"hoistway/simulator/virtual"
)

// siteOf is the site that a script sets up.
func siteOf(t *testing.T, s *scenarios.Script) *virtual.Site {
	t.Helper()
	setup, err := virtual.ForScript(s)
	if err != nil {
		t.Fatal(err)
	}
	site, err := virtual.New(setup)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// perform plays a script and gives the verdict, and the transcript of all.
func perform(t *testing.T, f scenarios.File) (scenarios.Verdict, string) {
	t.Helper()
	s, bad := scenarios.Parse(f.Name+".txt", f.Source)
	if len(bad) > 0 {
		t.Fatal(bad)
	}
	site := siteOf(t, s)
	p := scenarios.NewPlayer(s)
	var lines []scenarios.Line
	v, err := scenarios.Play(p, site, func(now elevator.Instant) {
		for _, l := range site.Log() {
			lines = append(lines, scenarios.Line{At: l.At, Who: l.Who, What: l.Text, Bad: l.Bad})
		}
		lines = append(lines, p.Log()...)
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range site.Breaches() { // IL-9: whatever the scenario demands
		t.Errorf("a law is broken: %v", b)
	}
	return v, scenarios.Transcript(s.Title, lines)
}

// SM-3: every scenario of the library passes on the pure laws.
func TestLibraryPasses(t *testing.T) {
	for _, f := range scenarios.Library() {
		t.Run(f.Name, func(t *testing.T) {
			t.Parallel()
			v, told := perform(t, f)
			if dir := os.Getenv("SCENARIO_TRANSCRIPTS"); dir != "" {
				if err := os.WriteFile(dir+"/"+f.Name+".txt", []byte(told), 0o600); err != nil {
					t.Error(err)
				}
			}
			for _, bad := range v.Failures {
				t.Error(bad)
			}
			for _, n := range v.Notes {
				t.Error(n)
			}
		})
	}
}

// SM-4: the same script gives the same bytes, with chance, kills and people in it.
func TestSameSeedSameBytes(t *testing.T) {
	for _, name := range []string{"plain-ride", "noisy-line", "killed-while-crossing", "rush-hour", "messages-lost"} {
		f, ok := scenarios.Find(name)
		if !ok {
			t.Fatalf("there is no %s", name)
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, one := perform(t, f)
			_, two := perform(t, f)
			if one != two {
				t.Error("two runs differ")
			}
		})
	}
}

// SM-3: a fault that never struck, over or still on, is noted, and fails nothing. One that
// simply is, or that struck once of three times, is none.
func TestAFaultThatNeverStruckIsNoted(t *testing.T) {
	v, told := perform(t, scenarios.File{Name: "idle", Source: []byte(`lift L2 area annexe
lasts 2m
at 0s fault R2 repeats 3
at 0s fault L2 door-reopens 2 for 1s
at 0s fault L2 fire
at 1s fault L1 door-reopens 1
at 1s fault L1 slow 30ms for 1m
at 2s ride r1 R1 from G to 3 on L1
at 1m fault L1 slow 30ms times 1000
finally ride r1 DONE
`)})
	want := []string{"fault R2 repeats 3 never struck", "fault L2 door-reopens 2 times 2 for 1s never struck"}
	if !v.Passed || !slices.Equal(v.Notes, want) {
		t.Errorf("%v %q", v.Failures, v.Notes)
	}
	for _, n := range want {
		if !strings.Contains(told, " scenario "+n+"\n") {
			t.Errorf("%q is not in the transcript", n)
		}
	}
}
