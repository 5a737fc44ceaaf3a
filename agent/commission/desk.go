package commission

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"sync"
	"time"

	"hoistway/agent/audit"
	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/fsm/elevator"
)

// ErrNoBench is of a lift that cannot be questioned: the driver of its link does
// not take raw questions.
var ErrNoBench = errors.New("this link takes no raw questions")

// What a desk keeps of each line is bounded: so many frames, and so many bytes of them,
// since a service may answer with pages.
const (
	maxKept      = 10_000
	maxKeptBytes = 4 << 20
)

// Desk answers a technician inside a running agent. Its methods may be called from
// several goroutines; Trace never blocks on anything slow.
type Desk struct {
	audit *audit.File
	wall  func() time.Time
	now   func() elevator.Instant
	lines map[string]*kept // by line; fixed after New
	lifts map[string]*Bench
	stats func() []fieldbus.LineStats // nil: none are kept
}

// NewDesk makes a desk. Lifts are added before anything is asked of it.
func NewDesk(acts *audit.File, now func() elevator.Instant, wall func() time.Time) *Desk {
	return &Desk{audit: acts, wall: wall, now: now, lines: map[string]*kept{}, lifts: map[string]*Bench{}}
}

// Count takes where the statistics of the lines are. Call it before anything is asked.
func (d *Desk) Count(stats func() []fieldbus.LineStats) { d.stats = stats }

// Expect makes room for the frames of a link's line. Call it before the link is
// opened.
func (d *Desk) Expect(link *url.URL) {
	if line := LineOf(link); d.lines[line] == nil {
		d.lines[line] = &kept{more: make(chan struct{})}
	}
}

// Add puts a lift's open link on the desk.
func (d *Desk) Add(lift string, link *url.URL, open drivers.Link) {
	b := &Bench{desk: d, lift: lift, url: link, frames: d.lines[LineOf(link)], turn: make(chan struct{}, 1)}
	b.prober, _ = drivers.As[drivers.Prober](open)
	b.planned, _ = drivers.As[drivers.Planned](open)
	b.debtor, _ = drivers.As[drivers.Debtor](open)
	d.lifts[lift] = b
}

// Bench gives the bench of a lift.
func (d *Desk) Bench(lift string) (*Bench, bool) {
	b, ok := d.lifts[lift]
	return b, ok
}

// Trace keeps a frame.
func (d *Desk) Trace(f drivers.Frame) {
	if k := d.lines[f.Line]; k != nil {
		k.add(f)
	}
}

// Bench is one lift on the desk.
type Bench struct {
	desk    *Desk
	lift    string
	url     *url.URL
	prober  drivers.Prober
	planned drivers.Planned
	debtor  drivers.Debtor
	frames  *kept
	turn    chan struct{} // one raw question of a lift at a time
}

// Plan is what the link reads; nil where it does not tell.
func (b *Bench) Plan() []Read {
	if b.planned == nil {
		return []Read{}
	}
	return Reads(b.planned.Plan())
}

// Owes is what the lift's line has still to take back, asked of whoever has the line. An
// error wraps [drivers.ErrNotCapable] where the driver does not tell it.
func (b *Bench) Owes(ctx context.Context) ([]drivers.Debt, error) {
	if b.debtor == nil {
		return nil, fmt.Errorf("%w: the driver does not tell it", drivers.ErrNotCapable)
	}
	return b.debtor.Owes(ctx)
}

// Peek asks without changing anything.
func (b *Bench) Peek(ctx context.Context, question string) (drivers.Peeked, error) {
	if b.prober == nil {
		return drivers.Peeked{}, ErrNoBench
	}
	select {
	case b.turn <- struct{}{}:
		defer func() { <-b.turn }()
		return b.prober.Peek(ctx, question)
	case <-ctx.Done():
		return drivers.Peeked{}, fmt.Errorf("%w: others ask", drivers.ErrBusy)
	}
}

// Preview gives the bytes of a write.
func (b *Bench) Preview(question string) ([][]byte, error) {
	if b.prober == nil {
		return nil, ErrNoBench
	}
	return b.prober.Preview(question)
}

// Poke writes once, with its line in the audit.
func (b *Bench) Poke(ctx context.Context, by, question string, forced bool) (elevator.Outcome, error) {
	if b.prober == nil {
		return elevator.Outcome{}, ErrNoBench
	}
	a := Act{By: by, Lift: b.lift, Link: b.url.Redacted(), Question: question, Forced: forced}
	return Poke(ctx, b.prober, a, b.desk.audit, b.desk.wall)
}

// Traffic is what has passed on the lift's line since the agent started, and the
// last frames after number after, at most 500. When there are none it waits for
// some until ctx ends.
func (b *Bench) Traffic(ctx context.Context, after uint64) Seen {
	s := b.frames.since(ctx, after)
	s.Link, s.Line, s.Now = b.url.Redacted(), LineOf(b.url), b.desk.wall()
	for i := range s.Frames {
		s.Frames[i].At = s.Now.Add(-b.desk.now().Sub(s.Frames[i].frame.At))
	}
	return s
}

// Stats is what has passed on the lift's line, and the number of its last frame.
func (b *Bench) Stats() Seen {
	b.frames.mu.Lock()
	n := b.frames.n
	b.frames.mu.Unlock()
	s := Seen{Link: b.url.Redacted(), Line: LineOf(b.url), Now: b.desk.wall(), Tally: b.frames.traffic.Tally(), Next: n}
	if b.desk.stats == nil {
		return s
	}
	for _, l := range b.desk.stats() {
		if l.Line == s.Line {
			s.Stats, s.Diagnosis = l, l.Diagnosis(unitOf(b.url))
		}
	}
	return s
}

// Seen is some of what passed on a line.
type Seen struct {
	Link, Line string
	Now        time.Time
	Tally      Tally
	Stats      fieldbus.LineStats // zero where the line keeps none
	Diagnosis  string             // of the lift's own unit; "" for nothing
	Next       uint64             // the number to go on from
	Missed     uint64             // frames between after and the first of these that are not kept any more
	Frames     []SeenFrame
}

// SeenFrame is one frame with its number and its time by the gateway's clock.
type SeenFrame struct {
	N     uint64
	At    time.Time
	frame drivers.Frame
}

// Frame is the frame itself.
func (f SeenFrame) Frame() drivers.Frame { return f.frame }

// kept is the last frames of one line. Frame number i, counted from 0, is at
// ring[i%maxKept].
type kept struct {
	traffic Traffic
	mu      sync.Mutex
	ring    []drivers.Frame
	n       uint64 // frames ever kept
	oldest  uint64 // the first that is kept still; n for none
	bytes   int    // of those that are kept
	more    chan struct{}
}

func (k *kept) add(f drivers.Frame) {
	k.traffic.note(f)
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.ring == nil {
		k.ring = make([]drivers.Frame, maxKept)
	}
	k.bytes += weight(f)
	for k.oldest < k.n && (k.bytes > maxKeptBytes || k.n-k.oldest == maxKept) {
		gone := &k.ring[k.oldest%maxKept]
		k.bytes -= weight(*gone)
		*gone = drivers.Frame{}
		k.oldest++
	}
	k.ring[k.n%maxKept] = f
	k.n++
	close(k.more)
	k.more = make(chan struct{})
}

func weight(f drivers.Frame) int { return len(f.Data) + len(f.Note) }

const maxAnswered = 500

func (k *kept) since(ctx context.Context, after uint64) Seen {
	for {
		k.mu.Lock()
		s, more := k.cut(after), k.more
		k.mu.Unlock()
		if len(s.Frames) > 0 {
			s.Tally = k.traffic.Tally()
			return s
		}
		select {
		case <-more:
		case <-ctx.Done():
			s.Tally = k.traffic.Tally()
			return s
		}
	}
}

// cut takes the frames after a number; k.mu is held. A number that was never
// given, as of the agent before a restart, counts as 0.
func (k *kept) cut(after uint64) Seen {
	if after > k.n {
		after = 0
	}
	s := Seen{Next: after}
	from := max(after, k.oldest)
	if after > 0 {
		s.Missed = from - after
	}
	for n := from; n < k.n && len(s.Frames) < maxAnswered; n++ {
		s.Frames = append(s.Frames, SeenFrame{N: n + 1, frame: k.ring[n%maxKept]})
		s.Next = n + 1
	}
	return s
}
