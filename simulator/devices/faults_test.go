package devices

import (
	"errors"
	"io"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/simulator/building"
	"hoistway/simulator/faults"
)

func isReset(err error) bool { return errors.Is(err, syscall.ECONNRESET) }

// plays begins a fault of the lift L1 that spoils so many requests, 0 for all.
func plays(t testing.TB, d interface{ Play(faults.Fault) error }, kind, arg string, times int) {
	t.Helper()
	if err := d.Play(faults.Fault{Kind: kind, Target: "L1", Arg: arg, Times: times}); err != nil {
		t.Fatal(err)
	}
}

// SM-3, DR-11: each fault of the line on TCP, once, and the next answer is right.
func TestTCPFaults(t *testing.T) {
	noLeak(t)
	const good = "0002 0000 0005 01 04 02 0001"
	for _, c := range []struct {
		kind, arg, want string
	}{
		{"garbled", "", "5501 0000 0005 01 04 02 0001"},
		{"truncated", "", "0001 0000 0003 01 04 00"},
		{"foreign", "", "0001 0000 0005 02 04 02 0001"},
		{"exception", "4", "0001 0000 0003 01 84 04"},
		{"split", "", "0001 0000 0005 01 04 02 0001"},
		{"late", "1ms", "0001 0000 0005 01 04 02 0001"},
		{"silent", "", ""},
		{"lost-answer", "", ""},
	} {
		t.Run(c.kind, func(t *testing.T) {
			_, d := tcpBench(t, new(hand).now)
			conn := dial(t, d)
			plays(t, d, c.kind, c.arg, 1)
			says(t, conn, "0001 0000 0006 01 04 0000 0001", c.want)
			says(t, conn, "0002 0000 0006 01 04 0000 0001", good) // and so nothing came before it
			if left := d.Faults(); len(left) != 0 {
				t.Errorf("still on: %+v", left)
			}
		})
	}
}

// SM-3: the same on a serial line. Checksums by an independent program.
func TestRTUFaults(t *testing.T) {
	noLeak(t)
	const ask, good = "01 04 0000 0001 31ca", "01 04 02 0001 78f0"
	for _, c := range []struct {
		kind, arg, want string
	}{
		{"garbled", "", "01 04 02 1001 78f0"},
		{"truncated", "", "01 04 00 22c0"},
		{"foreign", "", "02 04 02 0001 3cf0"},
		{"exception", "4", "01 84 04 42c3"},
		{"split", "", good},
		{"late", "1ms", good},
		{"silent", "", ""},
		{"lost-answer", "", ""},
	} {
		t.Run(c.kind, func(t *testing.T) {
			_, d := rtuBench(t, new(hand).now)
			line := openTTY(t, d.Path())
			plays(t, d, c.kind, c.arg, 1)
			says(t, line, ask, c.want)
			says(t, line, ask, good)
		})
	}
}

// RD-11, DR-11: a lost request did nothing, a lost answer pressed the button.
func TestLostRequestAndLostAnswer(t *testing.T) {
	noLeak(t)
	_, d := tcpBench(t, new(hand).now)
	c := dial(t, d)
	plays(t, d, "silent", "", 1)
	put(t, c, "0001 0000 0006 01 06 0002 0004")
	says(t, c, "0002 0000 0006 01 04 000c 0001", "0002 0000 0005 01 04 02 0000")
	if n := len(d.Writes()); n != 0 {
		t.Fatalf("%d writes after a lost request", n)
	}
	plays(t, d, "lost-answer", "", 1)
	put(t, c, "0003 0000 0006 01 06 0002 0004")
	says(t, c, "0004 0000 0006 01 04 000c 0001", "0004 0000 0005 01 04 02 0008")
	if n := len(d.Writes()); n != 1 {
		t.Fatalf("%d writes after a lost answer, want 1", n)
	}
}

func TestFaultsWearOffAndClear(t *testing.T) {
	noLeak(t)
	_, d := tcpBench(t, new(hand).now)
	c := dial(t, d)
	const ask, busy, good = "0001 0000 0006 01 04 0000 0001", "0001 0000 0003 01 84 06", "0001 0000 0005 01 04 02 0001"
	plays(t, d, "exception", "6", 2)
	says(t, c, ask, busy)
	says(t, c, ask, busy)
	says(t, c, ask, good)
	plays(t, d, "exception", "6", 0)
	for range 5 {
		says(t, c, ask, busy)
	}
	d.ClearNamed("exception")
	says(t, c, ask, good)
}

func TestShortWriteAnswer(t *testing.T) {
	noLeak(t)
	_, d := tcpBench(t, new(hand).now)
	c := dial(t, d)
	plays(t, d, "truncated", "", 1)
	says(t, c, "0001 0000 0006 01 06 0002 0004", "0001 0000 0005 01 06 0002 00")
}

// SM-3: the connection goes instead of the answer; the act was done.
func TestHangUp(t *testing.T) {
	noLeak(t)
	_, d := tcpBench(t, new(hand).now)
	c := dial(t, d)
	plays(t, d, "hang-up", "", 1)
	put(t, c, "0001 0000 0006 01 06 0002 0004")
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("answered")
	}
	says(t, dial(t, d), "0004 0000 0006 01 04 000c 0001", "0004 0000 0005 01 04 02 0008")
}

// A device that is to answer late ends at once all the same.
func TestCloseDoesNotWaitForALateAnswer(t *testing.T) {
	noLeak(t)
	w := world(t, new(hand).now)
	d, err := socket(w, "L1", 1)
	if err != nil {
		t.Fatal(err)
	}
	c := dial(t, d)
	plays(t, d, "late", "10m", 1)
	put(t, c, "0001 0000 0006 01 06 0002 0004")
	for len(d.Writes()) == 0 { // it has begun; the test's own limit ends a wait in vain
		time.Sleep(time.Millisecond)
	}
	done := make(chan error, 1)
	go func() { done <- d.Close() }()
	select {
	case err := <-done:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(30 * time.Second):
		t.Fatal("Close waits")
	}
}

// SM-3: lateness is exact, in virtual time over a pipe.
func TestLateByTheClock(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		line := &lines{}
		d, err := ServeRTU(world(t, since(time.Now())), line.far, Seat{Car: "L1", Unit: 1})
		if err != nil {
			t.Fatal(err)
		}
		defer closed(t, d)
		near := line.near()
		plays(t, d, "late", "700ms", 1)
		start := time.Now()
		says(t, near, "01 04 0000 0001 31ca", "01 04 02 0001 78f0")
		if took := time.Since(start); took != 700*time.Millisecond {
			t.Errorf("took %v, want 700ms", took)
		}
	})
}

// SM-2: a frame in pieces is one frame while the pauses are short, and thrown
// away when they are not; garbage ends with silence.
func TestRTUFraming(t *testing.T) {
	const ask, good = "01 04 0000 0001 31ca", "01 04 02 0001 78f0"
	for _, c := range []struct {
		what  string
		parts []string
		wait  time.Duration
		want  string
	}{
		{"two pieces", []string{"01 04 00", "00 0001 31ca"}, gap / 2, good},
		{"too far apart", []string{"01 04 00", "00 0001 31ca"}, 2 * gap, ""},
		{"bad checksum", []string{"01 04 0000 0001 31cb"}, 0, ""},
		{"noise before", []string{"ff", ask}, gap / 2, ""},
		{"noise long before", []string{"ff", ask}, 2 * gap, good},
		{"two at once", []string{ask + ask}, 0, good + good},
		{"another unit, then ours", []string{"02 04 0000 000e 71fd", ask}, 0, good},
		{"for all units", []string{"00 06 0002 0005 e9d8"}, 0, ""},
		{"unknown function ends by silence", []string{"01 2b 0e 01 00 7077"}, 2 * gap, "01 ab 01 9ef0"},
		{"a coil", []string{"01 05 0000 ff00 8c3a"}, 0, "01 85 01 8350"},
		{"length beyond a frame", []string{"01 10 0000 0001 ff 00"}, 2 * gap, ""},
		{"more than a frame, then ours", []string{"01 10 0000 0001 ff" + strings.Repeat("00", 257), ask}, 2 * gap, good},
	} {
		t.Run(c.what, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { framing(t, c.parts, c.wait, c.want) })
		})
	}
}

func framing(t *testing.T, parts []string, wait time.Duration, want string) {
	line := &lines{}
	d, err := ServeRTU(world(t, since(time.Now())), line.far, Seat{Car: "L1", Unit: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, d)
	near := line.near()
	go func() {
		for _, p := range parts {
			_, _ = near.Write(raw(t, p)) // a pipe that closes ends the test elsewhere
			time.Sleep(wait)
		}
	}()
	if err := near.SetReadDeadline(time.Now().Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	gets(t, near, want)
	if n, err := near.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d bytes too many, %v", n, err)
	}
	if n := len(d.Writes()); n != 0 {
		t.Errorf("%d writes", n)
	}
}

// SM-3: only a fault of the line, at this lift, with a good argument.
func TestFaultMustMakeSense(t *testing.T) {
	noLeak(t)
	_, d := tcpBench(t, new(hand).now)
	for _, c := range []struct {
		f    faults.Fault
		want error
	}{
		{faults.Fault{Kind: "silentt", Target: "L1"}, faults.ErrKind},
		{faults.Fault{Kind: "fire", Target: "L1"}, faults.ErrKind},
		{faults.Fault{Kind: "silent", Target: "L2"}, faults.ErrTarget},
		{faults.Fault{Kind: "late", Target: "L1", Arg: "11m"}, faults.ErrArg},
		{faults.Fault{Kind: "exception", Target: "L1", Arg: "128"}, faults.ErrArg},
		{faults.Fault{Kind: "unplugged", Target: "L1", Times: 2}, faults.ErrRange},
	} {
		if err := d.Play(c.f); !errors.Is(err, c.want) {
			t.Errorf("%+v: %v, want %v", c.f, err, c.want)
		}
	}
	r, err := ServePTY(world(t, new(hand).now), Seat{Car: "L1", Unit: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, r)
	if err := r.Play(faults.Fault{Kind: "busy-elsewhere", Target: "L1"}); err == nil {
		t.Error("a serial line refused a connection")
	}
}

// SE-3: any bytes as a request: no panic, and an answer of the same function.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"04 0000 000e", "10 0002 0001 02 0005", "06 0002 0005", "10 0002", "2b"} {
		f.Add(raw(f, s))
	}
	b, err := building.New(building.Bench())
	if err != nil {
		f.Fatal(err)
	}
	u, err := newUnit(NewWorld(b, new(hand).now), Seat{Car: "L1", Unit: 1})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, req []byte) {
		if len(req) == 0 || len(req) > maxPDU {
			return
		}
		got, _ := u.respond(req)
		if len(got) < 2 || len(got) > maxPDU || got[0]&^exceptionFlag != req[0]&^exceptionFlag {
			t.Errorf("% x: % x", req, got)
		}
	})
}

// openTTY opens our end of a pty. A blocking read is ended by the deadline.
func openTTY(t testing.TB, path string) *os.File {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NOCTTY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	if err := f.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return f
}

var _ io.Closer = (*RTU)(nil)
