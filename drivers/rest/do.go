package rest

import (
	"context"
	"fmt"
	"maps"

	"hoistway/drivers"
	"hoistway/drivers/carry"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// newFlow is the way of so many commands at once over this link.
func (l *link) newFlow(commands int) *carry.Flow {
	return carry.New(carry.Way{
		Profile: l.prof, Floors: l.floors, Now: l.env.Now, View: l.view, AtOnce: commands, SayOnce: true,
		Send: l.send, Read: l.Read,
		After: func(o elevator.Outcome) {
			if o.Result == elevator.ResultUnknown { // other reads wait for their time: services count them
				l.hurry()
			}
		},
	})
}

// Do carries out one command, at most once.
func (l *link) Do(ctx context.Context, c elevator.Command) elevator.Outcome { return l.flow.Do(ctx, c) }

// send says one message of a command.
func (l *link) send(ctx context.Context, id elevator.CommandID, x profiles.Send) elevator.Outcome {
	a, err := l.ask.message(ctx, x.Message, x.Args, true)
	return l.outcome(id, a, err)
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
