package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"
)

const (
	dialLimit = 5 * time.Second
	// grace is what the parts of a run get beyond the client's own waits.
	grace = 90 * time.Second
	poll  = 100 * time.Millisecond
	// hearing is how long a cloud may say nothing at all to those that are connected: a
	// fleet asks it for registration at once, and most of a fleet's arrival is a wait.
	hearing = 20 * time.Second
)

// graceFor lets a machine with few processors take a large fleet in.
func graceFor(gateways int) time.Duration {
	return grace + time.Duration(gateways)*5*time.Millisecond
}

// What stops a run before it has begun to live.
var (
	ErrBroker = errors.New("no gateway reached the broker")
	ErrCloud  = errors.New("nobody behind this broker answers as the cloud")
)

// fleet is one run.
type fleet struct {
	o        Options
	began    time.Time
	instance string
	tally    *tally
	gateways []*gateway
	cuts     []time.Duration // our storms
	living   chan struct{}   // closed: rides may begin
	quiet    chan struct{}   // closed: no more rides, everyone comes back
	ending   chan struct{}   // closed: say goodbye
	part     string
	next     time.Duration // of Progress
	patience time.Duration // with the slowest arrival
	hearing  time.Duration // see there
}

// Run lives a fleet's life and tells what came of it. It returns when all its
// goroutines have ended. When ctx ends early the report covers what was, and says
// so in Incomplete; that is no error. The error says that the options, the limits of
// this process, the broker or the cloud did not let the fleet live at all.
func Run(ctx context.Context, o Options) (Report, error) {
	o = o.filled()
	if err := o.check(); err != nil {
		return Report{}, err
	}
	if err := allowFiles(o.Gateways); err != nil {
		return Report{}, err
	}
	if err := knock(ctx, o.Broker); err != nil {
		return Report{}, err
	}
	return newFleet(o).run(ctx)
}

// knock sees whether anybody is there, before ten thousand do.
func knock(ctx context.Context, broker string) error {
	addr, err := brokerAddr(broker)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, "tcp", addr)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrBroker, err)
	}
	return c.Close()
}

func newFleet(o Options) *fleet {
	f := &fleet{
		o: o, began: time.Now(), instance: rand.Text() + "-",
		tally:    &tally{notes: map[string]int{}, wishes: map[string]time.Duration{}},
		patience: o.Spread + graceFor(o.Gateways), hearing: hearing,
		living: make(chan struct{}), quiet: make(chan struct{}), ending: make(chan struct{}),
	}
	for n := range o.Gateways {
		f.gateways = append(f.gateways, newGateway(f, n))
	}
	return f
}

// now is the time since the start of the run.
func (f *fleet) now() time.Duration { return time.Since(f.began) }

func (f *fleet) isLiving() bool { return closed(f.living) }
func (f *fleet) isQuiet() bool  { return closed(f.quiet) }

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// owned starts what lives as long as ctx; the function it returns waits for the end.
func (f *fleet) owned(ctx context.Context, link func(context.Context) error, carrier func(context.Context)) (wait func()) {
	var all sync.WaitGroup
	all.Go(func() {
		if err := link(ctx); err != nil {
			f.tally.lastError(err)
		}
	})
	all.Go(func() { carrier(ctx) })
	return all.Wait
}

func (f *fleet) run(ctx context.Context) (Report, error) {
	r := report{f: f, before: weigh()}
	var all sync.WaitGroup
	inner, stop := context.WithCancel(ctx)
	defer all.Wait()
	defer stop()
	for _, g := range f.gateways {
		all.Go(func() { g.live(inner) })
	}
	if err := f.arrive(ctx); err != nil {
		return Report{}, err
	}
	r.full = weigh()
	r.liveFrom = f.tally.traffic(f.now())
	r.online = f.life(ctx)
	r.liveTo = f.tally.traffic(f.now())
	f.settle(ctx)
	r.audit = f.audit(ctx)
	r.end = weigh()
	r.complete = ctx.Err() == nil
	f.enter("goodbye")
	close(f.ending)
	all.Wait()
	return r.build(), nil
}

// enter begins a part of the run.
func (f *fleet) enter(part string) {
	f.part = part
	f.o.Log.Info("fleet", "part", part, "at", f.now().Round(time.Millisecond), "online", f.tally.online.Load())
}

// arrive waits until every gateway has been online and answered, for as long as the
// slowest may take; of a cloud that answers nobody it has heard enough before.
func (f *fleet) arrive(ctx context.Context) error {
	f.enter("arrival")
	n := int64(f.o.Gateways)
	t := f.tally
	var first time.Duration // when somebody was there
	f.until(ctx, f.patience, func() bool {
		if first == 0 && t.reached.Load() > 0 {
			first = f.now()
		}
		mute := first > 0 && t.registered.Load() == 0 && f.now()-first > f.hearing
		return mute || t.reached.Load() == n && t.registered.Load() == n
	})
	switch {
	case ctx.Err() != nil:
		return nil
	case t.reached.Load() == 0:
		return fmt.Errorf("%w within %s: %w", ErrBroker, f.patience, t.why())
	case t.registered.Load() == 0:
		return fmt.Errorf("%w: %d of %d gateways are connected, and none was registered; hoistway-sim cloud --broker %s would do it",
			ErrCloud, t.reached.Load(), n, f.o.Broker)
	}
	return nil
}

// until polls, and tells of the progress, until done, the limit or the end of ctx.
func (f *fleet) until(ctx context.Context, limit time.Duration, done func() bool) bool {
	tick := time.NewTicker(poll)
	defer tick.Stop()
	for late := f.now() + limit; f.now() < late; {
		f.tell()
		if done() {
			return true
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return false
		}
	}
	return false
}
