package peer

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"hoistway/drivers"
	"hoistway/drivers/peer/wire"
)

const (
	stateDone = "DONE"
)

// Open see [drivers.Rider].
func (l *link) Open(ctx context.Context, s drivers.RideSpec) (drivers.RideView, error) {
	body, err := l.order(s)
	if err != nil {
		return drivers.RideView{}, fmt.Errorf("%w: ride %q: %w", drivers.ErrNotSent, s.ID, err)
	}
	return l.about(ctx, s.ID, http.MethodPost, "/v1/rides", body)
}

// Signal see [drivers.Rider].
func (l *link) Signal(ctx context.Context, ride string, s drivers.RideSignal) (drivers.RideView, error) {
	body, err := l.signal(s)
	if err != nil {
		return drivers.RideView{}, fmt.Errorf("%w: signal of ride %q: %w", drivers.ErrNotSent, ride, err)
	}
	return l.about(ctx, ride, http.MethodPost, ridePath(ride)+"/signals", body)
}

// Cancel see [drivers.Rider].
func (l *link) Cancel(ctx context.Context, ride string) (drivers.RideView, error) {
	return l.about(ctx, ride, http.MethodDelete, ridePath(ride), nil)
}

// Rides see [drivers.Rider].
func (l *link) Rides(ctx context.Context, robot string) ([]drivers.RideView, error) {
	ctx, done, err := l.join(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	var got []wire.Ride
	asked, err := l.ask.ask(ctx, http.MethodGet, "/v1/rides?"+url.Values{"robot": {robot}}.Encode(), nil, &got)
	if err != nil {
		return nil, err
	}
	var out []drivers.RideView
	for i := range got {
		if got[i].Robot == robot {
			out = append(out, mirror{asked, l.floors}.ride(&got[i]))
		}
	}
	return out, nil
}

// Beat tells that a robot lives, with or without a ride, and gives its rides that have
// not ended.
func (l *link) Beat(ctx context.Context, robot string, s drivers.RideSignal) ([]string, error) {
	s.Kind, s.Permit = "", ""
	body, err := l.signal(s)
	if err != nil {
		return nil, fmt.Errorf("%w: heartbeat of %q: %w", drivers.ErrNotSent, robot, err)
	}
	ctx, done, err := l.join(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	var got wire.Heard
	_, err = l.ask.ask(ctx, http.MethodPost, "/v1/robots/"+url.PathEscape(robot)+"/heartbeat", body, &got)
	if err == nil && got.Robot != robot {
		err = fmt.Errorf("%w: the answer is about robot %q, not %q", drivers.ErrProtocol, got.Robot, robot)
	}
	return got.Rides, err
}

func ridePath(ride string) string { return "/v1/rides/" + url.PathEscape(ride) }

// about makes a call that answers with a ride.
func (l *link) about(ctx context.Context, ride, method, path string, body any) (drivers.RideView, error) {
	ctx, done, err := l.join(ctx)
	if err != nil {
		return drivers.RideView{}, err
	}
	defer done()
	if ride == "" {
		return drivers.RideView{}, fmt.Errorf("%w: %w: a ride has an id", drivers.ErrNotSent, drivers.ErrConfig)
	}
	var got wire.Ride
	asked, err := l.ask.ask(ctx, method, path, body, &got)
	if err == nil && got.ID != ride {
		err = fmt.Errorf("%w: the answer is about ride %q, not %q", drivers.ErrProtocol, got.ID, ride)
	}
	if err != nil {
		return drivers.RideView{}, err
	}
	if method != http.MethodGet {
		l.wake(ride)
	}
	return mirror{asked, l.floors}.ride(&got), nil
}

// Follow see [drivers.Rider].
func (l *link) Follow(ctx context.Context, ride string, deliver func(drivers.RideView)) error {
	within, done, err := l.join(ctx)
	if err != nil {
		return err
	}
	defer done()
	news := make(chan struct{}, 1)
	l.subscribe(news, ride, true)
	defer l.subscribe(news, ride, false)
	last := drivers.RideView{ID: ride}
	var wait backoff
	for {
		v, err := l.about(within, ride, http.MethodGet, ridePath(ride), nil)
		pausing := followEvery
		switch {
		case ctx.Err() != nil:
			return ctx.Err()
		case within.Err() != nil:
			return drivers.ErrClosed
		case errors.Is(err, drivers.ErrGone):
			return err
		case err != nil:
			deliver(lost(last, err))
			pausing = max(followEvery, wait.after(err))
		default:
			last, wait = v, backoff{}
			if deliver(v); v.State == stateDone {
				return nil
			}
		}
		pause(within, pausing, news)
	}
}

// lost is what is still true of a ride that cannot be asked for. The leave pass was
// given for this.
func lost(v drivers.RideView, err error) drivers.RideView {
	v.Lost, v.Permit, v.Withheld = true, drivers.RidePermit{}, nil
	v.Do, v.Why, v.DoUntil = "", err.Error(), 0
	return v
}

func (l *link) subscribe(news chan struct{}, ride string, on bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if on {
		l.follow[news] = ride
		return
	}
	delete(l.follow, news)
}

// wake has those ask who follow this ride.
func (l *link) wake(ride string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for news, of := range l.follow {
		if of == ride {
			nudge(news)
		}
	}
}

func (l *link) wakeAll() {
	nudge(l.news)
	l.mu.Lock()
	defer l.mu.Unlock()
	for news := range l.follow {
		nudge(news)
	}
}
