package devices

import (
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/simulator/building"
)

func isReset(err error) bool { return errors.Is(err, syscall.ECONNRESET) }

func inject(t testing.TB, d interface{ Inject(Fault) error }, f Fault) {
	t.Helper()
	if err := d.Inject(f); err != nil {
		t.Fatal(err)
	}
}

// SM-3, DR-11: each fault of the line on TCP, once, and the next answer is right.
func TestTCPFaults(t *testing.T) {
	noLeak(t)
	const good = "0002 0000 0005 01 04 02 0001"
	for _, c := range []struct {
		what  string
		fault Fault
		want  string
	}{
		{"garbled", Fault{Kind: Garbled, Count: 1}, "5501 0000 0005 01 04 02 0001"},
		{"short", Fault{Kind: Short, Count: 1}, "0001 0000 0003 01 04 00"},
		{"foreign", Fault{Kind: Foreign, Count: 1}, "0001 0000 0005 02 04 02 0001"},
		{"exception", Fault{Kind: Exception, Count: 1, Code: 4}, "0001 0000 0003 01 84 04"},
		{"split", Fault{Kind: Split, Count: 1, Delay: time.Millisecond}, "0001 0000 0005 01 04 02 0001"},
		{"late", Fault{Kind: Late, Count: 1, Delay: time.Millisecond}, "0001 0000 0005 01 04 02 0001"},
		{"deaf", Fault{Kind: Deaf, Count: 1}, ""},
		{"silent", Fault{Kind: Silent, Count: 1}, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, d := tcpBench(t, new(hand).now)
			conn := dial(t, d)
			inject(t, d, c.fault)
			says(t, conn, "0001 0000 0006 01 04 0000 0001", c.want)
			says(t, conn, "0002 0000 0006 01 04 0000 0001", good) // and so nothing came before it
			if d.Spoiled() != 1 {
				t.Errorf("%d requests spoiled, want 1", d.Spoiled())
			}
		})
	}
}

// SM-3: the same on a serial line. Checksums by an independent program.
func TestRTUFaults(t *testing.T) {
	noLeak(t)
	const ask, good = "01 04 0000 0001 31ca", "01 04 02 0001 78f0"
	for _, c := range []struct {
		what  string
		fault Fault
		want  string
	}{
		{"garbled", Fault{Kind: Garbled, Count: 1}, "01 04 02 1001 78f0"},
		{"short", Fault{Kind: Short, Count: 1}, "01 04 00 22c0"},
		{"foreign", Fault{Kind: Foreign, Count: 1}, "02 04 02 0001 3cf0"},
		{"exception", Fault{Kind: Exception, Count: 1, Code: 4}, "01 84 04 42c3"},
		{"split", Fault{Kind: Split, Count: 1, Delay: time.Millisecond}, good},
		{"late", Fault{Kind: Late, Count: 1, Delay: time.Millisecond}, good},
		{"deaf", Fault{Kind: Deaf, Count: 1}, ""},
		{"silent", Fault{Kind: Silent, Count: 1}, ""},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, d := rtuBench(t, new(hand).now)
			line := openTTY(t, d.Path())
			inject(t, d, c.fault)
			says(t, line, ask, c.want)
			says(t, line, ask, good)
		})
	}
}

// RD-11, DR-11: a lost answer is not a lost call. Deaf did nothing, Silent
// pressed the button.
func TestLostRequestAndLostAnswer(t *testing.T) {
	noLeak(t)
	_, d := tcpBench(t, new(hand).now)
	c := dial(t, d)
	inject(t, d, Fault{Kind: Deaf, Count: 1, Function: 6})
	inject(t, d, Fault{Kind: Silent, Count: 1, Function: 6})
	put(t, c, "0001 0000 0006 01 06 0002 0004")
	says(t, c, "0002 0000 0006 01 04 000c 0001", "0002 0000 0005 01 04 02 0000")
	if n := len(d.Writes()); n != 0 {
		t.Fatalf("%d writes after a lost request", n)
	}
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
	inject(t, d, Fault{Kind: Exception, Code: 6, Count: 2})
	says(t, c, ask, busy)
	says(t, c, ask, busy)
	says(t, c, ask, good)
	inject(t, d, Fault{Kind: Exception, Code: 6})
	for range 5 {
		says(t, c, ask, busy)
	}
	d.Clear()
	says(t, c, ask, good)
}

func TestShortWriteAnswer(t *testing.T) {
	noLeak(t)
	_, d := tcpBench(t, new(hand).now)
	c := dial(t, d)
	inject(t, d, Fault{Kind: Short, Count: 1})
	says(t, c, "0001 0000 0006 01 06 0002 0004", "0001 0000 0005 01 06 0002 00")
}

// SM-3: the connection goes instead of the answer; the act was done.
func TestDrop(t *testing.T) {
	noLeak(t)
	_, d := tcpBench(t, new(hand).now)
	c := dial(t, d)
	inject(t, d, Fault{Kind: Drop, Count: 1})
	put(t, c, "0001 0000 0006 01 06 0002 0004")
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("answered")
	}
	says(t, dial(t, d), "0004 0000 0006 01 04 000c 0001", "0004 0000 0005 01 04 02 0008")
}

func TestHangUp(t *testing.T) {
	noLeak(t)
	_, d := tcpBench(t, new(hand).now)
	c := dial(t, d)
	says(t, c, "0001 0000 0006 01 04 0000 0001", "0001 0000 0005 01 04 02 0001")
	d.HangUp()
	if _, err := c.Read(make([]byte, 1)); err == nil {
		t.Error("the connection lives on")
	}
	says(t, dial(t, d), "0001 0000 0006 01 04 0000 0001", "0001 0000 0005 01 04 02 0001")
}

// A device that is to answer late ends at once all the same.
func TestCloseDoesNotWaitForALateAnswer(t *testing.T) {
	noLeak(t)
	w := world(t, new(hand).now)
	d, err := ServeTCP(w, "L1", "127.0.0.1:0", 1)
	if err != nil {
		t.Fatal(err)
	}
	c := dial(t, d)
	inject(t, d, Fault{Kind: Late, Count: 1, Delay: maxDelay})
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
		near, far := net.Pipe()
		w := world(t, since(time.Now()))
		d, err := ServeLine(w, "L1", far, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer closed(t, d)
		inject(t, d, Fault{Kind: Late, Count: 1, Delay: 700 * time.Millisecond})
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
	near, far := net.Pipe()
	w := world(t, since(time.Now()))
	d, err := ServeLine(w, "L1", far, 1)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, d)
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

func TestFaultMustMakeSense(t *testing.T) {
	var fs faults
	for _, f := range []Fault{
		{},
		{Kind: kinds},
		{Kind: Late, Count: -1},
		{Kind: Late, Delay: -1},
		{Kind: Late, Delay: maxDelay + 1},
		{Kind: Exception},
		{Kind: Exception, Code: 128},
	} {
		if fs.add(f) == nil {
			t.Errorf("%+v was taken", f)
		}
	}
	for range maxFaults {
		if err := fs.add(Fault{Kind: Deaf}); err != nil {
			t.Fatal(err)
		}
	}
	if fs.add(Fault{Kind: Deaf}) == nil {
		t.Error("takes any number of faults")
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
	u, err := newUnit(NewWorld(b, new(hand).now), "L1", 1)
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
