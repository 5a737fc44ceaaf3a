package modbus

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// A device that answers each question a fifth later than the time-out allows is out of
// step for ever: no answer is taken for another question's, and the line says that it is
// the patience which is too short.
// DR-11, row 4
func TestFieldAlwaysLate(t *testing.T) {
	for to, late := range map[string]string{
		rtuLink:                                 "83ms", // the 15 bytes of question and answer take 17 ms at 9600 baud
		"modbus+rtu+tcp://x:4001?timeout=500ms": "100ms",
		"modbus+tcp://x?timeout=500ms":          "100ms",
	} {
		p := book(block(0, 1), block(16, 1))
		f := &far{answer: func(q string, _ int) (time.Duration, string) {
			if strings.HasPrefix(to, "modbus+rtu") {
				return 600 * time.Millisecond, registers(q, func(a int) int { return map[int]int{0: 5, 16: 288}[a] })
			}
			return 600 * time.Millisecond, q[:6] + "00 00 00 05 01 03 02 " + map[bool]string{true: "00 05", false: "01 20"}[q[24:29] == "00 00"]
		}}
		var said string
		var asked int
		field(t, to, f, p, func(l *link) {
			time.Sleep(2 * time.Minute)
			for _, s := range l.lines.Stats() {
				said += s.Diagnosis(1)
			}
			asked = len(f.all())
		})
		for _, v := range p.values() {
			if v != "0:[5]" && v != "16:[288]" {
				t.Errorf("%s: read %s", to, v)
			}
		}
		if asked < 20 || p.fails(0) == 0 || p.fails(16) == 0 || !strings.Contains(said, late+" after the time-out: it is too short") {
			t.Errorf("%s: %d questions, %d and %d failed, said %q", to, asked, p.fails(0), p.fails(16), said)
		}
	}
}

// A busy device says so to a read: nothing is known of the value, the line stays, and the
// read is asked again without a storm.
// DR-11, row 18
func TestFieldBusyRead(t *testing.T) {
	for _, says := range []string{"01 83 06 C1 32", "01 83 05 81 33"} {
		p := book(block(0, 1))
		f := &far{answer: func(q string, n int) (time.Duration, string) {
			if n <= 5 {
				return 0, says
			}
			return 0, is5
		}}
		began := 0
		field(t, "modbus+rtu+tcp://x:4001", f, p, func(l *link) {
			time.Sleep(500 * time.Millisecond)
			began = f.times(ask0)
			if _, err := l.Read(context.Background()); !errors.Is(err, drivers.ErrBusy) || len(p.values()) > 0 || !l.snapshot().Load.Failed {
				t.Errorf("%s: %v, read %v", says, err, p.values())
			}
			time.Sleep(5 * time.Second)
			if s := l.lines.Stats()[0]; s.Reopened > 0 || l.snapshot().Link != elevator.Online || l.snapshot().Load.Failed {
				t.Errorf("%s: opened %d times anew, %+v", says, s.Reopened, l.snapshot().Load)
			}
		})
		if began < 1 || began > 4 || p.fails(0) == 0 || !p.seen("0:[5]") {
			t.Errorf("%s: asked %d times in half a second, read %v", says, began, p.values())
		}
	}
}

// The other end is gone and the connection does not know: what is written is swallowed, or
// finds no room. The command under way is unknown and not sent again, the value is known no
// more, and there is a new connection within 15 seconds.
// DR-11, DR-6, row 25
func TestFieldHalfOpen(t *testing.T) {
	for _, swallows := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var up sync.WaitGroup
			defer up.Wait()
			var dials atomic.Int32
			var gone atomic.Bool
			wire := make(chan []byte, 1024)
			env := drivers.Env{Now: clock(), Dial: func(context.Context, string, string) (net.Conn, error) {
				near, far := net.Pipe()
				n := dials.Add(1)
				up.Go(func() {
					defer far.Close()
					for {
						if gone.Load() && n == 1 && !swallows {
							time.Sleep(time.Minute) // no acknowledgement, no room
							return
						}
						q, err := request(far, false)
						if err != nil {
							return
						}
						wire <- q
						if gone.Load() && n == 1 {
							continue
						}
						a := []byte{q[0], q[1], 0, 0, 0, 5, 1, 3, 2, 0, 5}
						if q[7] == 6 {
							a = q
						}
						if _, err := far.Write(a); err != nil {
							return
						}
					}
				})
				return near, nil
			}}
			p := book(block(0, 1))
			l := linkTo(t, fieldbus.NewLines(env), env, "modbus+tcp://x", p)
			time.Sleep(2050 * time.Millisecond) // between two reads
			gone.Store(true)
			lost := time.Now()
			o := do(l, p, profiles.Write{Table: profiles.HoldingRegisters, Addr: 100, Values: []uint16{3}})
			if o.Result != elevator.ResultUnknown || !l.snapshot().Load.Failed {
				t.Errorf("swallows %v: %+v, %+v", swallows, o, l.snapshot().Load)
			}
			for dials.Load() < 2 && time.Since(lost) < time.Minute {
				time.Sleep(10 * time.Millisecond)
			}
			if d := time.Since(lost); d > 15*time.Second {
				t.Errorf("swallows %v: dialled anew after %s", swallows, d)
			}
			time.Sleep(3 * time.Second)
			if s := l.snapshot(); s.Load.Failed || s.Link != elevator.Online {
				t.Errorf("swallows %v: not back: %+v", swallows, s)
			}
			l.Close()
			up.Wait()
			close(wire)
			writes := 0
			for q := range wire {
				if q[7] == 6 {
					writes++
				}
			}
			if writes > 1 {
				t.Errorf("swallows %v: written %d times", swallows, writes)
			}
		})
	}
}

// A device with one place, which another client has: it refuses, hangs up at once, hangs up
// once it is asked, or lets us wait. It is never stormed, has never two connections of ours,
// is said to be away, and a command is not sent. What a technician can do is said.
// DR-11, row 26
func TestFieldHeldByAnother(t *testing.T) {
	for _, how := range []string{"refuses", "hangs up", "hangs up when asked", "stalls"} {
		synctest.Test(t, func(t *testing.T) {
			var up sync.WaitGroup
			defer up.Wait()
			var log syncBuffer
			var dials, open, most, pressed atomic.Int32
			env := drivers.Env{Now: clock(), Log: slog.New(slog.NewTextHandler(&log, nil))}
			env.Dial = func(context.Context, string, string) (net.Conn, error) {
				dials.Add(1)
				if how == "refuses" {
					return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
				}
				near, far := net.Pipe()
				most.Store(max(most.Load(), open.Add(1)))
				up.Go(func() {
					defer open.Add(-1)
					defer far.Close()
					if how == "hangs up" {
						return
					}
					for {
						q, err := request(far, false)
						if err != nil {
							return
						}
						if q[7] == 6 {
							pressed.Add(1)
						}
						if how != "stalls" {
							return
						}
					}
				})
				return near, nil
			}
			p := book(block(0, 1))
			l := linkTo(t, fieldbus.NewLines(env), env, "modbus+tcp://x", p)
			time.Sleep(5 * time.Minute)
			if n := dials.Load(); n > 150 {
				t.Errorf("%s: dialled %d times in five minutes", how, n)
			}
			if most.Load() > 1 || l.snapshot().Link != elevator.Offline || len(p.values()) > 0 {
				t.Errorf("%s: %d connections at once, %v", how, most.Load(), l.snapshot().Link)
			}
			if o := do(l, p, profiles.Write{Table: profiles.HoldingRegisters, Addr: 100, Values: []uint16{3}}); o.Result != elevator.NotSent || pressed.Load() > 0 {
				t.Errorf("%s: %+v", how, o)
			}
			if said := log.String(); strings.Count(said, "another client") != 1 {
				t.Errorf("%s: a technician reads %s", how, said)
			}
			l.Close()
		})
	}
}
