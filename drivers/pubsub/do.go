package pubsub

import (
	"context"
	"errors"
	"fmt"

	"hoistway/drivers"
	"hoistway/drivers/carry"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// newFlow is the way of commands over this link.
func (l *link) newFlow() *carry.Flow {
	return carry.New(carry.Way{
		Profile: l.prof, Floors: l.floors, Now: l.env.Now, View: l.view, Send: l.send, Read: l.Read,
		After: func(o elevator.Outcome) {
			if o.Result != elevator.NotSent {
				l.hurry()
			}
		},
	})
}

// Do carries out one command, at most once.
func (l *link) Do(ctx context.Context, c elevator.Command) elevator.Outcome { return l.flow.Do(ctx, c) }

// send says one message. What has left is waited for in full, whether or not its asker
// is still there.
func (l *link) send(ctx context.Context, id elevator.CommandID, x profiles.Send) elevator.Outcome {
	if ctx.Err() != nil {
		return elevator.Outcome{ID: id, Result: elevator.NotSent, Detail: "taken back: " + ctx.Err().Error(), At: l.env.Now()}
	}
	m := l.api.Topic(x.Message)
	a, err := l.ask(context.WithoutCancel(ctx), m, x.Args)
	out := l.outcome(id, a, err)
	if x.Owed && a.left && !m.Answered { // nobody ever answers it: it is as said as it can be
		out.Result = elevator.Done
	}
	return out
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
