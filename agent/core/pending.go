package core

import (
	"errors"
	"slices"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// Pending is what waits for the store: the effects of each step, and what readers are to
// see of it, until its batch and every batch before it has ended; and what the store could
// not take until it can. A permit is an effect as much as a press is: a robot that acts on
// one which no restart knows of stands in a doorway that is not watched.
// A store that fails holds nothing up but new rides, and answers to orders that must outlast
// the process say so; one that hangs counts as failing until it answers. The zero Pending waits for nothing. The owner of the
// [Core] owns it; he hands the writes over in their order, tells each end once, and
// fetches with [Pending.Next] what may be done after each call.
type Pending struct {
	queue   []group
	unsaved unsaved
	began   []elevator.Instant // of the writes under way; they end in that order
	heard   elevator.Instant   // when the last one ended
	hung    bool
}

// Write is one batch for the store.
type Write struct {
	Seq     uint64
	Records []shadow.Record
}

// Due is one effect, or one view, whose time has come.
type Due struct {
	// View is to be shown to readers; nil = there is an Effect.
	View   *View
	Effect Effect
	// Unsent says why a command must not be sent; "" = it is to be sent.
	Unsent string
	// Undo takes back what was promised; nil = nothing.
	Undo Order
}

// group is the effects that follow one batch.
type group struct {
	seq     uint64 // of the batch; 0: there was nothing to store
	effects []Effect
	view    *View // newest of the steps since its batch; nil: nothing new
	ended   bool
	err     error
	refused string // the new ride that could not be stored
}

// finish ends the wait. A new ride of a batch that could not be stored is refused.
func (g *group) finish(err error) {
	g.ended, g.err = true, err
	for _, e := range g.effects {
		if r, ok := e.(Reply); ok && err != nil && r.Answer.Status == Created {
			g.refused = r.Answer.Ride
		}
	}
}

// storeLimit is how long a batch may take. Flash that tidies up takes seconds.
const storeLimit = 5 * time.Second

var errHangs = errors.New("the store does not answer")

// Take takes in what a step wants done but its urgent effects. ok is false when
// there is nothing to store.
func (p *Pending) Take(r Result, now elevator.Instant) (w Write, ok bool) {
	stands := slices.ContainsFunc(r.After, standsOnStore)
	switch {
	case len(r.Batch) > 0, stands && len(p.unsaved.kept) > 0:
		return p.write(r.Batch, r.After, now), true
	case stands && len(p.began) > 0: // what it repeats may be in the write under way
		p.wait(p.unsaved.seq, r.After)
	case len(r.After) > 0:
		p.queue = append(p.queue, group{ended: true, effects: r.After})
	}
	return Write{}, false
}

// standsOnStore reports an answer that is true only of what is stored.
func standsOnStore(e Effect) bool {
	r, is := e.(Reply)
	return is && r.Lasts
}

// Retry hands over again what the store could not take, when it is time.
func (p *Pending) Retry(now elevator.Instant) (w Write, ok bool) {
	if !p.unsaved.due(now) {
		return Write{}, false
	}
	return p.write(nil, nil, now), true
}

// Show takes in what readers are to see after the step that was taken in last. They see
// it when the newest batch so far has ended, before what follows that batch; with none
// under way, at once.
func (p *Pending) Show(v *View) {
	if len(p.queue) == 0 {
		p.queue = append(p.queue, group{ended: true})
	}
	p.queue[len(p.queue)-1].view = v
}

func (p *Pending) write(batch []shadow.Record, effects []Effect, now elevator.Instant) Write {
	w := p.unsaved.out(batch)
	p.began = append(p.began, now)
	p.wait(w.Seq, effects)
	return w
}

// wait puts effects behind a write.
func (p *Pending) wait(seq uint64, effects []Effect) {
	g := group{seq: seq, effects: effects}
	if p.hung {
		g.finish(errHangs)
	}
	p.queue = append(p.queue, g)
}

// Stored ends a write. What it returns goes to the core, unless err is about one
// record that can never be stored: that says nothing of the store, and ok is false.
func (p *Pending) Stored(seq uint64, err error, now elevator.Instant) (in Stored, ok bool) {
	p.unsaved.back(seq, err, now)
	p.began, p.heard, p.hung = slices.Delete(p.began, 0, 1), now, false
	p.end(err, func(g *group) bool { return g.seq == seq })
	return Stored{Err: err}, err == nil || !ofOneRecord(err)
}

// ofOneRecord tells the trouble of one record from that of the store.
func ofOneRecord(err error) bool {
	var bad *shadow.BadRecord
	return errors.As(err, &bad)
}

// Stall lets nobody wait for a store that hangs. What it returns goes to the core; ok
// is false when the store does not hang, or was known to.
func (p *Pending) Stall(now elevator.Instant) (in Stored, ok bool) {
	if p.hung || !p.hangsAt().Reached(now) {
		return Stored{}, false
	}
	p.hung = true
	p.end(errHangs, func(*group) bool { return true })
	return Stored{Err: errHangs}, true
}

// hangsAt is when the write under way has taken too long; never when none is.
func (p *Pending) hangsAt() elevator.Instant {
	if len(p.began) == 0 {
		return 0
	}
	return max(p.began[0], p.heard).Add(storeLimit)
}

// Wake is when Retry or Stall will have something to do; never when neither.
func (p *Pending) Wake() elevator.Instant {
	wake := p.unsaved.retryAt
	if hangs := p.hangsAt(); !p.hung && hangs != 0 && (wake == 0 || hangs < wake) {
		wake = hangs
	}
	return wake
}

// end ends the wait of groups.
func (p *Pending) end(err error, which func(*group) bool) {
	for i := range p.queue {
		if g := &p.queue[i]; !g.ended && which(g) {
			g.finish(err)
		}
	}
}

// Empty reports that nothing waits.
func (p *Pending) Empty() bool { return len(p.queue) == 0 }

// Next is the next effect that may be carried out or view that may be shown; ok is false
// when none may.
func (p *Pending) Next() (d Due, ok bool) {
	for len(p.queue) > 0 && p.queue[0].ended {
		g := &p.queue[0]
		if g.view != nil {
			d.View, g.view = g.view, nil
			return d, true
		}
		if len(g.effects) > 0 {
			d = g.due(g.effects[0])
			g.effects = g.effects[1:]
			return d, true
		}
		p.queue = slices.Delete(p.queue, 0, 1)
	}
	return Due{}, false
}

// due takes a refused ride back: its robot is told no, must not find the ride alive
// later, and nothing is asked of the lift for it. A restart would forget it, with a
// robot in the shaft.
func (g *group) due(e Effect) Due {
	switch e := e.(type) {
	case Command:
		if g.refused != "" && e.Command.ID.Ride == g.refused {
			return Due{Effect: e, Unsent: "the ride could not be stored"}
		}
	case Reply:
		if g.err == nil || !e.Lasts {
			break
		}
		switch e.Answer.Status {
		case Created:
			undo := CancelRide{Ride: e.Answer.Ride, By: "store"}
			e.Answer = unstored("the ride was not made", g.err.Error())
			return Due{Effect: e, Undo: undo}
		case Accepted, Existing:
			e.Answer = unstored("it is in force, but a restart may forget it; ask again until it is answered as done", g.err.Error())
		}
		return Due{Effect: e}
	}
	return Due{Effect: e}
}
