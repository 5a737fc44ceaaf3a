package escort

import (
	"context"
	"errors"
	"time"

	"hoistway/agent/robot"
	"hoistway/drivers"
)

const bringGap = 250 * time.Millisecond // between two attempts that failed

// put gives a signal to the courier. The lock is held.
func (e *Escort) put(ride, via string, s drivers.RideSignal) uint64 {
	n, dropped := e.out.Put(ride, via, s)
	if dropped {
		e.o.Log.Warn("too many signals wait for the gateway; the oldest is let go of", "robot", e.o.Robot, "code", "E-5013")
	}
	nudge(e.bring)
	return n
}

// courier brings what waits, one after the other.
func (e *Escort) courier(ctx context.Context) {
	wait := bringGap
	for ctx.Err() == nil {
		w, ok := e.first()
		if !ok {
			sleep(ctx, time.Minute, e.bring)
			continue
		}
		err := e.carry(ctx, w)
		if ctx.Err() != nil {
			return
		}
		fate := robot.FateOf(err)
		e.brought(w, fate, err)
		if fate == robot.Again {
			sleep(ctx, bringGap, nil)
			sleep(ctx, wait-bringGap, e.bring)
			wait = min(2*wait, longestRetry)
			continue
		}
		wait = bringGap
	}
}

func (e *Escort) first() (robot.Waiting, bool) {
	e.mu.Lock()
	defer e.mu.Unlock()
	w, late, ok := e.out.First(e.o.Now())
	if late > 0 {
		e.o.Log.Warn("signals are too old to be told", "robot", e.o.Robot, "count", late)
	}
	return w, ok
}

// carry asks once. An answer is laid over the mirror.
func (e *Escort) carry(ctx context.Context, w robot.Waiting) error {
	l, ok := e.lift(w.Via)
	if !ok {
		return drivers.ErrConflict
	}
	if w.Ride == "" {
		b, ok := drivers.As[drivers.Beater](l.Link)
		if !ok {
			return drivers.ErrConflict
		}
		_, err := b.Beat(ctx, e.o.Robot, w.Signal)
		return err
	}
	r, err := rider(l)
	if err != nil {
		return err
	}
	v, err := r.Signal(ctx, w.Ride, w.Signal)
	if err == nil {
		e.take(l, v)
	}
	return err
}

// brought settles what became of one signal, and tells whoever waits for it.
func (e *Escort) brought(w robot.Waiting, fate robot.Fate, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if fate != robot.Again {
		e.out.Take(w.N)
	}
	if c := e.waits[w.N]; c != nil {
		c <- err
		delete(e.waits, w.N)
	}
	switch {
	case errors.Is(err, drivers.ErrGone) && w.Ride != "":
		e.mirror.Drop(w.Ride, e.o.Now(), e.wall())
		e.show()
	case fate == robot.Again && w.Ride != "" && (errors.Is(err, drivers.ErrLink) || errors.Is(err, drivers.ErrTimeout)):
		e.mirror.Lose(w.Ride, err.Error(), e.o.Now(), e.wall())
		e.show()
	case fate == robot.Never:
		e.o.Log.Warn("the gateway does not take a signal", "ride", w.Ride, "kind", w.Signal.Kind, "error", err)
	}
}
