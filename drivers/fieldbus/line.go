package fieldbus

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus/schedule"
	"hoistway/fsm/elevator"
)

// payGrace is how long a leaving user waits for its debts to be paid.
const payGrace = 2 * time.Second

// line is one line. Fields below the blank line belong to whoever holds its token;
// see turn.go.
type line struct {
	env    drivers.Env
	spec   Spec
	log    *slog.Logger
	ctx    context.Context // of the line
	cancel context.CancelFunc
	ended  chan struct{}
	inbox  chan note
	token  chan struct{} // holds one while somebody has the line
	wake   chan struct{} // holds one when run is to look what there is to do
	users  int           // guarded by Lines.mu
	keys   atomic.Uint64
	pmu    sync.Mutex
	// members is guarded by pmu.
	members map[schedule.Owner]*Port

	sched   *schedule.Line
	next    schedule.Next    // what the schedule wants done and nobody has begun
	sleeps  elevator.Instant // until when run sleeps; 0 = until it is woken
	conn    stream
	meter   *meter
	buf     []byte
	in      []byte           // came and not yet judged
	cameAt  elevator.Instant // the last of it
	unasked []schedule.Event // overheard and not yet told
	replies map[schedule.Key][]byte
	feeds   map[schedule.Key]*Feed
	diags   map[schedule.Key]*diag
	active  time.Time // when the line was last heard or used
	polls   map[schedule.Key]*pollRef
	jobs    map[schedule.Key]*job
	readers []*reader
	leavers []leaver
	limits  map[uint8]time.Duration // each unit's longest time to answer
	tried   bool                    // an opening has been tried
	absent  error                   // why it is not open; nil: it is, or was never tried
	down    bool                    // said in the log
	count   uint16                  // of questions
	spoke   bool                    // a unit, voice, has answered since the last time-out
	voice   uint8
	mute    bool // nothing was answered since the line was opened
}

type pollRef struct {
	p     *Poll
	owner schedule.Owner
	unit  uint8
}

type leaver struct {
	owner schedule.Owner
	by    elevator.Instant
	left  chan struct{}
}

// note is what others tell the line.
type note struct {
	ev     schedule.Event
	owner  schedule.Owner
	port   *Port               // with Join
	job    *job                // with Submit
	reader *reader             // with Refresh
	diag   *diag               // with Ask
	left   chan struct{}       // with Leave
	owed   chan []drivers.Debt // a question: what owner owes
}

func (l *line) now() elevator.Instant { return l.env.Now() }

func (l *line) nextKey() schedule.Key { return schedule.Key(l.keys.Add(1)) }

// put hands over a note that must arrive while the line lives.
func (l *line) put(n note) {
	select {
	case l.inbox <- n:
		l.rouse()
	case <-l.ended:
	}
}

func (l *line) ports() []*Port {
	l.pmu.Lock()
	defer l.pmu.Unlock()
	out := make([]*Port, 0, len(l.members))
	for _, p := range l.members {
		out = append(out, p)
	}
	return out
}

func (l *line) join(ls *Lines, o schedule.Owner, m Member) *Port {
	p := &Port{lines: ls, l: l, owner: o, m: m, once: newOnce()}
	l.pmu.Lock()
	l.members[o] = p
	l.pmu.Unlock()
	ev := schedule.Join{Owner: o, Unit: m.Unit, Worst: m.Timeout}
	for i := range m.Polls {
		ev.Polls = append(ev.Polls, schedule.Poll{Key: l.nextKey(), Every: m.Polls[i].Every, Fast: m.Polls[i].Fast})
	}
	if m.Feed != nil {
		ev.Feed, ev.Every = l.nextKey(), m.Feed.Every
	}
	l.put(note{ev: ev, port: p, owner: o})
	return p
}

// take notes who is meant before the schedule hears of it.
func (l *line) take(n note) schedule.Event {
	if n.owed != nil {
		n.owed <- l.debts(n.owner) // there is room
		return schedule.Tick{}
	}
	switch ev := n.ev.(type) {
	case schedule.Join:
		l.limits[ev.Unit] = max(l.limits[ev.Unit], ev.Worst)
		for i := range ev.Polls {
			l.polls[ev.Polls[i].Key] = &pollRef{p: &n.port.m.Polls[i], owner: n.owner, unit: ev.Unit}
		}
		if ev.Feed != 0 {
			l.feeds[ev.Feed] = n.port.m.Feed
		}
	case schedule.Submit:
		l.jobs[ev.Key] = n.job
	case schedule.Ask:
		l.diags[ev.Key] = n.diag
		if l.conn == nil && l.tried {
			l.settleDiag(ev.Key, l.notOpen())
			return schedule.Tick{}
		}
	case schedule.Refresh:
		l.listen(n.reader)
	case schedule.Leave:
		l.dismiss(n)
	}
	return n.ev
}

// dismiss forgets a leaving user's polls and keeps its debts in mind.
func (l *line) dismiss(n note) {
	l.pmu.Lock()
	p := l.members[n.owner]
	delete(l.members, n.owner)
	l.pmu.Unlock()
	for k, poll := range l.polls {
		if poll.owner == n.owner {
			delete(l.polls, k)
		}
	}
	for k, f := range l.feeds {
		if p != nil && f == p.m.Feed {
			delete(l.feeds, k)
		}
	}
	l.endReaders(func(r *reader) bool { return r.owner == n.owner }, drivers.ErrClosed)
	l.leavers = append(l.leavers, leaver{n.owner, l.now().Add(payGrace), n.left})
}

// letGo lets those go who owe nothing any more.
func (l *line) letGo() {
	kept := l.leavers[:0]
	for _, v := range l.leavers {
		if l.sched.Owes(v.owner) {
			kept = append(kept, v)
			continue
		}
		close(v.left)
	}
	l.leavers = kept
}

// impatient finds a leaver who has waited long enough, and else the instant at
// which the next one has.
func (l *line) impatient() (o schedule.Owner, over bool, next elevator.Instant) {
	for _, v := range l.leavers {
		if v.by.Reached(l.now()) {
			return v.owner, true, 0
		}
		if next == 0 || v.by < next {
			next = v.by
		}
	}
	return 0, false, next
}
