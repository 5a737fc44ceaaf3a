package loopback

import (
	"context"
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
	writeWithin  = 15 * time.Second // of one call; streams and files set their own
	idleWithin   = 60 * time.Second
	maxHeader    = 16 << 10
)

// EndWithin is the time that running calls have at the end.
const EndWithin = 5 * time.Second

// ErrNotLoopback is a listener that others could reach.
var ErrNotLoopback = errors.New("what is served here can make things happen, so it stays on loopback")

// Serve answers on ln, which must be of this machine only, until ctx ends. Then it
// calls end, which has to send away the readers of streams, and closes ln. It returns
// nil after such an end.
func Serve(ctx context.Context, ln net.Listener, h http.Handler, end func(), log *slog.Logger) error {
	if a, ok := ln.Addr().(*net.TCPAddr); ok && !a.IP.IsLoopback() {
		return errors.Join(fmt.Errorf("%s: %w", ln.Addr(), ErrNotLoopback), ln.Close())
	}
	srv := &http.Server{
		Handler:           h,
		ReadHeaderTimeout: headerWithin,
		ReadTimeout:       readWithin,
		WriteTimeout:      writeWithin,
		IdleTimeout:       idleWithin,
		MaxHeaderBytes:    maxHeader,
		ErrorLog:          slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}
	failed := make(chan error, 1)
	go func() { failed <- srv.Serve(ln) }()
	select {
	case err := <-failed:
		end()
		return fmt.Errorf("%s: %w", ln.Addr(), err)
	case <-ctx.Done():
	}
	end()
	late, cancel := context.WithTimeout(context.WithoutCancel(ctx), EndWithin)
	defer cancel()
	if err := srv.Shutdown(late); err != nil {
		log.Warn("calls were cut at the end", "address", ln.Addr().String(), "error", errors.Join(err, srv.Close()))
	}
	<-failed
	return nil
}
