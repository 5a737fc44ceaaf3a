package devices

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/drivers/serial"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// talkTo sends bytes to a board and wants bytes back; "-" is silence. The world's clock
// stands, so that nothing comes by itself.
func talkTo(t *testing.T, rw io.ReadWriter, script [][2]string) {
	t.Helper()
	got := make(chan []byte, 16)
	go func() {
		for {
			b := make([]byte, 256)
			n, err := rw.Read(b)
			if err != nil {
				close(got)
				return
			}
			got <- b[:n]
		}
	}()
	for _, s := range script {
		if _, err := rw.Write(unhexed(s[0])); err != nil {
			t.Fatal(err)
		}
		want := []byte{}
		if s[1] != "-" {
			want = unhexed(s[1])
		}
		var have []byte
		wait := time.After(10 * time.Second)
		if len(want) == 0 {
			wait = time.After(150 * time.Millisecond)
		}
		for done := false; !done && (len(have) < len(want) || len(want) == 0); {
			select {
			case b := <-got:
				have = append(have, b...)
			case <-wait:
				done = true
			}
		}
		if !bytes.Equal(have, want) {
			t.Errorf("%s: % X, want %s", s[0], have, s[1])
		}
	}
}

// unhexed reads hex, or text in quotes.
func unhexed(s string) []byte {
	if text, ok := strings.CutPrefix(s, `"`); ok {
		return []byte(strings.TrimSuffix(text, `"`))
	}
	return octets(s)
}

func octets(s string) (out []byte) {
	for _, w := range strings.Fields(s) {
		var n int
		if _, err := fmt.Sscanf(w, "%x", &n); err != nil {
			panic(err)
		}
		out = append(out, byte(n))
	}
	return out
}

// line is a board on a pipe, the car of L1 standing closed at B1.
func boardLine(t *testing.T, protocol string, seats ...Seat) (*Board, net.Conn, *hand) {
	t.Helper()
	noLeak(t)
	h := &hand{}
	h.move(time.Second)
	w := world(t, h.now)
	near, far := net.Pipe()
	b, err := ServeBoardLine(w, protocol, far, seats...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, b); _ = near.Close() })
	return b, near, h
}

// SM-2: frames worked out by hand from the rule of the board.
func TestSTXBoard(t *testing.T) {
	b, line, _ := boardLine(t, STXBoard, Seat{Car: "L1", Unit: 1}, Seat{Car: "L2", Unit: 2})
	talkTo(t, line, [][2]string{
		// nobody has it: busy, landing 1, nobody, standing, dark, closed, free: 44.
		// 01+01+01+37+01+00+44 = 127
		{"02 01 01 01 20 33 35 03", "02 01 01 01 37 01 00 44 32 37 03"},
		// robot 1 takes it: landing 1, 00, 44 (the work of before is told as now: taken, 84).
		// 01+01+01+33+01+00+84 = 187
		{"02 01 01 01 32 35 33 03", "02 01 01 01 33 01 00 84 38 37 03"},
		// a second apply is busy: 01+01+01+37+01+01+84 = 192
		{"02 01 01 01 32 35 33 03", "02 01 01 01 37 01 01 84 39 32 03"},
		// robot 3 (04 07) is not the owner: 01+01+04+07+37+01+01+84 = 202; its question 01+04+07+01+20 = 45
		{"02 01 04 07 01 20 34 35 03", "02 01 01 04 07 37 01 01 84 30 32 03"},
		// the owner asks: nowhere checked in. 01+01+01+21+01+F7+84 = 416
		{"02 01 01 01 20 33 35 03", "02 01 01 01 21 01 F7 84 31 36 03"},
		// check in at landing 2 (04 06): 01+01+01+1F+04+06+00 = 44
		{"02 01 01 01 1E 04 06 00 34 33 03", "02 01 01 01 1F 04 06 00 34 34 03"},
		{"02 01 01 01 1E 63 00 33 32 03", "-"}, // no landing 99: 01+01+01+1E+63+00 = 132
		{"02 01 01 01 22 33 37 03", "02 01 01 01 23 33 38 03"},
		{"02 01 01 01 24 33 39 03", "02 01 01 01 25 34 30 03"},
		{"02 01 01 01 24 33 38 03", "-"}, // a wrong sum
		{"02 09 01 01 24 34 37 03", "-"}, // another controller
		{"02 01 01 05 24 34 33 03", "-"}, // another lift
		// half a frame, then a whole one; the other lift (04 06) on the same line
		{"02 01 01 02 01 01 04 06 20 34 34 03", "02 01 04 06 01 37 04 04 00 44 34 33 03"},
		// given back. 01+01+01+35+00+00 = 56
		{"02 01 01 01 34 35 35 03", "02 01 01 01 35 00 00 35 36 03"},
	})
	for _, want := range []string{"robot 1 takes the lift", "check in at G", "hold the door", "let the door go", "robot 1 gives the lift back"} {
		if did(b, want) != 1 {
			t.Errorf("%q is not in %v", want, b.Deeds())
		}
	}
}

// Each habit shows: no answer, a flipped bit, a no, an echo, a release with nothing
// around it, a door that is always open.
func TestBoardHabits(t *testing.T) {
	b, line, _ := boardLine(t, STXBoard, Seat{Car: "L1", Unit: 1})
	apply, release := "02 01 01 01 32 35 33 03", "02 01 01 01 34 35 35 03"
	for _, c := range []struct {
		habits Habits
		script [][2]string
	}{
		{Habits{Silent: true}, [][2]string{{apply, "-"}, {release, "-"}}},
		{Habits{BadCheck: true}, [][2]string{{"02 01 01 01 20 33 35 03", "02 01 01 01 37 11 00 44 32 37 03"}}},
		{Habits{Refuses: true}, [][2]string{{apply, "02 01 01 01 37 01 00 44 32 37 03"}}},
		{Habits{Echoes: true}, [][2]string{{"02 01 01 01 20 33 35 03", "02 01 01 01 20 33 35 03 02 01 01 01 37 01 00 44 32 37 03"}}},
		{Habits{DoorOpen: true}, [][2]string{{"02 01 01 01 20 33 35 03", "02 01 01 01 37 01 00 54 34 33 03"}}},
		{Habits{RawRelease: true}, [][2]string{{apply, "02 01 01 01 33 01 00 84 38 37 03"}, {release, "01 01 01 35 00 00"}}},
	} {
		b.Behave(c.habits)
		for _, s := range c.script {
			one(t, line, s)
		}
	}
}

// one is one question on a line of which nobody else reads.
func one(t *testing.T, c net.Conn, s [2]string) {
	t.Helper()
	_ = c.SetDeadline(time.Now().Add(10 * time.Second))
	if _, err := c.Write(octets(s[0])); err != nil {
		t.Fatal(err)
	}
	want := octets(strings.TrimPrefix(s[1], "-"))
	if len(want) == 0 {
		_ = c.SetReadDeadline(time.Now().Add(150 * time.Millisecond))
		if n, err := c.Read(make([]byte, 1)); n > 0 || err == nil {
			t.Errorf("%s is answered", s[0])
		}
		return
	}
	have := make([]byte, len(want))
	if _, err := io.ReadFull(c, have); err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s: % X, want %s: %v", s[0], have, s[1], err)
	}
}

// Without power nothing is answered.
func TestDarkBoard(t *testing.T) {
	b, line, _ := boardLine(t, STXBoard, Seat{Car: "L1", Unit: 1}, Seat{Car: "L2", Unit: 2})
	power := func(car string, on bool) {
		act(t, b.world, func(x *building.Building) error { return x.SetPower(car, on) })
	}
	power("L1", false)
	one(t, line, [2]string{"02 01 01 01 20 33 35 03", "-"})
	one(t, line, [2]string{"02 01 01 04 06 20 34 34 03", "02 01 04 06 01 37 04 04 00 44 34 33 03"})
	power("L2", false)
	one(t, line, [2]string{"02 01 01 04 06 20 34 34 03", "-"})
}

// SM-2: texts as the board's gateway writes them.
func TestButtonBoard(t *testing.T) {
	b, line, _ := boardLine(t, ButtonBoard, Seat{Car: "L1"})
	talkTo(t, line, [][2]string{
		{`"[r,3,A]"`, `"[H,A]"`},
		{`"[w,3,1,B]"`, `"[G,B]"`},
		{`"[w,3,1,B]"`, `"[G,B]"`}, // a repeated letter
		{`"[w,3,0,C]"`, `"[G,C]"`},
		{`"[r,3,D]"`, `"[L,D]"`},
		{`"[r,[r,2,E]"`, `"[H,E]"`},
		{`"[r,4,F]"`, `"[E,F]"`},
		{`"[x,1,G]"`, `"[E,G]"`},
		{`"[r,1]"`, `"[E,non]"`},
	})
	if did(b, "press 1") != 1 {
		t.Errorf("it did %v", b.Deeds())
	}
}

// SM-2: the reading of D300 and the setting of M319 are the published frames.
func TestMC1E(t *testing.T) {
	b, line, h := boardLine(t, MC1E, Seat{Car: "L1"})
	trigger := "00 FF 04 00 3F 01 00 00 20 4D 01 00"
	talkTo(t, line, [][2]string{
		{"01 FF 04 00 2C 01 00 00 20 44 06 00", "81 00 01 00 01 00 01 00 02 00 01 00 02 00"},
		{"03 FF 04 00 37 01 00 00 20 44 01 00 03 00", "83 00"},
		{"02 FF 04 00 3F 01 00 00 20 4D 01 00 10", "82 00"},
		{trigger, "80 00 10"},
		{"02 FF 04 00 3F 01 00 00 20 4D 01 00 00", "82 00"}, // taken back
		{trigger, "80 00 00"},
		{"01 FF 04 00 90 01 00 00 20 44 01 00", "81 56"},       // no such word
		{"03 FF 04 00 2C 01 00 00 20 44 01 00 01 00", "83 56"}, // state is not written
		{"02 FF 04 00 4B 01 00 00 20 4D 01 00 10", "82 00"},    // M331
		{"00 FF 04 00 4B 01 00 00 20 4D 01 00", "80 00 10"},    //
		{"02 FF 04 00 3F 01 00 00 20 4D 01 00 10", "82 00"},    // again, to the end
		{"01 FF 04 00 37 01 00 00 20 44 01 00", "81 00 03 00"}, // D311
		{"01 FF 04 00 2C 01", "-"},
		{"00 00 20 44 01 00", "81 00 01 00"}, // in two parts
	})
	for end := time.Now().Add(20 * time.Second); did(b, "go to 1") == 0 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	h.move(30 * time.Second)
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		b.mu.Lock()
		on := b.talk.(*plc).liftGo
		b.mu.Unlock()
		if !on {
			return
		}
	}
	t.Errorf("the trigger was never cleared; it did %v", b.Deeds())
}

// SM-2: the published call, and one to a landing that is not there.
func TestELIP(t *testing.T) {
	b, line, _ := boardLine(t, ELIP, Seat{Car: "L1"})
	talkTo(t, line, [][2]string{
		// reader 3 to landing 4, number 1, the published call
		{"0C 41 00 00 10 30 30 30 33 30 30 34 31 30 01 00", "08 41 00 00 90 01 30 30 31 30 00 00"},
		// landing 9 does not exist
		{"0C 41 00 00 10 30 30 30 33 30 30 39 31 30 02 00", "08 41 00 00 90 02 32 35 35 30 00 00"},
	})
	if did(b, "call from 1 to 2") != 1 {
		t.Errorf("it did %v", b.Deeds())
	}
}

// SM-2: the call of the maker's page, by datagram; what has a wrong length gets nothing.
func TestELSGW(t *testing.T) {
	noLeak(t)
	h := &hand{}
	h.move(time.Second)
	w := world(t, h.now)
	b, err := ServeBoardUDP(w, ELSGW, "127.0.0.1:0", Seat{Car: "L1"})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, b)
	c, err := net.Dial("udp", b.Where())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	read := func() []byte {
		in := make([]byte, 64)
		_ = c.SetReadDeadline(time.Now().Add(10 * time.Second))
		n, err := c.Read(in)
		if err != nil {
			t.Fatal(err)
		}
		return in[:n]
	}
	call := octets("17 30 00 14 01 01 11 01 00 00 00 00 01 12 00 03 01 04 00 00 00 02 00 04 01 01 00 00 00 00 00 00")
	_, _ = c.Write(call[:20])
	_, _ = c.Write(call)
	want := octets("17 30 00 08 11 01 01 01 00 00 00 00 81 06 00 03 00 01 00 00")
	beat := octets("17 30 00 08 11 01 01 01 00 00 00 00 F1 06 00 00 00 00 00 00")
	got := read()
	if bytes.Equal(got, beat) {
		got = read()
	}
	if !bytes.Equal(got, want) || did(b, "call from G to 2") != 1 {
		t.Errorf("% X; it did %v", got, b.Deeds())
	}
}

// A second connection finds no place while the habit says so.
func TestOneClientBoard(t *testing.T) {
	noLeak(t)
	b, err := ServeBoardTCP(world(t, since(time.Now())), MC1E, net.Listen, "127.0.0.1:0", Seat{Car: "L1"})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, b)
	b.Behave(Habits{OneClient: true})
	first, err := net.Dial("tcp", b.Where())
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	one(t, first, [2]string{"00 FF 04 00 3F 01 00 00 20 4D 01 00", "80 00 00"})
	second, err := net.Dial("tcp", b.Where())
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	_ = second.SetReadDeadline(time.Now().Add(10 * time.Second))
	if _, err := second.Read(make([]byte, 1)); err == nil || os.IsTimeout(err) {
		t.Errorf("the second is served: %v", err)
	}
}

// One car through each protocol that tells it, and calls through those that only take
// them, by the driver and the bundled profiles.
// DR-2, SM-2
func TestBoardsAgree(t *testing.T) {
	noLeak(t)
	w := world(t, since(time.Now()))
	stx, err := ServeBoardTCP(w, STXBoard, net.Listen, "127.0.0.1:0", Seat{Car: "L1", Unit: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, stx)
	mc, err := ServeBoardTCP(w, MC1E, net.Listen, "127.0.0.1:0", Seat{Car: "L1"})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, mc)
	panel, err := ServeBoardPTY(w, ButtonBoard, Seat{Car: "L1"})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, panel)
	gate, err := ServeBoardUDP(w, ELSGW, "127.0.0.1:0", Seat{Car: "L2"})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, gate)
	port, err := ServeBoardTCP(w, ELIP, net.Listen, "127.0.0.1:0", Seat{Car: "L2"})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, port)
	now := since(time.Now().Add(-time.Second))
	env := drivers.Env{Now: now}
	lines := fieldbus.NewLines(env)
	open := func(id, link string) drivers.Link { return linkTo(t, lines, env, w, id, link) }
	a := open("bench/frame-lift", "serial+tcp://"+stx.Where())
	m := open("mitsubishi/fx-lift-mc1e", "serial+tcp://"+mc.Where())
	p := open("buttonboard/stm32", "serial://"+panel.Where()+"?baud=57600")
	g := open("mitsubishi/elsgw", "serial+udp://"+gate.Where())
	e := open("mitsubishi/e-lip", "serial+tcp://"+port.Where()+"?reader=2")

	do := func(l drivers.Link, n uint32, c elevator.Command) {
		t.Helper()
		c.ID, c.Until = elevator.CommandID{Ride: "agree", N: n}, now().Add(time.Minute)
		if o := l.Do(context.Background(), c); o.Result != elevator.Done {
			t.Errorf("%v: %+v", c.Verb, o)
		}
	}
	journey := elevator.Command{Verb: elevator.Journey, Floor: 2, To: 4, Side: elevator.Front, ToSide: elevator.Front}
	do(g, 1, journey)
	do(e, 2, journey)
	do(p, 3, elevator.Command{Verb: elevator.CarCall, Floor: 3})
	if did(gate, "call from G to 2") != 1 || did(port, "call from G to 2") != 1 || did(panel, "press 1") != 1 {
		t.Errorf("done: %v %v %v", gate.Deeds(), port.Deeds(), panel.Deeds())
	}
	read := func(l drivers.Link) elevator.Snapshot {
		t.Helper()
		s, err := l.Read(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	lit, same, moved := false, 0, false
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end) && (same < 20 || !moved); time.Sleep(20 * time.Millisecond) {
		before := w.Car("L1")
		x, y := read(a), read(m)
		lit = lit || read(p).CarCalls.Value.Has(3)
		if after := w.Car("L1"); before.Floor != after.Floor || before.Motion != after.Motion || before.Doors != after.Doors {
			continue // it changed while it was read
		}
		same++
		moved = moved || before.Motion == elevator.MovingUp
		if x.Floor.Value != before.Floor || y.Floor.Value != before.Floor || x.Motion.Value != before.Motion || y.Motion.Value != before.Motion {
			t.Errorf("the car is %+v, the board says %v %v, the PLC %v %v", before, x.Floor, x.Motion, y.Floor, y.Motion)
		}
		if x.Door(elevator.Front).Value != y.Door(elevator.Front).Value {
			t.Errorf("the board says %v, the PLC %v", x.Door(elevator.Front), y.Door(elevator.Front))
		}
	}
	if !lit || !moved || same < 20 {
		t.Errorf("lit %v, moved %v, seen alike %d times", lit, moved, same)
	}
}

// linkTo opens a bundled profile on a link; a draft is proven as if it were none.
func linkTo(t *testing.T, lines *fieldbus.Lines, env drivers.Env, w *World, id, link string) drivers.Link {
	t.Helper()
	src, ok := profiles.Lookup(id)
	if !ok {
		t.Fatalf("no profile %s", id)
	}
	src = bytes.Replace(src, []byte("maturity: draft"), []byte("maturity: bench"), 1)
	src = bytes.Replace(src, []byte("points: {}"), []byte("points: {vendor: {from: call.bank}}"), 1)
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	var floors elevator.Table
	w.Do(func(b *building.Building) { floors = b.Table("L1") })
	if id == "buttonboard/stm32" {
		floors = floors[:3] // its connectors 4 and 5 are no buttons
	}
	by := map[string]func(*fieldbus.Lines, drivers.Env) drivers.Factory{serial.Scheme: serial.Line, serial.SchemeTCP: serial.TCP, serial.SchemeUDP: serial.UDP}[u.Scheme]
	o, err := by(lines, env).New(drivers.Spec{Lift: "L1", URL: u, ProfileName: id, Profile: src, Floors: floors})
	if err != nil {
		t.Fatal(err)
	}
	l, err := o.Open(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, l) })
	return l
}
