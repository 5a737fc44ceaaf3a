package drivertest

import (
	"bytes"
	"io"
	"sync"
)

// Cable is one end of a serial line with buffers, which a pipe has not. Closing either
// end cuts it.
type Cable struct {
	in, out chan []byte
	rest    []byte
	cut     chan struct{}
	once    *sync.Once
}

// NewCable gives both ends.
func NewCable() (a, b *Cable) {
	x, y, cut, once := make(chan []byte, 64), make(chan []byte, 64), make(chan struct{}), new(sync.Once)
	return &Cable{in: x, out: y, cut: cut, once: once}, &Cable{in: y, out: x, cut: cut, once: once}
}

func (c *Cable) Read(b []byte) (int, error) {
	if len(c.rest) == 0 {
		select {
		case c.rest = <-c.in:
		case <-c.cut:
			return 0, io.EOF
		}
	}
	n := copy(b, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

func (c *Cable) Write(b []byte) (int, error) {
	select {
	case c.out <- bytes.Clone(b):
		return len(b), nil
	case <-c.cut:
		return 0, io.ErrClosedPipe
	}
}

func (c *Cable) Close() error {
	c.once.Do(func() { close(c.cut) })
	return nil
}

// Gone is closed with the cable.
func (c *Cable) Gone() <-chan struct{} { return c.cut }
