package devices

import (
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
	"time"
)

// Line is one end of a serial line. A pseudo terminal's master is one, and so is
// an end of net.Pipe.
type Line interface {
	io.ReadWriteCloser
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

const (
	// gap ends a frame. The protocol's 3.5 characters are under 4 ms from 9600 baud
	// on; a pseudo terminal knows no bits, and a busy machine is late by more.
	gap      = 50 * time.Millisecond
	maxFrame = 256
)

// RTU is a lift on a serial line. Its methods may be called from any goroutine.
// The owner calls Close once.
type RTU struct {
	*Unit
	path string
	line Line
	tty  *os.File // the other end of our own pty, nil on a line of others
	end  chan struct{}
	once sync.Once
	err  error
	wg   sync.WaitGroup
}

// ServeRTU puts a lift on a new pseudo terminal in raw mode. The other end stays
// open here too: a gateway may open and close it as it likes, and the lift does
// not read a hang-up.
func ServeRTU(w *World, car string, unit uint8) (*RTU, error) {
	master, tty, err := openPTY()
	if err != nil {
		return nil, fmt.Errorf("serve lift %q: %w", car, err)
	}
	r, err := newRTU(w, car, master, unit)
	if err != nil {
		return nil, errors.Join(err, master.Close(), tty.Close())
	}
	r.path, r.tty = tty.Name(), tty
	r.wg.Go(r.listen)
	return r, nil
}

// ServeLine is ServeRTU on a line of any kind, which it takes over unless it
// fails. Path is empty then.
func ServeLine(w *World, car string, line Line, unit uint8) (*RTU, error) {
	r, err := newRTU(w, car, line, unit)
	if err != nil {
		return nil, err
	}
	r.wg.Go(r.listen)
	return r, nil
}

func newRTU(w *World, car string, line Line, unit uint8) (*RTU, error) {
	u, err := newUnit(w, car, unit)
	if err != nil {
		return nil, err
	}
	return &RTU{Unit: u, line: line, end: make(chan struct{})}, nil
}

// Path is the device to open, /dev/pts/N.
func (r *RTU) Path() string { return r.path }

// Close takes the lift off the line, as if unplugged, and waits until nothing of
// it is left. On our own pty the path goes too.
func (r *RTU) Close() error {
	r.once.Do(func() {
		close(r.end)
		r.err = r.line.Close()
		if r.tty != nil {
			r.err = errors.Join(r.err, r.tty.Close())
		}
		r.wg.Wait()
	})
	return r.err
}

// listen takes frames off the line until it closes.
func (r *RTU) listen() {
	buf := make([]byte, 0, maxFrame)
	for {
		n, err := r.read(buf[len(buf):cap(buf)], len(buf) > 0)
		buf = buf[:len(buf)+n]
		silent := errors.Is(err, os.ErrDeadlineExceeded)
		if err != nil && !silent {
			return
		}
		ok := true
		buf, ok = r.frames(buf, silent)
		if !ok {
			return
		}
	}
}

// read waits for bytes, at most a gap when a frame has begun.
func (r *RTU) read(into []byte, begun bool) (int, error) {
	var deadline time.Time
	if begun {
		deadline = time.Now().Add(gap)
	}
	if err := r.line.SetReadDeadline(deadline); err != nil {
		return 0, err
	}
	return r.line.Read(into)
}

// frames serves each whole frame at the front of buf and returns what is left.
// Silence ends whatever began: a frame of unknown length is served, a part or
// garbage is thrown away. False means that the line is gone.
func (r *RTU) frames(buf []byte, silent bool) ([]byte, bool) {
	for {
		n := frameLen(buf)
		if n == 0 && silent {
			n = len(buf)
		}
		switch {
		case n == 0 && len(buf) < maxFrame, n > len(buf) && n <= maxFrame && !silent:
			return buf, true
		case n == 0 || n > len(buf) || !sound(buf[:n]):
			return r.resync(silent)
		case !r.turn(buf[:n]):
			return nil, false
		}
		buf = append(buf[:0], buf[n:]...)
		if len(buf) == 0 {
			return buf, true
		}
	}
}

// resync throws away what comes until the line is silent.
func (r *RTU) resync(silent bool) ([]byte, bool) {
	buf := make([]byte, maxFrame)
	for !silent {
		_, err := r.read(buf, true)
		silent = errors.Is(err, os.ErrDeadlineExceeded)
		if err != nil && !silent {
			return nil, false
		}
	}
	return buf[:0], true
}

// frameLen is the length of the request that begins in b, 0 when it cannot be
// told yet, or never: functions that the lift does not know end by silence.
func frameLen(b []byte) int {
	if len(b) < 2 {
		return 0
	}
	switch fn := b[1]; {
	case fn >= 1 && fn <= 6:
		return 8
	case (fn == 15 || fn == 16) && len(b) >= 7:
		return 9 + int(b[6])
	}
	return 0
}

// turn answers one frame that is sound; false means that the line is gone.
func (r *RTU) turn(frame []byte) bool {
	if frame[0] != r.id {
		return true // another's, or for all: a lift takes no call for all
	}
	answer, f := r.respond(frame[1 : len(frame)-2])
	if answer == nil || f.Kind == Drop {
		return true
	}
	id := r.id
	if f.Kind == Foreign {
		id++
	}
	out := seal(append([]byte{id}, answer...))
	switch f.Kind {
	case Garbled:
		out[len(out)/2] ^= 0x10
	case Late:
		if !pause(f.Delay, r.end) {
			return false
		}
	case Split:
		cut := len(out) / 2
		return r.send(out[:cut]) && pause(f.Delay, r.end) && r.send(out[cut:])
	}
	return r.send(out)
}

// send puts bytes on the line. A line that nobody reads is full one day: what is
// lost then is lost, as on a wire.
func (r *RTU) send(b []byte) bool {
	if r.line.SetWriteDeadline(time.Now().Add(time.Second)) != nil {
		return false
	}
	_, err := r.line.Write(b)
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded)
}
