package fleet

import (
	"hoistway/sync/shadow"
)

// work is what one step wants done.
type work struct {
	batch   []shadow.Record
	publish []shadow.Publish
}

// step takes one input to the session. What it wants stored is stored before
// what it wants said is said, as in the agent.
func (g *gateway) step(in shadow.Input) {
	var w work
	g.turn(in, &w)
	if len(w.batch) == 0 && len(w.publish) == 0 {
		return
	}
	carrier, box := g.carrier, g.box
	carrier.Commit(w.batch, func(err error) {
		for _, p := range w.publish {
			if err != nil {
				box.put(p.Token, err)
				continue
			}
			carrier.Publish(p, box.put)
		}
	})
}

func (g *gateway) turn(in shadow.Input, w *work) {
	for _, o := range g.session.Step(in, g.mono(), nil) {
		switch o := o.(type) {
		case shadow.Put:
			w.batch = append(w.batch, o.Record)
		case shadow.Publish:
			g.leaves(o)
			w.publish = append(w.publish, o)
		case shadow.Note:
			g.f.tally.note(o.Kind)
		case shadow.Apply:
			results, batch := g.judge(o)
			w.batch = append(w.batch, batch...)
			g.turn(shadow.Applied{Shadow: o.Shadow, Intent: o.Intent, Results: results}, w)
		}
	}
}

// leaves remembers the requests whose answers are measured.
func (g *gateway) leaves(p shadow.Publish) {
	switch p.Topic {
	case g.x + "/shadow/name/" + lift + "/update":
		g.book.leaves(p.Token)
	case g.x + "/shadow/update":
		g.told = told{token: p.Token, intents: len(g.unsure)}
	case g.x + "/" + shadow.BesidePresence:
		g.last = p.Token
	}
}
