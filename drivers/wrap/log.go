package wrap

import (
	"context"
	"log/slog"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// Log writes down each command with its outcome, failed reads, and each change
// of the link's state.
func Log(l drivers.Link, to *slog.Logger) drivers.Link {
	w := logged{l, to}
	if _, ok := drivers.As[drivers.Watcher](l); ok {
		return loggedWatcher{w}
	}
	return w
}

type logged struct {
	drivers.Link
	to *slog.Logger
}

func (l logged) Unwrap() drivers.Link { return l.Link }

func (l logged) Do(ctx context.Context, c elevator.Command) elevator.Outcome {
	o := l.Link.Do(ctx, c)
	level := slog.LevelInfo
	if o.Result != elevator.Done {
		level = slog.LevelWarn
	}
	l.to.Log(ctx, level, "command", "id", c.ID.String(), "verb", c.Verb.String(), "floor", c.Floor.String(),
		"reason", c.Reason, "result", o.Result.String(), "code", o.Code, "detail", o.Detail)
	return o
}

func (l logged) Read(ctx context.Context) (elevator.Snapshot, error) {
	s, err := l.Link.Read(ctx)
	if err != nil {
		l.to.WarnContext(ctx, "read failed", "err", err)
	}
	return s, err
}

type loggedWatcher struct{ logged }

func (l loggedWatcher) Watch(ctx context.Context, deliver func(elevator.Snapshot)) error {
	w, _ := drivers.As[drivers.Watcher](l.Link)
	var last elevator.LinkState
	return w.Watch(ctx, func(s elevator.Snapshot) {
		if s.Link != last {
			l.to.InfoContext(ctx, "controller", "link", s.Link.String(), "was", last.String())
			last = s.Link
		}
		deliver(s)
	})
}
