package commission

import (
	"encoding/binary"
	"io"
	"net"
	"net/url"
	"sync"
	"testing"
	"time"

	"hoistway/drivers"
)

// board is a controller on a serial line, written by hand: it shares no code with
// the driver. It answers one unit, at one setting, for a bench of 14 input registers.
type board struct {
	mu     sync.Mutex
	mode   drivers.SerialMode
	unit   byte
	slow   time.Duration
	words  [14]uint16
	most   int            // registers of one read; 0: all
	echo   bool           // the adapter gives back what is sent
	twin   bool           // a second device of the same id
	chat   []byte         // what another master says when the line is opened
	opened map[string]int // by setting
	asked  []byte         // units that were asked at the right setting
}

func newBoard() *board {
	b := &board{mode: drivers.SerialMode{Baud: 19200, DataBits: 8, Parity: "even", StopBits: 1}, unit: 3, opened: map[string]int{}}
	b.words = [14]uint16{2, 0, 1, 0, 1, 0, 0, 4000, 75, 0, 0, 0, 0, 0}
	return b
}

func (b *board) world() World {
	return World{OpenSerial: func(_ string, m drivers.SerialMode) (io.ReadWriteCloser, error) {
		b.opened[ModeWords(m)]++
		near, far := net.Pipe()
		go b.serve(far, m)
		return near, nil
	}}
}

func (b *board) serve(c net.Conn, m drivers.SerialMode) {
	defer c.Close()
	if len(b.chat) > 0 && m == b.mode {
		if _, err := c.Write(b.chat); err != nil {
			return
		}
	}
	q := make([]byte, 256)
	for {
		n, err := c.Read(q)
		if err != nil {
			return
		}
		var a []byte
		switch {
		case m == b.mode:
			a = b.answer(q[:n])
		case m.Baud == b.mode.Baud: // the wrong parity: bytes that are spoilt
			a = []byte{0xFF, 0x81, 0x00, 0x7E}
			if len(b.answer(q[:n])) == 0 {
				a = nil
			}
		}
		if b.echo {
			a = append(append([]byte(nil), q[:n]...), a...)
		}
		if len(a) == 0 {
			continue
		}
		time.Sleep(b.slow)
		if _, err := c.Write(a); err != nil {
			return
		}
	}
}

func (b *board) answer(q []byte) []byte {
	if len(q) < 8 {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.asked = append(b.asked, q[0])
	if q[0] != b.unit {
		return nil
	}
	addr, n := int(binary.BigEndian.Uint16(q[2:])), int(binary.BigEndian.Uint16(q[4:]))
	a := []byte{q[0], q[1]}
	switch {
	case q[1] != 4:
		a = append(a[:1], q[1]|0x80, 1)
	case b.most > 0 && n > b.most:
		a = append(a[:1], 0x84, 3)
	case n == 0 || addr+n > len(b.words):
		a = append(a[:1], 0x84, 2)
	default:
		a = append(a, byte(2*n))
		for _, w := range b.words[addr : addr+n] {
			a = binary.BigEndian.AppendUint16(a, w)
		}
	}
	a = summed(a)
	if b.twin {
		a = append(a, a...)
	}
	return a
}

// summed puts the checksum behind a frame, bit by bit as the standard's page has it.
func summed(f []byte) []byte {
	sum := 0xFFFF
	for _, x := range f {
		sum ^= int(x)
		for i := 0; i < 8; i++ {
			odd := sum&1 == 1
			sum /= 2
			if odd {
				sum ^= 0xA001
			}
		}
	}
	return append(append([]byte(nil), f...), byte(sum%256), byte(sum/256))
}

func link(t testing.TB, s string) *url.URL {
	t.Helper()
	u, err := url.Parse(s)
	must(t, err)
	return u
}
