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
)

func (Tick) apply(*Line, elevator.Instant) {}

func (e Join) apply(l *Line, now elevator.Instant) {
	if l.member(e.Owner) != nil || len(l.members) >= MaxOwners || len(e.Polls) > MaxPolls {
		return
	}
	u := l.unitFor(e.Unit)
	l.members = append(l.members, member{owner: e.Owner, unit: u})
	u.worst = max(u.worst, e.Worst)
	for _, p := range e.Polls {
		p.Every = max(p.Every, time.Millisecond)
		l.polls = append(l.polls, poll{Poll: p, owner: e.Owner, unit: u, due: now})
	}
}

func (e Leave) apply(l *Line, _ elevator.Instant) {
	l.members = drop(l.members, func(m member) bool { return m.owner == e.Owner })
	l.polls = drop(l.polls, func(p poll) bool { return p.owner == e.Owner })
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
}

func (l *Line) unfit(c Command, m *member) string {
	switch {
	case m == nil:
		return "link closed"
	case len(c.Stages) == 0 || len(c.Stages) > MaxStages || c.Stages[0].Owed:
		return "not a series of writes"
	case len(l.jobs) >= MaxQueue, c.Class == Call && len(l.jobs) >= roomForCalls:
		return "queue of the line is full"
	}
	return ""
}

// supersede ends the holds that wait behind the wish to end them: sent after
// it, they would hold the door anew.
func (l *Line) supersede(c Command) {
	for i := len(l.jobs) - 1; i >= 0; i-- {
		j := l.jobs[i]
		if j.Class == Hold && j.Owner == c.Owner && j.Group == c.Group && j.next == 0 && !l.inFlight(j.Key) {
			l.abandon(i, "superseded by a command that ends it")
		}
	}
}

func (e Withdraw) apply(l *Line, _ elevator.Instant) {
	if i := l.job(e.Key); i >= 0 && l.jobs[i].next == 0 && !l.inFlight(e.Key) {
		l.abandon(i, "withdrawn")
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
