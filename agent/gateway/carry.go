package gateway

import (
	"context"
	"log/slog"

	"hoistway/agent/core"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// group is the effects that follow one batch.
type group struct {
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
	grp := group{committed: len(batch) == 0, after: r.After}
	g.queue = append(g.queue, grp)
	if len(batch) > 0 {
		g.commit(batch)
	}
	g.release()
}

func (g *Gateway) commit(batch []shadow.Record) {
	seq, batch := g.unsaved.out(batch)
	g.o.Carrier.Commit(batch, func(err error) { g.back.put(stored{seq, err}) })
}

// retry tries the store again with what it could not take before.
func (g *Gateway) retry() {
	if !g.unsaved.due(g.o.Now()) {
		return
	}
	g.queue = append(g.queue, group{})
	g.commit(nil)
}

// returned takes in what has ended.
func (g *Gateway) returned() {
	for _, v := range g.back.take() {
		switch v := v.(type) {
		case stored:
			g.unsaved.back(v.seq, v.err, g.o.Now())
			g.settle(v.err)
			g.step(core.Stored{Err: v.err})
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

// settle marks the oldest batch under way as ended: batches end in order.
func (g *Gateway) settle(err error) {
	for i := range g.queue {
		if !g.queue[i].committed {
			g.queue[i].committed, g.queue[i].err = true, err
			break
		}
	}
	g.release()
}

// release carries out the effects whose batch, and every one before, has ended.
func (g *Gateway) release() {
	for len(g.queue) > 0 && g.queue[0].committed {
		grp := g.queue[0]
		g.queue = g.queue[1:]
		for _, e := range grp.after {
			g.effect(e, grp.err)
		}
	}
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
	g.flying++
	w := g.workers[e.Lift]
	if w == nil || !w.give(e.Command, g.o.Now()) {
		g.back.put(elevator.Outcome{
			ID: e.Command.ID, Result: elevator.NotSent, Detail: "too many commands wait for this lift", At: g.o.Now(),
		})
	}
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
