package real

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"hoistway/drivers"
)

// errDead is what a dead process gets of its machine.
var errDead = errors.New("the process is dead")

// machine is one life of the agent's process: its doors to the world. Its methods
// may be called from any goroutine.
type machine struct {
	net  Net
	gone chan struct{} // closed at a kill

	mu   sync.Mutex
	deaf string // address whose connections carry nothing, "" for none
	open map[io.Closer]bool
}

func newMachine(n Net) *machine {
	return &machine{net: n, gone: make(chan struct{}), open: map[io.Closer]bool{}}
}

// kill cuts every connection and lets no new one come about. It is called once.
func (m *machine) kill() {
	m.mu.Lock()
	close(m.gone)
	open := m.open
	m.open = map[io.Closer]bool{}
	m.mu.Unlock()
	for c := range open {
		_ = c.Close()
	}
}

// keep remembers what has to be cut at a kill; after one it cuts it.
func (m *machine) keep(c io.Closer) error {
	m.mu.Lock()
	alive := m.alive()
	if alive {
		m.open[c] = true
	}
	m.mu.Unlock()
	if alive {
		return nil
	}
	return errors.Join(errDead, c.Close())
}

func (m *machine) forget(c io.Closer) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.open, c)
}

func (m *machine) alive() bool {
	select {
	case <-m.gone:
		return false
	default:
		return true
	}
}

// lasts waits, and reports whether the process lived through it.
func (m *machine) lasts(d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-m.gone:
		return false
	}
}

// setDeaf makes connections to an address carry nothing, the open ones included.
func (m *machine) setDeaf(address string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.deaf = address
}

func (m *machine) isDeaf(address string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.deaf != "" && m.deaf == address
}

func (m *machine) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if !m.alive() {
		return nil, errDead
	}
	c, err := m.net.Dial(ctx, network, address)
	if err != nil {
		return nil, err
	}
	kept := &conn{Conn: c, of: m, to: address}
	return kept, m.keep(kept)
}

func (m *machine) listen(network, address string) (net.Listener, error) {
	if !m.alive() {
		return nil, errDead
	}
	l, err := m.net.Listen(network, address)
	if err != nil {
		return nil, err
	}
	kept := &listener{Listener: l, of: m}
	return kept, m.keep(kept)
}

// openSerial is for a network that has serial lines of its own.
func (m *machine) openSerial(path string, mode drivers.SerialMode) (io.ReadWriteCloser, error) {
	if !m.alive() {
		return nil, errDead
	}
	p, err := m.net.OpenSerial(path, mode)
	if err != nil {
		return nil, err
	}
	kept := &port{ReadWriteCloser: p, of: m}
	return kept, m.keep(kept)
}

type conn struct {
	net.Conn
	of *machine
	to string
}

// Read drops what comes in while the far end cannot be heard.
func (c *conn) Read(b []byte) (int, error) {
	for {
		n, err := c.Conn.Read(b)
		if err != nil || !c.of.isDeaf(c.to) {
			return n, err
		}
	}
}

func (c *conn) Write(b []byte) (int, error) {
	if c.of.isDeaf(c.to) {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

func (c *conn) Close() error {
	c.of.forget(c)
	return c.Conn.Close()
}

// listener keeps what it lets in, so that a kill cuts the callers too.
type listener struct {
	net.Listener
	of *machine
}

func (l *listener) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	kept := &conn{Conn: c, of: l.of}
	return kept, l.of.keep(kept)
}

func (l *listener) Close() error {
	l.of.forget(l)
	return l.Listener.Close()
}

type port struct {
	io.ReadWriteCloser
	of *machine
}

func (p *port) Close() error {
	p.of.forget(p)
	return p.ReadWriteCloser.Close()
}
