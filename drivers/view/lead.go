package view

import (
	"sync"
	"time"
)

// leadKept is how long at least it is remembered that a clock was ahead; after twice that
// a clock that was set right is believed again.
const leadKept = 10 * time.Minute

// leadMost is how far ahead a clock may be; a time beyond it is none, and what has it is
// as new as its coming.
const leadMost = 5 * time.Minute

// Lead is how far the clock of somebody who dates messages is ahead of ours, as the
// messages themselves have shown: none can tell of what is still to come. Without it one
// that was long on its way from a clock that is ahead would seem to be new. The zero Lead
// is ready. Its methods may be called from several goroutines.
type Lead struct {
	mu      sync.Mutex
	is, was time.Duration
	began   time.Time // of is
}

// Age is how long ago, at the least, an event happened that is dated by that clock.
func (l *Lead) Age(event, now time.Time) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	switch past := now.Sub(l.began); {
	case past > 2*leadKept:
		l.is, l.was, l.began = 0, 0, now
	case past > leadKept:
		l.is, l.was, l.began = 0, l.is, now
	}
	ahead := event.Sub(now)
	if ahead > leadMost {
		return 0
	}
	l.is = max(l.is, ahead)
	return max(0, max(l.is, l.was)-ahead)
}
