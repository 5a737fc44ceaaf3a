package gateway

import (
	"context"
	"sync"
	"time"

	"hoistway/agent/core"
	"hoistway/drivers"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

const (
	// idlePass is the longest time between two passes: the watchdog is fed by them.
	idlePass = time.Second
	// minPass keeps a deadline that a tick did not clear from taking the processor.
	minPass = 5 * time.Millisecond
	// farewell bounds the wait for a robot in a doorway when the program ends. It
	// stays under the service manager's limit of 30 s.
	farewell = 25 * time.Second
	// flush bounds the wait for the last batches, commands and messages.
	flush = 3 * time.Second
)

// Run is the loop. It ends after ctx does: at once when no robot may be in a
// doorway, else when the robot has been heard or its last hold is over.
func (g *Gateway) Run(ctx context.Context) error {
	// What the loop starts lives on after ctx, until the loop itself ends.
	inner, stop := context.WithCancel(context.WithoutCancel(ctx))
	var owned sync.WaitGroup
	defer owned.Wait()
	defer stop()
	defer close(g.ended)
	seen := newLatest()
	g.start(inner, &owned, seen)
	g.o.Witness.Stepped(nil, &g.o.First, g.o.Core, g.time())
	g.carry(g.o.First)
	g.turn(ctx.Done(), seen, func() bool { return false })
	g.step(core.Stopping{})
	g.pending.Show(g.look())
	g.release()
	g.turnFor(inner, farewell, seen, func() bool { return !g.mayCross() })
	g.turnFor(inner, flush, seen, g.quiet)
	return nil
}

// start gives each lift its watcher and its workers.
func (g *Gateway) start(ctx context.Context, owned *sync.WaitGroup, seen *latest) {
	for _, l := range g.o.Lifts {
		g.workers[l.ID].start(ctx, owned)
		if w, ok := drivers.As[drivers.Watcher](l.Link); ok {
			owned.Go(func() {
				err := w.Watch(ctx, func(s elevator.Snapshot) { seen.put(l.ID, s) })
				if err != nil && ctx.Err() == nil {
					g.o.Log.Error("watching the lift ended", "lift", l.ID, "error", err)
				}
			})
		}
	}
}

// turn passes until done is closed or enough says so.
func (g *Gateway) turn(done <-chan struct{}, seen *latest, enough func() bool) {
	timer := time.NewTimer(0)
	defer timer.Stop()
	for !enough() {
		timer.Reset(g.nap())
		select {
		case <-done:
			return
		case <-seen.ready:
			for _, s := range seen.take() {
				g.step(&core.Seen{Lift: s.lift, Car: s.car})
			}
		case ask := <-g.orders:
			g.ask(ask)
		case <-g.back.ready:
			g.returned()
		case e, ok := <-g.o.Uplink:
			g.uplink(e, ok)
		case <-timer.C:
			g.step(core.Tick{})
		}
		g.mind()
		if g.o.Beat != nil {
			g.o.Beat()
		}
	}
}

func (g *Gateway) turnFor(ctx context.Context, limit time.Duration, seen *latest, enough func() bool) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	g.turn(ctx.Done(), seen, enough)
}

// nap is the time to the next tick.
func (g *Gateway) nap() time.Duration {
	wake := g.o.Core.NextWake()
	if wake == 0 {
		return idlePass
	}
	return max(minPass, min(idlePass, wake.Until(g.o.Now())))
}

func (g *Gateway) ask(a order) {
	g.token++
	g.waiting[g.token] = a.reply
	g.step(core.Ordered{Token: g.token, Order: a.order})
}

func (g *Gateway) uplink(e shadow.LinkEvent, ok bool) {
	if !ok {
		g.o.Uplink = nil
		return
	}
	switch e.Kind {
	case shadow.LinkUp:
		g.step(core.LinkUp{Session: g.o.Session()})
	case shadow.LinkDown:
		g.step(core.LinkDown{})
	case shadow.LinkMessage:
		g.step(core.Incoming{Message: e.Message})
	}
}

// quiet reports whether nothing is under way any more.
func (g *Gateway) quiet() bool { return g.pending.Empty() && g.flying == 0 }
