package pubsub

import (
	"context"
	"errors"
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

// link is one lift behind a broker.
type link struct {
	*opener
	bus   drivers.PubSub
	nonce string
	view  *view.View
	lead  view.Lead // of whoever dates the messages
	flow  *carry.Flow
	stops []func() // of the subscriptions

	ctx   context.Context
	stop  context.CancelFunc
	shut  chan struct{}
	close sync.Once
	err   error
	wg    sync.WaitGroup
	news  chan struct{} // ask now

	mu     sync.Mutex
	up     bool // the broker is there
	asked  int64
	stamp  int64 // the latest time that was used as an id
	waits  map[*wait]bool
	latest map[string][]byte // payloads of what came by itself
	quiet  elevator.Instant
}

// Watch see [drivers.Watcher].
func (l *link) Watch(ctx context.Context, deliver func(elevator.Snapshot)) error {
	return l.view.Watch(ctx, l.shut, l.prof.Traits().FastPoll, deliver)
}

// Close says what is owed, leaves the broker and waits for all that lives on it.
func (l *link) Close() error {
	l.close.Do(func() {
		close(l.shut)
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		defer cancel()
		l.flow.Close(ctx)
		l.stop()
		l.wg.Wait()
		l.leave()
		l.err = l.bus.Close()
	})
	return l.err
}

func (l *link) leave() {
	for _, stop := range l.stops {
		stop()
	}
}

func (l *link) closed() bool {
	select {
	case <-l.shut:
		return true
	default:
		return false
	}
}

// broker follows the connection.
func (l *link) broker(up bool) {
	l.mu.Lock()
	was := l.up
	l.up = up
	l.mu.Unlock()
	switch {
	case !up:
		l.view.Note(l.loseAll)
	case !was:
		l.hurry()
	}
}

func (l *link) loseAll(s *elevator.Snapshot) {
	for _, src := range l.prof.Sources() {
		l.prof.Lose(src.Name, s)
	}
}

func (l *link) lose(source string) {
	l.view.Note(func(s *elevator.Snapshot) { l.prof.Lose(source, s) })
}

// Read asks each source that can be asked.
func (l *link) Read(ctx context.Context) (elevator.Snapshot, error) {
	if l.closed() {
		return l.view.Snapshot(), drivers.ErrClosed
	}
	var first error
	for _, s := range l.prof.Sources() {
		if m := l.api.Topic(s.Name); m.Publish {
			if err := l.read(ctx, m); err != nil && first == nil {
				first = err
			}
		}
	}
	return l.view.Snapshot(), first
}

// read asks one source, as often as the profile lets, and lays what it says over the view.
func (l *link) read(ctx context.Context, m *profiles.Topic) error {
	var a answer
	var err error
	for try := range m.Tries {
		if try > 0 && !view.Sleep(ctx, m.Again) {
			break
		}
		if a, err = l.ask(ctx, m, nil); !errors.Is(err, drivers.ErrTimeout) {
			break
		}
	}
	if err == nil {
		return l.view.Good(func(s *elevator.Snapshot) error {
			l.lay(m, a.Doc, a.at, s)
			return nil
		})
	}
	l.lose(m.Name)
	if a.Kind != profiles.AnswerGarbage { // a no comes from somebody
		l.view.Alive()
	}
	l.complain(m.Name, err)
	return err
}

// lay puts a document over a snapshot.
func (l *link) lay(m *profiles.Topic, doc any, at elevator.Instant, s *elevator.Snapshot) {
	l.flow.Lay(m.Name, m.Partial, func(place string) profiles.Raw { return l.api.Pick(doc, place, l.to.site) }, at, s)
}

// complain writes a wrong answer down, not each of a row of them.
func (l *link) complain(what string, err error) {
	if l.env.Log == nil || errors.Is(err, drivers.ErrTimeout) || errors.Is(err, drivers.ErrLink) {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.env.Now()
	if l.quiet != 0 && !l.quiet.Reached(now) {
		return
	}
	l.quiet = now.Add(10 * time.Second)
	l.env.Log.Warn("trouble with the controller", "lift", l.lift, "message", what, "err", err)
}

// beat is how often a broker is taken to stand for its lift.
const beat = time.Second

// poll asks each source in its time.
func (l *link) poll(ctx context.Context) {
	sources := l.prof.Sources()
	due := make([]time.Time, len(sources))
	for ctx.Err() == nil {
		l.stand()
		now, next := time.Now(), time.Now().Add(beat)
		for i, s := range sources {
			m := l.api.Topic(s.Name)
			if !m.Publish {
				continue
			}
			if !now.Before(due[i]) {
				_ = l.read(ctx, m) // noted and logged there
				due[i] = now.Add(s.Every)
			}
			if due[i].Before(next) {
				next = due[i]
			}
		}
		l.idle(ctx, time.Until(next), due)
	}
}

// stand lets the broker stand for the lift, where the profile says so.
func (l *link) stand() {
	l.mu.Lock()
	up := l.up
	l.mu.Unlock()
	if up && l.api.ByBroker {
		l.view.Alive()
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

// hurry has the sources asked now.
func (l *link) hurry() {
	select {
	case l.news <- struct{}{}:
	default:
	}
}
