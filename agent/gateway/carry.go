package gateway

import (
	"context"
	"errors"
	"log/slog"

	"hoistway/agent/core"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

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
		g.effect(e, true)
	}
	w, writes := g.pending.Take(r, g.o.Now())
	if r.Changed {
		g.pending.Show(g.look())
	}
	if writes {
		g.write(w)
	}
	g.release()
}

func (g *Gateway) write(w core.Write) {
	g.o.Carrier.Commit(w.Records, func(err error) { g.back.put(stored{w.Seq, err}) })
}

// mind looks after the store: what it could not take is tried again, and one that
// hangs holds nobody up.
func (g *Gateway) mind() {
	if w, ok := g.pending.Retry(g.o.Now()); ok {
		g.write(w)
	}
	if in, ok := g.pending.Stall(g.o.Now()); ok {
		g.release()
		g.step(in)
	}
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
		case core.Ordered:
			g.step(v)
		}
	}
}

// stored takes in what became of a batch.
func (g *Gateway) stored(v stored) {
	in, ok := g.pending.Stored(v.seq, v.err, g.o.Now())
	g.release()
	if ok {
		g.step(in)
		return
	}
	var bad *shadow.BadRecord
	errors.As(v.err, &bad)
	g.o.Log.Error("a record can never be stored; it is left out",
		"code", "E-4005", "bucket", bad.Bucket, "key", bad.Key, "error", v.err)
}

// release shows and carries out what was waiting for its time.
func (g *Gateway) release() {
	for d, ok := g.pending.Next(); ok; d, ok = g.pending.Next() {
		if d.View != nil {
			g.show(d.View)
			continue
		}
		if c, isCommand := d.Effect.(core.Command); isCommand && d.Unsent != "" {
			g.o.Witness.Given(c, false, g.time())
			g.notSent(c, d.Unsent)
			continue
		}
		if d.Undo != nil {
			g.back.put(core.Ordered{Order: d.Undo})
		}
		g.effect(d.Effect, false)
	}
}

// effect carries out one effect.
func (g *Gateway) effect(e core.Effect, urgent bool) {
	switch e := e.(type) {
	case core.Command:
		g.command(e, urgent)
	case core.Send:
		g.flying++
		g.o.Carrier.Publish(e.Publish, func(token string, err error) { g.back.put(sent{token, err}) })
	case core.Reply:
		g.reply(e)
	case core.Line:
		g.log(e)
	}
}

func (g *Gateway) command(e core.Command, urgent bool) {
	g.o.Witness.Given(e, urgent, g.time()) // before its first frame
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

func (g *Gateway) reply(e core.Reply) {
	if c, ok := g.waiting[e.Token]; ok {
		delete(g.waiting, e.Token)
		c <- e.Answer
	}
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
