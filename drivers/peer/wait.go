package peer

import (
	"context"
	"errors"
	"math/rand/v2"
	"time"

	"hoistway/drivers"
)

const (
	firstWait   = 250 * time.Millisecond
	longestWait = 5 * time.Second
	gap         = 50 * time.Millisecond // between two questions, whatever is told
)

// backoff waits longer each time, and never just as long as another link.
type backoff struct{ last time.Duration }

// after is how long to wait after err. A no that stays is not worth asking often:
// a gateway answers a wrong token later each time.
func (b *backoff) after(err error) time.Duration {
	var no *drivers.RideRefusal
	b.last = min(max(2*b.last, firstWait), longestWait)
	least := b.last / 2
	if errors.As(err, &no) {
		if least = no.After; !errors.Is(err, drivers.ErrBusy) && !errors.Is(err, drivers.ErrTimeout) {
			least = longestWait
		}
	}
	return max(least, firstWait/2) + rand.N(b.last/2)
}

// pause waits, at least gap, and ends with ctx or with news.
func pause(ctx context.Context, d time.Duration, news <-chan struct{}) {
	if !sleep(ctx, min(d, gap), nil) {
		return
	}
	sleep(ctx, d-gap, news)
}

func sleep(ctx context.Context, d time.Duration, news <-chan struct{}) bool {
	if d <= 0 {
		return ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-news:
	case <-t.C:
	}
	return true
}

// nudge leaves a word for whoever waits on c, which holds one.
func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
