package devices

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
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

// TCP is a lift behind a Modbus TCP socket. Its methods may be called from any
// goroutine. The owner calls Close once.
type TCP struct {
	*Unit
	addr string
	end  chan struct{} // closed by Close
	wg   sync.WaitGroup

	mu    sync.Mutex
	ln    net.Listener // nil while refusing
	conns map[net.Conn]struct{}
	done  bool
}

// ServeTCP puts a lift on a TCP address; port 0 picks one. It fails for an unknown
// lift, for one that the register map cannot hold, and when it cannot listen.
func ServeTCP(w *World, car, addr string, unit uint8) (*TCP, error) {
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		return nil, fmt.Errorf("serve lift %q: %w", car, err)
	}
	t, err := ServeListener(w, car, ln, unit)
	if err != nil {
		return nil, errors.Join(err, ln.Close())
	}
	return t, nil
}

// ServeListener is ServeTCP on a listener of any kind, which it takes over unless
// it fails.
func ServeListener(w *World, car string, ln net.Listener, unit uint8) (*TCP, error) {
	u, err := newUnit(w, car, unit)
	if err != nil {
		return nil, err
	}
	t := &TCP{
		Unit: u, addr: ln.Addr().String(), ln: ln,
		end: make(chan struct{}), conns: map[net.Conn]struct{}{},
	}
	t.wg.Go(func() { t.accept(ln) })
	return t, nil
}

// Addr is where the lift answers, as host:port.
func (t *TCP) Addr() string { return t.addr }

// Refuse closes the socket and every connection, as a controller that is
// switched off, or opens it again at the same address, which fails when somebody
// else has taken that meanwhile.
func (t *TCP) Refuse(on bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case t.done:
		return fmt.Errorf("lift %q: %w", t.car, net.ErrClosed)
	case on:
		return t.hangUp()
	case t.ln != nil:
		return nil
	}
	ln, err := net.Listen("tcp", t.addr)
	if err != nil {
		return fmt.Errorf("serve lift %q again: %w", t.car, err)
	}
	t.ln = ln
	t.wg.Go(func() { t.accept(ln) })
	return nil
}

// HangUp closes every connection; new ones are welcome.
func (t *TCP) HangUp() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.drop()
}

// Close ends the service and waits until nothing of it is left.
func (t *TCP) Close() error {
	t.mu.Lock()
	if t.done {
		t.mu.Unlock()
		return nil
	}
	t.done = true
	close(t.end)
	err := t.hangUp()
	t.mu.Unlock()
	t.wg.Wait()
	return err
}

func (t *TCP) hangUp() error {
	t.drop()
	if t.ln == nil {
		return nil
	}
	err := t.ln.Close()
	t.ln = nil
	return err
}

func (t *TCP) drop() {
	for c := range t.conns {
		_ = c.Close() // it is to go, whatever its state
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
			if !pause(100*time.Millisecond, t.end) {
				return
			}
			continue
		}
		t.admit(ln, c)
	}
}

func (t *TCP) admit(ln net.Listener, c net.Conn) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ln != ln || len(t.conns) >= maxClients {
		_ = c.Close() // came as the door closed
		return
	}
	t.conns[c] = struct{}{}
	t.wg.Go(func() {
		t.converse(c)
		_ = c.Close() // perhaps for the second time
		t.mu.Lock()
		delete(t.conns, c)
		t.mu.Unlock()
	})
}

// converse serves one connection, one request after another, until it breaks.
func (t *TCP) converse(c net.Conn) {
	for {
		if c.SetReadDeadline(time.Now().Add(idleLimit)) != nil {
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

// turn answers one request; false ends the connection.
func (t *TCP) turn(c net.Conn, head [headerLen]byte, req []byte) bool {
	if head[6] != t.id {
		return send(c, mbap(head, exception(req[0], wrongTarget)))
	}
	answer, f := t.respond(req)
	if f.Kind == Drop {
		return false
	}
	if answer == nil {
		return true
	}
	switch f.Kind {
	case Garbled:
		head[0] ^= 0x55
	case Foreign:
		head[6]++
	case Late:
		if !pause(f.Delay, t.end) {
			return false
		}
	case Split:
		frame := mbap(head, answer)
		cut := len(frame) / 2
		return send(c, frame[:cut]) && pause(f.Delay, t.end) && send(c, frame[cut:])
	}
	return send(c, mbap(head, answer))
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

func send(c net.Conn, frame []byte) bool {
	if c.SetWriteDeadline(time.Now().Add(writeLimit)) != nil {
		return false
	}
	_, err := c.Write(frame)
	return err == nil
}
