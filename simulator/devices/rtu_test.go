package devices

import (
	"testing"

	"hoistway/simulator/building"
)

// DR-1, SM-2: whole frames with their checksums, byte for byte, on a real pty.
// The checksums come from an independent program, itself checked against two
// published frames (01 03 0000 000a c5cd, 01 04 0000 0001 31ca).
func TestRTUFrames(t *testing.T) {
	noLeak(t)
	_, d := rtuBench(t, new(hand).now)
	line := openTTY(t, d.Path())
	for _, f := range []struct{ what, ask, want string }{
		{"all points", "01 04 0000 000e 71ce", "01 04 1c " + restWords + " 4666"},
		{"commands read zero", "01 03 0000 0007 0408", "01 03 0e 0000 0000 0000 0000 0000 0000 0000 ef15"},
		{"car call to 5", "01 06 0002 0005 e809", "01 06 0002 0005 e809"},
		{"by function 16", "01 10 0002 0001 02 0005 67b1", "01 10 0002 0001 a009"},
		{"no landing 6", "01 06 0002 0006 a808", "01 86 03 0261"},
		{"hold of a closed door", "01 06 0003 0005 b9c9", "01 86 06 c262"},
		{"no such command", "01 06 0007 0001 f9cb", "01 86 02 c3a1"},
		{"no such point", "01 04 000e 0001 5009", "01 84 02 c2c1"},
		{"a coil", "01 05 0000 ff00 8c3a", "01 85 01 8350"},
		{"an unknown function", "01 2b 0e 01 00 7077", "01 ab 01 9ef0"},
	} {
		t.Run(f.what, func(t *testing.T) { says(t, line, f.ask, f.want) })
	}
	put(t, line, "02 04 0000 000e 71fd") // another unit: nobody answers
	says(t, line, "01 04 0000 0001 31ca", "01 04 02 0001 78f0")
}

// DR-11: a gateway that closes the line and opens it again finds the lift there.
func TestLineMayBeReopened(t *testing.T) {
	noLeak(t)
	_, d := rtuBench(t, new(hand).now)
	for range 3 {
		line := openTTY(t, d.Path())
		says(t, line, "01 04 0000 0001 31ca", "01 04 02 0001 78f0")
		closed(t, line)
	}
}

// DR-11: unplugged, the other end is told.
func TestUnplugged(t *testing.T) {
	noLeak(t)
	w := world(t, new(hand).now)
	d, err := ServePTY(w, Seat{Car: "L1", Unit: 1})
	if err != nil {
		t.Fatal(err)
	}
	line := openTTY(t, d.Path())
	closed(t, d)
	closed(t, d)
	if n, err := line.Read(make([]byte, 1)); err == nil && n > 0 {
		t.Error("an answer from nowhere")
	}
}

// SM-2: one building, two wires; each shows its own lift.
func TestTwoLiftsOneWorld(t *testing.T) {
	noLeak(t)
	clock := new(hand)
	w, d := tcpBench(t, clock.now)
	r, err := ServePTY(w, Seat{Car: "L2", Unit: 7})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, r)
	line, conn := openTTY(t, r.Path()), dial(t, d)
	act(t, w, func(b *building.Building) error { return b.CarCall("L2", 4) }) // L2 stands there
	clock.move(1800 * 1e6)
	says(t, line, "07 04 0002 0001 906c", "07 04 02 0003 7131")
	says(t, conn, "0001 0000 0006 01 04 0002 0001", "0001 0000 0005 01 04 02 0001")
}
