package laws

import (
	"strings"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// Stepped shows one step of the core: what came in and what is to be done. Call it
// before the rides are shown as they are after it.
func (w *Watch) Stepped(in core.Input, out *core.Result, now elevator.Instant) {
	switch in := in.(type) {
	case *core.Seen:
		w.reading(in, now)
	case core.Answered:
		w.answered(&in.Outcome, now)
	case core.Ordered:
		w.ordered(in.Order)
	}
	w.Loaded(out, now)
}

func (w *Watch) reading(in *core.Seen, now elevator.Instant) {
	if l := w.lift(in.Lift); l != nil {
		w.seen(l, &in.Car, now)
	}
}

// Loaded shows what the core made of its store at a start.
func (w *Watch) Loaded(out *core.Result, now elevator.Instant) {
	w.effects(out.Urgent, now)
	w.effects(out.After, now)
}

func (w *Watch) ordered(o core.Order) {
	switch o := o.(type) {
	case core.SendSignal:
		if r := w.known(o.Ride); r != nil {
			r.heard = true
		}
	case core.ClaimRide:
		if r := w.known(o.Ride); r != nil {
			r.claim = o.Says
		}
	case core.SendHeartbeat:
		for _, r := range w.rides {
			r.heard = r.heard || r.robot == o.Robot
		}
	case core.ResetRide:
		w.reset = o.Ride
		if r := w.known(o.Ride); r != nil {
			r.heard = true
		}
	}
}

func (w *Watch) effects(list []core.Effect, now elevator.Instant) {
	for _, e := range list {
		switch e := e.(type) {
		case core.Command:
			w.left(e.Lift, &e.Command, now)
		case core.Line:
			w.line(&e, now)
		}
	}
}

// line reads the lines of the log that tell what a ride did.
func (w *Watch) line(l *core.Line, now elevator.Instant) {
	if l.Msg == "ride" {
		r := w.ride(l.Ride, now)
		r.liftID = l.Lift
		w.moved(now, r, fsm.State(attr(l.Attrs, "from")), fsm.State(attr(l.Attrs, "to")))
		return
	}
	if attr(l.Attrs, "code") == "E-5026" {
		w.breach(now, OwnInvariants, l.Lift, l.Ride, "%s: %s", attr(l.Attrs, "invariant"), attr(l.Attrs, "detail"))
	}
	if gate, ok := strings.CutPrefix(l.Msg, "illegal transition refused: "); ok {
		verb, _, _ := strings.Cut(gate, " ")
		switch verb {
		case "lapse", "claim", "give_back":
			w.breach(now, LastGate, l.Lift, l.Ride, "only the last gate kept back a %s", verb)
		}
	}
}

func attr(attrs []string, key string) string {
	for i := 0; i+1 < len(attrs); i += 2 {
		if attrs[i] == key {
			return attrs[i+1]
		}
	}
	return ""
}
