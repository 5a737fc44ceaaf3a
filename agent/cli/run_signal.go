package cli

import (
	"context"
	"log/slog"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// untilSignal ends ctx at the first SIGINT or SIGTERM and the process at the
// second: the first lets a robot get out of a doorway, and a person who asks
// twice means it. stop gives the signals back and waits for its goroutine.
func (a *app) untilSignal(parent context.Context, log *slog.Logger) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(parent)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM)
	over := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		if next(signals, over, func(s os.Signal) {
			log.Info("told to stop", "signal", s.String())
			cancel()
		}) {
			next(signals, over, func(s os.Signal) {
				log.Warn("told to stop twice: ending at once", "signal", s.String())
				a.exit(exitFinding)
			})
		}
	})
	return ctx, func() {
		signal.Stop(signals)
		close(over)
		wg.Wait()
		cancel()
	}
}

// next waits for one signal and reports whether it came before over.
func next(signals <-chan os.Signal, over <-chan struct{}, do func(os.Signal)) bool {
	select {
	case s := <-signals:
		do(s)
		return true
	case <-over:
		return false
	}
}

// notifyContext ends with the first SIGINT or SIGTERM.
func notifyContext(parent context.Context) (context.Context, func()) {
	return signal.NotifyContext(parent, syscall.SIGINT, syscall.SIGTERM)
}
