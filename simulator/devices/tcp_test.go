package devices

import (
	"errors"
	"io"
	"slices"
	"testing"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"

	"github.com/simonvetter/modbus"
)

// The bench L1 at rest at B1, its 14 input registers as the data sheet has them:
// floor 1, stopped, both doors closed, normal, and nothing else.
const restWords = "0001 0000 0001 0001 0001 0000 0000 0000 0000 0000 0000 0000 0000 0000"

// DR-1, SM-2: whole frames, byte for byte.
func TestTCPFrames(t *testing.T) {
	noLeak(t)
	_, d := tcpBench(t, new(hand).now)
	c := dial(t, d)
	for _, f := range []struct{ what, ask, want string }{
		{"all points", "0001 0000 0006 01 04 0000 000e", "0001 0000 001f 01 04 1c " + restWords},
		{"commands read zero", "0002 0000 0006 01 03 0000 0007", "0002 0000 0011 01 03 0e 0000 0000 0000 0000 0000 0000 0000"},
		{"car call to 5", "0003 0000 0006 01 06 0002 0005", "0003 0000 0006 01 06 0002 0005"},
		{"by function 16", "0004 0000 0009 01 10 0002 0001 02 0005", "0004 0000 0006 01 10 0002 0001"},
		{"its lamp", "0005 0000 0006 01 04 000c 0001", "0005 0000 0005 01 04 02 0010"},
		{"trigger reads back zero", "0006 0000 0006 01 03 0002 0001", "0006 0000 0005 01 03 02 0000"},
		{"no landing 6", "0007 0000 0006 01 06 0002 0006", "0007 0000 0003 01 86 03"},
		{"no landing 0", "0008 0000 0006 01 06 0002 0000", "0008 0000 0003 01 86 03"},
		{"no up at the top", "0009 0000 0006 01 06 0000 0005", "0009 0000 0003 01 86 03"},
		{"hold of 31 s", "000a 0000 0006 01 06 0003 001f", "000a 0000 0003 01 86 03"},
		{"hold of a closed door", "000b 0000 0006 01 06 0003 0005", "000b 0000 0003 01 86 06"},
		{"no such command", "000c 0000 0006 01 06 0007 0001", "000c 0000 0003 01 86 02"},
		{"no such point", "000d 0000 0006 01 04 000e 0001", "000d 0000 0003 01 84 02"},
		{"over the end", "000e 0000 0006 01 04 000d 0002", "000e 0000 0003 01 84 02"},
		{"no registers", "000f 0000 0006 01 04 0000 0000", "000f 0000 0003 01 84 03"},
		{"126 registers", "0010 0000 0006 01 04 0000 007e", "0010 0000 0003 01 84 03"},
		{"coils", "0011 0000 0006 01 01 0000 0001", "0011 0000 0003 01 81 01"},
		{"discrete inputs", "0012 0000 0006 01 02 0000 0001", "0012 0000 0003 01 82 01"},
		{"a coil", "0013 0000 0006 01 05 0000 ff00", "0013 0000 0003 01 85 01"},
		{"several coils", "0014 0000 0008 01 0f 0000 0001 01 01", "0014 0000 0003 01 8f 01"},
		{"wrong byte count", "0015 0000 0009 01 10 0002 0001 03 0005", "0015 0000 0003 01 90 03"},
		{"short request", "0016 0000 0004 01 04 0000", "0016 0000 0003 01 84 03"},
		{"another unit", "0017 0000 0006 02 04 0000 000e", "0017 0000 0003 02 84 0b"},
	} {
		t.Run(f.what, func(t *testing.T) { says(t, c, f.ask, f.want) })
	}
}

// SM-2: every register of a car that shows much at once. L1 goes up with 650 kg
// and calls at 3 (up), 4 (down) and 5 (car); 7600 mm = 0x1db0; mode and codes
// by hand from the data sheet.
func TestRegistersInFlight(t *testing.T) {
	noLeak(t)
	clock := new(hand)
	w, d := tcpBench(t, clock.now)
	c := dial(t, d)
	act(t, w, func(b *building.Building) error { return b.CarCall("L1", 5) })
	clock.move(5147142900) // half way of the flight
	act(t, w, func(b *building.Building) error { return b.SetLoad("L1", 650) })
	act(t, w, func(b *building.Building) error { return b.LandingCall("L1", 3, elevator.Up) })
	act(t, w, func(b *building.Building) error { return b.LandingCall("L1", 4, elevator.Down) })
	act(t, w, func(b *building.Building) error { return b.LockFloor("L1", 2, true) })
	act(t, w, func(b *building.Building) error { return b.Obstruct("L1", elevator.Rear, true) })
	says(t, c, "0001 0000 0006 01 06 0002 0002", "0001 0000 0006 01 06 0002 0002") // acknowledged, and refused by code 1
	says(t, c, "0002 0000 0006 01 04 0000 000e",
		"0002 0000 001f 01 04 1c 0003 0001 0001 0001 0001 0004 0000 1db0 028a 0001 0004 0008 0010 0000")
}

// RD-7, IL-10: the hold is counted down in seconds that have begun, rear in the
// high byte.
func TestHoldRegisters(t *testing.T) {
	noLeak(t)
	clock := new(hand)
	w, d := tcpBench(t, clock.now)
	c := dial(t, d)
	act(t, w, func(b *building.Building) error { return b.CarCall("L1", 2) })
	clock.move(8 * time.Second) // both doors of G are open
	says(t, c, "0001 0000 0006 01 06 0003 0005", "0001 0000 0006 01 06 0003 0005")
	says(t, c, "0002 0000 0006 01 06 0004 000a", "0002 0000 0006 01 06 0004 000a")
	clock.move(8*time.Second + 300*time.Millisecond)
	says(t, c, "0003 0000 0006 01 04 000d 0001", "0003 0000 0005 01 04 02 0a05")
	clock.move(12*time.Second + 1*time.Millisecond)
	says(t, c, "0004 0000 0006 01 04 000d 0001", "0004 0000 0005 01 04 02 0601")
	says(t, c, "0005 0000 0006 01 06 0004 0000", "0005 0000 0006 01 06 0004 0000")
	says(t, c, "0006 0000 0006 01 04 000d 0001", "0006 0000 0005 01 04 02 0001")
	clock.move(20 * time.Second)
	says(t, c, "0007 0000 0006 01 04 0002 0002", "0007 0000 0007 01 04 04 0001 0001") // both closed
}

// A foreign library as the client.
func TestForeignLibrary(t *testing.T) {
	noLeak(t)
	clock := new(hand)
	_, d := tcpBench(t, clock.now)
	c, err := modbus.NewClient(&modbus.ClientConfiguration{URL: "tcp://" + d.Addr(), Timeout: 20 * time.Second})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Open(); err != nil {
		t.Fatal(err)
	}
	defer closed(t, c)
	if err := errors.Join(c.SetUnitId(1), c.SetEncoding(modbus.BIG_ENDIAN, modbus.HIGH_WORD_FIRST)); err != nil {
		t.Fatal(err)
	}
	if err := c.WriteRegister(regCarCall, 5); err != nil {
		t.Fatal(err)
	}
	clock.move(5147142900)
	if mm, err := c.ReadUint32(6, modbus.INPUT_REGISTER); err != nil || mm != 7600 {
		t.Errorf("position %d mm (%v), want 7600", mm, err)
	}
	if err := c.WriteRegister(regHoldFront, 5); !errors.Is(err, modbus.ErrServerDeviceBusy) {
		t.Errorf("hold in flight: %v", err)
	}
	if _, err := c.ReadCoils(0, 1); !errors.Is(err, modbus.ErrIllegalFunction) {
		t.Errorf("coils: %v", err)
	}
}

// RD-11: the journal tells what was pressed, and when.
func TestJournal(t *testing.T) {
	noLeak(t)
	clock := new(hand)
	_, d := tcpBench(t, clock.now)
	c := dial(t, d)
	clock.move(3 * time.Second)
	says(t, c, "0001 0000 0006 01 06 0000 0003", "0001 0000 0006 01 06 0000 0003")
	clock.move(4 * time.Second)
	says(t, c, "0002 0000 0006 01 06 0000 0009", "0002 0000 0003 01 86 03")
	want := []Write{
		{At: elevator.Instant(3 * time.Second), Addr: regLandingUp, Value: 3},
		{At: elevator.Instant(4 * time.Second), Addr: regLandingUp, Value: 9, Exception: 3},
	}
	if got := d.Writes(); !slices.Equal(got, want) {
		t.Errorf("journal %+v, want %+v", got, want)
	}
	if n := d.Requests()[Request{Function: 6, Addr: 0}]; n != 2 {
		t.Errorf("%d requests counted, want 2", n)
	}
}

func TestJournalIsBounded(t *testing.T) {
	u, err := newUnit(world(t, new(hand).now), Seat{Car: "L1", Unit: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := range maxWrites + 10 {
		u.write(regCarCall, uint16(i))
		u.count(Request{Function: 3, Addr: uint16(i)})
	}
	w := u.Writes()
	if len(w) > maxWrites || w[len(w)-1].Value != maxWrites+9 {
		t.Errorf("%d writes, the last of %d", len(w), w[len(w)-1].Value)
	}
	if n := len(u.Requests()); n > maxRequests+1 {
		t.Errorf("%d kinds of request", n)
	}
}

// SM-3: what is not Modbus ends the connection, and the next one works.
func TestGarbageEndsTheConnection(t *testing.T) {
	noLeak(t)
	_, d := tcpBench(t, new(hand).now)
	for _, junk := range []string{
		"0001 0001 0006 01 04 0000 000e", // another protocol
		"0001 0000 0001 01",              // no function
		"0001 0000 ffff 01 04",           // too long
		"474554202f20485454502f312e310d0a0d0a",
	} {
		c := dial(t, d)
		put(t, c, junk)
		if n, err := c.Read(make([]byte, 1)); err == nil {
			t.Errorf("%s: %d bytes of answer", junk, n)
		}
	}
	says(t, dial(t, d), "0001 0000 0006 01 04 0000 0001", "0001 0000 0005 01 04 02 0001")
}

func TestTooManyClients(t *testing.T) {
	noLeak(t)
	_, d := tcpBench(t, new(hand).now)
	for range maxClients {
		says(t, dial(t, d), "0001 0000 0006 01 04 0000 0001", "0001 0000 0005 01 04 02 0001")
	}
	if _, err := dial(t, d).Read(make([]byte, 1)); !errors.Is(err, io.EOF) && !isReset(err) {
		t.Errorf("one too many: %v", err)
	}
}

func TestServeRefusesWhatTheMapCannotHold(t *testing.T) {
	noLeak(t)
	high := building.Bench()
	high.Cars[0].Landings[4].Wire = 17
	side := building.Bench()
	side.Cars[0].Landings[4].Doors = []elevator.Side{elevator.Left}
	for what, c := range map[string]building.Config{"number 17": high, "left door": side} {
		b, err := building.New(c)
		if err != nil {
			t.Fatal(err)
		}
		if d, err := socket(NewWorld(b, new(hand).now), "L1", 1); err == nil {
			closed(t, d)
			t.Errorf("%s was served", what)
		}
	}
	w := world(t, new(hand).now)
	for _, c := range []struct {
		car  string
		unit uint8
	}{{"L9", 1}, {"L1", 0}, {"L1", 248}} {
		if d, err := socket(w, c.car, c.unit); err == nil {
			closed(t, d)
			t.Errorf("%+v was served", c)
		}
	}
}

// What each register of the map's table asks, as programs and as people read it.
func TestWhatAWriteAsks(t *testing.T) {
	for addr, want := range [][2]string{
		{"landing-call", "landing call up = 3"},
		{"landing-call", "landing call down = 3"},
		{"car-call", "car call = 3"},
		{"hold", "hold front = 3"},
		{"hold", "hold rear = 3"},
		{"cancel", "cancel landing calls = 3"},
		{"cancel", "cancel car call = 3"},
		{"", "register 7 = 3"},
	} {
		w := Write{Addr: uint16(addr), Value: 3}
		if got := [2]string{w.Asks(), w.String()}; got != want {
			t.Errorf("register %d: %q, want %q", addr, got, want)
		}
	}
}
