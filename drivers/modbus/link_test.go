package modbus

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/url"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// plan is a profile that keeps what it is given.
type plan struct {
	blocks []profiles.Block
	act    profiles.Action
	err    error
	spans  []profiles.Block
	dev    profiles.Device
	notNow error
	proven func() bool

	mu  sync.Mutex
	got map[uint16][]uint16 // words by address
	bad []string
}

func (p *plan) ReadPlan() []profiles.Block { return p.blocks }

func (p *plan) Decode(b profiles.Block, words []uint16, _ elevator.Table, at elevator.Instant, into *elevator.Snapshot) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.got == nil {
		p.got = map[uint16][]uint16{}
	}
	p.got[b.Addr] = words
	into.Load = elevator.Seen[int32]{Value: int32(words[0]), At: at, Source: elevator.Controller}
	for i, w := range words {
		if w != b.Addr+uint16(i) {
			p.bad = append(p.bad, "a value of another register")
		}
	}
	return nil
}

func (p *plan) Fail(_ profiles.Block, into *elevator.Snapshot) { into.Load.Failed = true }

func (p *plan) Encode(elevator.Command, elevator.Table, elevator.Instant) (profiles.Action, error) {
	return p.act, p.err
}

func (p *plan) Refused(profiles.Press, *elevator.Snapshot) (profiles.Refusal, bool) {
	return profiles.Refusal{}, false
}

func (p *plan) Spans(b profiles.Block) []profiles.Block { return p.spans }

func (p *plan) Ready(elevator.Command, *elevator.Snapshot, elevator.Table, elevator.Instant) error {
	return p.notNow
}

func (p *plan) Proven(elevator.Command, *elevator.Snapshot, elevator.Table, elevator.Instant) bool {
	return p.proven != nil && p.proven()
}

func (p *plan) Age(elevator.Instant, *elevator.Snapshot) {}

func (p *plan) Device() profiles.Device { return p.dev }

func (p *plan) reads() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.got)
}

func linkTo(t *testing.T, lines *fieldbus.Lines, env drivers.Env, to string, p profile) *link {
	t.Helper()
	return linkWith(t, lines, env, to, p, floors)
}

func linkWith(t *testing.T, lines *fieldbus.Lines, env drivers.Env, to string, p profile, table elevator.Table) *link {
	t.Helper()
	u, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	o, err := newOpener(lines, env, drivers.Spec{URL: u, Floors: table}, p)
	if err != nil {
		t.Fatal(err)
	}
	l, err := o.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return l.(*link)
}

func block(addr, n uint16) profiles.Block {
	return profiles.Block{Table: profiles.HoldingRegisters, Addr: addr, Count: n, Every: 200 * time.Millisecond}
}

// echoes answers reads of holding registers with each register's own address, on
// RTU, or with a no (busy, exception 6), and so late as the test says for each question.
func echoes(c io.ReadWriter, how func(n int) (late time.Duration, no bool)) {
	q := make([]byte, 8)
	for n := 0; ; n++ {
		if _, err := io.ReadFull(c, q); err != nil {
			return
		}
		addr, count := binary.BigEndian.Uint16(q[2:]), binary.BigEndian.Uint16(q[4:])
		f := []byte{q[0], 3, byte(2 * count)}
		for i := range count {
			f = binary.BigEndian.AppendUint16(f, addr+i)
		}
		late, no := how(n)
		if no {
			f = []byte{q[0], 0x83, 6}
		}
		sum := slowSum(f)
		time.Sleep(late)
		if _, err := c.Write(append(f, sum[:]...)); err != nil {
			return
		}
	}
}

// The answer for register 100 comes while 101 is due: nothing in the frame tells
// them apart. The silence after the time-out and the probe keep it out, whenever
// it comes.
// DR-11
func TestLateAnswerOfAnotherRegister(t *testing.T) {
	for late := 500; late < 2600; late += 37 {
		synctest.Test(t, func(t *testing.T) {
			near, far := drivertest.NewCable()
			env := drivers.Env{Now: clock(), OpenSerial: func(string, drivers.SerialMode) (io.ReadWriteCloser, error) { return near, nil }}
			lines := fieldbus.NewLines(env)
			p := &plan{blocks: []profiles.Block{block(100, 1), block(101, 1), block(200, 2), block(300, 2)}}
			l := linkTo(t, lines, env, "modbus+rtu:///x?timeout=500ms", p)
			var up sync.WaitGroup
			defer up.Wait()
			up.Go(func() {
				echoes(far, func(n int) (time.Duration, bool) {
					if n%5 == 4 {
						return time.Duration(late) * time.Millisecond, false
					}
					return 5 * time.Millisecond, false
				})
			})
			time.Sleep(time.Minute)
			if p.reads() != 4 || len(p.bad) > 0 {
				t.Errorf("late by %d ms: %d blocks read, %v", late, p.reads(), p.bad)
			}
			l.Close()
		})
	}
}

// A busy device refuses a read after the time-out was over: an exception has one
// shape for all questions, and proves nothing of what else is under way. The
// probe's own answer, as long as another block is, may not become that block's.
// DR-11
func TestLateRefusalIsNoProof(t *testing.T) {
	for late := 1020; late < 1900; late += 40 {
		synctest.Test(t, func(t *testing.T) {
			near, far := drivertest.NewCable()
			env := drivers.Env{Now: clock(), OpenSerial: func(string, drivers.SerialMode) (io.ReadWriteCloser, error) { return near, nil }}
			lines := fieldbus.NewLines(env)
			p := &plan{blocks: []profiles.Block{block(100, 14), block(200, 13), block(300, 12)}}
			l := linkTo(t, lines, env, "modbus+rtu:///x?timeout=500ms", p)
			var up sync.WaitGroup
			defer up.Wait()
			up.Go(func() {
				echoes(far, func(n int) (time.Duration, bool) {
					if n%10 == 9 {
						return time.Duration(late) * time.Millisecond, true
					}
					return 300 * time.Millisecond, false
				})
			})
			time.Sleep(time.Minute)
			if s := l.snapshot(); p.reads() != 3 || len(p.bad) > 0 || env.Now().Sub(s.Load.At) > 10*time.Second {
				t.Errorf("late by %d ms: %d blocks read, %d wrong values, %+v", late, p.reads(), len(p.bad), s.Load)
			}
			l.Close()
		})
	}
}

// A unit that answers nothing on an open line is offline after five seconds, and
// says since when.
// DR-10
func TestOfflineAfterFiveSeconds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newSocket(newSlave(), false)
		env := drivers.Env{Now: clock(), Dial: k.dial}
		k.Power(true)
		k.Spoil(drivertest.Silent, false)
		lines := fieldbus.NewLines(env)
		p := &plan{blocks: []profiles.Block{{Table: profiles.InputRegisters, Count: 1, Every: 200 * time.Millisecond}}}
		start := env.Now()
		l := linkTo(t, lines, env, "modbus+tcp://lift", p)
		time.Sleep(4900 * time.Millisecond)
		if s := l.snapshot(); s.Link != elevator.LinkUnknown || !s.Load.Failed {
			t.Errorf("before: %v, %+v", s.Link, s.Load)
		}
		time.Sleep(200 * time.Millisecond)
		if s := l.snapshot(); s.Link != elevator.Offline || s.LinkSince.Sub(start) != offlineAfter {
			t.Errorf("after: %v since %s", s.Link, s.LinkSince.Sub(start))
		}
		k.Spoil(drivertest.Sound, false)
		time.Sleep(3 * time.Second)
		if s := l.snapshot(); s.Link != elevator.Online || s.Load.Failed {
			t.Errorf("back: %v, %+v", s.Link, s.Load)
		}
		l.Close()
		k.Power(false)
	})
}

// An adapter that echoes would acknowledge our own writes. It is found by reading,
// said in the log once, and no command goes out.
func TestEchoIsFound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		near, far := drivertest.NewCable()
		var out bytes.Buffer
		env := drivers.Env{
			Now: clock(), Log: slog.New(slog.NewTextHandler(&out, nil)),
			OpenSerial: func(string, drivers.SerialMode) (io.ReadWriteCloser, error) { return near, nil },
		}
		p := &plan{
			blocks: []profiles.Block{block(100, 3)},
			act:    profiles.Action{Writes: []profiles.Write{{Table: profiles.HoldingRegisters, Addr: 3, Values: []uint16{9}}}},
		}
		l := linkTo(t, fieldbus.NewLines(env), env, "modbus+rtu:///x", p)
		var up sync.WaitGroup
		defer up.Wait()
		up.Go(func() { _, _ = io.Copy(far, far) })
		c := elevator.Command{Verb: elevator.CarCall, Until: env.Now().Add(5 * time.Second)}
		if o := l.Do(t.Context(), c); o.Result != elevator.NotSent {
			t.Errorf("on an echoing line: %+v", o)
		}
		l.Close()
		if n := strings.Count(out.String(), "turn off the adapter's echo"); n != 1 {
			t.Errorf("said %d times in 5 s:\n%s", n, out.String())
		}
	})
}

// Two units behind one address share a connection; neither hears the other.
func TestTwoUnitsOneConnection(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dials := 0
		env := drivers.Env{Now: clock(), Dial: func(context.Context, string, string) (net.Conn, error) {
			dials++
			near, far := net.Pipe()
			go unitsTCP(far)
			return near, nil
		}}
		lines := fieldbus.NewLines(env)
		one := linkTo(t, lines, env, "modbus+tcp://lift?unit=1", &plan{blocks: []profiles.Block{block(1, 1)}})
		two := linkTo(t, lines, env, "modbus+tcp://lift?unit=2", &plan{blocks: []profiles.Block{block(2, 1)}})
		time.Sleep(10 * time.Second)
		a, b := one.snapshot(), two.snapshot()
		if dials != 1 || a.Load.Value != 1 || b.Load.Value != 2 || a.Load.Failed || b.Load.Failed {
			t.Errorf("%d connections; %+v and %+v", dials, a.Load, b.Load)
		}
		one.Close()
		two.Close()
	})
}

// unitsTCP answers a read of one register with the unit's own number.
func unitsTCP(c io.ReadWriteCloser) {
	defer c.Close()
	q := make([]byte, 12)
	for {
		if _, err := io.ReadFull(c, q); err != nil {
			return
		}
		if _, err := c.Write([]byte{q[0], q[1], 0, 0, 0, 5, q[6], 3, 2, 0, q[6]}); err != nil {
			return
		}
	}
}

// The end of a hold is told once the device has acknowledged it, and taken back
// when it lapses.
// RD-7
func TestHoldUntil(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newSocket(newSlave(), false)
		k.Power(true)
		k.Show(drivertest.Face{Floor: 1, Door: elevator.DoorOpen})
		env := drivers.Env{Now: clock(), Dial: k.dial}
		l := benchLink(t, env, asItIs)
		hold := elevator.Command{
			ID: elevator.CommandID{Ride: "r", N: 1}, Verb: elevator.Hold, Floor: 1, Side: elevator.Front,
			Until: env.Now().Add(10 * time.Second),
		}
		want := env.Now()
		if out := l.Do(t.Context(), hold); out.Result != elevator.Done {
			t.Fatalf("hold: %+v", out)
		}
		s, _ := l.Read(t.Context())
		if d := s.Holds[elevator.Front].Sub(want); d < 9*time.Second || d > 10*time.Second {
			t.Errorf("hold of 10 s is reckoned to end in %s", d)
		}
		k.Show(drivertest.Face{Floor: 1, Door: elevator.DoorClosed})
		hold.ID.N = 2
		if out := l.Do(t.Context(), hold); out.Result != elevator.Refused || out.Code != "0x06" {
			t.Errorf("hold of a closed door: %+v", out)
		}
		l.Close()
		k.Power(false)
	})
}

// A hold with no acknowledgement says nothing new about the hold's end.
func TestHoldUnproven(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newSocket(newSlave(), false)
		k.Power(true)
		k.Spoil(drivertest.Silent, true)
		env := drivers.Env{Now: clock(), Dial: k.dial}
		p := &plan{
			blocks: []profiles.Block{{Table: profiles.InputRegisters, Count: 1, Every: 200 * time.Millisecond}},
			act:    profiles.Action{Writes: []profiles.Write{{Table: profiles.HoldingRegisters, Addr: 3, Values: []uint16{9}}}, HoldUntil: 99},
		}
		l := linkTo(t, fieldbus.NewLines(env), env, "modbus+tcp://lift", p)
		if out := l.Do(t.Context(), elevator.Command{Verb: elevator.Hold}); out.Result != elevator.ResultUnknown {
			t.Errorf("%+v", out)
		}
		if s := l.snapshot(); s.Holds != [elevator.Sides]elevator.Instant{} {
			t.Errorf("hold reckoned until %d", s.Holds)
		}
		l.Close()
		k.Power(false)
	})
}

// DR-9: a no is a no, but two exceptions leave it open whether the write was
// carried out: pressing again on them could press twice.
func TestExceptionsToACommand(t *testing.T) {
	for code, want := range map[byte]elevator.Result{
		1: elevator.Refused, 2: elevator.Refused, 3: elevator.Refused, 4: elevator.Refused, 6: elevator.Refused,
		10: elevator.Refused, 0x21: elevator.Refused, 5: elevator.ResultUnknown, 11: elevator.ResultUnknown,
	} {
		synctest.Test(t, func(t *testing.T) {
			env := drivers.Env{Now: clock(), Dial: func(context.Context, string, string) (net.Conn, error) {
				near, far := net.Pipe()
				go refuser(far, code)
				return near, nil
			}}
			p := &plan{
				blocks: []profiles.Block{block(0, 1)},
				act:    profiles.Action{Writes: []profiles.Write{{Table: profiles.HoldingRegisters, Values: []uint16{1}}}},
			}
			l := linkTo(t, fieldbus.NewLines(env), env, "modbus+tcp://lift", p)
			o := l.Do(t.Context(), elevator.Command{Verb: elevator.CarCall})
			if o.Result != want || o.Code != fmt.Sprintf("0x%02X", code) || o.At == 0 {
				t.Errorf("exception %d: %+v, want %v", code, o, want)
			}
			l.Close()
		})
	}
}

// refuser answers every question with an exception.
func refuser(c io.ReadWriteCloser, code byte) {
	defer c.Close()
	q := make([]byte, 12)
	for {
		if _, err := io.ReadFull(c, q); err != nil {
			return
		}
		if _, err := c.Write([]byte{q[0], q[1], 0, 0, 0, 3, q[6], q[7] | 0x80, code}); err != nil {
			return
		}
	}
}

// What a profile cannot say, or says wrongly, is never sent, and asking again is
// no use; a command that came too late may be asked anew.
func TestNotEncoded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		k := newSocket(newSlave(), false)
		k.Power(true)
		env := drivers.Env{Now: clock(), Dial: k.dial}
		p := &plan{blocks: []profiles.Block{block(0, 1)}}
		l := linkTo(t, fieldbus.NewLines(env), env, "modbus+tcp://lift", p)
		for name, act := range map[string]profiles.Action{
			"no write":         {},
			"a read table":     {Writes: []profiles.Write{{Table: profiles.InputRegisters, Values: []uint16{1}}}},
			"no value":         {Writes: []profiles.Write{{Table: profiles.Coils}}},
			"a coil of 2":      {Writes: []profiles.Write{{Table: profiles.Coils, Values: []uint16{2}}}},
			"past the end":     {Writes: []profiles.Write{{Table: profiles.HoldingRegisters, Addr: 65535, Values: []uint16{1, 2}}}},
			"too many":         {Writes: []profiles.Write{{Table: profiles.HoldingRegisters, Values: make([]uint16, 124)}}},
			"nothing but owed": {Writes: []profiles.Write{{Table: profiles.Coils, Values: []uint16{0}, Owed: true}}},
		} {
			p.act = act
			out := l.Do(t.Context(), elevator.Command{ID: elevator.CommandID{Ride: name}, Verb: elevator.CarCall})
			if out.Result != elevator.Refused || out.Advice != elevator.AdviceConfig || out.Detail == "" {
				t.Errorf("%s: %+v", name, out)
			}
		}
		for _, kind := range []error{profiles.ErrNoFloor, profiles.ErrNotCapable} {
			p.err = fmt.Errorf("car call: %w", kind)
			if out := l.Do(t.Context(), elevator.Command{Verb: elevator.CarCall}); out.Result != elevator.Refused || out.Advice != elevator.AdviceConfig {
				t.Errorf("%v: %+v", kind, out)
			}
		}
		p.err = fmt.Errorf("car call: %w", profiles.ErrExpired)
		if out := l.Do(t.Context(), elevator.Command{Verb: elevator.CarCall}); out.Result != elevator.NotSent || out.Advice != elevator.AdviceNone {
			t.Errorf("expired: %+v", out)
		}
		if got := k.Pressed(); len(got) != 0 {
			t.Errorf("the controller felt %v", got)
		}
		l.Close()
		k.Power(false)
	})
}
