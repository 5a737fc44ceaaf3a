package rest

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

// Do carries out one command, at most once.
func (l *link) Do(ctx context.Context, c elevator.Command) elevator.Outcome {
	if l.closed() {
		return elevator.Outcome{ID: c.ID, Result: elevator.NotSent, Detail: drivers.ErrClosed.Error(), At: l.env.Now()}
	}
	return l.acts.Do(ctx, c, l.env.Now, func(ctx context.Context) elevator.Outcome {
		if l.settle != nil {
			return l.settle(ctx, c)
		}
		return l.carry(ctx, c)
	})
}

func (l *link) carry(ctx context.Context, c elevator.Command) elevator.Outcome {
	a, err := l.prof.Ask(c, l.floors, l.env.Now())
	if err != nil {
		return profiles.Unsaid(c.ID, err, l.env.Now())
	}
	life, cancel := context.WithTimeout(ctx, a.Until.Until(l.env.Now()))
	defer cancel()
	if !take(life, l.single) {
		return elevator.Outcome{ID: c.ID, Result: elevator.NotSent, Detail: "another command was under way", At: l.env.Now()}
	}
	defer func() { <-l.single }()
	if out, ok := l.ready(life, c); !ok {
		return out
	}
	since := l.env.Now()
	out := l.say(life, c, a.Sends)
	if out.Result == elevator.ResultUnknown {
		l.hurry()
		if a.Confirmed > 0 && l.proven(ctx, c, a.Confirmed, since) {
			out.Result, out.Detail, out.At = elevator.Done, "not answered for sure, and seen to be done", l.env.Now()
		}
	}
	l.view.Note(func(s *elevator.Snapshot) { profiles.Held(c, out.Result, a.HoldUntil, s) })
	return out
}

// ready pays what an earlier command owes, which would undo this one if it came later,
// and refuses in the controller's place what it would not do, or not safely, as it is
// now.
func (l *link) ready(ctx context.Context, c elevator.Command) (elevator.Outcome, bool) {
	l.payOff(ctx)
	if l.debts.any() {
		return elevator.Outcome{ID: c.ID, Result: elevator.NotSent, Detail: "what an earlier command owes could not be sent", At: l.env.Now()}, false
	}
	s := l.view.Snapshot()
	if err := l.prof.Ready(c, &s, l.floors, l.env.Now()); err != nil {
		return elevator.Outcome{ID: c.ID, Result: elevator.Refused, Advice: elevator.AdviceWait, Detail: err.Error(), At: l.env.Now()}, false
	}
	return elevator.Outcome{}, true
}

// proven reads until what the command brings is seen, or its time is over.
func (l *link) proven(ctx context.Context, c elevator.Command, within time.Duration, since elevator.Instant) bool {
	return view.Await(ctx, within, l.prof.Traits().FastPoll, func(ctx context.Context) bool {
		s, _ := l.Read(ctx) // what failed is marked, and proves nothing
		return l.prof.Proven(c, &s, l.floors, since)
	})
}

// say sends the messages of a command in their order. The first that is not taken ends
// it; what is owed by then is a debt.
func (l *link) say(ctx context.Context, c elevator.Command, sends []profiles.Send) elevator.Outcome {
	var out elevator.Outcome
	for i, s := range sends {
		a, err := l.ask.message(ctx, s.Message, s.Args, true)
		out = l.outcome(c.ID, a, err)
		if i > 0 && out.Result == elevator.NotSent {
			out.Result = elevator.ResultUnknown // what came before it did leave
		}
		if out.Result != elevator.Done {
			began := i > 0 || out.Result == elevator.ResultUnknown
			l.debts.owe(sends[i:], began, a.left)
			break
		}
		if i+1 < len(sends) && !view.Sleep(ctx, s.Pause) {
			l.debts.owe(sends[i+1:], true, false)
			return elevator.Outcome{ID: c.ID, Detail: "its life ended between its messages", At: l.env.Now()}
		}
	}
	if l.debts.any() {
		l.hurry()
	}
	return out
}

// debts are messages that end what a command began and that have not left yet.
type debts struct {
	mu   sync.Mutex
	list []profiles.Send
}

// maxDebts bounds them; the oldest go first, since a newer one ends the same thing.
const maxDebts = 32

// owe keeps those that end something which began. The first of the sends has had its
// turn: it is kept only if no byte of it left.
func (d *debts) owe(sends []profiles.Send, began, firstLeft bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for i, s := range sends {
		if began && s.Owed && !s.MayClose && (i > 0 || !firstLeft) {
			d.list = append(d.list, s)
		}
	}
	if n := len(d.list) - maxDebts; n > 0 {
		d.list = d.list[n:]
	}
}

func (d *debts) any() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.list) > 0
}

func (d *debts) next() (s profiles.Send, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.list) == 0 {
		return s, false
	}
	s, d.list = d.list[0], d.list[1:]
	return s, true
}

// pay sends what is owed, between commands and never in the middle of one.
func (l *link) pay(ctx context.Context) {
	if !l.debts.any() || !take(ctx, l.single) {
		return
	}
	defer func() { <-l.single }()
	l.payOff(ctx)
}

// payOff needs a token of single; what could not leave stays owed.
func (l *link) payOff(ctx context.Context) {
	for ctx.Err() == nil {
		s, ok := l.debts.next()
		if !ok {
			return
		}
		within, cancel := context.WithTimeout(ctx, 5*time.Second)
		a, err := l.ask.message(within, s.Message, s.Args, true)
		cancel()
		if err != nil && !a.left {
			l.debts.owe([]profiles.Send{s}, true, false)
			return
		}
	}
}

// message asks a request of the profile.
func (a *asker) message(ctx context.Context, name string, args map[string]profiles.Raw, command bool) (answer, error) {
	return a.ask(ctx, a.api.Request(name), args, command)
}

func (a *asker) takes(name string) (args []string, known bool) {
	if r := a.api.Request(name); r != nil {
		return r.Args, true
	}
	return nil, false
}

func (a *asker) harmless(name string) bool { return a.api.Request(name).Reads }

func (a *asker) preview(name string, args map[string]profiles.Raw) ([]byte, error) {
	g := hidden(a.given(args))
	s, err := a.api.Say(a.api.Request(name), g)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", drivers.ErrConfig, err)
	}
	return []byte(s.Method + " " + a.whole(s) + "\n\n" + string(s.Body)), nil
}

// hidden has stars for what is nobody's to see.
func hidden(g profiles.Given) profiles.Given {
	g.Secrets = maps.Clone(g.Secrets)
	for name := range g.Secrets {
		g.Secrets[name] = "***"
	}
	g.Token = "***"
	return g
}

func (a *asker) close() { a.client.close() }
