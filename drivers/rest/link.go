package rest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/carry"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

var (
	_ drivers.Link    = (*link)(nil)
	_ drivers.Watcher = (*link)(nil)
	_ drivers.Prober  = (*link)(nil)
	_ drivers.Planned = (*link)(nil)
)

// asking says one message and judges what comes of it. For a command it does so at most
// once.
type asking interface {
	message(ctx context.Context, name string, args map[string]profiles.Raw, command bool) (answer, error)
	preview(name string, args map[string]profiles.Raw) ([]byte, error)
	takes(name string) (args []string, known bool)
	harmless(name string) bool // of one that is known
	close()
}

// link is one lift behind a service.
type link struct {
	spec
	ask  asking
	view *view.View
	flow *carry.Flow

	stop  context.CancelFunc
	ctx   context.Context
	shut  chan struct{}
	wg    sync.WaitGroup
	close sync.Once
	news  chan struct{} // poll now
	turn  chan struct{} // holds one token: one question of a poll at a time

	mu    sync.Mutex
	quiet elevator.Instant // when a wrong answer may be logged again
}

// newLink makes a link that carries out so many commands at once.
func newLink(s spec, v *view.View, commands int) *link {
	l := &link{spec: s, view: v, shut: make(chan struct{}), news: make(chan struct{}, 1), turn: make(chan struct{}, 1)}
	l.flow = l.newFlow(commands)
	l.ctx, l.stop = context.WithCancel(context.Background())
	l.run(l.flow.Run)
	return l
}

// run starts what lives as long as the link.
func (l *link) run(work func(context.Context)) {
	l.wg.Go(func() { work(l.ctx) })
}

// Close ends the polls; what is owed is paid first, where the service answers.
func (l *link) Close() error {
	l.close.Do(func() {
		close(l.shut)
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		l.flow.Close(ctx)
		l.stop()
		l.wg.Wait()
		l.ask.close()
	})
	return nil
}

func (l *link) closed() bool {
	select {
	case <-l.shut:
		return true
	default:
		return false
	}
}

// Watch see [drivers.Watcher].
func (l *link) Watch(ctx context.Context, deliver func(elevator.Snapshot)) error {
	return l.view.Watch(ctx, l.shut, l.prof.Traits().FastPoll, deliver)
}

// Read asks each source once. Of a socket's sources those are asked that can be asked.
func (l *link) Read(ctx context.Context) (elevator.Snapshot, error) {
	if l.closed() {
		return l.view.Snapshot(), drivers.ErrClosed
	}
	var first error
	asked := false
	for _, s := range l.prof.Sources() {
		if _, known := l.ask.takes(s.Name); !known {
			continue
		}
		asked = true
		if err := l.read(ctx, s.Name); err != nil && first == nil {
			first = err
		}
	}
	if s := l.view.Snapshot(); !asked && s.Link != elevator.Online {
		return s, fmt.Errorf("%w: nothing comes from the service", drivers.ErrLink)
	}
	return l.view.Snapshot(), first
}

// read asks one source and lays what it says over the view.
func (l *link) read(ctx context.Context, source string) error {
	if !take(ctx, l.turn) {
		return drivers.ErrTimeout
	}
	defer func() { <-l.turn }()
	a, err := l.ask.message(ctx, source, nil, false)
	switch {
	case err == nil:
		return l.lay(ctx, source, false, a)
	case ctx.Err() != nil, errors.Is(err, drivers.ErrBusy) && errors.Is(err, drivers.ErrNotSent):
		// An asker that gave up, or the quota, is not the controller: what is known ages by itself.
	case errors.Is(err, drivers.ErrLink) && !a.left:
		l.view.Down(l.loseAll)
	default:
		l.view.Note(func(s *elevator.Snapshot) { l.prof.Lose(source, s) })
		l.complain(source, err)
	}
	return err
}

// lay puts a good answer over the view, dated by when its question left.
func (l *link) lay(ctx context.Context, source string, partial bool, a answer) error {
	values := map[string]profiles.Raw{}
	for _, p := range l.prof.PlacesIn(source) {
		values[p] = l.picks.pick(ctx, a.Doc, p)
	}
	return l.view.Good(func(s *elevator.Snapshot) error {
		l.flow.Lay(source, partial, func(p string) profiles.Raw { return values[p] }, a.at, s)
		return nil
	})
}

// complain writes a wrong answer down, not each of a row of them.
func (l *link) complain(source string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.env.Now()
	if l.env.Log == nil || errors.Is(err, drivers.ErrTimeout) || errors.Is(err, drivers.ErrLink) || !l.quiet.Reached(now) && l.quiet != 0 {
		return
	}
	l.quiet = now.Add(10 * time.Second)
	l.env.Log.Warn("wrong answer from the service", "lift", l.lift, "request", source, "err", err)
}

// poll asks each source in its time.
func (l *link) poll(ctx context.Context) {
	sources := l.prof.Sources()
	if len(sources) == 0 {
		return // a draft may tell nothing
	}
	due := make([]time.Time, len(sources))
	var wait backoff
	for ctx.Err() == nil {
		now := time.Now()
		for i, s := range sources {
			if now.Before(due[i]) {
				continue
			}
			if _, asked := l.ask.takes(s.Name); !asked {
				due[i] = now.Add(time.Hour)
				continue
			}
			due[i] = now.Add(s.Every)
			err := l.read(ctx, s.Name)
			if gone := errors.Is(err, drivers.ErrLink); gone {
				due[i] = time.Now().Add(max(s.Every, wait.next()))
				continue
			}
			wait = backoff{}
		}
		l.idle(ctx, time.Until(slices.MinFunc(due, time.Time.Compare)), due)
	}
}

// idle waits for the next turn; news makes every source due.
func (l *link) idle(ctx context.Context, d time.Duration, due []time.Time) {
	t := time.NewTimer(max(d, time.Millisecond))
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	case <-l.news:
		clear(due)
	}
}

// backoff waits longer each time, and never just as long as another link.
type backoff struct{ last time.Duration }

const (
	firstWait   = 250 * time.Millisecond
	longestWait = 5 * time.Second
)

func (b *backoff) next() time.Duration {
	b.last = min(max(2*b.last, firstWait), longestWait)
	return b.last/2 + rand.N(b.last/2)
}

// hurry has the sources read now.
func (l *link) hurry() {
	select {
	case l.news <- struct{}{}:
	default:
	}
}

// take waits for the only token; false when ctx ended first.
func take(ctx context.Context, c chan struct{}) bool {
	select {
	case c <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}
