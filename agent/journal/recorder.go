package journal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"hoistway/agent/core"
	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// Budget is how many bytes of disk the records may take where nothing else is said.
const Budget = 32 << 20

const (
	maxMoments  = 512             // steps that wait for the writer
	maxFrames   = 512             // frames that wait for it
	syncEvery   = 5 * time.Second // what is written becomes durable within this
	openWithin  = 10 * time.Second
	drawnAtOnce = 2
)

// ErrNone says that nothing is known of such a record. See also [Dropped].
var ErrNone = errors.New("there is no record of this ride")

// Lift is what a record says of a lift and of the line to it.
type Lift struct {
	Line    string // as frames name it
	Link    string // without secrets
	Profile string
	Hash    string // of the profile with all that it extends
	Floors  elevator.Table
	// Mask takes secrets out of a frame before it is kept; nil where its line carries none.
	Mask func(string) string
}

// Options are what a recorder needs. All but Budget are required.
type Options struct {
	Dir     string
	Budget  int64 // bytes; 0 is the package's own
	Version string
	Serial  string
	Lifts   map[string]Lift
	Boot    core.Boot
	Wall    func() time.Time
	Log     *slog.Logger
}

// Recorder keeps the records of rides. Stepped and Given are the loop's; all other
// methods may be called from any goroutine.
type Recorder struct {
	o       Options
	sweep   sweep // of the loop
	frames  *frames
	moments chan any // *moment or given
	passed  chan passed
	lost    atomic.Uint64 // entries that the queues or the disk could not take
	missed  uint64        // of the loop: those since something found room
	unkept  uint64        // of the frames' lock: the same
	ring    atomic.Pointer[ring]
	drawing chan struct{} // one slot a document that is being made: each may take some MiB
	opened  chan struct{} // closed once the folder is read, or turned out to be of no use
}

// New makes a recorder; Run opens its folder and writes.
func New(o Options) *Recorder {
	if o.Budget <= 0 {
		o.Budget = Budget
	}
	r := &Recorder{
		o: o, sweep: newSweep(), moments: make(chan any, maxMoments), passed: make(chan passed, maxFrames), opened: make(chan struct{}),
		drawing: make(chan struct{}, drawnAtOnce),
	}
	r.frames = newFrames(o.Lifts, r.keepFrame)
	return r
}

// Stepped is told each step of the core: what came in (nil for what loading wanted
// done), and what came of it. The loop calls it; it does not block.
func (r *Recorder) Stepped(in core.Input, res *core.Result, k *core.Core, t core.Time) {
	m, lost := r.sweep.look(in, res, k, t)
	if a, ok := in.(core.Answered); ok {
		r.frames.answered(a.Outcome.ID, t.Now)
	}
	if m == nil {
		return
	}
	m.lost = r.missed
	if !r.offer(m, lost) {
		r.sweep.again(m)
	}
}

// offer gives the writer something that counts for n entries. What got lost goes along
// with the next thing that finds room, so that the hole is where it is.
func (r *Recorder) offer(m any, n uint64) bool {
	select {
	case r.moments <- m:
		r.missed = 0
		return true
	default:
		r.missed += n
		r.lost.Add(n)
		return false
	}
}

// Given is told each command that is handed to a lift's link. The loop calls it; it
// does not block.
func (r *Recorder) Given(c core.Command, urgent bool, t core.Time) {
	before := r.frames.around(c, t.Now)
	r.offer(given{c: c, urgent: urgent, t: t, before: before, lost: r.missed}, uint64(1+len(before)))
}

// Trace is told each frame. It does not block.
func (r *Recorder) Trace(f drivers.Frame) { r.frames.trace(f) }

// keepFrame is called under the lock of the frames.
func (r *Recorder) keepFrame(p passed) {
	p.lost = r.unkept
	select {
	case r.passed <- p:
		r.unkept = 0
	default:
		r.unkept++
		r.lost.Add(1)
	}
}

// Run writes until ctx ends, then what still waits. Call it once. It returns nil after such an end.
// Where the folder is of no use it says so once and lets everything pass.
func (r *Recorder) Run(ctx context.Context) error {
	ring, err := openRing(r.o.Dir, r.o.Budget, r.o.Wall, r.o.Log)
	if err == nil {
		r.ring.Store(ring)
	}
	close(r.opened)
	if err != nil {
		r.o.Log.Error("rides are not recorded", "code", "E-4008", "error", err)
		return r.pass(ctx)
	}
	defer ring.close()
	w := &writer{r: r, ring: ring, rides: map[string]*scribe{}}
	durable := time.NewTicker(syncEvery)
	defer durable.Stop()
	for {
		select {
		case m := <-r.moments:
			w.take(m)
		case p := <-r.passed:
			w.frame(p)
		case <-durable.C:
			ring.durable(nil)
		case <-ctx.Done():
			w.rest()
			return nil
		}
	}
}

// pass lets everything go until ctx ends.
func (r *Recorder) pass(ctx context.Context) error {
	for {
		select {
		case <-r.moments:
		case <-r.passed:
		case <-ctx.Done():
			return nil
		}
	}
}

// Record gives the record of a ride as it is now. An error is ErrNone, a *Dropped, or
// that of the disk.
func (r *Recorder) Record(ctx context.Context, ride string) (*Record, error) {
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	ring, err := r.shelf(ctx)
	if err != nil {
		return nil, err
	}
	select {
	case r.drawing <- struct{}{}:
		defer func() { <-r.drawing }()
	case <-ctx.Done():
		return nil, fmt.Errorf("others read records: %w", ctx.Err())
	}
	c, err := ring.read(ride)
	if err != nil {
		return nil, err
	}
	return draw(ride, c, r.o.Version, r.o.Serial, r.o.Wall()), nil
}

// shelf is the ring once the folder was looked through.
func (r *Recorder) shelf(ctx context.Context) (*ring, error) {
	select {
	case <-r.opened:
	case <-ctx.Done():
		return nil, fmt.Errorf("the records are still being looked through: %w", ctx.Err())
	}
	if ring := r.ring.Load(); ring != nil {
		return ring, nil
	}
	return nil, ErrNone
}

// Kept is a record that can be read.
type Kept struct {
	Ride    string `json:"ride_id"`
	Robot   string `json:"robot"`
	Faulted bool   `json:"faulted"` // the ride has, or had, a fault
	Running bool   `json:"running"` // it is still written to
	Bytes   int64  `json:"bytes"`
}

// List names at most n records, the newest first. An error is ErrNone where none can be
// kept, or that of ctx.
func (r *Recorder) List(ctx context.Context, n int) ([]Kept, error) {
	ctx, cancel := context.WithTimeout(ctx, openWithin)
	defer cancel()
	ring, err := r.shelf(ctx)
	if err != nil {
		return nil, err
	}
	return ring.list(n), nil
}

// Use is how many bytes the records take now, and how many entries were lost since the
// start because the writer was behind.
func (r *Recorder) Use() (bytes int64, lost uint64) {
	if ring := r.ring.Load(); ring != nil {
		ring.mu.Lock()
		bytes = ring.total + ring.graves.size
		ring.mu.Unlock()
	}
	return bytes, r.lost.Load()
}

func isFault(s fsm.State) bool { return s == fsm.Fault || s == fsm.FaultLocked }
