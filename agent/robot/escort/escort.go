// Package escort is the shell around the mirror of a robot's rides: it asks the gateways
// and the robot's own source of displacement, brings them what the robot says, and shows
// the mirror as the view that the local API reads. So a robot's software asks its own
// agent as it would ask a gateway, and does not notice.
//
// Every goroutine is Run's: one a lift that watches it, one a gateway that looks for the
// robot's rides, one a live ride that follows it, one courier that brings signals one
// after the other, one that asks the source, and one that looks at the clock. The mirror
// and the outbox are behind one lock that is never held over a call.
package escort

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"hoistway/agent/core"
	"hoistway/agent/robot"
	"hoistway/drivers"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// Lift is one lift and the gateway before it.
type Lift struct {
	ID, Group string
	Far       string // as the gateway calls it
	Gateway   string // host and port: lifts behind one gateway have the same
	Floors    elevator.Table
	Link      drivers.Link // a Rider
}

// Store keeps what outlives the agent; what is committed is there after a crash.
type Store interface {
	Commit(records []shadow.Record) error
	Load(bucket string) ([]shadow.Record, error)
}

// Source tells where the robot's own displacement is. Ask gives the bytes of one answer
// and a time before the question left; it ends with ctx.
type Source interface {
	Ask(ctx context.Context, now func() elevator.Instant) (raw []byte, asked elevator.Instant, err error)
}

// Options are what an escort needs; all but Source, Publish and Beat are required.
type Options struct {
	Robot   string
	Word    string // another word after each start
	Lifts   []Lift // one at least
	Source  Source // nil: by its signals alone
	Every   time.Duration
	Store   Store
	Boot    core.Boot
	Now     func() elevator.Instant
	Wall    func() time.Time
	Publish func(*core.View) // each new view; must not block
	Beat    func()           // each look at the clock; from one goroutine
	Log     *slog.Logger
}

const (
	lookEvery = 100 * time.Millisecond
	showEvery = time.Second // ages grow without news
)

// Escort answers the local API. Its methods are safe for concurrent use.
type Escort struct {
	o      Options
	page   atomic.Pointer[robot.Page]
	saving sync.Mutex // one write at a time, the newest last
	bring  chan struct{}
	news   chan struct{} // a ride to follow

	mu      sync.Mutex
	mirror  *robot.Mirror
	out     *robot.Outbox
	cars    map[string]elevator.Snapshot
	sample  robot.Sample
	spoken  elevator.Instant // when a sample was told last
	waits   map[uint64]chan error
	follows map[string]bool
	kept    string // fingerprint of what was saved last
	shown   elevator.Instant
	quiet   map[string]elevator.Instant
}

// New takes up what an earlier run kept; it starts nothing.
func New(o Options) (*Escort, error) {
	e := &Escort{
		o: o, mirror: robot.New(o.Robot), out: robot.NewOutbox(o.Word), bring: make(chan struct{}, 1), news: make(chan struct{}, 1),
		cars: map[string]elevator.Snapshot{}, waits: map[uint64]chan error{}, follows: map[string]bool{}, quiet: map[string]elevator.Instant{},
	}
	raw, err := e.load()
	if err != nil {
		return nil, err
	}
	tables := map[string]elevator.Table{}
	for _, l := range o.Lifts {
		tables[l.ID] = l.Floors
	}
	if err := robot.Recall(raw, e.mirror, e.out, tables, o.Boot, o.Now(), e.wall()); err != nil {
		o.Log.Error("what an earlier run kept can not be read; it is left out", "code", "E-4005", "error", err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.show()
	return e, nil
}

func (e *Escort) wall() int64 { return e.o.Wall().UnixMilli() }

// Page is the newest view with what is said of its rides.
func (e *Escort) Page() *robot.Page { return e.page.Load() }

// View is the newest view; it never changes.
func (e *Escort) View() *core.View { return e.page.Load().View }

// Run works until ctx ends; what is not told then is kept.
func (e *Escort) Run(ctx context.Context) error {
	var wg sync.WaitGroup
	defer e.save()
	defer wg.Wait()
	gateways := map[string]Lift{}
	for _, l := range e.o.Lifts {
		wg.Go(func() { e.watch(ctx, l) })
		if _, known := gateways[l.Gateway]; !known {
			gateways[l.Gateway] = l
		}
	}
	for _, l := range gateways {
		wg.Go(func() { e.takeUp(ctx, l) })
	}
	wg.Go(func() { e.courier(ctx) })
	if e.o.Source != nil {
		wg.Go(func() { e.sense(ctx) })
	}
	e.look(ctx, &wg)
	return nil
}

// look lets time pass in the mirror, follows rides that nobody follows, and saves.
func (e *Escort) look(ctx context.Context, wg *sync.WaitGroup) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-e.news:
		}
		e.mu.Lock()
		now := e.o.Now()
		if e.mirror.Look(now, e.wall()) || now.Sub(e.shown) >= showEvery {
			e.show()
		}
		for _, r := range e.mirror.Live() {
			if id, via := r.Told.ID, r.Via; !e.follows[id] {
				e.follows[id] = true
				wg.Go(func() { e.follow(ctx, id, via) })
			}
		}
		dirty := e.fingerprint() != e.kept
		e.mu.Unlock()
		if dirty {
			e.save()
		}
		if e.o.Beat != nil {
			e.o.Beat()
		}
	}
}

// show draws a new page. The lock is held.
func (e *Escort) show() {
	lifts := make([]robot.Lift, 0, len(e.o.Lifts))
	for _, l := range e.o.Lifts {
		lifts = append(lifts, robot.Lift{ID: l.ID, Group: l.Group, Floors: l.Floors, Car: e.cars[l.ID]})
	}
	e.shown = e.o.Now()
	p := e.mirror.Page(lifts, e.shown)
	e.page.Store(p)
	if e.o.Publish != nil {
		e.o.Publish(p.View)
	}
}

func (e *Escort) lift(id string) (Lift, bool) {
	i := slices.IndexFunc(e.o.Lifts, func(l Lift) bool { return l.ID == id })
	if i < 0 {
		return Lift{}, false
	}
	return e.o.Lifts[i], true
}

// here names the lifts of an answer as they are called here.
func (e *Escort) here(via Lift, v drivers.RideView) drivers.RideView {
	for _, l := range e.o.Lifts {
		if l.Gateway == via.Gateway && l.Far == v.Lift {
			v.Lift = l.ID
			return v
		}
	}
	return v
}

// take lays an answer over the mirror.
func (e *Escort) take(via Lift, v drivers.RideView) {
	v = e.here(via, v)
	e.mu.Lock()
	defer e.mu.Unlock()
	lost := e.isLost(v.ID)
	e.mirror.Take(robot.Carrier{Via: via.ID, Floors: via.Floors}, v, e.o.Now(), e.wall())
	e.show()
	if lost && !v.Lost {
		nudge(e.bring)
	}
	nudge(e.news)
}

func (e *Escort) isLost(id string) bool {
	r := e.mirror.Find(id)
	return r != nil && r.Lost != 0
}

// complain writes trouble of one kind down, not each of a row of it.
func (e *Escort) complain(what string, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	now := e.o.Now()
	if t := e.quiet[what]; t != 0 && now < t {
		return
	}
	e.quiet[what] = now.Add(time.Minute)
	e.o.Log.Warn(what, "robot", e.o.Robot, "error", err)
	maps.DeleteFunc(e.quiet, func(_ string, t elevator.Instant) bool { return t < now })
}

func nudge(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

func sleep(ctx context.Context, d time.Duration, news <-chan struct{}) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-news:
	case <-t.C:
	}
}
