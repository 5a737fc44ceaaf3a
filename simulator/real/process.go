package real

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"hoistway/agent/config"
	"hoistway/agent/daemon"
	"hoistway/simulator/faults"
)

// process is one life of the agent.
type process struct {
	machine *machine // nil: a process of its own
	cancel  context.CancelFunc
	term    func() error // asks a process of its own to end
	ended   chan error   // gets the end once
}

// end asks for an orderly end.
func (p *process) end() {
	if p.term == nil || p.term() != nil {
		p.cancel()
	}
}

// boot starts the agent and waits until its API answers. ctx bounds the wait and,
// ending later, ends the agent in an orderly way.
func (s *Site) boot(ctx context.Context) error {
	listen := s.o.Listen
	if u := s.URL(); u != "" {
		listen = strings.TrimPrefix(u, "http://") // robots keep its address
	}
	s.mu.Lock()
	text := s.configuration(listen, s.CloudURL())
	s.text = text
	s.lives++
	seed, deaf := s.o.Seed+uint64(s.lives), s.deaf
	s.mu.Unlock()
	c, faults := config.Parse("site.yaml", []byte(text), os.ReadFile)
	if len(faults) > 0 {
		return fmt.Errorf("the site's own configuration: %w", faults[0])
	}
	if s.o.program != nil {
		return s.spawn(ctx, text)
	}
	life, cancel := context.WithCancel(ctx)
	p := &process{machine: newMachine(s.o.Net), cancel: cancel, ended: make(chan error, 1)}
	p.machine.setDeaf(deaf)
	ready := make(chan string, 1)
	deps := daemon.Deps{
		Log: s.o.Log, Version: s.o.Version, Seed: seed, Ready: func(a string) { ready <- a },
		Listen: p.machine.listen, Dial: p.machine.dial,
		Store: func(file daemon.Store) daemon.Store { return &disk{Store: file, site: s, of: p.machine} },
	}
	if s.o.Net.OpenSerial != nil {
		deps.OpenSerial = p.machine.openSerial
	}
	go func() { p.ended <- daemon.Run(life, c, deps) }()
	select {
	case a := <-ready:
		s.mu.Lock()
		s.url, s.agent = "http://"+a, p
		s.mu.Unlock()
		return nil
	case err := <-p.ended:
		cancel()
		return fmt.Errorf("the agent: %w", cmp.Or(err, ctx.Err()))
	}
}

// take gives the running process to who ends it, nil when there is none.
func (s *Site) take() *process {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.agent
	s.agent = nil
	return p
}

// halt stops the agent in an orderly way.
func (s *Site) halt() error {
	p := s.take()
	if p == nil {
		return nil
	}
	p.end()
	if err := <-p.ended; err != nil {
		return fmt.Errorf("the agent: %w", err)
	}
	return nil
}

// Ended gets the end of an agent that ends by itself; nil while it is down.
func (s *Site) Ended() <-chan error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.agent == nil {
		return nil
	}
	return s.agent.ended
}

// kill ends the agent as if by signal 9: what it had sent is on its way, nothing
// more leaves it, and its store is as it lies on the disk now.
func (s *Site) kill() error {
	p := s.take()
	if p == nil {
		return errors.New("the agent is down already")
	}
	if p.machine == nil {
		p.cancel()
		<-p.ended // by a signal, as it was meant to
		return nil
	}
	p.machine.kill()
	release := s.unplugSerial()
	defer release()
	s.mu.Lock()
	from := s.dir
	s.dir = filepath.Join(s.o.Dir, fmt.Sprintf("life-%d", s.lives+1))
	to := s.dir
	s.mu.Unlock()
	err := copyStore(from, to)
	p.cancel()
	<-p.ended // how a dead process ends is nobody's business
	return err
}

// copyStore takes the store's file as it is. Its pages are never changed in place,
// so that a file read while it is written is one that a power cut could leave.
func copyStore(from, to string) error {
	if err := os.MkdirAll(to, 0o750); err != nil {
		return fmt.Errorf("store of the next life: %w", err)
	}
	src, err := os.Open(filepath.Join(from, "state.db"))
	if err != nil {
		return fmt.Errorf("store of the last life: %w", err)
	}
	defer src.Close()
	dst, err := os.OpenFile(filepath.Join(to, "state.db"), os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("store of the next life: %w", err)
	}
	_, err = io.Copy(dst, src)
	if err = errors.Join(err, dst.Close()); err != nil {
		return fmt.Errorf("copy the store: %w", err)
	}
	return nil
}

// restart brings the agent back after a while, unless the site ends first.
func (s *Site) restart(after time.Duration) {
	s.later(after, func() {
		if err := s.boot(s.ctx); err != nil {
			s.o.Log.Error("the agent does not come back", "error", err)
		}
	})
}

// unplugSerial keeps a dying process, which opened its pseudo terminal by itself,
// from the lifts on it, until release.
func (s *Site) unplugSerial() (release func()) {
	if s.o.Net.OpenSerial != nil {
		return func() {}
	}
	const kind = "unplugged"
	for id, wire := range s.wires {
		if wire == modbusRTU {
			_ = s.Inject(faults.Fault{Kind: kind, Target: id})
		}
	}
	return func() {
		for id, wire := range s.wires {
			if wire == modbusRTU {
				s.units[id].ClearNamed(kind)
			}
		}
	}
}
