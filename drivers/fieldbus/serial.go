package fieldbus

import (
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"go.bug.st/serial"

	"hoistway/drivers"
)

// writeGuard is how long a write may take: frames are small.
const writeGuard = time.Second

var (
	errStuck     = errors.New("write does not return")
	errUnplugged = errors.New("device is gone")
	errShut      = errors.New("port is closed")
)

// port is the only holder of an open serial port. Its reader goroutine ends
// with Close or when the device goes. The library under it writes to whatever
// got the descriptor when it is called after its own Close, hence the flag and
// the lock around every call.
type port struct {
	pump
	rw   io.ReadWriteCloser
	mu   sync.Mutex // held during a write and while closing
	shut atomic.Bool
}

func (l *line) openSerial() (stream, error) {
	open := l.env.OpenSerial
	if open == nil {
		open = openPort
	}
	rw, err := open(l.spec.Address, l.spec.Mode)
	if err != nil {
		return nil, err
	}
	p := &port{pump: newPump(), rw: rw}
	go p.run(rw, 256)
	return p, nil
}

func openPort(path string, m drivers.SerialMode) (io.ReadWriteCloser, error) {
	mode := &serial.Mode{BaudRate: m.Baud, DataBits: m.DataBits}
	switch m.Parity {
	case "even":
		mode.Parity = serial.EvenParity
	case "odd":
		mode.Parity = serial.OddParity
	}
	if m.StopBits == 2 {
		mode.StopBits = serial.TwoStopBits
	}
	p, err := serial.Open(path, mode)
	if err != nil {
		return nil, err
	}
	return p, nil
}

func (p *port) Write(b []byte, by time.Time) (int, error) {
	type result struct {
		n   int
		err error
	}
	done := make(chan result, 1)
	go func() {
		n, err := p.write(append([]byte(nil), b...))
		done <- result{n, err}
	}()
	t := time.NewTimer(time.Until(by))
	defer t.Stop()
	select {
	case r := <-done:
		return r.n, r.err
	case <-t.C:
		return 0, errStuck
	}
}

func (p *port) write(b []byte) (n int, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for n < len(b) && err == nil {
		if p.shut.Load() {
			return n, errShut
		}
		var k int
		k, err = p.rw.Write(b[n:])
		n += k
		if k == 0 && err == nil {
			err = fmt.Errorf("wrote nothing: %w", io.ErrShortWrite)
		}
	}
	return n, err
}

// Close frees the port. A write that is stuck keeps the lock; it has been inside
// the device for longer than the guard then, so that closing cannot hand its
// descriptor to another file before it gets there.
func (p *port) Close() error {
	p.shut.Store(true)
	if p.mu.TryLock() {
		defer p.mu.Unlock()
	}
	close(p.quit)
	return p.rw.Close()
}
