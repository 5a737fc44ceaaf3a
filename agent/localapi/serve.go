package localapi

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	headerWithin = 5 * time.Second
	readWithin   = 10 * time.Second // header and body of one call
	writeWithin  = 15 * time.Second // of one call; events set their own
	idleWithin   = 60 * time.Second
	endWithin    = 5 * time.Second // for running calls when the program ends
	maxHeader    = 16 << 10
	maxConns     = 256
)

// Serve answers on ln until ctx ends, then lets running calls finish for a short
// while, sends the readers of events away and closes ln. It returns nil after
// such an end and the fault of the listener otherwise.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error {
	srv := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: headerWithin,
		ReadTimeout:       readWithin,
		WriteTimeout:      writeWithin,
		IdleTimeout:       idleWithin,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(bounded(ln, maxConns)) }()
	select {
	case err := <-failed:
		s.end()
		return fmt.Errorf("serve the local API on %s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	s.end()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
	defer cancel()
	if err := srv.Shutdown(late); err != nil {
		err = errors.Join(err, srv.Close())
		s.o.Log.Warn("calls were cut at the end", "error", err)
	}
	<-failed
	return nil
}

// bounded takes at most n connections at once; further ones wait in the
// system's own queue.
func bounded(ln net.Listener, n int) net.Listener {
	return &boundedListener{Listener: ln, slots: make(chan struct{}, n), closed: make(chan struct{})}
}

type boundedListener struct {
	net.Listener
	slots  chan struct{}
	once   sync.Once
	closed chan struct{}
}

func (l *boundedListener) Accept() (net.Conn, error) {
	select {
	case l.slots <- struct{}{}:
	case <-l.closed:
		return nil, net.ErrClosed
	}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.slots
		return nil, err
	}
	return &boundedConn{Conn: c, free: func() { <-l.slots }}, nil
}

func (l *boundedListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return l.Listener.Close()
}

type boundedConn struct {
	net.Conn
	once sync.Once
	free func()
}

func (c *boundedConn) Close() error {
	err := c.Conn.Close()
	c.once.Do(c.free)
	return err
}
