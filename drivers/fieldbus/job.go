package fieldbus

import (
	"sync"
	"sync/atomic"

	"hoistway/drivers/fieldbus/schedule"
	"hoistway/fsm/elevator"
)

// States of a job before its end: whoever moves it off queued decides whether
// it is sent.
const (
	queued int32 = iota
	started
	withdrawn
)

// job is a command on its way.
type job struct {
	key    schedule.Key
	cmd    Command
	asked  elevator.Instant
	state  atomic.Int32
	err    error // of the last write; for who has the line
	once   sync.Once
	done   chan struct{}
	result Result // valid once done is closed
	told   chan struct{}
	answer Result // the result as it was judged, valid once told is closed
}

func (j *job) start() bool {
	return j.state.CompareAndSwap(queued, started) || j.state.Load() == started
}
func (j *job) withdraw() bool { return j.state.CompareAndSwap(queued, withdrawn) }

// finish sets the result; the first one stands.
func (j *job) finish(r Result) {
	j.once.Do(func() {
		j.result = r
		close(j.done)
	})
}

// tell gives the answer to all who ask for the same id; whoever asked first calls it.
func (j *job) tell(r Result) {
	j.answer = r
	close(j.told)
}

// orphan ends a job whose line has ended.
func (j *job) orphan(now elevator.Instant) {
	r := Result{Result: elevator.ResultUnknown, Why: "link closed", At: now}
	if j.withdraw() {
		r.Result = elevator.NotSent
	}
	j.finish(r)
}

func (j *job) forSchedule(o schedule.Owner) schedule.Command {
	c := schedule.Command{Key: j.key, Owner: o, Class: j.cmd.Class, Group: j.cmd.Group, Until: j.cmd.Until}
	for _, w := range j.cmd.Writes {
		c.Stages = append(c.Stages, w.stage())
	}
	return c
}

// once remembers the latest commands of a port, so that one id acts at most once.
type once struct {
	mu   sync.Mutex
	jobs map[elevator.CommandID]*job
	ring []elevator.CommandID
	at   int
}

// remembered is how many ids a port keeps. Ids are never used anew, and a ride
// has a handful of commands under way: this reaches back many rides.
const remembered = 512

func newOnce() *once { return &once{jobs: make(map[elevator.CommandID]*job)} }

// claim gives the job of c; mine is false when it was asked before. A command
// that ended with no byte sent may be asked anew.
func (o *once) claim(c Command, key func() schedule.Key) (j *job, mine bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if had, ok := o.jobs[c.ID]; ok && !had.unsent() {
		return had, false
	} else if !ok {
		o.note(c.ID)
	}
	j = &job{key: key(), cmd: c, done: make(chan struct{}), told: make(chan struct{})}
	o.jobs[c.ID] = j
	return j, true
}

func (j *job) unsent() bool {
	select {
	case <-j.done:
		return j.result.Result == elevator.NotSent
	default:
		return false
	}
}

// note puts an id on the ring and forgets the one that was there.
func (o *once) note(id elevator.CommandID) {
	if len(o.ring) < remembered {
		o.ring = append(o.ring, id)
		return
	}
	delete(o.jobs, o.ring[o.at])
	o.ring[o.at] = id
	o.at = (o.at + 1) % remembered
}
