package virtual

import (
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/timeline"
)

const writeLow, writeHigh = 2 * time.Millisecond, 4 * time.Millisecond

// carry starts what a step wants done.
func (a *agent) carry(r core.Result) {
	for _, e := range r.Urgent {
		a.effect(e)
	}
	if len(r.Batch) > 0 {
		a.s.showRides()
		a.s.poke()
	}
	a.owed = a.owed || len(r.After) > 0
	w, writes := a.pending.Take(r, a.now())
	if r.Changed {
		a.changed()
	}
	if writes {
		a.give(w)
	}
	a.hurries()
	if len(r.Batch)+len(r.After) > 0 || r.Changed {
		a.release()
	}
}

// changed puts what readers are to see behind the batches under way. While lean nobody
// reads views, and who asks for a ride is told less instead.
func (a *agent) changed() {
	a.viewOld = true
	if a.s.set.Lean {
		return
	}
	v := a.core.View(a.time())
	a.s.watch.View(v, a.s.at())
	a.pending.Show(v)
	a.owed = true
}

// show is the moment at which readers see it.
func (a *agent) show(v *core.View) {
	a.view, a.viewOld = v, false
	a.s.shown(v)
}

// kept reports that what was granted last lies in the store, or that the store has been
// given up. Whoever must wait for it is woken then.
func (a *agent) kept() bool {
	a.written()
	if a.pending.Empty() {
		return true
	}
	a.asked = true
	a.hurries()
	return false
}

// give hands a batch to the store.
func (a *agent) give(w core.Write) {
	a.writes = append(a.writes, w)
	a.write()
}

// write begins a transaction with all that waits.
func (a *agent) write() {
	if a.writing > 0 || len(a.writes) == 0 {
		return
	}
	a.writing = len(a.writes)
	takes := a.rng.between(writeLow, writeHigh)
	if slow, on := a.s.on(gateway, "store-slow"); on {
		takes += slow.Duration()
	}
	a.wrote = a.s.at() + elevator.Instant(takes)
	if a.quiet = a.s.set.Lean && !a.s.faulty && !a.waited(); !a.quiet {
		a.s.own(takes, evStored, 0, 0)
	}
}

// waited reports that something is to be done when the write under way is over.
func (a *agent) waited() bool { return len(a.writes) > a.writing || a.owed || a.asked }

// written ends a write of which the end is no event: nobody has looked since.
func (a *agent) written() {
	if a.quiet && a.wrote <= a.s.at() && !a.frozen {
		a.quiet = false
		a.stored()
	}
}

// hurries makes the end of such a write an event, when something begins to wait for it.
func (a *agent) hurries() {
	if a.quiet && a.waited() {
		a.quiet = false
		a.s.own(a.wrote.Sub(a.s.at()), evStored, 0, 0)
	}
}

// stored ends a transaction.
func (a *agent) stored() {
	var err error
	if _, full := a.s.on(gateway, "disk-full"); full {
		err = errDisk
	}
	for _, w := range a.writes[:a.writing] {
		if err == nil {
			a.s.store.commit(w.Records, a.core)
		}
		if in, ok := a.pending.Stored(w.Seq, err, a.now()); ok && (err != nil || a.ill) {
			a.put(in) // that all is well still is no news
		}
		a.ill = err != nil
	}
	a.writes = append(a.writes[:0], a.writes[a.writing:]...)
	a.writing = 0
	a.release()
	a.write()
	if a.asked && a.pending.Empty() {
		a.asked = false
		a.s.poke()
	}
}

// mind looks after the store, as the gateway's loop does on each pass.
func (a *agent) mind() {
	if w, ok := a.pending.Retry(a.now()); ok {
		a.give(w)
	}
	if in, ok := a.pending.Stall(a.now()); ok {
		a.ill = true
		a.release()
		a.put(in)
	}
}

// planMind sets the alarm for the next look after the store; the end of a write is one too.
func (a *agent) planMind() {
	wake := a.pending.Wake()
	if a.writing > 0 && wake != 0 && a.wrote < a.site(wake) {
		wake = 0
	}
	if wake == a.mindAt {
		return
	}
	a.s.tl.Cancel(a.minding)
	a.mindAt, a.minding = wake, timeline.Handle{}
	if wake != 0 {
		a.minding = a.s.tl.Plan(int64(a.site(wake)), event{kind: evMind, gen: a.gen})
	}
}

// release shows and carries out what was waiting for its time.
func (a *agent) release() {
	for d, ok := a.pending.Next(); ok; d, ok = a.pending.Next() {
		if d.View != nil {
			a.show(d.View)
			continue
		}
		if c, isCommand := d.Effect.(core.Command); isCommand && d.Unsent != "" {
			a.notSent(c, d.Unsent)
			continue
		}
		if d.Undo != nil {
			a.put(core.Ordered{Order: d.Undo})
		}
		a.effect(d.Effect)
	}
	a.owed = a.owed && !a.pending.Empty()
	a.planMind()
}

func (a *agent) effect(e core.Effect) {
	switch e := e.(type) {
	case core.Command:
		if l := a.s.lift(e.Lift); l == nil || !l.link.give(e.Command, a.now()) {
			a.notSent(e, "too many commands wait for this lift")
		}
	case core.Send:
		a.s.cloud.publish(e.Publish)
	case core.Reply:
		a.s.replied(e.Token, e.Answer)
	case core.Line:
		a.s.coreLine(e)
	}
}

func (a *agent) notSent(e core.Command, why string) {
	a.answered(elevator.Outcome{ID: e.Command.ID, Result: elevator.NotSent, Detail: why, At: a.now()})
}

// order brings an order to the loop and gives the token of its answer.
func (a *agent) order(o core.Order) uint64 {
	a.s.readUp()
	a.token++
	a.put(core.Ordered{Token: a.token, Order: o})
	return a.token
}

// mayCross reports whether a robot may be in a doorway.
func (a *agent) mayCross() (may bool) {
	a.core.EachRide(func(r *fsm.Ride) {
		may = may || r.State != fsm.Done && (r.Where == fsm.Crossing || r.Where == fsm.Unknown)
	})
	return may
}
