package fieldbus

import (
	"fmt"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus/schedule"
	"hoistway/fsm/elevator"
)

// A line is in one hand at a time: that of the holder of its token, who alone tells
// the schedule, touches the stream and runs what drivers handed in. It is the owner
// goroutine, run, or somebody who asks and finds the line free: that one carries out
// its own transactions and no others, so that nobody has to be woken for them. What
// was told by others, and what the schedule wants next, is handed on with the token.

// own waits for the line. Who waits longest gets it, before anybody who only tries.
func (l *line) own() { l.token <- struct{}{} }

// free gives the line away.
func (l *line) free() { <-l.token }

// rouse has the owner goroutine look what there is to do.
func (l *line) rouse() { signal(l.wake) }

// signal leaves word for whoever waits, or will.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run is the owner goroutine. It does all that nobody does for himself: polls, what is
// owed or due by a period, openings, silences. It ends with l.ctx, and keeps the line.
func (l *line) run() {
	defer close(l.ended)
	for l.ctx.Err() == nil {
		l.own()
		l.work(func(schedule.Next) bool { return true })
		l.rest()
	}
	l.own()
	l.hangUp()
}

// help has the caller carry out the transactions that are its own, for as long as
// they come next. It is called after a note was posted, which the owner takes
// otherwise. A line that is not well is the owner's: it may have to be dialled, or
// listened to for long.
func (l *line) help(own func(schedule.Tx) bool) {
	select {
	case l.token <- struct{}{}:
	default:
		l.rouse()
		return
	}
	whole := false
	defer func() {
		if !whole { // a driver panicked: nobody knows any more what is on the line
			l.cancel()
		}
		l.free()
	}()
	l.work(func(n schedule.Next) bool { return n.Do == schedule.Send && l.well() && own(n.Tx) })
	if l.oversleeps() {
		l.rouse()
	}
	whole = true
}

// oversleeps reports whether there is something to do before the owner wakes up.
func (l *line) oversleeps() bool {
	due := l.due()
	return l.next.Do != schedule.Wait || due != 0 && (l.sleeps == 0 || due < l.sleeps)
}

// well reports whether a question is likely to be answered at once: the line is open,
// it was used just now, and who was asked last has answered.
func (l *line) well() bool { return l.conn != nil && l.spoke && !l.rested(time.Now()) }

// work tells the schedule what is new and carries out what it wants, until there is
// nothing to do or what is to be done may not be done here.
func (l *line) work(may func(schedule.Next) bool) {
	for l.ctx.Err() == nil {
		if l.next.Do != schedule.Wait {
			if !may(l.next) {
				return
			}
			l.carryOut()
		} else if ev := l.news(); ev != nil {
			l.step(ev)
		} else {
			return
		}
		l.letGo()
	}
}

// carryOut does what the schedule wants and tells it how that went.
func (l *line) carryOut() {
	n := l.next
	l.next = schedule.Next{}
	var ev schedule.Event
	switch n.Do {
	case schedule.Open:
		ev = l.open(l.ctx)
		l.absorb()
	case schedule.Send:
		ev = l.send(n.Tx)
		l.absorb()
	default:
		ev = l.drainStep(n.Until)
	}
	l.step(ev)
}

// step tells the schedule what happened, passes on what that ended, and notes what
// is to be done next.
func (l *line) step(ev schedule.Event) {
	n := schedule.Step(l.sched, ev, l.now())
	for _, e := range n.Ended {
		l.settle(e)
	}
	if o, ok := ev.(schedule.Overheard); ok && !l.sched.Knows(o.Key) && n.Tx.Key != o.Key {
		delete(l.replies, o.Key) // the schedule has no room for it
	}
	l.next = n
}

// absorb takes what others told meanwhile, before the schedule chooses again.
// It is called with a transaction or an opening still open in the schedule,
// which therefore chooses nothing here.
func (l *line) absorb() {
	if o, over, _ := l.impatient(); over {
		l.step(schedule.Forget{Owner: o})
	}
	for ev := l.nextUnasked(); ev != nil; ev = l.nextUnasked() {
		l.step(ev)
	}
	for range cap(l.inbox) {
		select {
		case n := <-l.inbox:
			l.step(l.take(n))
		default:
			return
		}
	}
}

// news is what has happened since the schedule was last told, nil for nothing. Time
// comes first: what is due just now is not forgotten with its user.
func (l *line) news() schedule.Event {
	if l.next.Until.Reached(l.now()) {
		return schedule.Tick{}
	}
	if ev := l.nextUnasked(); ev != nil {
		return ev
	}
	if o, over, _ := l.impatient(); over {
		return schedule.Forget{Owner: o}
	}
	select {
	case n := <-l.inbox:
		return l.take(n)
	default:
	}
	return l.stirred()
}

// stirred is what the stream did by itself, nil for nothing. A line that broke ends
// once everything was heard that came before.
func (l *line) stirred() schedule.Event {
	if l.conn == nil {
		return nil
	}
	dead := false
	select {
	case <-l.conn.Dead():
		dead = true
	default:
	}
	if l.spec.Cut != nil {
		if b := l.conn.Came(); b != nil {
			l.came(b)
			return schedule.Tick{}
		}
	}
	if !dead {
		return nil
	}
	l.lost(fmt.Errorf("%w: %w", drivers.ErrLink, errUnplugged))
	return schedule.Lost{}
}

// due is when time alone gives the owner something to do, 0 for never.
func (l *line) due() elevator.Instant {
	_, _, next := l.impatient()
	if t := l.next.Until; t != 0 && (next == 0 || t < next) {
		return t
	}
	return next
}

// rest gives the line away until there is something for the owner to do.
func (l *line) rest() {
	l.sleeps = l.due()
	var timer <-chan time.Time
	if l.sleeps != 0 {
		t := time.NewTimer(l.sleeps.Until(l.now()))
		defer t.Stop()
		timer = t.C
	}
	var dead, news <-chan struct{}
	if l.conn != nil {
		dead = l.conn.Dead()
	}
	if l.conn != nil && l.spec.Cut != nil {
		news = l.conn.News()
	}
	l.free()
	select {
	case <-l.wake:
	case <-news:
	case <-timer:
	case <-dead:
	case <-l.ctx.Done():
	}
}
