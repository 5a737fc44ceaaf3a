package real

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"
)

// startLimit bounds how long a process of its own may take to answer.
const startLimit = 30 * time.Second

// spawn is boot for an agent that is a process of its own: nothing of it is left but what
// it has written when it is killed.
func (s *Site) spawn(ctx context.Context, text string) error {
	file := filepath.Join(s.o.Dir, "site.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return fmt.Errorf("the configuration of the agent: %w", err)
	}
	cmd := s.o.program(file)
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the agent: %w", err)
	}
	p := &process{
		ended:  make(chan error, 1),
		cancel: func() { _ = cmd.Process.Kill() }, // one that has ended is past killing
		term:   func() error { return cmd.Process.Signal(syscall.SIGTERM) },
	}
	go func() { p.ended <- cmd.Wait() }()
	s.mu.Lock()
	s.url, s.agent = "http://"+s.o.Listen, p
	s.mu.Unlock()
	return s.answers(ctx, p)
}

// answers waits until the local API does.
func (s *Site) answers(ctx context.Context, p *process) error {
	ctx, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for s.Read("/v1/rides", nil) != nil {
		select {
		case err := <-p.ended:
			p.ended <- err // for who ends it
			return fmt.Errorf("the agent ended: %w", errors.Join(err, ctx.Err()))
		case <-ctx.Done():
			return fmt.Errorf("the agent does not answer: %w", ctx.Err())
		case <-tick.C:
		}
	}
	return nil
}
