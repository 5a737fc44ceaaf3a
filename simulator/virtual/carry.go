package virtual

import (
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// group is the effects that follow one batch.
type group struct {
	seq       uint64
	committed bool
	err       error
	after     []core.Effect
}

type batch struct {
	seq     uint64
	records []shadow.Record
	began   elevator.Instant
}

const (
	writeLow, writeHigh = 2 * time.Millisecond, 4 * time.Millisecond
	storeRetry          = 5 * time.Second
	storeLimit          = 5 * time.Second
)

// carry starts what a step wants done.
func (a *agent) carry(r core.Result) {
	for _, e := range r.Urgent {
		a.effect(e, nil)
	}
	if r.Changed {
		a.viewOld = true
		a.s.changed()
	}
	if len(r.Batch) > 0 {
		a.s.showRides()
		a.s.poke()
	}
	if len(r.Batch) == 0 && len(r.After) == 0 {
		return
	}
	g := group{committed: true, after: r.After}
	if len(r.Batch) > 0 {
		g.seq, g.committed = a.commit(r.Batch), false
	}
	a.groups = append(a.groups, g)
	if a.hangs {
		a.giveUp()
	}
	a.release()
}

// commit hands a batch, with what could not be stored before, to the store.
func (a *agent) commit(records []shadow.Record) uint64 {
	a.seq++
	if len(a.unsaved) > 0 {
		records = append(a.unsaved, records...)
		a.unsaved, a.retryAt = nil, 0
	}
	a.batches = append(a.batches, batch{a.seq, records, a.s.at()})
	a.write()
	return a.seq
}

// write begins a transaction with all that waits.
func (a *agent) write() {
	if a.writing > 0 || len(a.batches) == 0 {
		return
	}
	a.writing = len(a.batches)
	takes := a.rng.between(writeLow, writeHigh)
	if slow, on := a.s.on(gateway, "store-slow"); on {
		takes += slow.Duration()
	}
	a.s.own(takes, evStored, 0, 0)
	if takes > storeLimit {
		a.s.own(storeLimit, evHangs, 0, a.batches[0].seq)
	}
}

// hang lets nobody wait for a store that does not answer: it counts as failing
// until it has.
func (a *agent) hang(seq uint64) {
	if a.writing == 0 || a.batches[0].seq != seq {
		return
	}
	a.hangs, a.ill = true, true
	a.giveUp()
	a.release()
	a.put(core.Stored{Err: errHangs})
}

func (a *agent) giveUp() {
	for i := range a.groups {
		if !a.groups[i].committed {
			a.groups[i].committed, a.groups[i].err = true, errHangs
		}
	}
}

// stored ends a transaction.
func (a *agent) stored() {
	a.hangs = false
	var err error
	if _, full := a.s.on(gateway, "disk-full"); full {
		err = errDisk
	}
	done := a.batches[:a.writing]
	for i := range done {
		if err == nil {
			a.s.store.commit(done[i].records)
		} else {
			a.unsaved = append(a.unsaved, done[i].records...)
		}
		a.settle(done[i].seq, err)
		if err != nil || a.ill { // that all is well still is no news
			a.put(core.Stored{Err: err})
		}
		a.ill = err != nil
	}
	a.batches = append(a.batches[:0], a.batches[a.writing:]...)
	a.writing = 0
	if err != nil && a.retryAt == 0 {
		a.retryAt = a.s.at() + elevator.Instant(storeRetry)
		a.s.own(storeRetry, evRetry, 0, 0)
	}
	a.release()
	a.write()
}

// retry tries the store again with what it could not take before.
func (a *agent) retry() {
	if a.retryAt == 0 || a.s.at() < a.retryAt || len(a.unsaved) == 0 {
		return
	}
	a.groups = append(a.groups, group{seq: a.commit(nil)})
}

func (a *agent) settle(seq uint64, err error) {
	for i := range a.groups {
		if a.groups[i].seq == seq && !a.groups[i].committed {
			a.groups[i].committed, a.groups[i].err = true, err
		}
	}
}

// release carries out the effects whose batch, and every one before, has ended.
func (a *agent) release() {
	n := 0
	for n < len(a.groups) && a.groups[n].committed {
		g := a.groups[n]
		n++
		refused := g.refused()
		for _, e := range g.after {
			if c, ok := e.(core.Command); ok && refused != "" && c.Command.ID.Ride == refused {
				a.notSent(c, "the ride could not be stored")
				continue
			}
			a.effect(e, g.err)
		}
	}
	if n > 0 {
		rest := copy(a.groups, a.groups[n:])
		clear(a.groups[rest:])
		a.groups = a.groups[:rest]
	}
}

// refused names the new ride of a batch that could not be stored.
func (g group) refused() string {
	if g.err == nil {
		return ""
	}
	for _, e := range g.after {
		if r, ok := e.(core.Reply); ok && r.Answer.Status == core.Created {
			return r.Answer.Ride
		}
	}
	return ""
}

func (a *agent) effect(e core.Effect, storeErr error) {
	switch e := e.(type) {
	case core.Command:
		if l := a.s.lift(e.Lift); l == nil || !l.link.give(e.Command, a.now()) {
			a.notSent(e, "too many commands wait for this lift")
		}
	case core.Send:
		a.s.cloud.publish(e.Publish)
	case core.Reply:
		a.reply(e, storeErr)
	case core.Line:
		a.s.coreLine(e)
	}
}

func (a *agent) notSent(e core.Command, why string) {
	a.answered(elevator.Outcome{ID: e.Command.ID, Result: elevator.NotSent, Detail: why, At: a.now()})
}

// reply answers an order. A new ride that could not be stored is taken back.
func (a *agent) reply(e core.Reply, storeErr error) {
	if storeErr != nil && e.Answer.Status == core.Created {
		ride := e.Answer.Ride
		e.Answer = core.Answer{Status: core.Unavailable, Ride: ride, Code: "E-2107", Detail: "nothing can be stored: " + storeErr.Error()}
		a.put(core.Ordered{Order: core.CancelRide{Ride: ride, By: "store"}})
	}
	a.s.replied(e.Token, e.Answer)
}

// order brings an order to the loop and gives the token of its answer.
func (a *agent) order(o core.Order) uint64 {
	a.token++
	a.put(core.Ordered{Token: a.token, Order: o})
	return a.token
}

// mayCross reports whether a robot may be in a doorway.
func (a *agent) mayCross() bool {
	for _, r := range a.look().Rides {
		if r.Ride.State != fsm.Done && (r.Ride.Where == fsm.Crossing || r.Ride.Where == fsm.Unknown) {
			return true
		}
	}
	return false
}
