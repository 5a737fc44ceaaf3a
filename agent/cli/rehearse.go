package cli

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"strings"

	"hoistway/agent/commission"
	"hoistway/drivers"
	"hoistway/drivers/profiles"
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
		return r, unrehearsed(s.Profile, err)
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

// unrehearsed says why a command was not even begun.
func unrehearsed(p *profiles.Profile, err error) error {
	switch {
	case errors.Is(err, profiles.ErrDraft):
		return &failure{exit: exitFinding, code: codeProfile, err: err, text: fmt.Sprintf(
			"profile %s is a draft: it is only read, and none of its commands is sent; its notes say what is missing (hoistway profile show %s)", p.ID, p.ID)}
	case errors.Is(err, profiles.ErrNotCapable):
		return &failure{exit: exitFinding, code: codeProfile, err: err, text: fmt.Sprintf("profile %s: %s", p.ID, strings.TrimPrefix(err.Error(), drivers.ErrNotCapable.Error()+": "))}
	}
	return lineFault(err)
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
