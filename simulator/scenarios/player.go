package scenarios

import (
	"errors"
	"fmt"
	"maps"
	"time"

	"hoistway/fsm/elevator"
)

var (
	// ErrTime says that a player was shown an instant before the last one.
	ErrTime = errors.New("time goes back")
	// ErrStopped says that a run was left before its end, so that nothing is judged.
	ErrStopped = errors.New("stopped before its end; nothing is judged")
)

// Player plays one script on one stage. It has one owner. Its clock starts with
// the first [Player.Look]; what a script says counts from there.
type Player struct {
	s     *Script
	begun bool
	start elevator.Instant
	now   elevator.Instant
	ended elevator.Instant // 0 while it runs
	left  bool             // see Stop
	calm  elevator.Instant // since when nothing is left to wait for
	parts []part           // one for each statement
	log   []Line
	fails []Failure
	notes []string
}

// part is how one statement stands.
type part struct {
	state state
	at    elevator.Instant          // taken effect, met or failed
	since elevator.Instant          // the trigger or the wanted condition holds without a break
	holds bool                      // since is good
	armed bool                      // once: the trigger has held
	ofAt  elevator.Instant          // the condition of "within … of" first held
	ofOn  bool                      //
	asked map[string]map[string]int // when the counting began
}

type state uint8

const (
	open state = iota
	done
	failed
)

// NewPlayer prepares a script. The script is not changed; any number of players
// may play it.
func NewPlayer(s *Script) *Player { return &Player{s: s, parts: make([]part, len(s.statements))} }

// Next is the instant at which the player wants to look even if nothing happens,
// now or earlier for at once. Before the first Look it is 0: look at the start.
func (p *Player) Next() elevator.Instant {
	if !p.begun || p.ended != 0 {
		return p.now
	}
	next := p.endAt()
	for i := range p.parts {
		if at, ok := p.due(i); ok && at < next {
			next = at
		}
	}
	return next
}

// Look does what is due at now and judges what there is to see. An error says that
// the player was misused; what goes wrong in the run is in the verdict.
func (p *Player) Look(now elevator.Instant, stage Stage) error {
	s := glanceAt(stage)
	switch {
	case p.begun && now < p.now:
		return fmt.Errorf("play %s: %w: %s after %s", p.s.File, ErrTime, time.Duration(now), time.Duration(p.now))
	case p.ended != 0:
		return nil
	case !p.begun:
		p.begin(now, s)
	}
	p.now = now
	p.judgeSteady(s)
	for p.pass(s) {
		p.judgeSteady(s)
	}
	p.rest(s)
	if end := p.endAt(); now >= end {
		p.noteUnstruck(stage)
		p.finish(s)
	}
	return nil
}

// Stop has [Play] leave a run that goes on after the present look. It is called from
// within that look, as a player has one owner.
func (p *Player) Stop() { p.left = true }

// Over reports that the run has ended at now, or before.
func (p *Player) Over(now elevator.Instant) bool { return p.ended != 0 && now >= p.ended }

func (p *Player) begin(now elevator.Instant, s Stage) {
	p.begun, p.start, p.now = true, now, now
	asked := askedNow(s)
	for i := range p.parts {
		p.parts[i].asked = asked
	}
}

func askedNow(s Stage) map[string]map[string]int {
	all := map[string]map[string]int{}
	for _, id := range liftWords() {
		if l, ok := s.Lift(id); ok {
			all[id] = maps.Clone(l.Asked)
		}
	}
	return all
}

// endAt is when the run ends as things stand.
func (p *Player) endAt() elevator.Instant {
	end := p.after(p.start, p.s.Limit())
	if p.s.Lasts == 0 && p.calm != 0 {
		end = min(end, p.after(p.calm, calm))
	}
	return end
}

// after adds without taking the first instant for never.
func (p *Player) after(at elevator.Instant, d time.Duration) elevator.Instant {
	return at + elevator.Instant(d)
}

// due is when statement i wants to be looked at; ok is false when only an event
// can bring it on.
func (p *Player) due(i int) (at elevator.Instant, ok bool) {
	st, pt := &p.s.statements[i], &p.parts[i]
	if pt.state != open {
		return 0, false
	}
	switch {
	case st.start == atTime:
		return p.after(p.start, st.at), true
	case st.start == following && st.kind != coming:
		base, there := p.base(i)
		return p.after(base, st.at), there
	}
	if hold := p.clock(i); pt.holds && hold > 0 {
		at, ok = p.after(pt.since, hold), true
	}
	if deadline, there := p.deadline(i); there && (!ok || deadline < at) {
		at, ok = deadline, true
	}
	return at, ok
}

// clock is how long the condition that is waited for must hold.
func (p *Player) clock(i int) time.Duration {
	st := &p.s.statements[i]
	if st.start == onTrue && !p.parts[i].armed {
		return st.trigger.hold
	}
	return st.want.hold
}

// base is when the statement before took effect.
func (p *Player) base(i int) (elevator.Instant, bool) {
	before := p.s.statements[i].before
	if before < 0 || p.parts[before].state != done {
		return 0, false
	}
	return p.parts[before].at, true
}

// deadline is when an expectation has failed unless it was met.
func (p *Player) deadline(i int) (elevator.Instant, bool) {
	st, pt := &p.s.statements[i], &p.parts[i]
	if st.kind != coming || st.within == 0 {
		return 0, false
	}
	switch {
	case st.of != nil:
		return p.after(pt.ofAt, st.within), pt.ofOn
	case st.start == following:
		base, there := p.base(i)
		return p.after(base, st.within), there
	}
	return p.after(p.start, st.within), true
}

// rest notes since when nothing is left to wait for: no statement, and no ride.
func (p *Player) rest(s Stage) {
	for i := range p.parts {
		if p.awaited(i) || !p.rideOver(i, s) {
			return
		}
	}
	if p.calm == 0 {
		p.calm = max(p.now, 1)
	}
}

// rideOver reports that the ride which statement i asked for will not go on by
// itself. One that asks for none is over.
func (p *Player) rideOver(i int, s Stage) bool {
	a, ok := p.s.statements[i].act.(AskRide)
	if !ok || p.parts[i].state != done {
		return true
	}
	r, there := s.Ride(a.ID)
	return there && (r.State == "DONE" || r.State == "FAULT_LOCKED" || r.Refused != "")
}

// awaited reports a statement that may still take effect or begin to be judged.
func (p *Player) awaited(i int) bool {
	st, pt := &p.s.statements[i], &p.parts[i]
	switch {
	case pt.state != open || st.kind == last:
		return false
	case st.kind == barred || st.kind == steady:
		return st.start == onTrue && !pt.armed
	case st.start == following:
		return p.parts[st.before].state == done || p.awaited(st.before)
	}
	return true
}
