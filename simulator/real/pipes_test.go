package real

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"syscall"

	"hoistway/drivers"
)

// inProcess makes a network within the process.
func inProcess() Net {
	p := &pipes{last: 40_000, open: map[string]*pipeListener{}, cables: map[string]*cable{}}
	return Net{Listen: p.listen, Dial: p.dial, Serial: p.serial, OpenSerial: p.openSerial, OwnTime: true}
}

// pipes is safe for many goroutines.
type pipes struct {
	mu     sync.Mutex
	last   int
	open   map[string]*pipeListener
	cables map[string]*cable
}

// listen takes an address that nobody has; port 0 takes a free one.
func (p *pipes) listen(_, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if port == "0" {
		p.last++
		address = fmt.Sprintf("%s:%d", host, p.last)
	}
	if p.open[address] != nil {
		return nil, fmt.Errorf("listen %s: %w", address, syscall.EADDRINUSE)
	}
	l := &pipeListener{at: address, of: p, calls: make(chan net.Conn), end: make(chan struct{})}
	p.open[address] = l
	return l, nil
}

// dial is refused at once where nobody listens.
func (p *pipes) dial(ctx context.Context, _, address string) (net.Conn, error) {
	p.mu.Lock()
	l := p.open[address]
	p.last++
	from := fmt.Sprintf("127.0.0.1:%d", p.last)
	p.mu.Unlock()
	if l == nil {
		return nil, fmt.Errorf("dial %s: %w", address, syscall.ECONNREFUSED)
	}
	near, far := net.Pipe()
	select {
	case l.calls <- pipeConn{far, place(address), place(from)}:
		return pipeConn{near, place(from), place(address)}, nil
	case <-l.end:
		return nil, fmt.Errorf("dial %s: %w", address, syscall.ECONNREFUSED)
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

type pipeListener struct {
	at    string
	of    *pipes
	calls chan net.Conn
	end   chan struct{}
	once  sync.Once
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.calls:
		return c, nil
	case <-l.end:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() {
		l.of.mu.Lock()
		delete(l.of.open, l.at)
		l.of.mu.Unlock()
		close(l.end)
	})
	return nil
}

func (l *pipeListener) Addr() net.Addr { return place(l.at) }

// place is an address of the network.
type place string

func (place) Network() string  { return "tcp" }
func (p place) String() string { return string(p) }

type pipeConn struct {
	net.Conn
	local, remote place
}

func (c pipeConn) LocalAddr() net.Addr  { return c.local }
func (c pipeConn) RemoteAddr() net.Addr { return c.remote }

// serial names a new line, on which nobody is yet.
func (p *pipes) serial() (string, func() (io.ReadWriteCloser, error)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	path := fmt.Sprintf("/dev/pipe%d", len(p.cables))
	p.cables[path] = nil
	return path, func() (io.ReadWriteCloser, error) {
		c := newCable()
		p.mu.Lock()
		defer p.mu.Unlock()
		p.cables[path] = c
		return &device{cable: c}, nil
	}
}

// openSerial opens the near end, if there is a far one.
func (p *pipes) openSerial(path string, _ drivers.SerialMode) (io.ReadWriteCloser, error) {
	p.mu.Lock()
	c := p.cables[path]
	p.mu.Unlock()
	if c == nil || c.isCut() {
		return nil, fmt.Errorf("open %s: %w", path, syscall.ENOENT)
	}
	return &handle{cable: c, quit: make(chan struct{})}, nil
}
