package gateway

import (
	"context"
	"errors"
	"log/slog"

	"hoistway/agent/core"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// group is the effects that follow one batch.
type group struct {
	seq       uint64 // of the batch; 0: there was nothing to store
	committed bool
	err       error
	after     []core.Effect
}

// stored, answered and sent are what comes back to the loop.
type stored struct {
	seq uint64
	err error
}

type sent struct {
	token string
	err   error
}

// carry starts what a step wants done.
func (g *Gateway) carry(r core.Result) {
	for _, e := range r.Urgent {
		g.effect(e, nil)
	}
	if r.Changed {
		g.show()
	}
	batch := r.Batch
	if len(batch) == 0 && len(r.After) == 0 {
		return
	}
	grp := group{committed: true, after: r.After}
	if len(batch) > 0 {
		grp.seq, grp.committed = g.commit(batch), false
	}
	g.queue = append(g.queue, grp)
	g.release()
}

func (g *Gateway) commit(batch []shadow.Record) uint64 {
	seq, batch := g.unsaved.out(batch)
	g.storing.began(g.o.Now())
	g.o.Carrier.Commit(batch, func(err error) { g.back.put(stored{seq, err}) })
	return seq
}

// retry tries the store again with what it could not take before.
func (g *Gateway) retry() {
	if !g.unsaved.due(g.o.Now()) {
		return
	}
	g.queue = append(g.queue, group{seq: g.commit(nil)})
}

// returned takes in what has ended.
func (g *Gateway) returned() {
	for _, v := range g.back.take() {
		switch v := v.(type) {
		case stored:
			g.stored(v)
		case sent:
			g.flying--
			g.step(core.Sent{Token: v.token, Err: v.err})
		case elevator.Outcome:
			g.flying--
			g.step(core.Answered{Outcome: v})
		case core.CancelRide:
			g.step(core.Ordered{Order: v})
		}
	}
}

// stored takes in what became of a batch. A bad record says nothing of the store.
func (g *Gateway) stored(v stored) {
	g.unsaved.back(v.seq, v.err, g.o.Now())
	g.storing.ended(g.o.Now())
	g.settle(v.seq, v.err)
	var bad *shadow.BadRecord
	if errors.As(v.err, &bad) {
		g.o.Log.Error("a record can never be stored; it is left out",
			"code", "E-4005", "bucket", bad.Bucket, "key", bad.Key, "error", v.err)
		return
	}
	g.step(core.Stored{Err: v.err})
}

// settle ends a batch, and with it the wait of what follows it.
func (g *Gateway) settle(seq uint64, err error) {
	for i := range g.queue {
		if g.queue[i].seq == seq && !g.queue[i].committed {
			g.queue[i].committed, g.queue[i].err = true, err
		}
	}
	g.release()
}

// stall lets nobody wait for a store that hangs: it counts as failing until it
// has answered. What was handed to it stays there.
func (g *Gateway) stall() {
	if !g.storing.hangs(g.o.Now()) {
		return
	}
	for i := range g.queue {
		if !g.queue[i].committed {
			g.queue[i].committed, g.queue[i].err = true, errHangs
		}
	}
	g.release()
	g.step(core.Stored{Err: errHangs})
}

// release carries out the effects whose batch, and every one before, has ended.
func (g *Gateway) release() {
	for len(g.queue) > 0 && g.queue[0].committed {
		grp := g.queue[0]
		g.queue = g.queue[1:]
		refused := grp.refused()
		for _, e := range grp.after {
			if c, ok := e.(core.Command); ok && refused != "" && c.Command.ID.Ride == refused {
				g.notSent(c, "the ride could not be stored")
				continue
			}
			g.effect(e, grp.err)
		}
	}
}

// refused names the new ride of a batch that could not be stored: its robot is
// told no, so nothing may be asked of the lift for it.
func (grp group) refused() string {
	if grp.err == nil {
		return ""
	}
	for _, e := range grp.after {
		if r, ok := e.(core.Reply); ok && r.Answer.Status == core.Created {
			return r.Answer.Ride
		}
	}
	return ""
}

// effect carries out one effect. storeErr is what became of its batch.
func (g *Gateway) effect(e core.Effect, storeErr error) {
	switch e := e.(type) {
	case core.Command:
		g.command(e)
	case core.Send:
		g.flying++
		g.o.Carrier.Publish(e.Publish, func(token string, err error) { g.back.put(sent{token, err}) })
	case core.Reply:
		g.reply(e, storeErr)
	case core.Line:
		g.log(e)
	}
}

func (g *Gateway) command(e core.Command) {
	w := g.workers[e.Lift]
	if w == nil || !w.give(e.Command, g.o.Now()) {
		g.notSent(e, "too many commands wait for this lift")
		return
	}
	g.flying++
}

func (g *Gateway) notSent(e core.Command, why string) {
	g.flying++
	g.back.put(elevator.Outcome{ID: e.Command.ID, Result: elevator.NotSent, Detail: why, At: g.o.Now()})
}

func (g *Gateway) answered(o elevator.Outcome) { g.back.put(o) }

// reply answers an order. A new ride that could not be stored is taken back: the
// robot is told no, and must not find the ride alive later.
func (g *Gateway) reply(e core.Reply, storeErr error) {
	c, ok := g.waiting[e.Token]
	if !ok {
		return
	}
	delete(g.waiting, e.Token)
	if storeErr != nil && e.Answer.Status == core.Created {
		ride := e.Answer.Ride
		e.Answer = core.Answer{Status: core.Unavailable, Code: "E-2107", Detail: "nothing can be stored: " + storeErr.Error()}
		g.back.put(core.CancelRide{Ride: ride, By: "store"})
	}
	c <- e.Answer
}

func (g *Gateway) log(e core.Line) {
	attrs := make([]any, 0, 4+len(e.Attrs))
	if e.Lift != "" {
		attrs = append(attrs, "lift", e.Lift)
	}
	if e.Ride != "" {
		attrs = append(attrs, "ride", e.Ride)
	}
	for _, a := range e.Attrs {
		attrs = append(attrs, a)
	}
	level := slog.LevelInfo
	if e.Level == "warn" {
		level = slog.LevelWarn
	}
	g.o.Log.Log(context.Background(), level, e.Msg, attrs...)
}
