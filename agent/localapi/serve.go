package localapi

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"time"
)

const (
	headerWithin = 5 * time.Second
	readWithin   = 10 * time.Second // header and body of one call
	writeWithin  = 15 * time.Second // of one call; events set their own
	idleWithin   = 60 * time.Second
	endWithin    = 5 * time.Second // for running calls when the program ends
	maxHeader    = 16 << 10
)

// Serve answers on ln until ctx ends, then lets running calls finish for a short
// while, sends the readers of events away and closes ln. It returns nil after
// such an end and the fault of the listener otherwise.
func (s *Server) Serve(ctx context.Context, ln net.Listener) error { return s.serve(ctx, ln, nil) }

func (s *Server) serve(ctx context.Context, ln net.Listener, cert *Certificate) error {
	srv := &http.Server{
		Handler:           s.handler,
		ReadHeaderTimeout: headerWithin,
		ReadTimeout:       readWithin,
		WriteTimeout:      writeWithin,
		IdleTimeout:       idleWithin,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(s.o.Log.Handler(), slog.LevelDebug),
	}
	door := bounded(ln, maxConns)
	if cert != nil {
		srv.Handler = onlyNamed(cert, s.handler)
		srv.TLSNextProto = map[string]func(*http.Server, *tls.Conn, http.Handler){} // no HTTP/2
		door = tls.NewListener(door, cert.config())
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(door) }()
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
