package devices

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"sync"
	"time"
)

const (
	maxClients = 16
	idleLimit  = 2 * time.Minute
	writeLimit = 5 * time.Second
	headerLen  = 7
	maxPDU     = 253
)

// TCP is lifts behind one Modbus TCP socket. Its methods may be called from any
// goroutine. The owner calls Close once.
type TCP struct {
	*Unit // the first of them
	plug  plug
	addr  string
	// listen opens the socket again after it was unplugged.
	listen func(network, address string) (net.Listener, error)

	// Both under the plug's lock.
	ln    net.Listener // nil while unplugged
	conns map[*client]struct{}
}

// client is one connection.
type client struct {
	net.Conn
	once sync.Once
	cut  chan struct{} // closed with it
}

func (c *client) hangUp() {
	c.once.Do(func() {
		close(c.cut)
		_ = c.Close() // it is to go, whatever its state
	})
}

// ServeTCP puts lifts behind one address of any network that listen knows, such as
// [net.Listen]. It is asked for the same address again whenever the line comes back.
// It fails for an unknown lift, for one that the register map cannot hold, and when
// it cannot listen.
func ServeTCP(w *World, listen func(network, address string) (net.Listener, error), addr string, seats ...Seat) (*TCP, error) {
	units, err := seated(w, seats)
	if err != nil {
		return nil, err
	}
	ln, err := listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("serve lift %q: %w", units[0].car, err)
	}
	t := &TCP{Unit: units[0], addr: ln.Addr().String(), ln: ln, listen: listen, conns: map[*client]struct{}{}}
	t.plug.mount(units, t.settle)
	t.plug.wg.Go(func() { t.accept(ln) })
	return t, nil
}

// Addr is where the lifts answer, as host:port.
func (t *TCP) Addr() string { return t.addr }

// Units are the lifts on this wire, in the order of their seats.
func (t *TCP) Units() []*Unit { return slices.Clone(t.plug.units) }

// Close ends the service and waits until nothing of it is left.
func (t *TCP) Close() error {
	return t.plug.close(func() error {
		t.drop()
		return t.stopListening()
	})
}

// settle see [plug]. An address that somebody else has taken meanwhile is tried
// again.
func (t *TCP) settle() bool {
	gone, taken := t.plug.suffer(unplugged), t.plug.suffer(busyElsewhere)
	if gone || taken {
		t.drop()
	}
	switch {
	case gone:
		_ = t.stopListening() // it is gone either way
	case t.ln == nil:
		ln, err := t.listen("tcp", t.addr)
		if err != nil {
			return false
		}
		t.ln = ln
		t.plug.wg.Go(func() { t.accept(ln) })
	}
	return !gone && !taken
}

func (t *TCP) stopListening() error {
	if t.ln == nil {
		return nil
	}
	err := t.ln.Close()
	t.ln = nil
	return err
}

func (t *TCP) drop() {
	for c := range t.conns {
		c.hangUp()
	}
}

// accept ends with its listener.
func (t *TCP) accept(ln net.Listener) {
	for {
		c, err := ln.Accept()
		if errors.Is(err, net.ErrClosed) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrClosedPipe) {
			return
		}
		if err != nil { // no descriptors left, perhaps: later
			if !pause(100*time.Millisecond, t.plug.end) {
				return
			}
			continue
		}
		t.admit(ln, c)
	}
}

func (t *TCP) admit(ln net.Listener, conn net.Conn) {
	t.plug.mu.Lock()
	defer t.plug.mu.Unlock()
	if t.ln != ln || len(t.conns) >= t.places() || t.plug.suffer(busyElsewhere) {
		_ = conn.Close() // it came as the door closed
		return
	}
	c := &client{Conn: conn, cut: make(chan struct{})}
	t.conns[c] = struct{}{}
	t.plug.wg.Go(func() {
		t.converse(c)
		c.hangUp()
		t.plug.mu.Lock()
		delete(t.conns, c)
		t.plug.mu.Unlock()
	})
}

// places is how many may be connected at once.
func (t *TCP) places() int {
	for _, u := range t.plug.units {
		if u.Manners().OneConnection {
			return 1
		}
	}
	return maxClients
}

// converse serves one connection, one request after another, until it breaks.
func (t *TCP) converse(c *client) {
	for {
		if c.SetReadDeadline(time.Now().Add(t.idle())) != nil {
			return
		}
		head, req, err := readMBAP(c)
		if err != nil {
			return
		}
		if !t.turn(c, head, req) {
			return
		}
	}
}

// idle is how long a connection may stand idle.
func (t *TCP) idle() time.Duration {
	for _, u := range t.plug.units {
		if d := u.Manners().ClosesIdle; d > 0 {
			return d
		}
	}
	return idleLimit
}

// turn answers one request; false ends the connection.
func (t *TCP) turn(c *client, head [headerLen]byte, req []byte) bool {
	u := find(t.plug.units, head[6])
	if u == nil {
		return !answersOthers(t.plug.units, true) || c.send(mbap(head, exception(req[0], wrongTarget)))
	}
	if !pause(u.rest(), c.cut) {
		return false
	}
	answer, f := u.respond(req)
	switch {
	case f.Kind == hangUp:
		return false
	case answer == nil:
		return true
	case f.Kind == garbled:
		head[0] ^= 0x55
	case f.Kind == foreign:
		head[6]++
	}
	return u.deliver(mbap(head, answer), f, c.send, c.cut) && !u.Manners().ClosesAfterAnswer
}

// readMBAP reads one request. What is not Modbus is an error, since nothing after
// it can be trusted.
func readMBAP(r io.Reader) (head [headerLen]byte, pdu []byte, err error) {
	if _, err = io.ReadFull(r, head[:]); err != nil {
		return head, nil, err
	}
	protocol, n := binary.BigEndian.Uint16(head[2:]), int(binary.BigEndian.Uint16(head[4:]))-1
	if protocol != 0 || n < 1 || n > maxPDU {
		return head, nil, errors.New("not a Modbus header")
	}
	pdu = make([]byte, n)
	_, err = io.ReadFull(r, pdu)
	return head, pdu, err
}

// mbap frames an answer under the header of its request.
func mbap(head [headerLen]byte, pdu []byte) []byte {
	binary.BigEndian.PutUint16(head[4:], uint16(len(pdu)+1))
	return append(head[:], pdu...)
}

func (c *client) send(frame []byte) bool {
	if c.SetWriteDeadline(time.Now().Add(writeLimit)) != nil {
		return false
	}
	_, err := c.Write(frame)
	return err == nil
}
