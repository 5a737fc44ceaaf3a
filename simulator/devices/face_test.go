package devices

import (
	"context"
	"encoding/hex"
	"net"
	"net/url"
	"strings"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/modbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// reading opens a link by a bundled profile to a device and gives it back.
func reading(t *testing.T, d *TCP, unit, id string) drivers.Link {
	t.Helper()
	src, ok := profiles.Lookup(id)
	if !ok {
		t.Fatal(id)
	}
	u, _ := url.Parse("modbus+tcp://" + d.Addr() + "?unit=" + unit)
	start := time.Now()
	env := drivers.Env{Now: func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 }}
	lines := fieldbus.NewLines(env)
	var table elevator.Table
	d.world.Do(func(b *building.Building) { table = b.Table(d.Car()) })
	o, err := modbus.TCP(lines, env).New(drivers.Spec{Lift: "L", URL: u, ProfileName: id, Profile: src, Floors: table})
	if err != nil {
		t.Fatal(err)
	}
	l, err := o.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close(); _ = lines.CloseAll() })
	return l
}

func read1(t *testing.T, l drivers.Link) elevator.Snapshot {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	for {
		s, err := l.Read(ctx)
		if err == nil {
			return s
		}
		if ctx.Err() != nil {
			t.Fatal(err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// One building read through every bundled register profile at one instant, standing and
// in mid flight: one floor, one door, one motion, and nothing that is wrong.
// SM-2, DR-7
func TestOneBuildingThroughEveryProfile(t *testing.T) {
	clock := new(hand)
	w := world(t, clock.now)
	links := map[string]drivers.Link{}
	for _, id := range profiles.IDs() {
		src, _ := profiles.Lookup(id)
		p, faults := profiles.Parse(id, src)
		if p == nil {
			t.Fatal(faults)
		}
		face := ByProfile(p)
		if face == nil {
			continue
		}
		d, err := ServeTCP(w, net.Listen, "127.0.0.1:0", Seat{Car: "L1", Unit: 1, Face: face})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closed(t, d) })
		links[id] = reading(t, d, "1", id)
	}
	if len(links) < 14 {
		t.Fatalf("%d profiles", len(links))
	}
	look := func(when string) {
		t.Helper()
		is := w.Shown("L1")
		for id, l := range links {
			s := read1(t, l)
			if s.Floor.At != 0 && !s.Floor.Failed && s.Floor.Value != 0 && s.Floor.Value != is.Floor {
				t.Errorf("%s, %s: floor %v, is %v", when, id, s.Floor.Value, is.Floor)
			}
			if s.Motion.At != 0 && s.Motion.Source == elevator.Controller && s.Motion.Value != is.Motion {
				t.Errorf("%s, %s: motion %v, is %v", when, id, s.Motion.Value, is.Motion)
			}
			door := is.Doors[elevator.Front].State
			if d := s.Doors[elevator.Front]; d.At != 0 && d.Value != door && d.Value != elevator.DoorUnknown {
				t.Errorf("%s, %s: door %v, is %v", when, id, d.Value, door)
			}
		}
	}
	look("standing")
	w.Do(func(b *building.Building) { _ = b.CarCall("L1", 5) })
	clock.move(5 * time.Second)
	look("in mid flight")
	clock.move(40 * time.Second)
	look("arrived")
}

// A board of relays and inputs as a call panel, written by hand from its description and
// not from the profile: a pulse brings the car, and the inputs show where it stands.
// DR-5, SM-2
func TestRelayBoardIsACallPanel(t *testing.T) {
	clock := new(hand)
	w := world(t, clock.now)
	d, err := ServeTCP(w, net.Listen, "127.0.0.1:0", Seat{Car: "L1", Unit: 255, Face: Panel()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, d) })
	l := reading(t, d, "255", "generic/relay-board-8")
	if s := read1(t, l); s.Floor.Value != 1 || s.Doors[elevator.Front].Value != elevator.DoorClosed {
		t.Fatalf("before the call: %+v", s)
	}
	o := l.Do(t.Context(), elevator.Command{
		ID: elevator.CommandID{Ride: "r", N: 1}, Verb: elevator.CarCall, Floor: 2,
		Until: elevator.Instant(10 * time.Minute),
	})
	if o.Result != elevator.Done || w.Car("L1").Target != 2 {
		t.Fatalf("%+v, the car goes to %v", o, w.Car("L1").Target)
	}
	open := false
	for i := range 60 {
		clock.move(time.Duration(i) * time.Second)
		s := read1(t, l)
		open = open || s.Floor.Value == 2 && s.Doors[elevator.Front].Value == elevator.DoorOpen
	}
	if !open {
		t.Error("the inputs never showed an open door at the second landing")
	}
}

// Manners of devices with a face, one by one, in literal frames.
// SM-2
func TestFaceManners(t *testing.T) {
	clock := new(hand)
	w := world(t, clock.now)
	serve := func(m Manners) *TCP {
		d, err := ServeTCP(w, net.Listen, "127.0.0.1:0", Seat{Car: "L1", Unit: 1, Face: PLCFourTables(), Manners: m})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closed(t, d) })
		return d
	}
	say := func(d *TCP, q string) string {
		c := dialled(t, d)
		defer c.Close()
		return exchanged(t, c, q)
	}
	for _, c := range []struct {
		what   string
		m      Manners
		q, a   string
		before string
	}{
		{"reads its inputs", Manners{}, "0001 0000 0006 01 02 0001 0003", "0001 0000 0004 01 02 01 00", ""},
		{"reads its landing", Manners{}, "0001 0000 0006 01 04 0001 0001", "0001 0000 0005 01 04 02 0001", ""},
		{"has no such address", Manners{}, "0001 0000 0006 01 04 0002 0001", "0001 0000 0003 01 84 02", ""},
		{"is silent instead", Manners{SilentNo: true}, "0001 0000 0006 01 04 0002 0001", "", ""},
		{"acknowledges", Manners{}, "0001 0000 0006 01 06 0002 0003", "0001 0000 0006 01 06 0002 0003", ""},
		{"does not acknowledge", Manners{NoAcknowledge: true}, "0001 0000 0006 01 06 0002 0003", "", ""},
		{"clears what is written", Manners{ClearsTriggers: true}, "0001 0000 0006 01 03 0002 0001", "0001 0000 0005 01 03 02 0000", "0001 0000 0006 01 06 0002 0004"},
		{"drops a second call", Manners{OneCommand: true}, "0001 0000 0006 01 03 0001 0001", "0001 0000 0005 01 03 02 0000", "0001 0000 0006 01 06 0001 0002"},
		{"shows the request as its place", Manners{EchoesRequest: true}, "0001 0000 0006 01 04 0001 0001", "0001 0000 0005 01 04 02 0003", "0001 0000 0006 01 06 0002 0003"},
	} {
		d := serve(c.m)
		if c.before != "" {
			say(d, c.before)
		}
		if got := say(d, c.q); got != strings.ReplaceAll(c.a, " ", "") {
			t.Errorf("%s: %s, want %s", c.what, got, c.a)
		}
	}
}

func dialled(t *testing.T, d *TCP) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", d.Addr())
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// exchanged sends a frame and gives what comes within a while, in hex.
func exchanged(t *testing.T, c net.Conn, q string) string {
	t.Helper()
	frame, err := hex.DecodeString(strings.ReplaceAll(q, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Write(frame); err != nil {
		t.Fatal(err)
	}
	if err := c.SetReadDeadline(time.Now().Add(300 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 300)
	n, _ := c.Read(b)
	return hex.EncodeToString(b[:n])
}

// A PLC of four tables, written by hand, and its profile: the call is held as a level, the
// PLC lets the robot in, the next call ends the level, and the PLC lets it out.
// SM-2, DR-4
func TestFourTablesRide(t *testing.T) {
	clock := new(hand)
	w := world(t, clock.now)
	d, err := ServeTCP(w, net.Listen, "127.0.0.1:0", Seat{Car: "L1", Unit: 1, Face: PLCFourTables()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, d) })
	l := reading(t, d, "1", "seer/v1")
	read1(t, l)
	do := func(n uint32, c elevator.Command) {
		t.Helper()
		c.ID, c.Until = elevator.CommandID{Ride: "r", N: n}, elevator.Instant(10*time.Minute)
		if o := l.Do(t.Context(), c); o.Result != elevator.Done {
			t.Fatalf("%v: %+v", c.Verb, o)
		}
	}
	// opened moves the pretend clock until the PLC lets the robot by, in small steps.
	opened := func(what func(elevator.Snapshot) elevator.Tri) bool {
		for range 60 {
			clock.move(time.Duration(clock.at.Load()) + time.Second)
			if what(read1(t, l)) == elevator.Yes {
				return true
			}
		}
		return false
	}
	do(1, elevator.Command{Verb: elevator.LandingCall, Floor: 3, Direction: elevator.Up})
	if !opened(func(s elevator.Snapshot) elevator.Tri { return s.MayEnter.Value }) {
		t.Fatal("never lets the robot in")
	}
	if s := read1(t, l); s.Floor.Value != 3 || s.Door(elevator.Front).Value != elevator.DoorOpen || s.MayLeave.Value != elevator.No {
		t.Errorf("%+v", s)
	}
	do(2, elevator.Command{Verb: elevator.Notify, Notice: elevator.Entered})
	do(3, elevator.Command{Verb: elevator.CarCall, Floor: 1})
	if !opened(func(s elevator.Snapshot) elevator.Tri { return s.MayLeave.Value }) {
		t.Fatal("never lets the robot out")
	}
	if s := read1(t, l); s.Floor.Value != 1 || s.MayEnter.Value != elevator.No {
		t.Errorf("%+v", s)
	}
}
