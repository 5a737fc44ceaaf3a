package schedule

import (
	"iter"
	"time"

	"hoistway/fsm/elevator"
)

// Line is the state of one line. It has one owner, who alone calls [Step].
type Line struct {
	set     Settings
	rng     uint64
	members []member
	units   []*unit // each address once, for as long as the line lives
	polls   []poll
	jobs    []job  // commands in order of arrival
	debts   []debt // in order of arising
	levels  []level
	feeds   []feed
	echoes  []ask // replies to what was overheard
	diags   []ask // a technician's questions

	up, opening bool
	busy        Tx
	busyAt      elevator.Instant // when it began
	beatPause   time.Duration    // silence on the unit after the beat that is under way
	retryAt     elevator.Instant // when to open again
	fails       int              // openings and losses since the last good answer
	downSince   elevator.Instant
	drainUntil  elevator.Instant

	row     int // of the upper kinds, sent while a lower one waited
	echoRow int // replies sent with nothing else in between
	lookRow int // looks sent while a read waited
	fastRow int // reads sent while a slow poll waited
	diagRow int // reads sent while a question waited
	ended   []Ended

	lateFeeds, lateBeats uint64
}

type member struct {
	owner Owner
	unit  *unit
}

type poll struct {
	Poll
	owner Owner
	unit  *unit
	due   elevator.Instant
	asked bool // wanted now, out of turn
	again bool // the read under way was such a one
}

type job struct {
	Command
	unit     *unit
	next     int  // the stage that is to be sent next
	sent     bool // bytes of a stage may have left
	left     int  // so many stages may have left
	unproven bool // a stage of it is never answered
	stopped  bool // a Stop came meanwhile: it holds nothing any more
	looking  bool // stage look is to be proven, by lookBy; the next look is due at lookDue
	look     int
	lookDue  elevator.Instant
	lookBy   elevator.Instant
}

func (j *job) begun() bool { return j.next > 0 }

type debt struct {
	key     Key
	stage   int
	pause   time.Duration
	owner   Owner
	unit    *unit
	due     elevator.Instant
	refused int
}

// New returns a line that is not open and has no users.
func New(s Settings) *Line { return &Line{set: s, rng: s.Seed} }

// Up reports whether the line is open.
func (l *Line) Up() bool { return l.up }

// Late counts what had to be written by a period and left more than half of it
// too late: feeds of watchdogs, and levels.
func (l *Line) Late() (feeds, beats uint64) { return l.lateFeeds, l.lateBeats }

// Owed is an open debt: a stage of the command Key, Refused so often already.
type Owed struct {
	Key     Key
	Refused int
}

// Debts gives the open debts of o, oldest first.
func (l *Line) Debts(o Owner) iter.Seq[Owed] {
	return func(yield func(Owed) bool) {
		for _, d := range l.debts {
			if d.owner == o && !yield(Owed{d.key, d.refused}) {
				return
			}
		}
	}
}

// Owes reports whether a debt of o is open.
func (l *Line) Owes(o Owner) bool {
	for range l.Debts(o) {
		return true
	}
	return false
}

// Knows reports whether something of k is still to be sent: a command, a debt or
// a level of it, a reply, a question.
func (l *Line) Knows(k Key) bool {
	for _, d := range l.debts {
		if d.key == k {
			return true
		}
	}
	for _, v := range l.levels {
		if v.key == k || v.drop != nil && v.drop.key == k {
			return true
		}
	}
	for _, as := range [...][]ask{l.echoes, l.diags} {
		for _, a := range as {
			if a.Key == k {
				return true
			}
		}
	}
	return l.job(k) >= 0
}

// Idle reports whether the line has neither users nor debts.
func (l *Line) Idle() bool { return len(l.members) == 0 && len(l.debts) == 0 }

func (l *Line) member(o Owner) *member {
	for i := range l.members {
		if l.members[i].owner == o {
			return &l.members[i]
		}
	}
	return nil
}

func (l *Line) job(k Key) int {
	for i := range l.jobs {
		if l.jobs[i].Key == k {
			return i
		}
	}
	return -1
}

func (l *Line) inFlight(k Key) bool { return l.busy.Kind >= Write && l.busy.Key == k }

func (l *Line) end(e Ended) { l.ended = append(l.ended, e) }

// abandon ends the command at i before it is complete.
func (l *Line) abandon(i int, why string) {
	j := l.jobs[i]
	r := elevator.NotSent
	if j.sent {
		r = elevator.ResultUnknown
		l.oweRest(j, 0)
		l.endLevels(func(v *level) bool { return v.key == j.Key })
	}
	l.finish(i, Ended{Key: j.Key, Result: r, Why: why})
}

// finish takes the command at i out of the queue.
func (l *Line) finish(i int, e Ended) {
	l.jobs = append(l.jobs[:i], l.jobs[i+1:]...)
	l.end(e)
}

// ask wants the polls of o read now, the fast ones only if so said.
func (l *Line) ask(o Owner, fast bool) {
	for i := range l.polls {
		if p := &l.polls[i]; p.owner == o && (p.Fast || !fast) {
			p.asked = true
		}
	}
}

// lose notes that the line is down.
func (l *Line) lose(now elevator.Instant) {
	l.up, l.opening = false, false
	if l.downSince == 0 {
		l.downSince = now
	}
	l.retryAt = now.Add(l.redial(now))
	l.fails++
	for _, u := range l.units {
		u.proven, u.met = false, false
	}
	l.endLevels(func(*level) bool { return true })
	l.echoes = l.echoes[:0]
	l.silence(func(ask) bool { return true }, WhyLost)
	for i := len(l.jobs) - 1; i >= 0; i-- {
		if l.jobs[i].sent {
			l.abandon(i, "line lost between its writes")
		}
	}
}

func drop[T any](s []T, gone func(T) bool) []T {
	kept := s[:0]
	for _, x := range s {
		if !gone(x) {
			kept = append(kept, x)
		}
	}
	return kept
}
