package modbus

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// A reply that is late by 200 ms to 1.5 s is never another register's value.
// DR-11, row 1 and 2
func TestFieldLateReply(t *testing.T) {
	for _, to := range []string{rtuLink, "modbus+rtu+tcp://x:4001?timeout=500ms"} {
		for late := 550 * time.Millisecond; late < 2*time.Second; late += 190 * time.Millisecond {
			p := book(block(0, 1), block(16, 1))
			f := &far{answer: func(q string, n int) (time.Duration, string) {
				switch {
				case q == ask0 && n == 3:
					return late, is5
				case q == ask0:
					return time.Millisecond, is5
				case q == ask16:
					return time.Millisecond, is288
				}
				return time.Millisecond, registers(q, func(a int) int { return a })
			}}
			field(t, to, f, p, func(*link) { time.Sleep(20 * time.Second) })
			for _, v := range p.values() {
				if v != "0:[5]" && v != "16:[288]" {
					t.Errorf("%s, %v late: read %s", to, late, v)
				}
			}
			if !p.seen("16:[288]") {
				t.Errorf("%s, %v late: 16 was never read", to, late)
			}
		}
	}
}

// A gateway that answers in the name of unit 1 for unit 3.
// DR-11, row 6
func TestFieldUnitEcho(t *testing.T) {
	for _, anyUnit := range []bool{false, true} {
		p := book(block(0, 1))
		p.dev.AnyUnit = anyUnit
		f := &far{answer: func(q string, _ int) (time.Duration, string) {
			return 0, q[:6] + "00 00 00 05 01 03 02 00 05"
		}}
		field(t, "modbus+tcp://x?unit=3", f, p, func(*link) { time.Sleep(5 * time.Second) })
		if p.seen("0:[5]") != anyUnit {
			t.Errorf("unit_echo any=%v: values %v", anyUnit, p.values())
		}
	}
}

// One flipped bit in the data: nothing is read, the next exchange is clean.
// DR-11, row 7
func TestFieldFlippedBit(t *testing.T) {
	p := book(block(0, 1))
	f := &far{answer: func(q string, n int) (time.Duration, string) {
		if q == ask0 && n == 1 {
			return 0, "01 03 02 00 04 78 47"
		}
		return 0, registers(q, func(int) int { return 5 })
	}}
	field(t, rtuLink, f, p, func(*link) { time.Sleep(5 * time.Second) })
	if p.fails(0) == 0 || !p.seen("0:[5]") || p.seen("0:[4]") {
		t.Errorf("failed %d times, read %v", p.fails(0), p.values())
	}
}

// A command whose acknowledgement is damaged stays unknown and is not sent again.
// DR-6, row 7
// An adapter that gives back what is sent, glued to the answer.
// DR-11, row 9
func TestFieldLocalEcho(t *testing.T) {
	for _, c := range []struct {
		link string
		good bool
		say  string
	}{
		{rtuLink + "&echo=on", true, ""},
		{rtuLink, false, "turn off the adapter's echo"},
	} {
		p := book(block(16, 1))
		f := &far{answer: func(q string, _ int) (time.Duration, string) {
			return 0, q + registers(q, func(int) int { return 0x0120 })
		}}
		log := field(t, c.link, f, p, func(*link) { time.Sleep(3 * time.Second) })
		if p.seen("16:[288]") != c.good || !strings.Contains(log, c.say) {
			t.Errorf("%s: %v, log %s", c.link, p.values(), log)
		}
	}
}

// With echo=on, what comes back must be what was sent.
// DR-11, row 9
func TestFieldEchoThatIsNone(t *testing.T) {
	p := book(block(16, 1))
	f := &far{answer: func(q string, _ int) (time.Duration, string) {
		return 0, registers(q, func(int) int { return 0x0120 })
	}}
	log := field(t, rtuLink+"&echo=on", f, p, func(*link) { time.Sleep(3 * time.Second) })
	if len(p.values()) > 0 || !strings.Contains(log, "another master sends too") {
		t.Errorf("read %v, log %s", p.values(), log)
	}
}

// The device is away and the adapter echoes: the echo of a write is no
// acknowledgement, said or not said in the link.
// DR-6, row 10
// A device that has only function 16, and one that has only 6: the refusal names the
// key, and the other function is not tried. One without a licence to write refuses
// likewise while it is read.
// DR-6, row 12
// Register 20 of 32 is not there. The other points are read, the hole is left alone
// for a while and tried again, and the line stays up.
// DR-3, row 13
func TestFieldHole(t *testing.T) {
	p := book(profiles.Block{Table: profiles.HoldingRegisters, Count: 32, Every: 200 * time.Millisecond})
	for i := range uint16(32) {
		p.spans = append(p.spans, profiles.Block{Table: profiles.HoldingRegisters, Addr: i, Count: 1, Every: 200 * time.Millisecond})
	}
	f := &far{}
	filled := false
	f.answer = func(q string, _ int) (time.Duration, string) {
		b, _ := hex.DecodeString(plain(q))
		if from, n := int(b[3]), int(b[5]); !filled && from <= 20 && from+n > 20 {
			return 0, "01 83 02 C0 F1"
		}
		return 0, registers(q, func(a int) int { return a })
	}
	log := field(t, "modbus+rtu:///x?baud=115200", f, p, func(l *link) {
		time.Sleep(5 * time.Second)
		if f.times("01 03 00 00 00 20 44 12") != 1 || f.times(crc("01 03 00 14 00 01")) != 1 {
			t.Errorf("asked whole %d times, the hole %d times", f.times("01 03 00 00 00 20 44 12"), f.times(crc("01 03 00 14 00 01")))
		}
		if _, err := l.Read(context.Background()); err != nil {
			t.Errorf("a hole that is known fails the read: %v", err)
		}
		before, lost := len(p.values()), p.fails(16)
		time.Sleep(2 * time.Second)
		if len(p.values()) == before || p.fails(16) != lost {
			t.Errorf("points beside the hole are not read")
		}
		if s := l.snapshot(); s.Link != elevator.Online {
			t.Errorf("link %v", s.Link)
		}
		f.mu.Lock()
		filled = true
		f.mu.Unlock()
		time.Sleep(30 * time.Second)
		if n := f.times("01 03 00 00 00 20 44 12"); n < 2 {
			t.Errorf("a hole that is filled is not read with the others again")
		}
	})
	if !p.seen("21:[21]") && !p.seen("21:[21 22 23]") || !strings.Contains(log, "does not know holding 20x1") {
		t.Errorf("read %v, log %s", p.values(), log)
	}
}

// A device that gives 16 registers at once refuses 17 with exception 3.
// DR-3, row 14
func TestFieldRegisterCap(t *testing.T) {
	p := book(profiles.Block{Table: profiles.HoldingRegisters, Count: 17, Every: 200 * time.Millisecond})
	for i := range uint16(17) {
		p.spans = append(p.spans, profiles.Block{Table: profiles.HoldingRegisters, Addr: i, Count: 1})
	}
	f := &far{answer: func(q string, _ int) (time.Duration, string) {
		if q == "01 03 00 00 00 11 85 C6" {
			return 0, "01 83 03 01 31"
		}
		return 0, registers(q, func(a int) int { return a })
	}}
	log := field(t, rtuLink, f, p, func(*link) { time.Sleep(3 * time.Second) })
	if f.times("01 03 00 00 00 11 85 C6") != 1 || !p.seen("0:[0 1 2 3 4 5 6 7]") || !strings.Contains(log, "limits.max_read") {
		t.Errorf("asked %v, read %v, log %s", f.all(), p.values(), log)
	}
}

// A read of 126 registers or 2001 bits never leaves.
// DR-3, row 15
func TestFieldCeilings(t *testing.T) {
	for _, b := range []profiles.Block{
		{Table: profiles.HoldingRegisters, Count: 126, Every: time.Second},
		{Table: profiles.Coils, Count: 2001, Every: time.Second},
		{Table: profiles.InputRegisters, Addr: 65535, Count: 2, Every: time.Second},
	} {
		if checkBlock(b) == nil {
			t.Errorf("%+v would be asked", b)
		}
	}
	if checkWrite(profiles.Write{Table: profiles.HoldingRegisters, Values: make([]uint16, 124)}) == nil ||
		checkWrite(profiles.Write{Table: profiles.Coils, Values: make([]uint16, 1969)}) == nil {
		t.Error("a write beyond the ceiling would be sent")
	}
}

// Two registers are asked; the answer says four bytes and has two.
// DR-11, row 17
func TestFieldByteCount(t *testing.T) {
	p := book(block(0, 2))
	f := &far{answer: func(q string, n int) (time.Duration, string) {
		if q == "01 03 00 00 00 02 C4 0B" && n == 1 {
			return 0, "01 03 04 00 05 98 46"
		}
		return 0, registers(q, func(int) int { return 7 })
	}}
	field(t, rtuLink, f, p, func(*link) { time.Sleep(4 * time.Second) })
	if p.fails(0) == 0 || !p.seen("0:[7 7]") || slices.ContainsFunc(p.values(), func(s string) bool { return s != "0:[7 7]" }) {
		t.Errorf("failed %d, read %v", p.fails(0), p.values())
	}
}

// Busy, accepted, and two answers of a gateway. A no that says "not done" is told
// with the advice to try again, which is the ride's to do; the line stays up.
// DR-6, rows 18 to 20
// A gateway answers for the dead unit 5; unit 1 behind it goes on, on one connection.
// DR-11, row 20
func TestFieldGatewayException(t *testing.T) {
	for _, code := range []string{"0A", "0B"} {
		synctest.Test(t, func(t *testing.T) {
			var up sync.WaitGroup
			defer up.Wait()
			dials := 0
			f := &far{answer: func(q string, _ int) (time.Duration, string) {
				if q[18:20] == "05" {
					return 0, q[:6] + "00 00 00 03 05 83 " + code
				}
				return 0, q[:6] + "00 00 00 05 01 03 02 00 05"
			}}
			env := drivers.Env{Now: clock(), Dial: func(context.Context, string, string) (net.Conn, error) {
				dials++
				near, far := net.Pipe()
				up.Go(func() { f.serve(far, false) })
				return near, nil
			}}
			lines := fieldbus.NewLines(env)
			dead, live := book(block(0, 1)), book(block(0, 1))
			a := linkTo(t, lines, env, "modbus+tcp://gw?unit=5", dead)
			b := linkTo(t, lines, env, "modbus+tcp://gw?unit=1", live)
			time.Sleep(20 * time.Second)
			_, err := a.Read(context.Background())
			if !errors.Is(err, drivers.ErrDevice) || a.snapshot().Link != elevator.Offline {
				t.Errorf("%s: unit 5: %v, %v", code, err, a.snapshot().Link)
			}
			if n := len(live.values()); n < 90 || dials != 1 || b.snapshot().Link != elevator.Online {
				t.Errorf("%s: unit 1 was read %d times over %d connections", code, n, dials)
			}
			a.Close()
			b.Close()
		})
	}
}

// The line dies between the two halves of a pulse. The release goes first when it is
// back, before any poll.
// DR-7, row 28
// Coils whose value is the device's own: the on of a cheap board, and a time in tenths
// of a second.
// DR-4
// The bytes of one answer 40 ms apart are one answer; a drip that never ends is cut at
// the deadline.
// DR-11
func TestFieldDrip(t *testing.T) {
	p := book(block(0, 1))
	synctest.Test(t, func(t *testing.T) {
		var up sync.WaitGroup
		defer up.Wait()
		env := drivers.Env{Now: clock(), OpenSerial: func(string, drivers.SerialMode) (io.ReadWriteCloser, error) {
			near, far := drivertest.NewCable()
			up.Go(func() {
				for n := 0; ; n++ {
					if _, err := request(far, true); err != nil {
						return
					}
					a, _ := hex.DecodeString(plain(is5))
					if n > 3 {
						a = bytes.Repeat([]byte{1}, 50)
					}
					for _, x := range a {
						time.Sleep(40 * time.Millisecond)
						if _, err := far.Write([]byte{x}); err != nil {
							return
						}
					}
				}
			})
			return near, nil
		}}
		l := linkTo(t, fieldbus.NewLines(env), env, rtuLink, p)
		time.Sleep(20 * time.Second)
		if !p.seen("0:[5]") || p.fails(0) == 0 || len(p.values()) > 4 {
			t.Errorf("read %v, failed %d", p.values(), p.fails(0))
		}
		l.Close()
	})
}

// A device that hangs up after four idle seconds is no fault where it is asked each
// five: nothing fails, and there is one connection at a time.
// DR-11, row 26
func TestFieldIdleClose(t *testing.T) {
	p := book(profiles.Block{Table: profiles.HoldingRegisters, Count: 1, Every: 5 * time.Second})
	synctest.Test(t, func(t *testing.T) {
		var up sync.WaitGroup
		defer up.Wait()
		var open, most atomic.Int32
		env := drivers.Env{Now: clock(), Dial: func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			most.Store(max(most.Load(), open.Add(1)))
			up.Go(func() {
				defer open.Add(-1)
				defer far.Close()
				for {
					far.SetReadDeadline(time.Now().Add(4 * time.Second))
					q, err := request(far, false)
					if err != nil {
						return
					}
					a, _ := hex.DecodeString("0000" + "00000005" + "0103020005")
					copy(a, q[:2])
					if _, err := far.Write(a); err != nil {
						return
					}
				}
			})
			return near, nil
		}}
		l := linkTo(t, fieldbus.NewLines(env), env, "modbus+tcp://x", p)
		time.Sleep(time.Minute)
		if n := len(p.values()); n < 11 || p.fails(0) > 0 || most.Load() > 1 || l.snapshot().Link != elevator.Online {
			t.Errorf("read %d times, failed %d times, %d connections at once, link %v", n, p.fails(0), most.Load(), l.snapshot().Link)
		}
		l.Close()
	})
}

// A block is cut so that question and answer pass within the budget at the line's rate;
// points that must be read together are not parted.
// DR-3
func TestBusHold(t *testing.T) {
	whole := profiles.Block{Table: profiles.HoldingRegisters, Addr: 100, Count: 120, Every: time.Second}
	var spans []profiles.Block
	for i := range uint16(60) {
		spans = append(spans, profiles.Block{Table: profiles.HoldingRegisters, Addr: 100 + 2*i, Count: 2})
	}
	if got := fit(whole, spans, 0); len(got) != 1 || got[0] != whole {
		t.Errorf("without a rate: %v", got)
	}
	// At 9600 baud a character takes 11/9600 s: 20 of frames and silences and two a
	// register, 87 in a tenth of a second, are 33 registers; pairs are 32.
	got := fit(whole, spans, 9600)
	next := whole.Addr
	for _, b := range got {
		if b.Addr != next || b.Count > 32 || b.Count%2 != 0 || b.Every != time.Second {
			t.Errorf("%+v of %v", b, got)
		}
		next += b.Count
	}
	if len(got) != 4 || next != 220 {
		t.Errorf("%d reads: %v", len(got), got)
	}
	if got := fit(whole, []profiles.Block{whole}, 9600); len(got) != 1 {
		t.Errorf("one point was cut: %v", got)
	}
}

// Whatever comes on a line that echoes, nothing is taken before the echo, and only what
// fits.
func FuzzAfterEcho(f *testing.F) {
	ask := []byte{1, 3, 0, 0x10, 0, 1, 0x85, 0xCF}
	good := []byte{1, 3, 2, 1, 0x20, 0xB8, 0x0C}
	f.Add(append(bytes.Clone(ask), good...))
	f.Add(good)
	f.Add(ask[:5])
	f.Fuzz(func(t *testing.T, in []byte) {
		w, err := wanted(1, ask[1:6])
		if err != nil {
			t.Fatal(err)
		}
		hear := afterEcho(ask, w)
		h := hear(in)
		if h.Verdict == fieldbus.Take {
			t.Fatalf("took % X before the echo", in)
		}
		if h.Verdict != fieldbus.Skip {
			return
		}
		if !bytes.HasPrefix(in, ask) || h.N != len(ask) {
			t.Fatalf("took % X for the echo", in[:h.N])
		}
		rest := in[h.N:]
		if h = hear(rest); h.Verdict == fieldbus.Take && (h.N > len(rest) || rest[0] != 1 || !sumFits(rest[:h.N])) {
			t.Fatalf("took % X", rest)
		}
	})
}

// A trigger that the device clears when it has taken it: acknowledged is not done, and
// one that stays set is not known to be.
// DR-6
// A level is written again while it is wanted, and no longer; its release follows.
// DR-6
// A device's watchdog is fed on time, beside polls and commands.
// DR-6
// What the answer leaves open is proven by what the command brings: accepted and
// pending, and an answer that was lost. Nothing is written twice.
// DR-6, row 19
// A command that the lift is not in the state for is refused before a byte of it leaves.
// DR-4
// A word that several outputs share is read, changed in our bits and written, with
// nothing of ours between; what stands there already is not written.
// DR-4
