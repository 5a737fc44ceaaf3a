package rest

import (
	"context"
	"sync"
	"time"

	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// failing are the commands that a message may still refuse: a service takes a command
// with a yes that says nothing of the lift, and tells later that it came to nothing.
type failing struct {
	mu   sync.Mutex
	list []*awaited
}

type awaited struct {
	cmd    elevator.Command
	args   []map[string]profiles.Raw
	left   time.Time // by the wall clock, before it left
	end    time.Time
	failed chan profiles.Failure
}

// skew is how far the vendor's clock may run behind ours: a failure from before a
// command is not the command's.
const skew = 2 * time.Second

// maxAwaited bounds them; a ride has a few commands under way.
const maxAwaited = 64

func (f *failing) add(a *awaited) {
	f.mu.Lock()
	defer f.mu.Unlock()
	keep := f.list[:0]
	for _, old := range f.list {
		if time.Now().Before(old.end) {
			keep = append(keep, old)
		}
	}
	f.list = append(keep, a)
	if n := len(f.list) - maxAwaited; n > 0 {
		f.list = f.list[n:]
	}
}

// extend gives a message its time from the moment that the command's answer came.
func (f *failing) extend(a *awaited, d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	a.end = time.Now().Add(d)
}

// match finds the command that a failure is about: the one whose value comes back, else
// the newest that left before it.
func (f *failing) match(w profiles.Failure) *awaited {
	f.mu.Lock()
	defer f.mu.Unlock()
	for i := len(f.list) - 1; i >= 0; i-- {
		a := f.list[i]
		if time.Now().After(a.end) || time.UnixMilli(w.Event).Add(skew).Before(a.left) || !a.echoes(w) {
			continue
		}
		f.list = append(f.list[:i], f.list[i+1:]...)
		return a
	}
	return nil
}

func (a *awaited) echoes(w profiles.Failure) bool {
	if w.Echoes == "" {
		return true
	}
	for _, args := range a.args {
		if v, ok := args[w.Echoes]; ok && w.Echo != "" && v.Word() == w.Echo {
			return true
		}
	}
	return false
}

// settled carries a command out and gives a message its time to refuse it. A hold is not
// waited for, since holds come before all else; one that fails later holds nothing.
func (l *pushed) settled(ctx context.Context, c elevator.Command) elevator.Outcome {
	a := &awaited{cmd: c, left: time.Now(), end: time.Now().Add(time.Minute), failed: make(chan profiles.Failure, 1)}
	if asked, err := l.prof.Ask(c, l.floors, l.env.Now()); err == nil {
		for _, s := range asked.Sends {
			a.args = append(a.args, s.Args)
		}
	}
	l.fails.add(a)
	out := l.flow.Carry(ctx, c)
	within := l.push.FailsWithin
	if out.Result != elevator.Done && out.Result != elevator.ResultUnknown {
		within = 0
	}
	l.fails.extend(a, within)
	if within == 0 || c.Verb == elevator.Hold || c.Verb == elevator.Lapse {
		return out
	}
	t := time.NewTimer(within)
	defer t.Stop()
	select {
	case f := <-a.failed:
		return l.refusedLater(c.ID, f)
	case <-t.C:
	case <-ctx.Done():
	}
	select {
	case f := <-a.failed:
		return l.refusedLater(c.ID, f)
	default:
		return out
	}
}

func (l *pushed) refusedLater(id elevator.CommandID, f profiles.Failure) elevator.Outcome {
	o := elevator.Outcome{ID: id, Result: elevator.Refused, Code: f.Code, Detail: errFailed.Error(), At: l.env.Now()}
	if f.Text != "" {
		o.Detail += ": " + f.Text
	}
	if advice, text := l.prof.Meaning(f.Code); text != "" {
		o.Advice, o.Detail = advice, text+" ("+o.Detail+")"
	}
	return o
}

// failed brings a failure to its command. One that is nobody's is written down.
func (l *pushed) failed(f profiles.Failure) {
	if !f.Ours {
		return
	}
	a := l.fails.match(f)
	if a == nil {
		if l.env.Log != nil {
			l.env.Log.Warn("the service tells of a failed control that no command of ours waits for", "lift", l.lift, "code", f.Code, "text", f.Text)
		}
		return
	}
	if side := a.cmd.Side; a.cmd.Verb == elevator.Hold && int(side) < elevator.Sides {
		l.view.Note(func(s *elevator.Snapshot) { l.flow.Drop(side, s) })
		l.hurry()
	}
	a.failed <- f // it has room: a command is matched once
}
