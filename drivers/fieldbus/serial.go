package fieldbus

import (
	"errors"
	"fmt"
	"io"
	"os"
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
	rw     io.ReadWriteCloser
	mu     sync.Mutex // held during a write and while closing
	shut   atomic.Bool
	quit   chan struct{}
	chunks chan []byte
	dead   chan struct{} // closed by the reader at its end
	rest   []byte
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
	p := &port{rw: rw, quit: make(chan struct{}), chunks: make(chan []byte, 16), dead: make(chan struct{})}
	go p.pump()
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

// pump reads until the port is closed or gone. The library panics in Read on a
// descriptor of 1024 and above; that is a lost line like any other.
func (p *port) pump() {
	defer close(p.dead)
	defer func() { _ = recover() }()
	for {
		b := make([]byte, 256)
		n, err := p.rw.Read(b)
		if err != nil {
			return
		}
		if n == 0 {
			time.Sleep(time.Millisecond) // a port with a read time-out of its own
			continue
		}
		select {
		case p.chunks <- b[:n]:
		case <-p.quit:
			return
		}
	}
}

func (p *port) Read(b []byte, by time.Time) (int, error) {
	if len(p.rest) == 0 {
		if err := p.next(by); err != nil {
			return 0, err
		}
	}
	n := copy(b, p.rest)
	p.rest = p.rest[n:]
	return n, nil
}

func (p *port) next(by time.Time) error {
	t := time.NewTimer(time.Until(by))
	defer t.Stop()
	select {
	case p.rest = <-p.chunks:
		return nil
	case <-p.dead:
	case <-t.C:
		return os.ErrDeadlineExceeded
	}
	select { // what came before the end
	case p.rest = <-p.chunks:
		return nil
	default:
		return errUnplugged
	}
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

func (p *port) Dead() <-chan struct{} { return p.dead }

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
