// Package bridge carries Open-RMF's messages: requests from the site's broker and
// from the local API to the translator, its orders to the ride loop, and the states of
// lifts to the broker.
//
// The translator (package rmf) decides everything and is under one lock; an order is
// asked outside of it, since its answer waits for the disk. States are not queued: what
// goes out is what is true at that moment, at once when it changes and once a second
// anyhow, so a broker that is slow or away costs nothing. Requests wait in a short queue
// and are dropped when it is full: whoever sends them says them again.
package bridge

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"hoistway/agent/core"
	"hoistway/agent/rmf"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

const (
	askWithin = 5 * time.Second        // for the ride loop's answer
	everyOnce = time.Second            // a state goes out at least so often
	rest      = 50 * time.Millisecond  // and not more often than this
	dueEvery  = 500 * time.Millisecond // what a translator does by itself is looked at
	waiting   = 64                     // requests of the broker that wait
	logEvery  = time.Second            // between two lines about refusals
)

// Broker is a connection to the site's message broker, such as [mqttlink.Link].
type Broker interface {
	Events() <-chan shadow.LinkEvent
	Publish(ctx context.Context, m shadow.Message) error
}

// Desk is the ride loop. Both methods are safe for concurrent use.
type Desk interface {
	// View is the latest state; never nil, never changed afterwards.
	View() *core.View
	// Do carries one order out. An error means that nothing is known of it.
	Do(ctx context.Context, o rmf.Order) (core.Answer, error)
}

// Options is what a bridge needs. Desk, Now and Wall are required.
type Options struct {
	Desk   Desk
	Config rmf.Config
	Now    func() elevator.Instant // the clock of the views
	Wall   func() time.Time
	Broker Broker // nil: the local API alone
	Prefix string // of the broker's topics
	Log    *slog.Logger
}

// Bridge is safe for concurrent use. Run it once.
type Bridge struct {
	o     Options
	log   *slog.Logger
	nudge chan struct{} // something may have changed
	inbox chan heard

	mu     sync.Mutex
	tr     *rmf.Translator
	afresh bool            // a new connection: everything is to be told
	answer map[string]bool // lifts of which somebody waits to hear
	logged elevator.Instant
}

// New makes a bridge. Nothing runs yet.
func New(o Options) *Bridge {
	log := o.Log
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	return &Bridge{
		o: o, log: log, nudge: make(chan struct{}, 1), inbox: make(chan heard, waiting),
		tr: rmf.New(o.Config), answer: map[string]bool{},
	}
}

// Topics lists what the broker's connection must subscribe.
func Topics(prefix string) []string { return []string{prefix + "/lifts/+/request"} }

// Run carries messages until ctx ends.
func (b *Bridge) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { b.work(ctx) })
	if b.o.Broker != nil {
		wg.Go(func() { b.listen(ctx) })
		wg.Go(func() { b.tell(ctx) })
	}
	<-ctx.Done()
	return nil
}

// Publish says that there is a new view. It never blocks.
func (b *Bridge) Publish() {
	select {
	case b.nudge <- struct{}{}:
	default:
	}
}

func (b *Bridge) time() core.Time {
	return core.Time{Now: b.o.Now(), Wall: b.o.Wall().UnixMilli()}
}

// State is a lift as it is now; false for one that there is not.
func (b *Bridge) State(lift string) (rmf.LiftState, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tr.State(b.o.Desk.View(), lift, b.time())
}

// Serving is the last request of the session that has the lift; false for none.
func (b *Bridge) Serving(lift string) (rmf.LiftRequest, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tr.Serving(b.o.Desk.View(), lift, b.o.Now())
}

// Outcome is what became of a request. Neither is set for one that was taken, or that
// changes nothing.
type Outcome struct {
	Refused *rmf.Refusal // by the translator
	Answer  *core.Answer // a refusal of the ride loop
}

// Hear takes one request and waits for what it orders. An error means that nothing is
// known of that: the same request may be made again.
func (b *Bridge) Hear(ctx context.Context, r rmf.LiftRequest, from rmf.Source) (Outcome, error) {
	b.mu.Lock()
	v := b.tr.Hear(r, from, b.o.Desk.View(), b.time())
	if b.known(r.LiftName) {
		b.answer[r.LiftName] = true
	}
	b.mu.Unlock()
	defer b.Publish()
	b.note(r, v)
	if v.Refused != nil {
		return Outcome{Refused: v.Refused}, nil
	}
	return b.carry(ctx, r.LiftName, r.SessionID, v.Orders)
}

// known keeps names that nobody has out of the table of answers.
func (b *Bridge) known(lift string) bool {
	for _, l := range b.o.Desk.View().Lifts {
		if l.ID == lift {
			return true
		}
	}
	return false
}

// carry asks the orders of one session one after the other, until one is not taken.
func (b *Bridge) carry(ctx context.Context, lift, session string, orders []rmf.Order) (Outcome, error) {
	for _, o := range orders {
		a, err := b.do(ctx, o)
		b.mu.Lock()
		b.tr.Answered(lift, session, o, a, err == nil)
		b.mu.Unlock()
		switch {
		case err != nil:
			b.warn("it is not known whether an order of Open-RMF was taken", "lift", lift, "session", session, "error", err)
			return Outcome{}, err
		case a.Status != core.Accepted && a.Status != core.Created && a.Status != core.Existing:
			b.warn("an order of Open-RMF is refused", "lift", lift, "session", session, "code", a.Code, "why", a.Detail)
			return Outcome{Answer: &a}, nil
		}
	}
	return Outcome{}, nil
}

func (b *Bridge) do(ctx context.Context, o rmf.Order) (core.Answer, error) {
	ctx, cancel := context.WithTimeout(ctx, askWithin)
	defer cancel()
	return b.o.Desk.Do(ctx, o)
}

// note logs what is worth it: what is done, and now and then what is not.
func (b *Bridge) note(r rmf.LiftRequest, v rmf.Verdict) {
	switch {
	case len(v.Orders) > 0:
		b.log.Info("Open-RMF", "lift", r.LiftName, "session", r.SessionID, "floor", r.DestinationFloor, "what", v.Note)
	case v.Refused != nil:
		b.warn("a request of Open-RMF is refused", "lift", r.LiftName, "session", r.SessionID, "code", v.Refused.Code, "why", v.Refused.Detail)
	case v.Note != "":
		b.log.Debug("Open-RMF", "lift", r.LiftName, "session", r.SessionID, "what", v.Note)
	}
}

// warn logs what may come as often as requests do: one line a second at most.
func (b *Bridge) warn(msg string, args ...any) {
	if b.mayLog() {
		b.log.Warn(msg, args...)
	}
}

func (b *Bridge) mayLog() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := b.o.Now()
	if b.logged != 0 && now.Sub(b.logged) < logEvery {
		return false
	}
	b.logged = now
	return true
}
