// Package gateway is the shell around the core: it brings what happens to the
// core, one thing at a time, and carries out what the core wants done.
//
// One goroutine, the loop, owns the core. It never blocks: readings come by
// mailboxes that keep the newest, commands go to three workers a lift, batches to
// the store's own goroutine, messages to the uplink's. Effects that follow a
// batch wait until it and every batch before it is committed, and so
// does what readers see, for a permit is an effect too; urgent ones (a hold, what
// is owed) do not.
package gateway

import (
	"context"
	"errors"
	"log/slog"
	"sync/atomic"
	"time"

	"hoistway/agent/core"
	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// Carrier makes batches durable and messages leave. Both calls return at once;
// done is called once, from another goroutine. Batches are committed in order.
type Carrier interface {
	Commit(batch []shadow.Record, done func(error))
	Publish(p shadow.Publish, done func(token string, err error))
}

// Lift is one lift's link.
type Lift struct {
	ID   string
	Link drivers.Link
}

// Witness sees what happens, for the record. The loop calls it; it must not block, and
// must not change what it is shown.
type Witness interface {
	// Stepped is told each step: what came in, nil for what loading the core wanted done,
	// and what came of it.
	Stepped(in core.Input, res *core.Result, k *core.Core, t core.Time)
	// Given is told each command when it is handed to the lift's link, or when it is
	// clear that it will not be. What became of it comes in as a core.Answered.
	Given(c core.Command, urgent bool, t core.Time)
}

// Options are what a gateway needs. Core must be loaded.
type Options struct {
	Core    *core.Core
	Lifts   []Lift
	Carrier Carrier
	Uplink  <-chan shadow.LinkEvent // nil: no cloud
	Session func() uint64           // number of the connection that came up
	Now     func() elevator.Instant
	Wall    func() time.Time
	Publish func(*core.View) // each new view; must not block; nil: nobody
	Beat    func()           // each completed pass; nil: nobody
	Witness Witness          // nil: nobody
	Log     *slog.Logger
	First   core.Result // what loading the core wants done
	// SetAside names a damaged store that was found at start, for readers.
	SetAside string
}

// Gateway runs the loop.
type Gateway struct {
	o       Options
	view    atomic.Pointer[core.View]
	orders  chan order
	back    mailbox
	ended   chan struct{}
	workers map[string]*workers

	// Owned by the loop.
	token   uint64
	waiting map[uint64]chan core.Answer
	pending core.Pending
	flying  int // commands and messages whose end is not known yet
}

type order struct {
	order core.Order
	reply chan core.Answer
}

// ErrEnded is returned to those who ask after the loop has ended.
var ErrEnded = errors.New("the agent is stopping")

// New makes a gateway; Run starts it.
func New(o Options) *Gateway {
	g := &Gateway{
		o: o, orders: make(chan order, 64), ended: make(chan struct{}),
		back: newMailbox(), workers: map[string]*workers{}, waiting: map[uint64]chan core.Answer{},
	}
	if g.o.Witness == nil {
		g.o.Witness = nobody{}
	}
	for _, l := range o.Lifts {
		g.workers[l.ID] = newWorkers(l, g.answered)
	}
	g.show(g.look())
	return g
}

// View is the newest view. Any goroutine may call it.
func (g *Gateway) View() *core.View { return g.view.Load() }

// Ask brings an order to the loop and waits for its answer. Any goroutine may
// call it. An error means that the order may or may not have been taken.
func (g *Gateway) Ask(ctx context.Context, o core.Order) (core.Answer, error) {
	ask := order{order: o, reply: make(chan core.Answer, 1)}
	select {
	case g.orders <- ask:
	case <-g.ended:
		return core.Answer{}, ErrEnded
	case <-ctx.Done():
		return core.Answer{}, ctx.Err()
	}
	select {
	case a := <-ask.reply:
		return a, nil
	case <-g.ended:
		return core.Answer{}, ErrEnded
	case <-ctx.Done():
		return core.Answer{}, ctx.Err()
	}
}

func (g *Gateway) time() core.Time {
	wall := g.o.Wall()
	_, zone := wall.Zone()
	return core.Time{Now: g.o.Now(), Wall: wall.UnixMilli(), Zone: zone}
}

func (g *Gateway) step(in core.Input) {
	t := g.time()
	res := g.o.Core.Step(in, t)
	g.o.Witness.Stepped(in, &res, g.o.Core, t)
	g.carry(res)
}

// look is what readers are to see of the core as it is.
func (g *Gateway) look() *core.View {
	v := g.o.Core.View(g.time())
	v.SetAside = g.o.SetAside
	return v
}

func (g *Gateway) show(v *core.View) {
	g.view.Store(v)
	if g.o.Publish != nil {
		g.o.Publish(v)
	}
}

// mayCross reports whether a robot may be in a doorway, where an end of the
// program must wait for a word from it.
func (g *Gateway) mayCross() (may bool) {
	g.o.Core.EachRide(func(r *fsm.Ride) {
		may = may || r.State != fsm.Done && (r.Where == fsm.Crossing || r.Where == fsm.Unknown)
	})
	return may
}

// nobody sees nothing.
type nobody struct{}

func (nobody) Stepped(core.Input, *core.Result, *core.Core, core.Time) {}
func (nobody) Given(core.Command, bool, core.Time)                     {}
