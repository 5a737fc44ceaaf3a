package carry

import (
	"context"

	"hoistway/drivers/profiles"
	"hoistway/drivers/view"
	"hoistway/fsm/elevator"
)

// ready pays what an earlier command owes by now, which would undo this one if it came
// later, and refuses in the controller's place what it would not do, or not safely, as it
// is now.
func (f *Flow) ready(ctx context.Context, c elevator.Command) (elevator.Outcome, bool) {
	if why := f.away(); why != "" {
		return f.not(c.ID, why), false
	}
	if !f.pay(ctx, tried) {
		return f.not(c.ID, "what an earlier command owes could not be sent"), false
	}
	s := f.View.Snapshot()
	if err := f.Profile.Ready(c, &s, f.Floors, f.Now()); err != nil {
		return elevator.Outcome{ID: c.ID, Result: elevator.Refused, Advice: elevator.AdviceWait, Detail: err.Error(), At: f.Now()}, false
	}
	return elevator.Outcome{}, true
}

// say sends the messages of a command in their order. The first that is not taken ends
// it. What is owed by then is a debt, and is paid after its pause.
func (f *Flow) say(ctx context.Context, id elevator.CommandID, sends []profiles.Send) elevator.Outcome {
	var out elevator.Outcome
	for i, x := range sends {
		if x.Owed {
			f.owe(sends[i:], sends[max(0, i-1)].Pause)
			return out
		}
		if i > 0 && !view.Sleep(ctx, sends[i-1].Pause) {
			f.owe(sends[i:], 0)
			return elevator.Outcome{ID: id, Detail: "its life ended between its messages", At: f.Now()}
		}
		out = f.Send(ctx, id, x)
		if i > 0 && out.Result == elevator.NotSent {
			out.Result = elevator.ResultUnknown // what came before it did leave
		}
		if out.Result != elevator.Done {
			if i > 0 || out.Result == elevator.ResultUnknown {
				f.owe(sends[i+1:], x.Pause)
			}
			return out
		}
	}
	return out
}

// proven reads until what the command brings is seen, or its time is over.
func (f *Flow) proven(ctx context.Context, c elevator.Command, a profiles.Asking, since elevator.Instant) bool {
	return view.Await(ctx, a.Confirmed, f.Profile.Traits().FastPoll, func(ctx context.Context) bool {
		s, _ := f.Read(ctx) // what failed is marked, and proves nothing
		return f.Profile.Proven(c, &s, f.Floors, since)
	})
}

// Lay lays what a source says over a snapshot, see [profiles.Profile.Lay]. What it says
// of a door hold counts only if nothing newer is known: an answer that was asked for
// before the hold ended, or a message that was long on its way, brings no hold back.
func (f *Flow) Lay(source string, partial bool, get func(place string) profiles.Raw, at elevator.Instant, into *elevator.Snapshot) {
	f.Profile.LayDated(source, partial, get, f.Floors, at, into, &f.holds)
}

// LayPushed is Lay for one value of a pushed message.
func (f *Flow) LayPushed(l profiles.Laid, at elevator.Instant, into *elevator.Snapshot) {
	f.Lay(l.Source, true, l.At, at, into)
}

// Drop forgets a hold that the controller says came to nothing.
func (f *Flow) Drop(side elevator.Side, into *elevator.Snapshot) { f.holds.Drop(side, f.Now(), into) }
