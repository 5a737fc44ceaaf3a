package modbus

import (
	"bytes"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net"
	"slices"
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

// Failures of the field, each with the bytes by which it was reported. The far end is
// a list of what is answered to which bytes; checksums are those of the reports.

// far is a device that answers by rote.
type far struct {
	// answer gives what is sent for the n-th question of these bytes: "" is silence,
	// ! is a closed connection.
	answer func(q string, n int) (after time.Duration, a string)

	mu    sync.Mutex
	asked []string
	count map[string]int
}

func (f *far) heard(q []byte) (time.Duration, string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s := spaced(q)
	if f.count == nil {
		f.count = map[string]int{}
	}
	f.count[s]++
	f.asked = append(f.asked, s)
	return f.answer(s, f.count[s])
}

func (f *far) times(q string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count[q]
}

func (f *far) all() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asked)
}

func spaced(b []byte) string { return strings.ToUpper(fmt.Sprintf("% x", b)) }

func (f *far) serve(c io.ReadWriteCloser, rtu bool) {
	defer c.Close()
	for {
		q, err := request(c, rtu)
		if err != nil {
			return
		}
		after, a := f.heard(q)
		time.Sleep(after)
		if a == "!" {
			return
		}
		b, _ := hex.DecodeString(plain(a))
		if len(b) == 0 {
			continue
		}
		if _, err := c.Write(b); err != nil {
			return
		}
	}
}

// request reads one question. Over TCP its transaction number, which counts, is left out.
func request(c io.Reader, rtu bool) ([]byte, error) {
	q := make([]byte, 7)
	if _, err := io.ReadFull(c, q); err != nil {
		return nil, err
	}
	n := int(q[5]) - 1
	if rtu {
		n = 1
		if q[1] == 15 || q[1] == 16 {
			n = int(q[6]) + 2
		}
	}
	q = append(q, make([]byte, n)...)
	_, err := io.ReadFull(c, q[7:])
	return q, err
}

// crc puts the checksum behind a frame of the test's own.
func crc(frame string) string {
	b, _ := hex.DecodeString(plain(frame))
	sum := slowSum(b)
	return spaced(append(b, sum[:]...))
}

// registers answers a read of holding registers of unit 1 on RTU with value.
func registers(q string, value func(addr int) int) string {
	b, _ := hex.DecodeString(plain(q))
	addr, n := int(b[2])<<8|int(b[3]), int(b[4])<<8|int(b[5])
	a := fmt.Sprintf("%02X %02X %02X", b[0], b[1], 2*n)
	for i := range n {
		v := value(addr + i)
		a += fmt.Sprintf(" %02X %02X", v>>8, v&0xFF)
	}
	return crc(a)
}

// ledger is a profile that keeps all that it is given.
type ledger struct {
	plan
	mu   sync.Mutex
	good []string // addr: words
	lost map[uint16]int
}

func (l *ledger) Decode(b profiles.Block, words []uint16, fs elevator.Table, at elevator.Instant, into *elevator.Snapshot) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.good = append(l.good, fmt.Sprintf("%d:%v", b.Addr, words))
	into.Load = elevator.Seen[int32]{Value: int32(words[0]), At: at, Source: elevator.Controller}
	return nil
}

func (l *ledger) Fail(b profiles.Block, into *elevator.Snapshot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost == nil {
		l.lost = map[uint16]int{}
	}
	l.lost[b.Addr]++
	into.Load.Failed = true
}

func (l *ledger) seen(s string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.good, s)
}

func (l *ledger) values() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.good)
}

func (l *ledger) fails(addr uint16) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost[addr]
}

func (l *ledger) Spans(b profiles.Block) (out []profiles.Block) {
	if l.spans != nil {
		for _, s := range l.spans {
			if s.Addr >= b.Addr && s.Addr+s.Count <= b.Addr+b.Count {
				out = append(out, s)
			}
		}
	}
	return out
}

// field runs a link against a far end in virtual time and gives what was logged.
func field(t *testing.T, to string, f *far, p *ledger, then func(*link)) (logged string) {
	t.Helper()
	return fieldWith(t, to, f, p, floors, then)
}

func fieldWith(t *testing.T, to string, f *far, p profile, table elevator.Table, then func(*link)) (logged string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		var log syncBuffer
		var up sync.WaitGroup
		defer up.Wait()
		rtu := strings.HasPrefix(to, "modbus+rtu")
		env := drivers.Env{Now: clock(), Log: slog.New(slog.NewTextHandler(&log, nil))}
		env.Dial = func(context.Context, string, string) (net.Conn, error) {
			near, far := net.Pipe()
			up.Go(func() { f.serve(far, rtu) })
			return near, nil
		}
		env.OpenSerial = func(string, drivers.SerialMode) (io.ReadWriteCloser, error) {
			near, far := drivertest.NewCable()
			up.Go(func() { f.serve(far, rtu) })
			return near, nil
		}
		lines := fieldbus.NewLines(env)
		l := linkWith(t, lines, env, to, p, table)
		then(l)
		l.Close()
		logged = log.String()
	})
	return logged
}

type syncBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *syncBuffer) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(b)
}

func (s *syncBuffer) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func book(blocks ...profiles.Block) *ledger { return &ledger{plan: plan{blocks: blocks}} }

const (
	rtuLink = "modbus+rtu:///x?timeout=500ms"
	ask0    = "01 03 00 00 00 01 84 0A"
	ask16   = "01 03 00 10 00 01 85 CF"
	is5     = "01 03 02 00 05 78 47"
	is288   = "01 03 02 01 20 B8 0C"
)

// do gives the outcome of one command with these writes.
func do(l *link, p *ledger, ws ...profiles.Write) elevator.Outcome {
	p.act = profiles.Action{Writes: ws}
	return l.Do(context.Background(), elevator.Command{
		ID: elevator.CommandID{Ride: "r", N: 1}, Verb: elevator.CarCall, Floor: 2, Until: l.env.Now().Add(4 * time.Second),
	})
}
