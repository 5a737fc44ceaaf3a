package opcua

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"reflect"
	"sync"
	"sync/atomic"
	"time"

	"hoistway/drivers"
)

// Bounds of the wire.
const (
	headSize   = 8       // kind, finality and length of a message
	maxMessage = 0xffff  // bytes of one message from the server; it comes in one piece
	maxOwn     = 1 << 20 // of ours
	writeLimit = 5 * time.Second
)

// relay carries messages between the library and the server, each whole, and looks at
// what comes before the library does.
type relay struct {
	near, far net.Conn
	sealed    bool // what comes is encrypted, and can only be looked at by the library
	closed    bool // and its signature covers it: nothing may be hidden in it
	types     map[uint32]reflect.Type
	trace     func(out bool, b []byte, note string)
	sent      atomic.Uint64 // messages that left as a whole or in part
	dead      chan struct{} // closed by stop
	end       sync.Once
	wg        sync.WaitGroup
	mu        sync.Mutex
	why       error
}

// newRelay joins a connection to the server with the one that it returns, on which the
// library speaks.
func newRelay(far net.Conn, sealed, signed bool, trace func(bool, []byte, string)) (*relay, *net.TCPConn, error) {
	near, own, err := pair()
	if err != nil {
		return nil, nil, err
	}
	r := &relay{near: near, far: far, sealed: sealed, closed: signed, types: answers(), trace: trace, dead: make(chan struct{})}
	r.wg.Go(func() { r.stop(r.out()) })
	r.wg.Go(func() { r.stop(r.in()) })
	return r, own, nil
}

// pair makes two ends of a connection within this program; the library takes TCP only.
// Whoever else comes to the port first is turned away.
func pair() (a, b *net.TCPConn, err error) {
	ln, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, nil, err
	}
	defer func() { _ = ln.Close() }()
	_ = ln.SetDeadline(time.Now().Add(writeLimit))
	b, err = net.DialTCP("tcp", nil, ln.Addr().(*net.TCPAddr))
	if err != nil {
		return nil, nil, err
	}
	for {
		if a, err = ln.AcceptTCP(); err != nil {
			return nil, nil, errors.Join(err, b.Close())
		}
		if a.RemoteAddr().String() == b.LocalAddr().String() {
			return a, b, nil
		}
		_ = a.Close()
	}
}

// stop cuts both ends, for the first reason that is given.
func (r *relay) stop(err error) {
	r.end.Do(func() {
		r.mu.Lock()
		r.why = err
		r.mu.Unlock()
		close(r.dead)
		_, _ = r.near.Close(), r.far.Close()
	})
}

// close ends the relay and waits until nothing more can leave.
func (r *relay) close() {
	r.stop(drivers.ErrClosed)
	r.wg.Wait()
}

// reason is why it ended; nil while it has not.
func (r *relay) reason() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.why
}

func (r *relay) out() error {
	for {
		b, err := message(r.near, maxOwn)
		if err != nil {
			return err
		}
		r.trace(true, b, "")
		_ = r.far.SetWriteDeadline(time.Now().Add(writeLimit))
		r.sent.Add(1)
		if _, err := r.far.Write(b); err != nil {
			return err
		}
	}
}

func (r *relay) in() error {
	for {
		b, err := message(r.far, maxMessage)
		if err != nil {
			return err
		}
		if err := r.check(b); err != nil {
			r.trace(false, b, err.Error())
			return err
		}
		r.trace(false, b, "")
		_ = r.near.SetWriteDeadline(time.Now().Add(writeLimit))
		if _, err := r.near.Write(b); err != nil {
			return err
		}
	}
}

// message reads one whole message.
func message(from io.Reader, most uint32) ([]byte, error) {
	var head [headSize]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[4:])
	if n < headSize || n > most {
		return nil, fmt.Errorf("%w: %d bytes", errUnsound, n)
	}
	b := make([]byte, n)
	copy(b, head[:])
	_, err := io.ReadFull(from, b[headSize:])
	return b, err
}

// check looks at a message of the server.
func (r *relay) check(b []byte) error {
	if b[3] != 'F' {
		return fmt.Errorf("%w: in pieces", errUnsound)
	}
	switch string(b[:3]) {
	case "ACK", "ERR":
		if len(b) < 16 {
			return fmt.Errorf("%w: %s of %d bytes", errUnsound, b[:3], len(b))
		}
		return nil
	case "CLO":
		return nil
	case "OPN":
		return r.opening(b)
	case "MSG":
		return r.plain(b, 16)
	}
	return fmt.Errorf("%w: kind %q", errUnsound, b[:3])
}

// opening checks the answer by which a channel opens; where channels are secured it is
// encrypted for us.
func (r *relay) opening(b []byte) error {
	c := checker{b: b[headSize:]}
	err := c.skip(4)
	for range 3 { // policy, certificate, thumbprint
		if err == nil {
			err = c.text()
		}
	}
	if err != nil || r.sealed || r.closed {
		return err
	}
	return r.plain(b, len(b)-len(c.b))
}

// plain checks what stands behind the header, and the two numbers that follow it.
func (r *relay) plain(b []byte, at int) error {
	if len(b) < at+8 {
		return fmt.Errorf("%w: %d bytes", errUnsound, len(b))
	}
	if r.sealed {
		return nil
	}
	c := checker{types: r.types, mask: !r.closed}
	return c.body(b[at+8:])
}

// dial opens the way to the server.
func dial(ctx context.Context, env *drivers.Env, t *target, line string) (*relay, *net.TCPConn, error) {
	open := env.Dial
	if open == nil {
		open = (&net.Dialer{}).DialContext
	}
	far, err := open(ctx, "tcp", t.host)
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", drivers.ErrLink, err)
	}
	trace := func(out bool, b []byte, note string) {
		if env.Trace != nil {
			env.Trace(drivers.Frame{Line: line, Out: out, At: env.Now(), Data: b, Note: note})
		}
	}
	r, own, err := newRelay(far, t.mode == encrypted, t.mode == signed, trace)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("%w: %w", drivers.ErrLink, err), far.Close())
	}
	return r, own, nil
}
