package hooks

import (
	"context"
	"errors"
	"slices"
	"time"

	"hoistway/drivers"
)

// mending makes good what pushes miss, for one lift.
type mending struct {
	*desk
	m drivers.Mender
}

const (
	askWithin  = 30 * time.Second
	retryAfter = 30 * time.Second
)

// run subscribes, reads everything, and goes on doing so in their times.
func (g *mending) run(ctx context.Context) {
	jobs := []*job{{every: g.plan.Repair, do: g.repair}}
	for n, every := range g.plan.Renew {
		jobs = append([]*job{{every: every, retry: retryAfter, do: func(ctx context.Context) error { return g.subscribe(ctx, n) }}}, jobs...)
	}
	if g.plan.Probe > 0 {
		jobs = append(jobs, &job{every: g.plan.Probe, do: g.probe})
	}
	now := jobs[len(g.plan.Renew):] // what is done at once where somebody wants it
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-g.mend:
			for _, j := range now {
				j.due = time.Time{}
			}
		case <-timer.C:
		}
		next := time.Now().Add(time.Hour)
		for _, j := range jobs {
			j.turn(ctx)
			if j.due.Before(next) {
				next = j.due
			}
		}
		timer.Reset(time.Until(next))
	}
}

// job is something that is done again and again, sooner where it failed.
type job struct {
	every, retry time.Duration
	do           func(context.Context) error
	due          time.Time
}

func (j *job) turn(ctx context.Context) {
	if time.Now().Before(j.due) || ctx.Err() != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	wait := j.every
	if err := j.do(ctx); err != nil && j.retry > 0 {
		wait = min(j.retry, wait)
	}
	j.due = time.Now().Add(wait)
}

// repair asks for what could not be delivered, where that can be all of it, and then
// reads everything: what was read last counts.
func (g *mending) repair(ctx context.Context) error {
	if gap := g.gap(); g.plan.Window > 0 && gap <= g.plan.Window {
		b, err := g.m.Missed(ctx)
		if err == nil {
			err = g.offer(ctx, b)
		}
		g.told("missed", err)
	}
	_, err := g.link.Read(ctx)
	if err == nil {
		g.repaired()
	}
	g.told("repair", err)
	return err
}

// offer keeps messages that were asked for; the service is told once all of them are.
func (g *mending) offer(ctx context.Context, b drivers.Batch) error {
	for some := range slices.Chunk(b.Messages, together) {
		if err := g.keepSome(ctx, some); err != nil {
			return err
		}
	}
	if b.Taken == nil || len(b.Messages) == 0 {
		return nil
	}
	return b.Taken(ctx)
}

// keepSome hands messages to the store together and then waits for them.
func (g *mending) keepSome(ctx context.Context, some []drivers.Push) error {
	var waits []*message
	for _, p := range some {
		a := g.r.Admit(p)
		if !a.Keep {
			g.sorted(a)
			continue
		}
		m, err := g.enter(p, a)
		if err != nil {
			return err
		}
		if m != nil {
			waits = append(waits, m)
		}
	}
	for _, m := range waits {
		if err := m.durable(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (g *mending) subscribe(ctx context.Context, n int) error {
	err := g.m.Subscribe(ctx, n)
	g.told("subscribe", err)
	return err
}

func (g *mending) probe(ctx context.Context) error {
	on, err := g.m.Pushing(ctx)
	if err == nil {
		g.pushing(on)
	}
	g.told("probe", err)
	return err
}

// drain asks the service's queue, the second way on which messages come.
func (g *mending) drain(ctx context.Context) {
	for ctx.Err() == nil {
		asked, cancel := context.WithTimeout(ctx, 10*time.Minute)
		b, err := g.m.Queued(asked)
		if err == nil {
			err = g.offer(asked, b)
		}
		cancel()
		if ctx.Err() != nil {
			return
		}
		g.told("queue", err)
		wait := g.plan.Queue
		if err != nil && !errors.Is(err, drivers.ErrBusy) {
			wait = max(wait, 5*time.Second)
		}
		sleep(ctx, wait)
	}
}
