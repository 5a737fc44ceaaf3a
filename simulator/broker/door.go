package broker

import (
	"log/slog"
	"net"
	"sync"

	"github.com/mochi-mqtt/server/v2/listeners"
)

// door is the listener. It cuts its connections itself when it closes: the library
// looks its clients up under a read lock that it takes twice, and so waits for ever
// where a client leaves in between (Clients.GetByListener of v2.7.9).
type door struct {
	ln net.Listener

	mu     sync.Mutex
	open   map[net.Conn]bool
	closed bool
	served sync.WaitGroup
}

func (d *door) Init(*slog.Logger) error { return nil }
func (d *door) ID() string              { return "door" }
func (d *door) Address() string         { return d.ln.Addr().String() }
func (d *door) Protocol() string        { return d.ln.Addr().Network() }

func (d *door) Serve(establish listeners.EstablishFn) {
	for {
		c, err := d.ln.Accept()
		if err != nil {
			return
		}
		d.let(c, establish)
	}
}

// let serves a connection, or cuts one that came as the door closed.
func (d *door) let(c net.Conn, establish listeners.EstablishFn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		_ = c.Close()
		return
	}
	d.open[c] = true
	d.served.Go(func() {
		_ = establish(d.ID(), c) // how it ended is the client's business
		d.gone(c)
	})
}

func (d *door) gone(c net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.open, c)
	_ = c.Close()
}

func (d *door) Close(listeners.CloseFn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	_ = d.ln.Close()
	for c := range d.open {
		_ = c.Close()
	}
}
