package daemon

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"hoistway/fsm"
	"hoistway/sync/boltstore"
	"hoistway/sync/replica"
	"hoistway/sync/shadow"
)

// watched is the store, and tells when it turns out to be damaged. That is for
// good: only a new start sets the file aside.
type watched struct {
	replica.Store
	damaged chan struct{}
	tell    func()
}

func newWatched(s replica.Store) *watched {
	w := &watched{Store: s, damaged: make(chan struct{})}
	w.tell = sync.OnceFunc(func() { close(w.damaged) })
	return w
}

// Commit is the store's own.
func (w *watched) Commit(records []shadow.Record) error {
	err := w.Store.Commit(records)
	if errors.Is(err, boltstore.ErrDamaged) {
		w.tell()
	}
	return err
}

// endWhenDamaged ends the agent once the store is beyond use and no ride runs any
// more: running ones go on in memory, new ones are refused, so waiting on would
// help nobody, and whoever starts the agent again gets a fresh store.
func (a *agent) endWhenDamaged(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return nil
	case <-a.watched.damaged:
	}
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for a.rideRuns() {
		select {
		case <-ctx.Done():
			return nil
		case <-look.C:
		}
	}
	return fmt.Errorf("E-4001: %w and nothing runs any more; a new start sets it aside", boltstore.ErrDamaged)
}

func (a *agent) rideRuns() bool {
	for _, r := range a.view().Rides {
		if r.Ride.State != fsm.Done {
			return true
		}
	}
	return false
}
