package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"hoistway/agent/localapi"
)

// sight is what one look brought.
type sight struct {
	state  state
	ready  localapi.Ready
	lifts  []localapi.Lift
	rides  []localapi.Ride
	shadow localapi.Shadow
	at     time.Time
}

// watching looks at one agent again and again.
type watching struct {
	b     *benching
	c     *client
	only  string // a lift, "" for all
	every time.Duration
	last  sight
	lost  error // why the looks since last failed; nil: last is of now
}

func (b *benching) watchLifts(ctx context.Context, args []string, every time.Duration) error {
	conf, err := b.loaded()
	if err != nil {
		return err
	}
	c, err := b.agentOf(conf)
	if err != nil {
		return err
	}
	w := &watching{b: b, c: c, every: every}
	if len(args) == 1 {
		w.only = args[0]
	}
	// An agent that never answered is more likely a wrong address than a restart.
	if w.last, err = w.look(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	if t := b.app.terminal(); t != nil && !b.json {
		return w.live(ctx, t)
	}
	return w.plain(ctx)
}

// look asks for everything once.
func (w *watching) look(ctx context.Context) (sight, error) {
	s := sight{at: time.Now()}
	var err error
	if w.only != "" { // a lift that is unknown is an error, not an empty screen
		if _, err = read[localapi.Lift](w.c.get(ctx, at("lifts", w.only))); err != nil {
			return s, err
		}
	}
	if s.state, err = w.c.state(ctx); err != nil {
		return s, err
	}
	if s.ready, err = read[localapi.Ready](s.state.Ready, nil); err != nil {
		return s, err
	}
	if s.lifts, err = read[[]localapi.Lift](s.state.Lifts, nil); err != nil {
		return s, err
	}
	if s.rides, err = read[[]localapi.Ride](s.state.Rides, nil); err != nil {
		return s, err
	}
	s.shadow, err = read[localapi.Shadow](s.state.Shadow, nil)
	return s.narrowed(w.only), err
}

// took takes what a look brought. Trouble that passes leaves the last sight, as old;
// a refusal ends the watch.
func (w *watching) took(s sight, err error) error {
	var f *failure
	if err != nil && errors.As(err, &f) && f.exit != exitReach {
		return err
	}
	w.lost = err
	if err == nil {
		w.last = s
	}
	return nil
}

// plain prints one look after another, for pipes and logs.
func (w *watching) plain(ctx context.Context) error {
	s, fresh := w.b.app.screen(), true // the first look is there already
	return repeat(ctx, w.every, func() error {
		if !fresh {
			if err := w.took(w.look(ctx)); err != nil || ctx.Err() != nil {
				return err
			}
		}
		fresh = false
		switch {
		case w.lost != nil && w.b.json:
			return nil // no answer is no value
		case w.lost != nil:
			return s.show(func(out io.Writer) error {
				_, err := fmt.Fprintln(out, w.lostWords(time.Now()))
				return output(err)
			})
		case w.b.json:
			return w.b.app.printValue(w.last.state)
		}
		return s.show(func(out io.Writer) error {
			for _, line := range w.last.body(0) {
				if _, err := fmt.Fprintln(out, line.text); err != nil {
					return output(err)
				}
			}
			return nil
		})
	})
}

func (w *watching) lostWords(now time.Time) string {
	return fmt.Sprintf("no answer since %s: %s", span(now.Sub(w.last.at).Milliseconds()), oneLine(w.lost.Error()))
}

// live keeps one screen until a key, the end of ctx, or a refusal. Looks come from a
// goroutine of their own, so that ages go on while an answer is waited for.
func (w *watching) live(ctx context.Context, t *terminal) error {
	if err := t.begin(); err != nil {
		return err
	}
	ctx, stop := context.WithCancel(ctx)
	var inner sync.WaitGroup
	defer func() {
		stop()
		t.end()
		inner.Wait()
	}()
	looks, tick := make(chan func() error), time.NewTicker(min(w.every, time.Second))
	defer tick.Stop()
	inner.Go(func() { w.keepLooking(ctx, looks) })
	inner.Go(func() { t.readKeys(stop) })
	for {
		if err := t.draw(w.frame); err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		case take := <-looks:
			if err := take(); err != nil {
				return err
			}
		}
	}
}

// keepLooking hands each look to the goroutine that draws.
func (w *watching) keepLooking(ctx context.Context, looks chan<- func() error) {
	t := time.NewTicker(w.every)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		s, err := w.look(ctx)
		select {
		case <-ctx.Done():
			return
		case looks <- func() error { return w.took(s, err) }:
		}
	}
}

// narrowed leaves only what concerns one lift.
func (s sight) narrowed(lift string) sight {
	if lift == "" {
		return s
	}
	var lifts []localapi.Lift
	for _, l := range s.lifts {
		if l.ID == lift {
			lifts = append(lifts, l)
		}
	}
	var rides []localapi.Ride
	for _, r := range s.rides {
		if r.Lift == lift {
			rides = append(rides, r)
		}
	}
	s.lifts, s.rides = lifts, rides
	return s
}
