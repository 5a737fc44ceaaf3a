package pubsub

import (
	"context"
	"errors"
	"fmt"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

// Do carries out one command, at most once.
func (l *link) Do(ctx context.Context, c elevator.Command) elevator.Outcome {
	if l.closed() {
		return l.not(c.ID, drivers.ErrClosed.Error())
	}
	return l.acts.Do(ctx, c, l.env.Now, func(ctx context.Context) elevator.Outcome { return l.carry(ctx, c) })
}

func (l *link) not(id elevator.CommandID, why string) elevator.Outcome {
	return elevator.Outcome{ID: id, Result: elevator.NotSent, Detail: why, At: l.env.Now()}
}

func (l *link) carry(ctx context.Context, c elevator.Command) elevator.Outcome {
	a, err := l.prof.Ask(c, l.floors, l.env.Now())
	if err != nil {
		return profiles.Unsaid(c.ID, err, l.env.Now())
	}
	life, cancel := context.WithTimeout(ctx, a.Until.Until(l.env.Now()))
	defer cancel()
	if !ends(c.Verb) || !l.claiming.Load() { // what ends a claim does not wait for it
		select {
		case l.single <- struct{}{}:
			defer func() { <-l.single }()
		case <-life.Done():
			return l.not(c.ID, "another command was under way")
		}
	}
	if c.Verb == elevator.Claim { // it may take minutes
		l.claiming.Store(true)
		defer l.claiming.Store(false)
	}
	seen := l.view.Snapshot()
	if err := l.prof.Ready(c, &seen, l.floors, l.env.Now()); err != nil {
		return elevator.Outcome{ID: c.ID, Result: elevator.Refused, Advice: elevator.AdviceWait, Detail: err.Error(), At: l.env.Now()}
	}
	since := l.env.Now()
	out := l.say(life, c.ID, a.Sends)
	if out.Result != elevator.NotSent {
		l.hurry()
	}
	if out.Result == elevator.ResultUnknown && a.Confirmed > 0 && l.proven(ctx, c, a.Confirmed, since) {
		out.Result, out.Detail, out.At = elevator.Done, "not answered for sure, and seen to be done", l.env.Now()
	}
	l.view.Note(func(s *elevator.Snapshot) { profiles.Held(c, out.Result, a.HoldUntil, s) })
	return out
}

// proven reads until what the command brings is seen, or its time is over.
func (l *link) proven(ctx context.Context, c elevator.Command, within time.Duration, since elevator.Instant) bool {
	return view.Await(ctx, within, l.prof.Traits().FastPoll, func(ctx context.Context) bool {
		s, _ := l.Read(ctx) // what failed is marked, and proves nothing
		return l.prof.Proven(c, &s, l.floors, since)
	})
}

func ends(v elevator.Verb) bool {
	return v == elevator.GiveBack || v == elevator.Lapse || v == elevator.CancelCall
}

// say sends the messages of a command in their order. The first that is not taken ends
// it; what is owed by then is said all the same.
func (l *link) say(ctx context.Context, id elevator.CommandID, sends []profiles.Send) elevator.Outcome {
	var out elevator.Outcome
	for i, x := range sends {
		if x.Owed {
			l.owe(sends[i:], sends[i-1].Pause)
			return out
		}
		if i > 0 && !view.Sleep(ctx, sends[i-1].Pause) {
			l.owe(sends[i:], 0)
			return elevator.Outcome{ID: id, Detail: "its life ended between its messages", At: l.env.Now()}
		}
		out = l.send(ctx, id, x)
		if i > 0 && out.Result == elevator.NotSent {
			out.Result = elevator.ResultUnknown // what came before it did leave
		}
		if out.Result != elevator.Done {
			if i > 0 || out.Result == elevator.ResultUnknown {
				l.owe(sends[i+1:], x.Pause)
			}
			return out
		}
	}
	return out
}

// send says one message. What has left is waited for in full, whether or not its asker
// is still there.
func (l *link) send(ctx context.Context, id elevator.CommandID, x profiles.Send) elevator.Outcome {
	if ctx.Err() != nil {
		return l.not(id, "taken back: "+ctx.Err().Error())
	}
	a, err := l.ask(context.WithoutCancel(ctx), l.api.Topic(x.Message), x.Args)
	return l.outcome(id, a, err)
}

// owe says messages later, until the broker has them: they end what a command began. At
// the end of the link they are said at once. What may close a door is only said by a
// command of its own.
func (l *link) owe(sends []profiles.Send, after time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, x := range sends {
		if x.Owed && !x.MayClose && !l.closed() { // Close waits for what began before it
			l.wg.Go(func() { l.pay(x, after) })
		}
	}
}

func (l *link) pay(x profiles.Send, after time.Duration) {
	m := l.api.Topic(x.Message)
	for last := !view.Sleep(l.ctx, after); ; last = !view.Sleep(l.ctx, time.Second) {
		ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
		a, err := l.ask(ctx, m, x.Args)
		cancel()
		if last || err == nil || a.left && !m.Answered || a.Kind != profiles.AnswerGarbage {
			return
		}
	}
}

// outcome words what became of a message of a command.
func (l *link) outcome(id elevator.CommandID, a answer, err error) elevator.Outcome {
	o := elevator.Outcome{ID: id, At: l.env.Now()}
	if err != nil {
		o.Detail = err.Error()
	}
	switch {
	case errors.Is(err, drivers.ErrConfig) && !a.left:
		o.Result, o.Advice = elevator.Refused, elevator.AdviceConfig
		return o
	case !a.left:
		o.Result = elevator.NotSent
		return o
	case a.Kind == profiles.AnswerGarbage:
		return o
	case a.Kind == profiles.AnswerGood:
		o.Result = elevator.Done
		return o
	}
	o.Result, o.Code = elevator.Refused, a.Code
	o.Advice = map[profiles.AnswerKind]elevator.Advice{
		profiles.AnswerBusy: elevator.AdviceRetry, profiles.AnswerDenied: elevator.AdviceConfig,
		profiles.AnswerConfig: elevator.AdviceConfig, profiles.AnswerDevice: elevator.AdviceWait,
	}[a.Kind]
	if advice, text := l.prof.Meaning(a.Code); text != "" {
		o.Advice, o.Detail = advice, fmt.Sprintf("%s (%s)", text, o.Detail)
	}
	return o
}
