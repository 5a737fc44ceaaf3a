package wrap

import (
	"context"
	"errors"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// Retry reads up to n times in all, pause apart, while the trouble may pass: no
// answer, one that does not fit, or a busy controller. Commands are never
// repeated: they go straight to the link.
func Retry(l drivers.Link, n int, pause time.Duration) drivers.Link {
	return retry{l, n, pause}
}

type retry struct {
	drivers.Link
	n     int
	pause time.Duration
}

func (r retry) Unwrap() drivers.Link { return r.Link }

func (r retry) Read(ctx context.Context) (elevator.Snapshot, error) {
	for i := 1; ; i++ {
		s, err := r.Link.Read(ctx)
		if err == nil || i >= r.n || !passing(err) || !sleep(ctx, r.pause) {
			return s, err
		}
	}
}

func passing(err error) bool {
	return errors.Is(err, drivers.ErrTimeout) || errors.Is(err, drivers.ErrProtocol) || errors.Is(err, drivers.ErrBusy)
}

// sleep reports whether the pause passed before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return ctx.Err() == nil
	case <-ctx.Done():
		return false
	}
}
