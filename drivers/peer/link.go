package peer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/peer/wire"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

var (
	_ drivers.Link    = (*link)(nil)
	_ drivers.Watcher = (*link)(nil)
	_ drivers.Rider   = (*link)(nil)
	_ drivers.Beater  = (*link)(nil)
	_ drivers.Prober  = (*link)(nil)
	_ drivers.Planned = (*link)(nil)
)

const (
	pollEvery    = 500 * time.Millisecond // of the lift, when no event comes
	followEvery  = 250 * time.Millisecond // of a ride
	offlineAfter = 5 * time.Second
)

// link is one lift of another gateway.
type link struct {
	env    drivers.Env
	lift   string // as it is called here
	to     target
	floors elevator.Table
	ask    *client
	view   *view.View

	ctx   context.Context
	stop  context.CancelFunc
	shut  chan struct{}
	wg    sync.WaitGroup
	close sync.Once
	news  chan struct{} // ask for the lift now
	turn  chan struct{} // holds one token: one question for the lift at a time

	mu     sync.Mutex
	quiet  elevator.Instant // when trouble may be logged again
	follow map[chan struct{}]string
}

// Factories are hoistway+https and, on this machine, hoistway+http.
func Factories(env drivers.Env) []drivers.Factory {
	var out []drivers.Factory
	for _, scheme := range []string{schemeTLS, schemePlain} {
		out = append(out, drivers.Factory{Scheme: scheme, New: func(s drivers.Spec) (drivers.Opener, error) {
			to, err := parseTarget(s.URL, s.Lift)
			if err != nil {
				return nil, fmt.Errorf("link of lift %s: %w", s.Lift, err)
			}
			return &opener{env, s, to}, nil
		}})
	}
	return out
}

type opener struct {
	env  drivers.Env
	spec drivers.Spec
	to   target
}

// Open starts to ask. It fails where token or certificates cannot be had, never because
// the gateway is absent.
func (o *opener) Open(context.Context) (drivers.Link, error) {
	c, err := newClient(o.to, o.env)
	if err != nil {
		return nil, fmt.Errorf("lift %s: %w", o.spec.Lift, err)
	}
	l := &link{
		env: o.env, lift: o.spec.Lift, to: o.to, floors: o.spec.Floors, ask: c, view: view.New(o.env.Now, offlineAfter),
		shut: make(chan struct{}), news: make(chan struct{}, 1), turn: make(chan struct{}, 1), follow: map[chan struct{}]string{},
	}
	l.ctx, l.stop = context.WithCancel(context.Background())
	l.wg.Go(func() { l.poll(l.ctx) })
	l.wg.Go(func() { l.listen(l.ctx) })
	return l, nil
}

// Close ends what the link does. Nothing is owed: rides go on where they are.
func (l *link) Close() error {
	l.close.Do(func() {
		close(l.shut)
		l.stop()
		l.wg.Wait()
		l.ask.close()
	})
	return nil
}

// Watch see [drivers.Watcher].
func (l *link) Watch(ctx context.Context, deliver func(elevator.Snapshot)) error {
	return l.view.Watch(ctx, l.shut, pollEvery, deliver)
}

// Do carries out nothing: two gateways may not press the buttons of one lift.
func (l *link) Do(_ context.Context, c elevator.Command) elevator.Outcome {
	return elevator.Outcome{
		ID: c.ID, Result: elevator.NotSent, Advice: elevator.AdviceConfig, At: l.env.Now(),
		Detail: fmt.Sprintf("%v: the gateway at %s takes rides, not a %s", drivers.ErrNotCapable, l.to.host, c.Verb),
	}
}

// Plan tells what is asked for beside events and rides.
func (l *link) Plan() []drivers.PlannedRead {
	return []drivers.PlannedRead{{Question: l.path(), Every: pollEvery, Points: []string{"all"}, Note: "sooner when an event tells of a change"}}
}

func (l *link) path() string { return "/v1/lifts/" + url.PathEscape(l.to.lift) }

// Read asks the other gateway for what it has; its values have ages of their own.
func (l *link) Read(ctx context.Context) (elevator.Snapshot, error) {
	ctx, done, err := l.join(ctx)
	if err != nil {
		return l.view.Snapshot(), err
	}
	defer done()
	err = l.look(ctx)
	return l.view.Snapshot(), err
}

// join ends ctx with the link.
func (l *link) join(ctx context.Context) (context.Context, func(), error) {
	if l.ctx.Err() != nil {
		return ctx, nil, drivers.ErrClosed
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(l.ctx, cancel)
	return ctx, func() { stop(); cancel() }, nil
}

// poll asks in its time, and when an event says so.
func (l *link) poll(ctx context.Context) {
	var wait backoff
	for ctx.Err() == nil {
		if err := l.look(ctx); err != nil {
			pause(ctx, max(pollEvery, wait.after(err)), l.news)
			continue
		}
		wait = backoff{}
		pause(ctx, pollEvery, l.news)
	}
}

// look asks once and lays the answer over the view.
func (l *link) look(ctx context.Context) error {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", drivers.ErrTimeout, ctx.Err())
	}
	var got wire.Lift
	asked, err := l.ask.ask(ctx, http.MethodGet, l.path(), nil, &got)
	if err == nil && got.ID != l.to.lift {
		err = fmt.Errorf("%w: the answer is about lift %q, not %q", drivers.ErrProtocol, got.ID, l.to.lift)
	}
	switch {
	case ctx.Err() != nil && err != nil: // the asker went away, not the gateway
	case err == nil:
		l.lay(&got, reading{asked, l.floors})
	case errors.Is(err, drivers.ErrLink) && errors.Is(err, drivers.ErrNotSent):
		l.view.Down(fail)
		l.complain("the other gateway cannot be reached", "err", err)
	default:
		l.view.Note(fail)
		l.complain("the other gateway does not tell of the lift", "err", err)
	}
	return err
}

// lay takes a good answer. A lift that the other side cannot reach is not reached from
// here either, though its gateway is.
func (l *link) lay(got *wire.Lift, r reading) {
	if got.Link != elevator.Online.String() {
		l.view.Down(func(s *elevator.Snapshot) {
			r.snapshot(got, s)
			fail(s)
		})
		return
	}
	_ = l.view.Good(func(s *elevator.Snapshot) error { // laying cannot fail
		r.snapshot(got, s)
		return nil
	})
	if strange := r.strange(got); len(strange) > 0 {
		l.complain("the other gateway has floors that this table lacks", "floors", strange)
	}
}

const complainEvery = time.Minute

// complain writes trouble down, not each of a row of it.
func (l *link) complain(what string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := l.env.Now()
	if l.env.Log == nil || l.quiet != 0 && !l.quiet.Reached(now) {
		return
	}
	l.quiet = now.Add(complainEvery)
	l.env.Log.Warn(what, append([]any{"lift", l.lift, "gateway", l.to.host}, args...)...)
}
