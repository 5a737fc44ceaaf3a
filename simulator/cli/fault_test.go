package cli

import (
	"bufio"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// SM-3, SM-7: a person begins and ends a fault at a running building from another
// terminal, and the building says so.
func TestAFaultByHand(t *testing.T) {
	file := filepath.Join(t.TempDir(), "building.yaml")
	if err := os.WriteFile(file, []byte("lifts:\n  - {id: L1, serve: \"modbus+tcp://127.0.0.1:0\",\n     floors: [{label: G, wire: 1, height_m: 0}, {label: \"1\", wire: 2, height_m: 4}]}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	out, in := io.Pipe()
	ended := make(chan error, 1)
	go func() {
		ended <- serve(ctx, file, "127.0.0.1:0", in, io.Discard)
		_ = in.Close()
	}()
	lines := bufio.NewScanner(out)
	page := strings.TrimPrefix(next(t, lines, "page "), "page ")
	run := func(want int, args ...string) string {
		t.Helper()
		var told strings.Builder
		if got := Main(append(args, "--at", page), nil, io.Discard, &told); got != want {
			t.Errorf("%v ended with %d, want %d: %s", args, got, want, told.String())
		}
		return told.String()
	}
	run(exitFine, "fault", "L1", "door-stuck", "front", "--for", "10m")
	next(t, lines, "fault begins: L1 door-stuck front for 10m0s")
	run(exitFine, "fault", "L1", "door-stuck", "--clear")
	next(t, lines, "fault ends, cleared: L1 door-stuck")
	if told := run(exitFinding, "fault", "L9", "door-stuck"); !strings.Contains(told, "L9") {
		t.Errorf("a lift that is not there is refused with %q", told)
	}
	run(exitFinding, "fault", "gateway", "kill")
	run(exitUsage, "fault", "L1", "door-stuk")
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the building ended with %v", err)
	}
}

// next reads on to the line that holds the words.
func next(t *testing.T, lines *bufio.Scanner, words string) string {
	t.Helper()
	for lines.Scan() {
		if strings.Contains(lines.Text(), words) {
			return lines.Text()
		}
	}
	t.Fatalf("%q was never said", words)
	return ""
}
