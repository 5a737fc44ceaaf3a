package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"

	"hoistway/agent/commission"
	"hoistway/fsm/elevator"
)

// rehearse carries the commands out one after the other, each after its bytes were
// shown and agreed to. It stops at the first that is not agreed to.
func (t *profileTest) rehearse(ctx context.Context, s *commission.Session) ([]commission.Rehearsal, error) {
	var done []commission.Rehearsal
	for _, text := range t.commands {
		r, err := t.one(ctx, s, text)
		if err != nil {
			return done, err
		}
		done = append(done, r)
		if t.log != "" {
			if err := commission.AppendRehearsal(t.log, r); err != nil {
				return done, &failure{exit: exitFinding, code: codeAudit, text: err.Error(), err: err}
			}
		}
	}
	return done, nil
}

func (t *profileTest) one(ctx context.Context, s *commission.Session, text string) (commission.Rehearsal, error) {
	r := commission.Rehearsal{Command: text, By: first(t.by, whoami()), At: now()}
	c, life, err := commission.ParseCommand(text, s.Floors)
	if err != nil {
		return r, usagef(codeQuestion, "--command %q: %v", text, err)
	}
	c.ID, c.Until = elevator.CommandID{Ride: "hand-" + rand.Text(), N: 1}, s.Now().Add(life)
	if r.Questions, r.Frames, err = s.Preview(c); err != nil {
		return r, lineFault(err)
	}
	if err := t.shown(text, r); err != nil {
		return r, err
	}
	if err := t.app.confirmed(t.sure, "Send it?"); err != nil {
		return r, err
	}
	c.Until = s.Now().Add(life) // a person took his time
	o := s.Link.Do(ctx, c)
	r.Outcome, r.Code, r.Detail = o.Result.String(), o.Code, o.Detail
	if !t.sure {
		if r.Seen, err = t.app.ask("Did the lift do it? [y/n] "); err != nil {
			return r, err
		}
	}
	return r, nil
}

func (t *profileTest) shown(text string, r commission.Rehearsal) error {
	var err error
	for i, f := range r.Frames {
		_, e := fmt.Fprintf(t.out(), "%s: %s: %s\n", text, r.Questions[i], f)
		err = errors.Join(err, e)
	}
	return output(err)
}

// out keeps stdout for the JSON where that was asked for.
func (t *profileTest) out() io.Writer {
	if t.json {
		return t.app.err
	}
	return t.app.out
}
