package fieldbus

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus/schedule"
)

// Lines is the pool of lines of one program. Its methods may be called from
// several goroutines. It starts nothing before the first Join.
type Lines struct {
	env   drivers.Env
	mu    sync.Mutex
	specs map[string]Spec  // what was reserved
	open  map[string]*line // running
	next  schedule.Owner
	shut  bool
}

// NewLines makes an empty pool. Env.Now is required; a nil Dial or OpenSerial is
// the real one, a nil Log is silent.
func NewLines(env drivers.Env) *Lines {
	if env.Log == nil {
		env.Log = slog.New(slog.DiscardHandler)
	}
	return &Lines{env: env, specs: make(map[string]Spec), open: make(map[string]*line)}
}

// Reserve checks, without any I/O, that the users of a line agree on how it is
// spoken. A driver calls it while the configuration is checked.
func (ls *Lines) Reserve(s Spec) error {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	return ls.reserve(s)
}

func (ls *Lines) reserve(s Spec) error {
	if err := s.checkUDP(); err != nil {
		return err
	}
	had, ok := ls.specs[s.key()]
	if ok && had.spoken() != s.spoken() {
		return fmt.Errorf("%s is used already, as %s and %s: all lifts on a line must agree", s.Address, had.words(), s.words())
	}
	ls.specs[s.key()] = s
	return nil
}

func (s Spec) words() string {
	switch {
	case s.Network == Serial:
	case s.Listen != "" || s.Group != "":
		return fmt.Sprintf("%s from %s in group %q", s.Speech, s.Listen, s.Group)
	default:
		return s.Speech
	}
	return fmt.Sprintf("%s %d baud, %d data bits, parity %s, %d stop bits",
		s.Speech, s.Mode.Baud, s.Mode.DataBits, s.Mode.Parity, s.Mode.StopBits)
}

// Join makes m a user of the line, which is opened when it is not open yet. An
// absent device is no error: the line is then tried again and again.
func (ls *Lines) Join(s Spec, m Member) (*Port, error) {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	if ls.shut {
		return nil, drivers.ErrClosed
	}
	if err := ls.reserve(s); err != nil {
		return nil, err
	}
	l := ls.open[s.key()]
	if l == nil {
		l = newLine(ls.env, s)
		ls.open[s.key()] = l
	}
	if l.users >= schedule.MaxOwners || len(m.Polls) > schedule.MaxPolls {
		return nil, fmt.Errorf("%s: too many lifts or points on one line", s.Address)
	}
	l.users++
	ls.next++
	return l.join(ls, ls.next, m), nil
}

// leave ends the line with its last user.
func (ls *Lines) leave(l *line) {
	ls.mu.Lock()
	l.users--
	last := l.users == 0
	if last {
		delete(ls.open, l.spec.key())
	}
	ls.mu.Unlock()
	if last {
		l.cancel()
		<-l.ended
	}
}

// CloseAll closes every port still open, each as by its own Close, and refuses
// further ones.
func (ls *Lines) CloseAll() error {
	ls.mu.Lock()
	ls.shut = true
	var ports []*Port
	for _, l := range ls.open {
		ports = append(ports, l.ports()...)
	}
	ls.mu.Unlock()
	errs := make([]error, len(ports))
	var wg sync.WaitGroup
	for i, p := range ports {
		wg.Go(func() { errs[i] = p.Close() })
	}
	wg.Wait()
	return errors.Join(errs...)
}

func newLine(env drivers.Env, s Spec) *line {
	ctx, cancel := context.WithCancel(context.Background())
	h := fnv.New64a()
	_, _ = h.Write([]byte(s.key()))
	l := &line{
		env: env, spec: s, ctx: ctx, cancel: cancel, ended: make(chan struct{}),
		log:    env.Log.With("line", s.Address),
		sched:  schedule.New(schedule.Settings{Blind: s.Blind, Near: s.Network == Serial, Seed: h.Sum64() ^ uint64(env.Now())}),
		inbox:  make(chan note, 64),
		token:  make(chan struct{}, 1),
		wake:   make(chan struct{}, 1),
		polls:  make(map[schedule.Key]*pollRef),
		jobs:   make(map[schedule.Key]*job),
		limits: make(map[uint8]time.Duration), members: make(map[schedule.Owner]*Port),
		feeds: make(map[schedule.Key]*Feed), diags: make(map[schedule.Key]*diag), replies: make(map[schedule.Key][]byte),
		meter: newMeter(s.Address), buf: make([]byte, maxStray),
	}
	go l.run()
	return l
}
