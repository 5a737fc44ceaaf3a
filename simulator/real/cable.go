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

// device is the far end.
type device struct{ *cable }

func (d *device) Read(b []byte) (int, error) {
	select {
	case chunk := <-d.toDevice:
		return copy(b, chunk), nil // it is read with more room than a frame needs
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
	quit chan struct{}
	once sync.Once
}

func (h *handle) Read(b []byte) (int, error) {
	select {
	case chunk := <-h.toPort:
		return copy(b, chunk), nil
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
