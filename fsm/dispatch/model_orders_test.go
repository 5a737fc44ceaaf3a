package dispatch

import (
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// orders is what people have ordered and not ended: a stop of all lifts, the maintenance of
// this one, and the destination that R1's ride has left for another with its robot aboard.
type orders struct {
	stop, closed bool
	left         elevator.Floor
}

func (o *orders) hear(in Input) {
	switch in := in.(type) {
	case Stop:
		o.stop = in.On
	case Maintain:
		o.closed = in.On
	}
}

func (o *orders) tally(reached map[string]int) {
	for what, is := range map[string]bool{"stopped": o.stop, "maintained": o.closed, "aimed anew": o.left != 0} {
		if is {
			reached[what]++
		}
	}
}

// orderActs: one change of the destination with the robot aboard, and each order once at a time.
func (w *world) orderActs(add func(action, bool)) {
	o := &w.kept.orders
	add(aimsAnew, !w.over(0) && o.left == 0)
	add(halts, !o.stop)
	add(goesOn, o.stop)
	add(closes, !o.closed)
	add(opens, o.closed)
}

func (w *world) order(a action) {
	switch a {
	case aimsAnew:
		w.aims()
	case halts, goesOn:
		w.in(Stop{On: a == halts, By: "x"})
	case closes, opens:
		w.in(Maintain{Lift: "L1", On: a == closes, By: "x"})
	}
}

// aims gives R1's ride the next landing that it can go to. 14: it goes there.
func (w *world) aims() {
	r, labels := w.ride(0), w.conf.Lifts[0].Floors
	was, ashore := r.To, r.Ashore()
	to := was%modelTop + 1
	if ashore && to == r.From {
		to = to%modelTop + 1
	}
	w.reply = Reply{}
	w.in(Retarget{Ride: modelRides[0], To: labels.Label(to), Aboard: true, By: "x"})
	switch r = w.ride(0); {
	case w.reply.Status == StatusUnknown:
		w.break_("14: another destination is not answered")
	case w.reply.Status == Accepted && r.To != to, w.reply.Status != Accepted && r.To != was:
		w.break_("14: from %d to %d answered %d %s, and it goes to %d", was, to, w.reply.Status, w.reply.Detail, r.To)
	case r.To != was && !ashore:
		w.kept.orders.left = was
	}
}

// judgeWish: 13: in a stop nobody is called a car. 14: with a robot in the car the call to
// the old destination stands until the new one is seen to be taken.
func (w *world) judgeWish(c elevator.Command) {
	r, o := w.site.Ride(c.ID.Ride), &w.kept.orders
	switch {
	case o.stop && c.Verb == elevator.LandingCall:
		w.break_("13: %s in a stop", c.Verb)
	case r == nil || r.ID != modelRides[0] || r.Where != fsm.Inside || r.State != fsm.Moving || r.Phase == fsm.Returning:
	case c.Verb == elevator.CancelCall && c.Car && c.Floor == o.left && r.To != o.left && !w.shown.CarCalls.Value.Has(r.To):
		w.break_("14: the call to %d is taken back before that to %d is taken", o.left, r.To)
	}
}

// judgeLease: 13: what people have closed is given to nobody who is not in it already, and in
// a stop nobody is let in.
func (w *world) judgeLease(i int, r *fsm.Ride) {
	o := &w.kept.orders
	if r.Granted && !w.leased[i] && (o.stop || o.closed) && r.Where == fsm.Outside {
		w.break_("13: %s is given the car, and it is closed (%+v)", r.ID, *o)
	}
	w.leased[i] = r.Granted
	if p, b := &r.Permit, &w.bots[i]; o.stop && p.N != 0 && p.Kind == fsm.Enter && (p.N != b.held.N || p.Start != b.held.Start) {
		w.break_("13: %s is let in, in a stop", modelRobots[i])
	}
}
