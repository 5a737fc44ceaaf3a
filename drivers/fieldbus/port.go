package fieldbus

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus/schedule"
	"hoistway/fsm/elevator"
)

// Port is one user's hold on a line. Its methods may be called from several
// goroutines.
type Port struct {
	lines *Lines
	l     *line
	owner schedule.Owner
	m     Member
	once  *once
	shut  atomic.Bool
	close sync.Once
}

// Command is a series of writes that is carried out at most once for its id.
type Command struct {
	ID     elevator.CommandID
	Verb   elevator.Verb // what it is, for people; unknown for a raw write
	Class  Class
	Group  uint32 // a Stop ends the queued Holds and all levels of the same group
	Until  elevator.Instant
	Writes []Write
	// Judge looks what an acknowledgement was worth before anybody is told, on the
	// goroutine that asked first; nil takes it for done.
	Judge func(context.Context, Result) Result
	// Prove looks, in the same way, whether one of unknown outcome was done after
	// all: by reading alone. nil leaves it unknown.
	Prove func(context.Context, Result) Result
}

// Result is what became of a command. Err is the error of the write that
// decided it, nil when all went well.
type Result struct {
	Result elevator.Result
	Why    string
	Err    error
	At     elevator.Instant
}

// Do carries out c and waits for its end. The same id acts at most once: asked
// again it gets the first result, unless no byte had left then. Ending ctx takes
// the command back while no byte has left; afterwards Do waits for the answer,
// which the line's deadlines bound.
func (p *Port) Do(ctx context.Context, c Command) Result {
	if err := ctx.Err(); err != nil {
		return p.unsent(fmt.Sprintf("taken back: %v", err))
	}
	j, mine := p.once.claim(c, p.l.nextKey)
	if !mine {
		return p.again(ctx, j)
	}
	r := p.carry(ctx, j)
	if c.Judge != nil && r.Result == elevator.Done {
		r = c.Judge(ctx, r)
	}
	if c.Prove != nil && r.Result == elevator.ResultUnknown {
		r = c.Prove(ctx, r)
	}
	j.tell(r)
	return r
}

func (p *Port) carry(ctx context.Context, j *job) Result {
	j.asked = p.l.now()
	ev := schedule.Submit{Command: j.forSchedule(p.owner)}
	if !p.post(ctx, note{ev: ev, job: j}) {
		j.withdraw()
		j.finish(p.unsent("link closed"))
		return j.result
	}
	p.l.help(func(tx schedule.Tx) bool {
		return tx.Key == j.key && (tx.Kind == schedule.Write || tx.Kind == schedule.Look)
	})
	return p.await(ctx, j)
}

// again answers a command that was asked before.
func (p *Port) again(ctx context.Context, j *job) Result {
	select {
	case <-j.told:
		r := j.answer
		r.Why = "asked before; " + r.Why
		return r
	case <-ctx.Done():
		return Result{Result: elevator.ResultUnknown, Why: "asked before and still under way", At: p.l.now()}
	}
}

// await waits for the end of j, and takes it back when that can still be done.
func (p *Port) await(ctx context.Context, j *job) Result {
	stop, why := ctx.Done(), "taken back"
	life, cancel := p.life(j.cmd.Until)
	defer cancel()
	for {
		select {
		case <-j.done:
			return j.result
		case <-p.l.ended:
			j.orphan(p.l.now())
			return j.result
		case <-life:
			life, why = nil, ErrExpired.Error()
		case <-stop:
			stop = nil
		}
		if j.withdraw() {
			p.hint(note{ev: schedule.Withdraw{Key: j.key}})
			j.finish(p.unsent(why))
			return j.result
		}
	}
}

// life fires when the command's life ends.
func (p *Port) life(until elevator.Instant) (<-chan time.Time, func() bool) {
	if until == 0 {
		return nil, func() bool { return false }
	}
	t := time.NewTimer(until.Until(p.l.now()))
	return t.C, t.Stop
}

func (p *Port) unsent(why string) Result {
	return Result{Result: elevator.NotSent, Why: why, At: p.l.now()}
}

// Read asks each poll of this port once, now, and returns the first error. A
// transaction that was under way before does not count. With the line down it
// fails at once.
func (p *Port) Read(ctx context.Context) error {
	r := newReader(p.owner)
	if !p.post(ctx, note{ev: schedule.Refresh{Owner: p.owner}, reader: r}) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("%w: %w", drivers.ErrTimeout, err)
		}
		return drivers.ErrClosed
	}
	p.l.help(func(tx schedule.Tx) bool {
		return tx.Kind == schedule.Read && r.waits(tx.Key) && p.patient(ctx)
	})
	select {
	case err := <-r.done:
		return err
	default:
	}
	select {
	case err := <-r.done:
		return err
	case <-p.l.ended:
		return drivers.ErrClosed
	case <-ctx.Done():
		return fmt.Errorf("%w: %w", drivers.ErrTimeout, ctx.Err())
	}
}

// Close leaves the line: queued commands end as not sent, and what is owed is
// paid first when the line answers within two seconds. The last to leave ends
// the line. A second Close does nothing.
func (p *Port) Close() error {
	p.close.Do(func() {
		p.shut.Store(true)
		left := make(chan struct{})
		p.l.put(note{ev: schedule.Leave{Owner: p.owner}, left: left, owner: p.owner})
		select {
		case <-left:
		case <-p.l.ended:
		}
		p.lines.leave(p.l)
	})
	return nil
}

// post hands a note to the line; false when it will not get there. Who posts one has
// to help, or to rouse the owner.
func (p *Port) post(ctx context.Context, n note) bool {
	if p.shut.Load() {
		return false
	}
	select {
	case p.l.inbox <- n:
		return true
	case <-ctx.Done():
	case <-p.l.ended:
	}
	return false
}

// hint posts a note that may get lost.
func (p *Port) hint(n note) {
	select {
	case p.l.inbox <- n:
		p.l.rouse()
	default:
	}
}

// patient reports whether ctx lasts for a transaction, as far as can be told.
func (p *Port) patient(ctx context.Context) bool {
	end, ok := ctx.Deadline()
	return ctx.Err() == nil && (!ok || time.Until(end) > p.m.Timeout)
}
