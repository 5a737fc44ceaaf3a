package virtual

import (
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"
	"hoistway/simulator/scenarios"
)

var rewrite = flag.Bool("rewrite", false, "write the transcripts anew; then read the difference")

// cue is one act at one time.
type cue struct {
	at  time.Duration
	act scenarios.Act
}

func open(t testing.TB, c Setup) *Site {
	t.Helper()
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// play carries the cues out and lives on until the end.
func play(t testing.TB, s *Site, end time.Duration, cues ...cue) {
	t.Helper()
	for _, c := range cues {
		s.Advance(elevator.Instant(c.at))
		if err := s.Do(c.act); err != nil {
			t.Fatalf("at %v: %v", c.at, err)
		}
	}
	s.Advance(elevator.Instant(end))
}

// until steps until cond holds, at most for limit from now.
func until(t testing.TB, s *Site, limit time.Duration, what string, cond func() bool) {
	t.Helper()
	end := s.Now().Add(limit)
	if s.Now() == 0 {
		end = elevator.Instant(limit)
	}
	for !cond() {
		if s.Now() > end || !s.Step() {
			t.Fatalf("%v: not within %v: %s\n%s", time.Duration(s.Now()), limit, what, text(s.Log()))
		}
	}
}

func ride(lift, from, to string) scenarios.AskRide {
	return scenarios.AskRide{ID: "r1", Robot: "R1", Lift: lift, From: from, To: to}
}

func fault(target, kind, arg string, d time.Duration) scenarios.Inject {
	return scenarios.Inject{Fault: faults.Fault{Target: target, Kind: kind, Arg: arg, For: d}}
}

func times(target, kind, arg string, n int) scenarios.Inject {
	return scenarios.Inject{Fault: faults.Fault{Target: target, Kind: kind, Arg: arg, Times: n}}
}

func stateOf(s *Site, id string) string {
	r, _ := s.Ride(id)
	return r.State
}

func text(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		b.WriteString(l.String() + "\n")
	}
	return b.String()
}

// tell keeps the lines of everybody but those named.
func without(lines []Line, who ...string) []Line {
	return slices.DeleteFunc(slices.Clone(lines), func(l Line) bool { return slices.Contains(who, l.Who) })
}

func saw(t testing.TB, lines []Line, who, part string) Line {
	t.Helper()
	for _, l := range lines {
		if l.Who == who && strings.Contains(l.Text, part) {
			return l
		}
	}
	t.Errorf("nobody saw %q of %s in\n%s", part, who, text(lines))
	return Line{}
}

func count(lines []Line, who, part string) int {
	n := 0
	for _, l := range lines {
		if l.Who == who && strings.Contains(l.Text, part) {
			n++
		}
	}
	return n
}

// golden compares a transcript with the one that was read line by line.
func golden(t *testing.T, name string, got string) {
	t.Helper()
	file := filepath.Join("testdata", name+".txt")
	if *rewrite {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	g, w := strings.Split(got, "\n"), strings.Split(string(want), "\n")
	for i := range min(len(g), len(w)) {
		if g[i] != w[i] {
			t.Fatalf("%s:%d\n got %s\nwant %s", file, i+1, g[i], w[i])
		}
	}
	if len(g) != len(w) {
		t.Fatalf("%s: %d lines, want %d; first of the rest: %s", file, len(g), len(w), append(g, w...)[min(len(g), len(w))])
	}
}

// lawful wants no law broken.
func lawful(t testing.TB, s *Site) {
	t.Helper()
	for _, b := range s.Breaches() {
		t.Errorf("law broken: %s", b)
	}
}
