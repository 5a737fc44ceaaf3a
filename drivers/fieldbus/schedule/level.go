package schedule

import (
	"time"

	"hoistway/fsm/elevator"
)

// level is what a write holds for as long as it is written again.
type level struct {
	key   Key // of the command, with stage, that holds it
	stage int
	id    uint32 // Level.Key
	owner Owner
	group uint32
	unit  *unit
	pause time.Duration // silence on the unit after each beat
	every time.Duration
	due   elevator.Instant
	end   elevator.Instant // never = only another event ends it
	drop  *debt            // due at its end; nil = it ends by not being written again
	heir  Key              // the command whose write takes it over just now, 0 for none
	// stopped is one that a Stop ends. While a write that takes it over is on the wire
	// that write decides first: a drop behind it would undo it.
	stopped bool
}

// minBeat bounds how often something is written again by itself.
const minBeat = 50 * time.Millisecond

// holds reports whether a command would hold something.
func holds(c Command) bool {
	for _, s := range c.Stages {
		if s.Level.Key != 0 && s.Level.Every > 0 {
			return true
		}
	}
	return false
}

// takeOver notes that a write of j that is about to leave ends what was held by
// the same key.
func (l *Line) takeOver(j *job) {
	id := j.Stages[j.next].Level.Key
	if id == 0 {
		return
	}
	for i := range l.levels {
		if v := &l.levels[i]; v.owner == j.Owner && v.id == id {
			v.heir = j.Key
		}
	}
}

// giveBack lets what was held go on: the write that was to take it over never left.
func (l *Line) giveBack(heir Key) {
	for i := range l.levels {
		if v := &l.levels[i]; v.heir == heir {
			v.heir = 0
		}
	}
	l.endStopped()
}

func (l *Line) endStopped() {
	l.endLevels(func(v *level) bool { return v.stopped && v.heir == 0 })
}

// inherit ends what the command took over and gives its drop, unpaid.
func (l *Line) inherit(heir Key) (drop *debt) {
	for i := len(l.levels) - 1; i >= 0; i-- {
		if v := l.levels[i]; v.heir == heir {
			drop = v.drop
			l.levels = append(l.levels[:i], l.levels[i+1:]...)
			l.end(Ended{Key: v.key, Level: true, Result: elevator.Done})
		}
	}
	return drop
}

// hold begins the level of a stage that was done, and takes the drop behind it
// off the command.
func (l *Line) hold(j *job, stage int) {
	s := j.Stages[stage].Level
	if s.Key == 0 {
		return
	}
	drop := l.inherit(j.Key)
	if s.Every <= 0 {
		return
	}
	if own, ok := l.dropOf(j, stage); ok {
		drop = own
		j.next++
	}
	v := level{
		key: j.Key, stage: stage, id: s.Key, owner: j.Owner, group: j.Group, unit: j.unit,
		pause: j.Stages[stage].Pause, every: max(s.Every, minBeat), drop: drop,
	}
	v.due = l.busyAt.Add(v.every)
	if s.For > 0 {
		v.end = l.busyAt.Add(s.For)
	}
	if j.Class == Hold {
		v.end = sooner(v.end, j.Until)
	}
	l.levels = append(l.levels, v)
	if j.stopped || l.member(j.Owner) == nil {
		l.endLevels(func(x *level) bool { return x.key == j.Key })
	}
}

// drops reports whether stage s is the drop of a level.
func (j *job) drops(s int) bool {
	if s == 0 || !j.Stages[s].Owed || j.Stages[s-1].Owed {
		return false
	}
	v := j.Stages[s-1].Level
	return v.Key != 0 && v.Every > 0
}

// dropOf is the debt that stands behind a level; nil with ok when it is one that
// is never sent by itself.
func (l *Line) dropOf(j *job, stage int) (d *debt, ok bool) {
	n := stage + 1
	if n >= len(j.Stages) || !j.drops(n) {
		return nil, false
	}
	if j.Stages[n].MayClose {
		return nil, true
	}
	return &debt{key: j.Key, stage: n, pause: j.Stages[n].Pause, owner: j.Owner, unit: j.unit}, true
}

// endLevels drops what over picks.
func (l *Line) endLevels(over func(*level) bool) {
	for i := len(l.levels) - 1; i >= 0; i-- {
		v := l.levels[i]
		if !over(&v) {
			continue
		}
		l.levels = append(l.levels[:i], l.levels[i+1:]...)
		l.pay(v.drop)
		l.end(Ended{Key: v.key, Level: true, Result: elevator.Done})
	}
}

// pay owes a drop from now on.
func (l *Line) pay(d *debt) {
	if d == nil {
		return
	}
	d.due = d.unit.quiet
	l.debts = append(l.debts, *d)
}

// expireLevels drops what is over. One that a waiting command renews is neither
// dropped nor written meanwhile: a drop in between would let a door go.
func (l *Line) expireLevels(now elevator.Instant) {
	l.endLevels(func(v *level) bool {
		beating := l.busy.Kind == Beat && l.busy.Key == v.key
		return v.end.Reached(now) && v.heir == 0 && !beating && !l.renewed(v)
	})
}

func (l *Line) renewed(v *level) bool {
	for i := range l.jobs {
		j := &l.jobs[i]
		if j.Owner != v.owner || j.stopped {
			continue
		}
		for _, s := range j.Stages[min(j.next, len(j.Stages)):] {
			if s.Level.Key == v.id && s.Level.Every > 0 {
				return true
			}
		}
	}
	return false
}

// pickBeat takes the level that has waited longest.
func (l *Line) pickBeat(now elevator.Instant) Tx {
	var best *level
	for i := range l.levels {
		v := &l.levels[i]
		if v.heir == 0 && !v.end.Reached(now) && v.from() <= now && (best == nil || v.due < best.due) {
			best = v
		}
	}
	if best == nil {
		return Tx{}
	}
	l.lateBeats += late(best.due, best.every, now)
	best.due, l.beatPause = again(best.due, best.every, now), best.pause
	return Tx{Kind: Beat, Unit: best.unit.id, Key: best.key, Stage: best.stage}
}

func (v *level) from() elevator.Instant { return v.unit.beatFrom(v.due, v.every) }

// beatFrom is when something that is due to u by a period may leave. A pause of
// the unit is kept while that does not make it late by half a period.
func (u *unit) beatFrom(due elevator.Instant, every time.Duration) elevator.Instant {
	return max(due, u.retry, min(u.quiet, due.Add(every/2)))
}

// again is when something with a period is due next. One that is behind keeps its
// place; the lost periods are not made up for.
func again(due elevator.Instant, every time.Duration, now elevator.Instant) elevator.Instant {
	if next := due.Add(every); next > now {
		return next
	}
	return now.Add(every)
}

// late is 1 for what leaves more than half a period after it was due.
func late(due elevator.Instant, every time.Duration, now elevator.Instant) uint64 {
	if now > due.Add(every/2) {
		return 1
	}
	return 0
}
