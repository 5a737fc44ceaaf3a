package cli

import (
	"bufio"
	"context"
	"io"
	"net/http"
	"net/http/httptest"
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
	if told := run(exitFinding, "fault", "L1", "door-stuk", "--clear"); !strings.Contains(told, "door-stuk") {
		t.Errorf("the end of a fault that there is not is refused with %q", told)
	}
	stop()
	if err := <-ended; err != nil {
		t.Errorf("the building ended with %v", err)
	}
}

// SM-3: what is not taken is told in words, and with what would be.
func TestAFaultThatIsNotTaken(t *testing.T) {
	other := httptest.NewServer(http.NotFoundHandler())
	defer other.Close()
	gone := httptest.NewServer(nil)
	gone.Close()
	for _, c := range []struct {
		args []string
		want int
		says string
	}{
		{[]string{"L1", "fire", "--at", gone.URL}, exitReach, "E-8106"},
		{[]string{"L1", "fire", "--at", other.URL}, exitFinding, "no page of a demo"},
		{[]string{"L1", "fire", "--at", other.Listener.Addr().String()}, exitFinding, "no page of a demo"},
		{[]string{"L1", "fire", "--at", "ftp://127.0.0.1"}, exitUsage, "http://127.0.0.1:40001, not"},
		{[]string{"L1", "fire"}, exitUsage, "fault needs --at http://"},
		{nil, exitUsage, "see hoistway-sim fault --help"},
	} {
		var told strings.Builder
		if got := Main(append([]string{"fault"}, c.args...), nil, io.Discard, &told); got != c.want || !strings.Contains(told.String(), c.says) {
			t.Errorf("%v ended with %d, want %d with %q: %s", c.args, got, c.want, c.says, told.String())
		}
	}
	if got := refusal("409 Conflict", []byte(`{"error":"no such lift"}`)).Error(); got != "refused: no such lift" {
		t.Errorf("a refusal is told as %q", got)
	}
}

// SM-7: a run that failed is a finding, also when its picture was looked at.
func TestAFailedRunWithItsPage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "never.txt")
	if err := os.WriteFile(file, []byte("lasts 5s\nat 0s press L1 G up\nexpect lift L1 at 3\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, in := io.Pipe()
	c := newRoot()
	c.SetArgs([]string{"run", file, "--page"})
	c.SetOut(in)
	c.SetErr(io.Discard)
	ended := make(chan error, 1)
	go func() { ended <- c.ExecuteContext(ctx); _ = in.Close() }()
	lines := bufio.NewScanner(out)
	next(t, lines, "page ")
	next(t, lines, "stop with Ctrl-C")
	stop()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "E-8102") {
		t.Errorf("the run ended with %v, want E-8102", err)
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

// SM-3: a target and a name the wrong way round are told apart.
func TestAFaultTheWrongWayRound(t *testing.T) {
	var told strings.Builder
	got := Main([]string{"fault", "door-reopens", "L1", "--at", "http://127.0.0.1:1"}, nil, io.Discard, &told)
	if got != exitUsage || !strings.Contains(told.String(), "the target comes first: fault L1 door-reopens") {
		t.Errorf("ended with %d: %s", got, told.String())
	}
}
