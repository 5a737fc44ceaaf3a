package modbus

import (
	"context"
	"sync"
	"time"

	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// judgeWithin bounds the reading that tells whether a call was taken: behind a
// call others wait.
const judgeWithin = 2 * time.Second

// press is one call of which an acknowledgement is no proof. The line's goroutine
// fills it while it writes; who asked reads it when the write is over.
type press struct {
	profiles.Press
	n    uint64           // counts the presses of the link
	done chan struct{}    // closed when out is set
	out  elevator.Outcome // what was told to who asked first
}

// presses remembers the latest of them: an id that is asked again gets the answer
// that it got, and two calls at once are not taken for each other.
type presses struct {
	mu   sync.Mutex
	n    uint64
	at   elevator.Instant // of the last
	byID map[elevator.CommandID]*press
	ring [remembered]elevator.CommandID
}

// remembered is as many as a line remembers.
const remembered = 512

// begin notes a call as its first byte is about to leave. A code that was read
// before the last press, but not since, may be that one's.
func (ps *presses) begin(p *press, code elevator.Seen[int32]) {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	if code.At > ps.at {
		p.Code = code
	}
	ps.n++
	p.n = ps.n
	at := &ps.ring[p.n%remembered]
	if ps.byID == nil {
		ps.byID = make(map[elevator.CommandID]*press)
	}
	if old := ps.byID[*at]; old != nil && old.n+remembered <= p.n { // not one that was asked anew
		delete(ps.byID, *at)
	}
	*at, ps.byID[p.Call.ID] = p.Call.ID, p
}

// left notes when a write of it left; never, if it did not.
func (ps *presses) left(p *press, at elevator.Instant) {
	if at == 0 {
		return
	}
	ps.mu.Lock()
	defer ps.mu.Unlock()
	p.At, ps.at = at, at
}

// last reports that no other call was pressed after p.
func (ps *presses) last(p *press) bool {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return ps.n == p.n
}

func (ps *presses) find(id elevator.CommandID) *press {
	ps.mu.Lock()
	defer ps.mu.Unlock()
	return ps.byID[id]
}

// judged carries out a call that the controller may acknowledge and yet not take.
func (l *link) judged(ctx context.Context, c elevator.Command, act profiles.Action) elevator.Outcome {
	p := &press{Press: profiles.Press{Call: c}, done: make(chan struct{})}
	o := outcome(c.ID, l.port.Do(ctx, l.pressing(c, act, p)))
	if p.n == 0 {
		return l.again(ctx, o)
	}
	if o.Result == elevator.Done {
		l.look(ctx, p, &o)
	}
	p.out = o
	close(p.done)
	return o
}

// pressing is the command with a note of when its writes leave, and of what the
// controller's code was before.
func (l *link) pressing(c elevator.Command, act profiles.Action, p *press) fieldbus.Command {
	cmd := l.command(c, act)
	for i := range cmd.Writes {
		ask := cmd.Writes[i].Ask
		if cmd.Writes[i].Owed {
			continue // what ends a pulse presses nothing, and may come late
		}
		cmd.Writes[i].Ask = func(w *fieldbus.Wire) error {
			if i == 0 {
				l.presses.begin(p, l.code())
			}
			err := ask(w)
			l.presses.left(p, w.SentAt())
			return err
		}
	}
	return cmd
}

func (l *link) code() elevator.Seen[int32] {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.snap.Vendor.Failed {
		return elevator.Seen[int32]{}
	}
	return l.snap.Vendor
}

// look reads within the life of the call, once and where that came too soon to tell
// a second time, and makes a refusal of what it was when lamp and code say so. A
// reading that fails leaves the acknowledgement.
func (l *link) look(ctx context.Context, p *press, o *elevator.Outcome) {
	limit := judgeWithin
	if p.Call.Until != 0 {
		limit = min(limit, p.Call.Until.Until(l.env.Now()))
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for range 2 {
		if l.port.Read(ctx) != nil {
			return
		}
		s := l.view()
		why, no := l.prof.Refused(p.Press, &s)
		if no && l.presses.last(p) {
			o.Result, o.Code, o.Advice, o.Detail = elevator.Refused, why.Code, why.Advice, why.Text
		}
		if no || why.Again == 0 || !sleep(ctx, why.Again.Until(l.env.Now())) {
			return
		}
	}
}

// sleep reports that the time has passed before ctx ended.
func sleep(ctx context.Context, d time.Duration) bool {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// again gives a call that was asked before the answer that it got then.
func (l *link) again(ctx context.Context, o elevator.Outcome) elevator.Outcome {
	p := l.presses.find(o.ID)
	if p == nil {
		return o
	}
	select {
	case <-p.done:
		if o.Result == elevator.Done && p.out.Result == elevator.Refused {
			o.Result, o.Code, o.Advice, o.Detail = p.out.Result, p.out.Code, p.out.Advice, "asked before; "+p.out.Detail
		}
	case <-ctx.Done():
		o.Result, o.Detail = elevator.ResultUnknown, "asked before and still under way"
	}
	return o
}
