package virtual

import (
	"math/bits"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm/dispatch"
	"hoistway/fsm/elevator"
	"hoistway/simulator/timeline"
	"hoistway/sync/shadow"
)

// agent is the process: the core and what carries out what it wants.
type agent struct {
	s        *Site
	rng      chance
	gen      uint32 // of the process
	up       bool
	frozen   bool
	thaw     elevator.Instant
	stopping bool
	again    time.Duration    // after an orderly end: how long it stays away
	since    elevator.Instant // when the process started
	core     *core.Core

	inbox  []core.Input
	taken  int    // how many of the inbox were taken
	lines  uint64 // by bits: the lifts whose line may have something for the loop, or a worker that can begin
	token  uint64
	tickAt elevator.Instant // of the site: when the core is to be woken, 0 for never

	pending core.Pending
	minding timeline.Handle // the next look after the store
	mindAt  elevator.Instant
	writes  []core.Write     // handed to the store, oldest first
	writing int              // how many of them are being written now
	quiet   bool             // nothing waits for that: its end is no event
	owed    bool             // effects wait for the store
	asked   bool             // a robot was told of no permit, as it waits for the store
	wrote   elevator.Instant // of the site: when that will be over
	ill     bool             // the core was told that the store fails

	stepped  bool // the core was stepped since its alarm was set
	unshown  bool // the core was stepped since the rides were shown to the watch
	unsorted bool // and since it was looked up which ride has which lift

	view    *core.View
	viewOld bool
}

// serial is the name of the gateway in the cloud.
const serial = "GW-VIRTUAL"

// wall0 is what the wall clocks show at instant 0: 2026-03-02 08:00:00 UTC.
const wall0 = 1_772_438_400_000

const (
	startTakes  = 20 * time.Millisecond
	minTick     = 5 * time.Millisecond
	farewell    = 25 * time.Second
	flush       = 3 * time.Second
	partingLook = 50 * time.Millisecond
)

// now is the process's clock, which starts at one.
func (a *agent) now() elevator.Instant { return a.proc(a.s.at()) }

// proc and site carry an instant over between the site's clock and the process's.
func (a *agent) proc(at elevator.Instant) elevator.Instant { return at - a.since + 1 }

func (a *agent) site(at elevator.Instant) elevator.Instant { return at + a.since - 1 }

func (a *agent) time() core.Time {
	return core.Time{Now: a.now(), Wall: wall0 + int64(a.s.at())/1e6 + a.s.jump}
}

// start makes a new process of what is stored.
func (a *agent) start() {
	s := a.s
	a.gen++
	a.up, a.stopping, a.since = true, false, s.at()
	a.inbox, a.taken, a.lines, a.writes, a.writing = a.inbox[:0], 0, 0, a.writes[:0], 0
	a.pending, a.owed, a.asked, a.ill = core.Pending{}, false, false, false
	a.core = core.New(a.config())
	first, errs := a.core.Load(s.store.load(core.Buckets()), a.time())
	s.say("agent", false, "started")
	for _, err := range errs {
		s.say("agent", true, "a record of the store can not be read: "+err.Error())
	}
	for _, l := range s.lifts {
		l.link.start(l)
	}
	a.viewOld, a.stepped, a.unshown, a.unsorted = true, true, true, true
	s.watch.Started(a.since - 1)
	s.watch.Loaded(&first, s.at())
	a.carry(first)
	if !s.set.Lean {
		v := a.core.View(a.time())
		s.watch.View(v, s.at())
		a.show(v)
	}
	s.resumed()
	if s.set.Cloud {
		s.cloud.begin()
	}
}

func (a *agent) config() core.Config {
	s := a.s
	site := dispatch.Config{Params: s.set.Params}
	if s.set.Lean {
		site.MaxEnded = leanEnded
	}
	for _, l := range s.lifts {
		site.Lifts = append(site.Lifts, dispatch.Lift{ID: l.id, Group: l.id, Area: s.set.Lifts[l.n].Area, Floors: l.table, Plan: s.set.plan(l.id, l.table)})
	}
	for _, r := range s.robots {
		site.Robots = append(site.Robots, r.id)
	}
	c := core.Config{Site: site, Boot: core.Boot{ID: "virtual", Zero: int64(a.since) - 1, Wall0: wall0 + int64(a.since)/1e6}}
	if s.set.Cloud {
		c.Cloud = s.cloud.config()
		c.Facts = shadow.Tree{"kind": "lift-gateway", "firmware": "virtual", "protocol": "1"}
	}
	return c
}

// leanEnded is how many ended rides are kept for readers when there are none.
const leanEnded = 4

// end ends the process at once: what it knew and had under way is gone.
func (a *agent) end() {
	s := a.s
	a.up, a.frozen = false, false
	a.gen++
	s.tl.Cancel(a.minding)
	a.tickAt, a.quiet, a.minding, a.mindAt = 0, false, timeline.Handle{}, 0
	if a.writing > 0 && a.rng.Uint64()&1 == 0 { // the write had come through
		for _, w := range a.writes[:a.writing] {
			s.store.commit(w.Records, a.core)
		}
	}
	s.watch.Restarted(s.at())
	s.asksLost()
	s.missed()
	s.doubted()
	s.cloud.processEnds()
}

func (a *agent) happens(e event) {
	switch e.kind {
	case evStart:
		a.start()
	case evThaw:
		if a.frozen && a.thaw == a.s.at() {
			a.frozen = false
			a.s.say("agent", false, "goes on")
			if a.tickAt != 0 && a.tickAt <= a.s.at() { // it rang meanwhile
				a.tick()
			}
			a.planMind()
			for _, l := range a.s.lifts {
				l.link.thaw()
			}
		}
	case evStored:
		a.stored()
	case evMind:
		a.minding, a.mindAt = timeline.Handle{}, 0
		if !a.frozen {
			a.mind()
			a.planMind()
		}
	case evParting:
		a.part(e.n)
	}
}

// put brings one input to the loop; it is taken when the event that made it is over.
func (a *agent) put(in core.Input) {
	if a.up {
		a.inbox = append(a.inbox, in)
	}
}

func (a *agent) answered(o elevator.Outcome) { a.put(core.Answered{Outcome: o}) }

// pump lets the loop take all that has come, one thing at a time.
func (a *agent) pump() {
	if !a.up || a.frozen {
		return
	}
	for a.pass() {
	}
	if a.stepped {
		a.stepped = false
		a.plan()
	}
}

// pass takes one thing; false when nothing waits.
func (a *agent) pass() bool {
	if a.taken < len(a.inbox) {
		in := a.inbox[a.taken]
		a.taken++
		a.step(in)
		return true
	}
	a.inbox, a.taken = a.inbox[:0], 0
	for ; a.lines != 0; a.lines &= a.lines - 1 {
		l := a.s.lifts[bits.TrailingZeros64(a.lines)]
		if l.link.news {
			l.link.news = false
			a.step(&l.link.snap)
			a.s.unwanted(l)
			return true
		}
		if l.link.work() {
			return true
		}
	}
	return false
}

func (a *agent) step(in core.Input) {
	r := a.core.Step(in, a.time())
	a.stepped = true
	a.unshown, a.unsorted = true, a.unsorted || len(r.Batch) > 0
	a.s.watch.Stepped(in, &r, a.s.at())
	a.carry(r)
}

// plan sets the alarm for the core's next tick. It changes with nearly every step, and so
// lies beside the timeline.
func (a *agent) plan() {
	a.tickAt = 0
	if wake := a.core.NextWake(); wake != 0 {
		a.tickAt = a.site(wake)
		if now := a.s.at(); a.tickAt <= now {
			a.tickAt = now + elevator.Instant(minTick)
		}
	}
}

// tick is that alarm.
func (a *agent) tick() {
	a.tickAt = 0
	a.put(core.Tick{})
}

// rings is when the alarm is heard, 0 for never: not while the process stands still.
func (a *agent) rings() elevator.Instant {
	if a.frozen && a.tickAt != 0 {
		return max(a.tickAt, a.thaw)
	}
	return a.tickAt
}

// look is what readers see now. While lean that is the core as it is.
func (a *agent) look() *core.View {
	if a.s.set.Lean && a.viewOld || a.view == nil {
		a.view, a.viewOld = a.core.View(a.time()), false
	}
	return a.view
}

// leave begins the orderly end.
func (a *agent) leave(away time.Duration) {
	if !a.up || a.stopping {
		return
	}
	a.stopping, a.again = true, away
	a.s.say("agent", false, "is told to stop")
	a.put(core.Stopping{})
	a.s.own(partingLook, evParting, 0, 0)
}

// part ends the process when no robot may be in a doorway any more, and then when
// nothing is under way. n counts the looks.
func (a *agent) part(n uint64) {
	spent := time.Duration(n) * partingLook
	wait := spent < farewell && a.mayCross() || !a.pending.Empty() && spent < farewell+flush
	if wait {
		a.s.own(partingLook, evParting, 0, n+1)
		return
	}
	a.s.say("agent", false, "ends")
	a.end()
	a.s.in(a.again, event{kind: evStart})
}
