package escort

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hoistway/agent/robot"
	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

const (
	lookForRides = 5 * time.Second // rides that others made for this robot
	firstRetry   = 500 * time.Millisecond
	longestRetry = 5 * time.Second
)

// watch keeps the newest snapshot of a lift.
func (e *Escort) watch(ctx context.Context, l Lift) {
	w, ok := drivers.As[drivers.Watcher](l.Link)
	if !ok {
		return
	}
	err := w.Watch(ctx, func(s elevator.Snapshot) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.cars[l.ID] = s
		e.show()
	})
	if err != nil && ctx.Err() == nil {
		e.complain("lift "+l.ID+" is not watched any more", err)
	}
}

func rider(l Lift) (drivers.Rider, error) {
	r, ok := drivers.As[drivers.Rider](l.Link)
	if !ok {
		return nil, fmt.Errorf("%w: the link of lift %s carries no ride", drivers.ErrNotCapable, l.ID)
	}
	return r, nil
}

// takeUp looks for rides of this robot at one gateway: those from before this agent
// started, and those that somebody else asked for.
func (e *Escort) takeUp(ctx context.Context, l Lift) {
	r, err := rider(l)
	if err != nil {
		e.complain("no ride can be had", err)
		return
	}
	for wait := firstRetry; ctx.Err() == nil; {
		views, err := r.Rides(ctx, e.o.Robot)
		if err != nil {
			if ctx.Err() == nil {
				e.complain("gateway "+l.Gateway+" does not tell of this robot's rides", err)
			}
			sleep(ctx, wait, nil)
			wait = min(2*wait, longestRetry)
			continue
		}
		wait = firstRetry
		for _, v := range views {
			if e.knows(v.ID) || v.State != string(fsm.Done) {
				e.take(e.carrier(l, v), v)
			}
		}
		sleep(ctx, lookForRides, nil)
	}
}

func (e *Escort) knows(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.mirror.Find(id) != nil
}

// carrier is the lift by whose link a ride that was found goes on: the one whose floor
// table the answer was read by.
func (e *Escort) carrier(asked Lift, v drivers.RideView) Lift {
	e.mu.Lock()
	defer e.mu.Unlock()
	if r := e.mirror.Find(v.ID); r != nil {
		if l, ok := e.lift(r.Via); ok && l.Gateway == asked.Gateway {
			return l
		}
	}
	return asked
}

// follow mirrors one ride until it is over.
func (e *Escort) follow(ctx context.Context, id, via string) {
	defer func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.follows, id)
	}()
	l, _ := e.lift(via)
	r, err := rider(l)
	for err == nil && ctx.Err() == nil {
		err = r.Follow(ctx, id, func(v drivers.RideView) {
			if v.Lost {
				v.ID = id
			}
			e.take(l, v)
		})
		switch {
		case err == nil:
			return
		case errors.Is(err, drivers.ErrGone):
			e.drop(id)
		case ctx.Err() == nil:
			e.lose(id, err)
		}
	}
	sleep(ctx, longestRetry, nil)
}

func (e *Escort) drop(id string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mirror.Drop(id, e.o.Now(), e.wall())
	e.show()
}

func (e *Escort) lose(id string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.mirror.Lose(id, err.Error(), e.o.Now(), e.wall())
	e.show()
}

// sense asks the source of displacement in its time.
func (e *Escort) sense(ctx context.Context) {
	for ctx.Err() == nil {
		began := e.o.Now()
		if err := e.ask(ctx); err != nil && ctx.Err() == nil {
			e.complain("the source of displacement tells nothing", err)
		}
		sleep(ctx, max(e.o.Every-e.o.Now().Sub(began), e.o.Every/10), nil)
	}
}

func (e *Escort) ask(ctx context.Context) error {
	raw, asked, err := e.o.Source.Ask(ctx, e.o.Now)
	if err != nil {
		return err
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	ride, l := e.present()
	s, err := robot.ReadSample(raw, l.Floors, asked)
	if err != nil {
		return err
	}
	if s.At <= e.sample.At {
		return nil // nothing new
	}
	moved := s.Where != e.sample.Where || s.Motion != e.sample.Motion
	e.sample = s
	e.mirror.Sense(s)
	if s.Told && (moved || e.o.Now().Sub(e.spoken) >= time.Second) {
		e.spoken = e.o.Now()
		beat := s.Beat()
		e.mirror.Hear(ride, beat, false, e.o.Now(), e.wall())
		e.put(ride, l.ID, beat)
	}
	e.show()
	return nil
}

// present is the robot's live ride, "" for none, and the lift whose link carries it. The
// lock is held.
func (e *Escort) present() (string, Lift) {
	for _, r := range e.mirror.Live() {
		if l, ok := e.lift(r.Via); ok && !r.Gone {
			return r.Told.ID, l
		}
	}
	return "", e.o.Lifts[0]
}
