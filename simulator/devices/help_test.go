package devices

import (
	"encoding/hex"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"

	"go.uber.org/goleak"
)

// hand is a clock that a test moves.
type hand struct{ at atomic.Int64 }

func (h *hand) now() elevator.Instant { return elevator.Instant(h.at.Load()) }
func (h *hand) move(to time.Duration) { h.at.Store(int64(to)) }
func since(t time.Time) func() elevator.Instant {
	return func() elevator.Instant { return elevator.Instant(time.Since(t)) }
}

// world is the bench with a clock of its own.
func world(t testing.TB, now func() elevator.Instant) *World {
	t.Helper()
	b, err := building.New(building.Bench())
	if err != nil {
		t.Fatal(err)
	}
	return NewWorld(b, now)
}

// noLeak fails when a goroutine outlives the test. Call it first.
func noLeak(t *testing.T) {
	mine := goleak.IgnoreCurrent()
	t.Cleanup(func() { goleak.VerifyNone(t, mine) })
}

// socket puts one lift on a free port.
func socket(w *World, car string, unit uint8) (*TCP, error) {
	return ServeTCP(w, net.Listen, "127.0.0.1:0", Seat{Car: car, Unit: unit})
}

func tcpBench(t *testing.T, now func() elevator.Instant) (*World, *TCP) {
	t.Helper()
	w := world(t, now)
	d, err := socket(w, "L1", 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, d) })
	return w, d
}

func rtuBench(t *testing.T, now func() elevator.Instant) (*World, *RTU) {
	t.Helper()
	w := world(t, now)
	d, err := ServePTY(w, Seat{Car: "L1", Unit: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, d) })
	return w, d
}

func closed(t testing.TB, c io.Closer) {
	t.Helper()
	if err := c.Close(); err != nil {
		t.Error(err)
	}
}

func act(t testing.TB, w *World, do func(*building.Building) error) {
	t.Helper()
	w.Do(func(b *building.Building) {
		if err := do(b); err != nil {
			t.Fatal(err)
		}
	})
}

func dial(t testing.TB, d *TCP) net.Conn {
	t.Helper()
	c, err := net.DialTimeout("tcp", d.Addr(), 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if err := c.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return c
}

func raw(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// says writes a frame and asks for the very bytes of the answer.
func says(t testing.TB, c io.ReadWriter, ask, want string) {
	t.Helper()
	put(t, c, ask)
	gets(t, c, want)
}

func put(t testing.TB, c io.Writer, ask string) {
	t.Helper()
	if _, err := c.Write(raw(t, ask)); err != nil {
		t.Fatal(err)
	}
}

func gets(t testing.TB, c io.Reader, want string) {
	t.Helper()
	got := make([]byte, len(raw(t, want)))
	n, err := io.ReadFull(c, got)
	if err != nil {
		t.Fatalf("got % x, then %v; want %s", got[:n], err, want)
	}
	if string(got) != string(raw(t, want)) {
		t.Fatalf("got  % x\nwant %s", got, want)
	}
}

// tool finds a program of a Debian package, or skips; under HOISTWAY_REQUIRE=all
// its absence is a failure.
func tool(t *testing.T, name string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err == nil {
		return path
	}
	if os.Getenv("HOISTWAY_REQUIRE") == "all" {
		t.Fatalf("%s is not installed (apt-get install %s)", name, name)
	}
	t.Skipf("%s is not installed (apt-get install %s): the foreign client is not tried", name, name)
	return ""
}
