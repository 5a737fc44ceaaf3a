package schedule

import (
	"time"

	"hoistway/fsm/elevator"
)

// Event is what can happen to a line. The set is closed.
type Event interface {
	apply(l *Line, now elevator.Instant)
}

// Tick says only that time has passed.
type Tick struct{}

// Join brings a user of the line. A second Join of one owner changes nothing.
type Join struct {
	Owner Owner
	Unit  uint8
	Worst time.Duration // the unit's longest time to answer
	Polls []Poll
	// Feed is the watchdog of the unit, Every the longest time between two feeds;
	// 0 = there is none.
	Feed  Key
	Every time.Duration
}

// Leave ends a user's polls and queued commands. Its debts stay.
type Leave struct{ Owner Owner }

// Forget drops the debts of a user who has left: they could not be paid.
type Forget struct{ Owner Owner }

// Submit queues a command.
type Submit struct{ Command }

// Withdraw takes back a command of which no byte has left.
type Withdraw struct{ Key Key }

// Refresh wants each poll of a user read now.
type Refresh struct{ Owner Owner }

// Ask queues one question of the lowest rank, to be answered once.
type Ask struct {
	Key   Key
	Owner Owner
}

// Overheard says that a device of the owner has spoken unasked. Key is the reply
// to it, 0 when it needs none.
type Overheard struct {
	Owner Owner
	Key   Key
}

// Opened answers Open.
type Opened struct{ OK bool }

// Lost says that the line broke with no transaction under way.
type Lost struct{}

// Answered ends the transaction under way.
type Answered struct {
	Outcome Outcome
	Lost    bool // and the line is lost with it
}

// Outcome is what became of a transaction.
type Outcome uint8

const (
	Silent  Outcome = iota // bytes may have left and no fitting answer came
	Good                   // answered as asked
	Refused                // the device answered that it will not
	Unclear                // the device answered, and that leaves open whether it was done
	Unsent                 // no byte left
	Told                   // bytes left, and the device never answers such
	NotYet                 // the device answered a Look: it has not come to pass
)

func (Tick) apply(*Line, elevator.Instant) {}

func (e Join) apply(l *Line, now elevator.Instant) {
	if l.member(e.Owner) != nil || len(l.members) >= MaxOwners || len(e.Polls) > MaxPolls {
		return
	}
	u := l.unitFor(e.Unit)
	l.members = append(l.members, member{owner: e.Owner, unit: u})
	l.feedFor(e, u, now)
	u.worst = max(u.worst, e.Worst)
	for _, p := range e.Polls {
		p.Every = max(p.Every, time.Millisecond)
		l.polls = append(l.polls, poll{Poll: p, owner: e.Owner, unit: u, due: now})
	}
}

func (e Leave) apply(l *Line, _ elevator.Instant) {
	l.members = drop(l.members, func(m member) bool { return m.owner == e.Owner })
	l.polls = drop(l.polls, func(p poll) bool { return p.owner == e.Owner })
	l.feeds = drop(l.feeds, func(f feed) bool { return f.owner == e.Owner })
	l.echoes = drop(l.echoes, func(a ask) bool { return a.Owner == e.Owner })
	l.silence(func(a ask) bool { return a.Owner == e.Owner }, "link closed")
	l.endLevels(func(v *level) bool { return v.owner == e.Owner })
	for i := len(l.jobs) - 1; i >= 0; i-- {
		if l.jobs[i].Owner == e.Owner && !l.inFlight(l.jobs[i].Key) {
			l.abandon(i, "link closed")
		}
	}
}

func (e Forget) apply(l *Line, _ elevator.Instant) {
	l.debts = drop(l.debts, func(d debt) bool {
		gone := d.owner == e.Owner && !l.inFlight(d.key)
		if gone {
			l.end(Ended{Key: d.key, Owed: true, Result: elevator.NotSent, Why: "link closed before it could be paid"})
		}
		return gone
	})
}

func (e Submit) apply(l *Line, _ elevator.Instant) {
	if l.job(e.Key) >= 0 {
		return
	}
	m := l.member(e.Owner)
	if why := l.unfit(e.Command, m); why != "" {
		l.end(Ended{Key: e.Key, Result: elevator.NotSent, Why: why})
		return
	}
	if e.Class == Stop {
		l.supersede(e.Command)
	}
	l.jobs = append(l.jobs, job{Command: e.Command, unit: m.unit})
	m.unit.hurry()
}

func (l *Line) unfit(c Command, m *member) string {
	switch {
	case m == nil:
		return "link closed"
	case len(c.Stages) == 0 || len(c.Stages) > MaxStages || c.Stages[0].Owed:
		return "not a series of writes"
	case len(l.jobs) >= MaxQueue, c.Class == Call && len(l.jobs) >= roomForCalls:
		return "queue of the line is full"
	case len(l.levels) >= MaxLevels && holds(c):
		return "too much is held on the line"
	}
	return ""
}

// supersede ends the holds that wait behind the wish to end them: sent after
// it, they would hold the door anew. What is held already is dropped, and what a
// command is about to hold will not be.
func (l *Line) supersede(c Command) {
	same := func(o Owner, group uint32) bool { return o == c.Owner && group == c.Group }
	for i := len(l.jobs) - 1; i >= 0; i-- {
		j := &l.jobs[i]
		if !same(j.Owner, j.Group) || j.Class == Stop {
			continue
		}
		if j.Class == Hold && !j.begun() && !l.inFlight(j.Key) {
			l.abandon(i, "superseded by a command that ends it")
			continue
		}
		j.stopped = true
	}
	for i := range l.levels {
		v := &l.levels[i]
		v.stopped = v.stopped || same(v.owner, v.group)
	}
	l.endStopped()
}

func (e Withdraw) apply(l *Line, _ elevator.Instant) {
	if i := l.job(e.Key); i >= 0 && !l.jobs[i].begun() && !l.inFlight(e.Key) {
		l.abandon(i, "withdrawn")
	}
	l.silence(func(a ask) bool { return a.Key == e.Key }, "withdrawn")
}

func (e Ask) apply(l *Line, _ elevator.Instant) {
	m := l.member(e.Owner)
	if m == nil || len(l.diags) >= MaxDiags {
		l.end(Ended{Key: e.Key, Result: elevator.NotSent, Why: WhyFull})
		return
	}
	l.diags = append(l.diags, ask{e, m.unit})
	m.unit.hurry()
}

// Overheard is proof that the line lives. Replies beyond the bound are dropped:
// a device that was not answered speaks again.
func (e Overheard) apply(l *Line, _ elevator.Instant) {
	m := l.member(e.Owner)
	if m == nil || !l.up {
		return
	}
	l.fails, l.downSince = 0, 0
	if e.Key != 0 && len(l.echoes) < MaxEchoes {
		l.echoes = append(l.echoes, ask{Ask{e.Key, e.Owner}, m.unit})
	}
}

func (e Refresh) apply(l *Line, _ elevator.Instant) { l.ask(e.Owner, false) }

func (e Opened) apply(l *Line, now elevator.Instant) {
	if !l.opening {
		return
	}
	l.opening = false
	if !e.OK {
		l.lose(now)
		return
	}
	l.up = true
	for i := range l.polls {
		l.polls[i].due = now
	}
}

func (Lost) apply(l *Line, now elevator.Instant) {
	if l.up && l.busy.Kind == None {
		l.lose(now)
	}
}
