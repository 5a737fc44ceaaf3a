package devices

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"hoistway/simulator/building"
)

// What a master asks for all 14 input registers, and how long the answer is before
// its registers.
const (
	allTCP = "0001 0000 0006 01 04 0000 000e"
	allRTU = "01 04 0000 000e 71ce"
)

// words reads the input registers by one whole frame of either wire.
func words(t testing.TB, c io.ReadWriter, ask string, head, tail int) (w [inputs]uint16) {
	t.Helper()
	put(t, c, ask)
	got := make([]byte, head+2*inputs+tail)
	if n, err := io.ReadFull(c, got); err != nil {
		t.Fatalf("got % x, then %v", got[:n], err)
	}
	for i := range w {
		w[i] = binary.BigEndian.Uint16(got[head+2*i:])
	}
	return w
}

func tcpWords(t testing.TB, c io.ReadWriter) [inputs]uint16 { return words(t, c, allTCP, 9, 0) }
func rtuWords(t testing.TB, c io.ReadWriter) [inputs]uint16 { return words(t, c, allRTU, 3, 2) }

func place(w [inputs]uint16) int32 { return int32(uint32(w[6])<<16 | uint32(w[7])) }

// twoWires puts L1 on a socket and on a pty at once.
func twoWires(t *testing.T, w *World) (tcp, rtu io.ReadWriter) {
	t.Helper()
	d, err := socket(w, "L1", 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, d) })
	r, err := ServePTY(w, Seat{Car: "L1", Unit: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, r) })
	return dial(t, d), openTTY(t, r.Path())
}

// SM-2: one car, two wires, the same instant: the same registers, from the car call
// to the door that closes again. Half way, at 7600 mm (0x1db0), both frames are
// written by hand; the checksum is another program's.
func TestOneCarAlikeOnTwoWires(t *testing.T) {
	noLeak(t)
	clock := new(hand)
	w := world(t, clock.now)
	tcp, rtu := twoWires(t, w)
	says(t, rtu, "01 06 0002 0005 e809", "01 06 0002 0005 e809") // by one wire, for both
	const flying = "0003 0001 0001 0001 0001 0000 0000 1db0 0000 0000 0000 0000 0010 0000"
	places, doors := map[int32]bool{}, map[uint16]bool{}
	for at := time.Duration(0); at < 20*time.Second; at += 137 * time.Millisecond {
		if at > 5147142900 && len(places) > 0 && !places[7600] {
			clock.move(5147142900)
			says(t, tcp, allTCP, "0001 0000 001f 01 04 1c "+flying)
			says(t, rtu, allRTU, "01 04 1c "+flying+" 4f33")
			places[7600] = true
		}
		clock.move(at)
		a, b := tcpWords(t, tcp), rtuWords(t, rtu)
		if a != b {
			t.Fatalf("at %v TCP shows %v, RTU %v", at, a, b)
		}
		places[place(a)], doors[a[2]] = true, true
	}
	if len(places) < 30 || len(doors) != 4 {
		t.Errorf("only %d places and doors %v were seen", len(places), doors)
	}
}

// SM-2: the same in real time: what RTU shows lies between what TCP shows just
// before and just after, and no door is open on the way.
func TestOneCarOnTwoWiresInRealTime(t *testing.T) {
	noLeak(t)
	tcp, rtu := twoWires(t, quickWorld(t))
	says(t, tcp, "0001 0000 0006 01 06 0002 0005", "0001 0000 0006 01 06 0002 0005")
	flights := 0
	for before := tcpWords(t, tcp); place(before) != 15200 || before[1] != 0; {
		between, after := rtuWords(t, rtu), tcpWords(t, tcp)
		if place(before) > place(between) || place(between) > place(after) {
			t.Fatalf("a car that goes up: %d mm on TCP, %d on RTU, %d on TCP", place(before), place(between), place(after))
		}
		if between[1] == 1 {
			flights++
			if between[2] != 1 {
				t.Fatalf("door %d in mid-flight", between[2])
			}
		}
		before = after
	}
	if flights == 0 {
		t.Error("RTU never saw it move")
	}
}

// manyLifts is a building of n benches, L1 to Ln; Lk stands at landing 1 + k mod 5.
func manyLifts(t *testing.T, n int) *World {
	t.Helper()
	one := building.Bench().Cars[0]
	var conf building.Config
	for k := 1; k <= n; k++ {
		c := one
		c.ID, c.Start = fmt.Sprintf("L%d", k), one.Landings[k%5].Label
		conf.Cars = append(conf.Cars, c)
	}
	b, err := building.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	return NewWorld(b, new(hand).now)
}

// SM-2: 32 lifts on sockets of their own, and all of them again as units behind one.
func TestManyLiftsOverTCP(t *testing.T) {
	noLeak(t)
	w := manyLifts(t, 32)
	var seats []Seat
	for k := 1; k <= 32; k++ {
		id := fmt.Sprintf("L%d", k)
		d, err := socket(w, id, 1)
		if err != nil {
			t.Fatal(err)
		}
		defer closed(t, d)
		says(t, dial(t, d), "0001 0000 0006 01 04 0000 0001", fmt.Sprintf("0001 0000 0005 01 04 02 %04x", 1+k%5))
		seats = append(seats, Seat{Car: id, Unit: uint8(100 + k)})
	}
	d, err := ServeTCP(w, net.Listen, "127.0.0.1:0", seats...)
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, d)
	c := dial(t, d)
	for k := 1; k <= 32; k++ {
		says(t, c, fmt.Sprintf("0001 0000 0006 %02x 04 0000 0001", 100+k),
			fmt.Sprintf("0001 0000 0005 %02x 04 02 %04x", 100+k, 1+k%5))
	}
	says(t, c, "0001 0000 0006 01 04 0000 0001", "0001 0000 0003 01 84 0b")
	if units := d.Units(); len(units) != 32 || units[31].Car() != "L32" || units[31].ID() != 132 {
		t.Errorf("%d units", len(units))
	}
}

// SM-2: several lifts on one serial line, each with a journal of its own.
func TestManyLiftsOnOneLine(t *testing.T) {
	noLeak(t)
	r, err := ServePTY(manyLifts(t, 3), Seat{Car: "L1", Unit: 1}, Seat{Car: "L3", Unit: 2})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, r)
	line := openTTY(t, r.Path())
	says(t, line, "01 04 0000 0001 31ca", "01 04 02 0002 38f1")
	says(t, line, "02 04 0000 0001 31f9", "02 04 02 0004 fcf3")
	put(t, line, "03 04 0000 0001 3028") // nobody's
	says(t, line, "02 06 0002 0005 e83a", "02 06 0002 0005 e83a")
	if a, b := len(r.Units()[0].Writes()), len(r.Units()[1].Writes()); a != 0 || b != 1 {
		t.Errorf("%d and %d writes", a, b)
	}
}

func TestSeatsMustMakeSense(t *testing.T) {
	w := manyLifts(t, 2)
	for what, seats := range map[string][]Seat{
		"none":     nil,
		"unit":     {{Car: "L1", Unit: 1}, {Car: "L2", Unit: 1}},
		"lift":     {{Car: "L1", Unit: 1}, {Car: "L9", Unit: 2}},
		"manners":  {{Car: "L1", Unit: 1, Manners: Manners{MaxRegisters: 126}}},
		"unit nil": {{Car: "L1"}},
	} {
		if d, err := ServePTY(w, seats...); err == nil {
			closed(t, d)
			t.Errorf("%s: served", what)
		}
	}
}
