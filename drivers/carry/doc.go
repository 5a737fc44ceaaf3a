// Package carry is the way of one command to a controller that is told by messages: a
// request, a written node, a payload on a topic. What differs between those is the wire,
// and the wire is one function, [Flow.Send].
//
// All else is the same for each and stands here: a command acts once for its id, waits
// for the one before it, is refused as the lift stands, leaves in its messages, ends what
// it began even if it fails, is proven by reading where no answer proves it, and dates
// what it makes of a door hold. A line that many devices share, where a schedule decides
// what leaves next, has the same in [hoistway/drivers/fieldbus].
package carry

import (
	"context"
	"sync"
	"sync/atomic"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

// Way is what a flow needs of a link. Its functions may be called from several
// goroutines.
type Way struct {
	Profile *profiles.Profile
	Floors  elevator.Table
	Now     func() elevator.Instant
	View    *view.View
	AtOnce  int // how many commands may be under way; 0 is one
	// Send says one message once, and waits for its answer whether or not ctx lives on.
	// Of a command the id is told, of a message that is owed none.
	Send func(ctx context.Context, id elevator.CommandID, x profiles.Send) elevator.Outcome
	// Read reads the lift anew, for proof.
	Read func(context.Context) (elevator.Snapshot, error)
	// After hears of each command that was carried out, to have the lift read soon.
	After func(elevator.Outcome)
	// Away is why nothing can be sent now, "" while it can; nil: it always can.
	Away func() string
	// Settle carries a command out by [Flow.Carry] where its outcome may still change
	// afterwards; nil: it does not.
	Settle func(context.Context, elevator.Command) elevator.Outcome
	// SayOnce: what is owed is not said again once a byte of it may have left.
	SayOnce bool
}

// Flow carries out the commands of one lift. Its methods may be called from several
// goroutines, but for [Flow.Lay] and [Flow.Drop], which belong inside a call of the view.
type Flow struct {
	Way
	acts     view.Once
	turn     chan struct{} // holds a token for each command under way
	claiming atomic.Bool   // the command under way is a claim
	holds    profiles.Holds
	debts    debts
	shut     sync.Once
	ended    chan struct{}
}

// New makes a flow. [Flow.Run] pays what its commands owe.
func New(w Way) *Flow {
	return &Flow{Way: w, turn: make(chan struct{}, max(1, w.AtOnce)), debts: debts{more: make(chan struct{}, 1)}, ended: make(chan struct{})}
}

// Do carries out one command, at most once for its id.
func (f *Flow) Do(ctx context.Context, c elevator.Command) elevator.Outcome {
	if f.closed() {
		return f.not(c.ID, drivers.ErrClosed.Error())
	}
	carry := f.Carry
	if f.Settle != nil {
		carry = f.Settle
	}
	return f.acts.Do(ctx, c, f.Now, func(ctx context.Context) elevator.Outcome { return carry(ctx, c) })
}

// Carry is the way of a command from its words to its outcome.
func (f *Flow) Carry(ctx context.Context, c elevator.Command) elevator.Outcome {
	a, err := f.Profile.Ask(c, f.Floors, f.Now())
	if err != nil {
		return profiles.Unsaid(c.ID, err, f.Now())
	}
	life, cancel := context.WithTimeout(ctx, a.Until.Until(f.Now()))
	defer cancel()
	end, ok := f.begin(life, c.Verb)
	if !ok {
		return f.not(c.ID, "another command was under way")
	}
	defer end()
	if out, ok := f.ready(life, c); !ok {
		return out
	}
	since := f.Now()
	out := f.say(life, c.ID, a.Sends)
	f.After(out)
	if out.Result == elevator.ResultUnknown && a.Confirmed > 0 && f.proven(ctx, c, a, since) {
		out.Result, out.Detail, out.At = elevator.Done, "not answered for sure, and seen to be done", f.Now()
	}
	f.View.Note(func(s *elevator.Snapshot) { f.holds.Held(c, out.Result, a.HoldUntil, f.Now(), s) })
	return out
}

// ByHand says one message of a technician, at most once for its id, in its turn between
// the commands, and asks [drivers.Consent] then.
func (f *Flow) ByHand(ctx context.Context, id elevator.CommandID, x profiles.Send) elevator.Outcome {
	c := elevator.Command{ID: id, Until: f.Now().Add(HandLife)}
	ctx, cancel := context.WithTimeout(ctx, HandLife)
	defer cancel()
	return f.acts.Do(ctx, c, f.Now, func(ctx context.Context) elevator.Outcome {
		if why := f.away(); why != "" {
			return f.not(id, why)
		}
		end, ok := f.begin(ctx, elevator.VerbUnknown)
		if !ok {
			return f.not(id, "another command was under way")
		}
		defer end()
		if err := drivers.Consent(ctx); err != nil {
			return f.not(id, err.Error())
		}
		return f.Send(ctx, id, x)
	})
}

// not is of a command of which nothing left.
func (f *Flow) not(id elevator.CommandID, why string) elevator.Outcome {
	return elevator.Outcome{ID: id, Result: elevator.NotSent, Detail: why, At: f.Now()}
}

func (f *Flow) away() string {
	switch {
	case f.closed():
		return drivers.ErrClosed.Error()
	case f.Away != nil:
		return f.Away()
	}
	return ""
}

func (f *Flow) closed() bool {
	select {
	case <-f.ended:
		return true
	default:
		return false
	}
}
