package audit

import (
	"slices"
	"strings"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm/elevator"
)

// Witness notes each command that the ride loop gives, and what became of it. The loop
// owns it.
type Witness struct {
	Log    *Log
	Tables map[string]elevator.Table // floors by lift, so that people read their labels

	asked []Entry // without an outcome yet, oldest first
}

// maxAsked is how many commands are remembered until their outcome comes. The outcome of one that was
// forgotten is noted all the same, with the id that joins the two.
const maxAsked = 1024

// Given notes a command before its first byte leaves.
func (w *Witness) Given(c core.Command, _ bool, t core.Time) {
	e := Entry{
		At: time.UnixMilli(t.Wall).UTC(), By: "ride " + c.Command.ID.Ride, What: c.Command.Verb.String(), Lift: c.Lift,
		Ride: c.Command.ID.Ride, ID: c.Command.ID.String(), Why: c.Command.Reason, Outcome: "asked", Detail: w.target(c),
	}
	if len(w.asked) >= maxAsked {
		w.asked = slices.Delete(w.asked, 0, 1)
	}
	w.asked = append(w.asked, e)
	w.Log.Output(e)
}

// Stepped notes what became of a command, and what the cloud had done.
func (w *Witness) Stepped(in core.Input, res *core.Result, _ *core.Core, t core.Time) {
	w.acts(res, t)
	a, ok := in.(core.Answered)
	if !ok {
		return
	}
	e := Entry{By: "ride " + a.Outcome.ID.Ride, Ride: a.Outcome.ID.Ride, ID: a.Outcome.ID.String(), What: "unknown"}
	if i := slices.IndexFunc(w.asked, func(x Entry) bool { return x.ID == e.ID }); i >= 0 {
		e = w.asked[i]
		w.asked = slices.Delete(w.asked, i, i+1)
	}
	e.At, e.Outcome, e.Code, e.Detail = time.UnixMilli(t.Wall).UTC(), a.Outcome.Result.String(), a.Outcome.Code, a.Outcome.Detail
	w.Log.Output(e)
}

func (w *Witness) acts(res *core.Result, t core.Time) {
	if res == nil {
		return
	}
	for _, e := range res.After {
		if a, ok := e.(core.Act); ok {
			w.Log.Output(Entry{
				At: time.UnixMilli(t.Wall).UTC(), By: a.By, What: a.What, Ride: a.Ride, ID: a.ID, Outcome: a.Outcome, Detail: a.Detail,
			})
		}
	}
}

// target says where a command acts.
func (w *Witness) target(c core.Command) string {
	t := w.Tables[c.Lift]
	words := []string{t.Label(c.Command.Floor)}
	if c.Command.To != 0 {
		words = append(words, "to", t.Label(c.Command.To))
	}
	if c.Command.Side != elevator.SideUnknown {
		words = append(words, c.Command.Side.String())
	}
	if c.Command.Direction != elevator.DirectionUnknown {
		words = append(words, c.Command.Direction.String())
	}
	if c.Command.Notice != elevator.NoticeUnknown {
		words = append(words, c.Command.Notice.String())
	}
	return strings.TrimSpace(strings.Join(words, " "))
}
