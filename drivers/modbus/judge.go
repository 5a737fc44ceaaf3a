package modbus

import (
	"context"
	"sync"
	"time"

	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

// judgeWithin bounds the reading that tells whether a call was taken: behind a
// call others wait.
const judgeWithin = 2 * time.Second

// press is one call of which an acknowledgement is no proof. Who has the line
// fills it while writing; who asked reads it when the write is over.
type press struct {
	profiles.Press
	n uint64 // counts the presses of the link
}

// presses tells whether others came before or after one of them: two calls at once
// are not taken for each other.
type presses struct {
	mu sync.Mutex
	n  uint64
	at elevator.Instant // of the last
}

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

// refusedCall is the controller's no to a call that it has acknowledged.
type refusedCall struct{ profiles.Refusal }

func (r *refusedCall) Error() string { return r.Text }

// pressing adds to the command of a call that the controller may acknowledge and yet
// not take a note of when its writes leave and of what the controller's code was
// before, and a look at what became of it.
func (l *link) pressing(c elevator.Command, cmd *fieldbus.Command) {
	p := &press{Press: profiles.Press{Call: c}}
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
	cmd.Judge = func(ctx context.Context, r fieldbus.Result) fieldbus.Result {
		if no := l.look(ctx, p); no != nil {
			r.Result, r.Err = elevator.Refused, no
		}
		return r
	}
}

func (l *link) code() elevator.Seen[int32] {
	if code := l.snapshot().Vendor; !code.Failed {
		return code
	}
	return elevator.Seen[int32]{}
}

// look reads within the life of the call, once and where that came too soon to tell
// a second time, and gives the refusal when lamp and code say so. A reading that
// fails leaves the acknowledgement.
func (l *link) look(ctx context.Context, p *press) *refusedCall {
	limit := judgeWithin
	if p.Call.Until != 0 {
		limit = min(limit, p.Call.Until.Until(l.env.Now()))
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for range 2 {
		if l.port.Read(ctx) != nil {
			return nil
		}
		s := l.snapshot()
		why, no := l.prof.Refused(p.Press, &s)
		if no && l.presses.last(p) {
			return &refusedCall{why}
		}
		if no || why.Again == 0 || !view.Sleep(ctx, why.Again.Until(l.env.Now())) {
			return nil
		}
	}
	return nil
}
