package real

import (
	"io"
	"os"
	"sync"
)

// cable is a serial line in memory: what is sent while nobody listens is lost once
// its buffer is full, as on copper.
type cable struct {
	toDevice, toPort chan []byte
	cut              chan struct{} // closed with the device end
	once             sync.Once
}

func (c *cable) isCut() bool {
	select {
	case <-c.cut:
		return true
	default:
		return false
	}
}

const cableRoom = 64

func newCable() *cable {
	return &cable{toDevice: make(chan []byte, cableRoom), toPort: make(chan []byte, cableRoom), cut: make(chan struct{})}
}

func send(to chan<- []byte, b []byte) {
	select {
	case to <- append([]byte(nil), b...):
	default:
	}
}

// rest is what a reader had no room for. Each end has one reader.
type rest []byte

func (r *rest) take(b, chunk []byte) int {
	n := copy(b, chunk)
	*r = chunk[n:]
	return n
}

// device is the far end.
type device struct {
	*cable
	rest rest
}

func (d *device) Read(b []byte) (int, error) {
	if len(d.rest) > 0 {
		return d.rest.take(b, d.rest), nil
	}
	select {
	case chunk := <-d.toDevice:
		return d.rest.take(b, chunk), nil
	case <-d.cut:
		return 0, io.EOF
	}
}

func (d *device) Write(b []byte) (int, error) {
	if d.isCut() {
		return 0, io.ErrClosedPipe
	}
	send(d.toPort, b)
	return len(b), nil
}

func (d *device) Close() error {
	d.once.Do(func() { close(d.cut) })
	return nil
}

// handle is the near end, as an open port.
type handle struct {
	*cable
	rest rest
	quit chan struct{}
	once sync.Once
}

func (h *handle) Read(b []byte) (int, error) {
	if len(h.rest) > 0 {
		return h.rest.take(b, h.rest), nil
	}
	select {
	case chunk := <-h.toPort:
		return h.rest.take(b, chunk), nil
	case <-h.quit:
		return 0, os.ErrClosed
	case <-h.cut:
		return 0, io.EOF
	}
}

func (h *handle) Write(b []byte) (int, error) {
	select {
	case <-h.quit:
		return 0, os.ErrClosed
	case <-h.cut:
		return 0, io.ErrClosedPipe
	default:
		send(h.toDevice, b)
		return len(b), nil
	}
}

func (h *handle) Close() error {
	h.once.Do(func() { close(h.quit) })
	return nil
}
