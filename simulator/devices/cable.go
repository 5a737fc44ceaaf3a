package devices

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"
)

const (
	// gap ends a frame. The protocol's 3.5 characters are under 4 ms from 9600 baud
	// on; a pseudo terminal knows no bits, and a busy machine is late by more.
	gap      = 50 * time.Millisecond
	maxFrame = 256
)

// cable is our end of a serial line, of whatever it is made: its bytes come in
// pieces, and silence is told apart from the end.
type cable struct {
	rw   io.ReadWriteCloser
	in   chan []byte   // closed when the line broke
	cut  chan struct{} // closed by Close
	once sync.Once
	err  error
}

func newCable(rw io.ReadWriteCloser) *cable {
	return &cable{rw: rw, in: make(chan []byte), cut: make(chan struct{})}
}

// Close pulls the cable.
func (c *cable) Close() error {
	c.once.Do(func() {
		close(c.cut)
		c.err = c.rw.Close()
	})
	return c.err
}

// pump reads until the line breaks or the cable is pulled.
func (c *cable) pump() {
	defer close(c.in)
	for {
		piece := make([]byte, maxFrame)
		n, err := c.rw.Read(piece)
		if n > 0 {
			select {
			case c.in <- piece[:n]:
			case <-c.cut:
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// next waits for bytes, at most a gap when a frame has begun: silent says that the
// gap was over. ok is false when the line is gone.
func (c *cable) next(begun bool) (piece []byte, silent, ok bool) {
	if !begun {
		piece, ok = <-c.in
		return piece, false, ok
	}
	t := time.NewTimer(gap)
	defer t.Stop()
	select {
	case piece, ok = <-c.in:
		return piece, false, ok
	case <-t.C:
	}
	select { // what came in time and was not looked at
	case piece, ok = <-c.in:
		return piece, false, ok
	default:
		return nil, true, true
	}
}

// resync throws away what comes until the line is silent.
func (c *cable) resync() bool {
	for {
		if _, silent, ok := c.next(true); silent || !ok {
			return ok
		}
	}
}

// send puts bytes on the line. A line that nobody reads is full one day: what is
// lost then is lost, as on a wire.
func (c *cable) send(b []byte) bool {
	if d, ok := c.rw.(interface{ SetWriteDeadline(time.Time) error }); ok {
		if d.SetWriteDeadline(time.Now().Add(time.Second)) != nil {
			return false
		}
	}
	_, err := c.rw.Write(b)
	return err == nil || errors.Is(err, os.ErrDeadlineExceeded)
}
