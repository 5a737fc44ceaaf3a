package virtual

import (
	"time"

	"hoistway/agent/core"
	"hoistway/drivers/fieldbus/schedule"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/timeline"
)

// link is the agent's end of a wire: the shipped scheduler, what was last read,
// and the commands under way. It lives as long as the process.
type link struct {
	l       *lift
	sched   *schedule.Line
	joined  bool
	wake    timeline.Handle
	wakeAt  elevator.Instant
	busy    uint64 // the question that is under way, 0 for none
	key     schedule.Key
	poll    schedule.Key
	jobs    []job
	doors   worker
	calls   worker
	snap    core.Seen         // what was last read, as the loop takes it
	told    building.CarState // room for what a glance is told
	since   elevator.Instant  // of the site: when a read last succeeded, or the start
	sound   bool              // the last read did not fail
	news    bool
	looks   bool             // a call waits for a reading that was not asked for yet
	watched bool             // an evOffline is planned
	asking  bool             // an evRefresh is planned
	stirred bool             // the car has changed since it was read
	unread  bool             // the same, and no ride goes on by it
	renews  bool             // an evRenew is planned
	glanced bool             // the question that is under way was answered in the same instant
	tried   elevator.Instant // of the site: when a read last ended, well or not
	ended   []schedule.Ended
	submits schedule.Submit // room for the event that is being told
	answers schedule.Answered
}

const owner schedule.Owner = 1

// start brings the link of a new process up; nothing is heard yet.
func (k *link) start(l *lift) {
	*k = link{l: l, sched: schedule.New(schedule.Settings{Blind: l.rtu, Near: l.rtu, Seed: l.rng.Uint64()}), since: l.s.at(), jobs: k.jobs[:0]}
	k.snap.Lift = l.id
	if !l.s.set.Lean {
		k.join()
	}
}

// join begins the polls. While lean a lift that no ride wants is not polled.
func (k *link) join() {
	if k.joined {
		return
	}
	k.joined, k.sound = true, false
	k.since = k.l.s.at()
	k.key++
	k.poll = k.key
	k.l.polls[0] = schedule.Poll{Key: k.poll, Every: k.l.s.set.period(), Fast: true}
	k.step(schedule.Join{
		Owner: owner, Unit: unit, Worst: k.l.patience(false),
		Polls: k.l.polls[:],
	})
	if !k.sound {
		k.watch()
	}
	k.renewSoon()
}

// leave ends the polls; what is known grows old.
func (k *link) leave() {
	if !k.joined || len(k.jobs) > 0 || k.busy != 0 {
		return
	}
	k.joined = false
	k.step(schedule.Leave{Owner: owner})
}

// step tells the scheduler what happened and does what it says.
func (k *link) step(ev schedule.Event) {
	s := k.l.s
	n := schedule.Step(k.sched, ev, s.agent.now())
	k.ended = k.ended[:0]
	if len(n.Ended) > 0 {
		k.ended = append(k.ended, n.Ended...)
	}
	until := elevator.Instant(0)
	switch n.Do {
	case schedule.Open:
		k.open()
	case schedule.Send:
		k.send(n.Tx)
	default:
		until = n.Until
	}
	if !k.glanced {
		k.sleep(until)
	}
	for _, e := range k.ended {
		k.settle(e)
	}
	if k.glanced {
		k.glanced = false
		k.finish(n.Tx, schedule.Good, 0, false)
	}
	k.lookNow()
}

// sleep plans the instant, of the process, at which the line goes on by itself.
func (k *link) sleep(until elevator.Instant) {
	s := k.l.s
	if until != 0 {
		until = max(s.agent.site(until), s.at())
	}
	early := s.set.Lean && k.joined && k.wakeAt != 0 && (until == 0 || k.wakeAt < until) // finds nothing to do, if it ever comes
	if until == k.wakeAt || early {
		return
	}
	s.tl.Cancel(k.wake)
	k.wakeAt, k.wake = until, timeline.Handle{}
	if until != 0 {
		k.wake = s.tl.Plan(int64(until), event{kind: evLine, gen: s.agent.gen, who: int32(k.l.n)})
	}
}

func (k *link) goesOn() {
	k.wakeAt, k.wake = 0, timeline.Handle{}
	k.step(schedule.Tick{})
}

func (k *link) open() {
	d := tcpOpen
	if k.l.rtu {
		d = rtuOpen
	}
	k.l.s.own(d, evOpened, k.l.n, 0)
}

// opened ends an attempt to open the line.
func (k *link) opened() {
	if k.l.gone() {
		k.fail()
		k.turn(elevator.Offline, k.l.s.agent.now())
		k.l.say(true, "the line cannot be opened")
		k.step(schedule.Opened{})
		return
	}
	k.step(schedule.Opened{OK: true})
}

// cut is what happens to an open line that breaks by itself.
func (k *link) cut() {
	if !k.sched.Up() {
		return
	}
	k.fail()
	if k.busy == 0 {
		k.step(schedule.Lost{})
		return
	}
	k.busy = 0
	k.step(schedule.Answered{Outcome: schedule.Silent, Lost: true})
}

// fail marks every value as not read.
func (k *link) fail() {
	s := &k.snap.Car
	s.Floor.Failed, s.Motion.Failed, s.Mode.Failed, s.Position.Failed = true, true, true, true
	s.Doors[elevator.Front].Failed, s.Doors[elevator.Rear].Failed = true, true
	s.Overload.Failed, s.Nudging.Failed, s.Obstruction.Failed, s.EmergencyStop.Failed = true, true, true, true
	s.Load.Failed, s.UpCalls.Failed, s.DownCalls.Failed, s.CarCalls.Failed, s.Vendor.Failed = true, true, true, true, true
	if l := k.l; l.kind.Permission || l.kind.Claim {
		s.MayEnter.Failed, s.MayLeave.Failed, s.Claimed.Failed = l.kind.Permission, l.kind.Permission, l.kind.Claim
	}
	k.l.kind.hide(s)
	k.sound = false
	k.tells()
	k.watch()
	k.look(false)
}

// tells has the loop take what is known of the lift.
func (k *link) tells() {
	k.news = true
	k.rouse()
}

// rouse has the loop look at this line.
func (k *link) rouse() { k.l.s.agent.lines |= 1 << k.l.n }

func (k *link) turn(st elevator.LinkState, at elevator.Instant) {
	if k.snap.Car.Link == st {
		return
	}
	k.snap.Car.Link, k.snap.Car.LinkSince = st, at
	k.tells()
	k.l.say(st == elevator.Offline, "link "+st.String())
}

// watch looks whether the lift was silent for too long, when that can be. While it is
// read there is nothing to look at: a read that fails watches again.
func (k *link) watch() {
	if !k.watched {
		k.watched = true
		s := k.l.s
		s.tl.Plan(int64(k.since.Add(0)+elevator.Instant(offlineAfter)), event{kind: evOffline, gen: s.agent.gen, who: int32(k.l.n)})
	}
}

// thaw looks anew after the process stood still, and with it the polls.
func (k *link) thaw() {
	if k.joined {
		k.sound = false
		k.watch()
	}
}

func (k *link) offline() {
	k.watched = false
	s := k.l.s
	end := k.since + elevator.Instant(offlineAfter)
	switch {
	case !k.joined || k.sound:
	case s.at() < end:
		k.watch()
	default:
		k.turn(elevator.Offline, s.agent.proc(end))
	}
}

// refresh reads once out of turn.
func (k *link) refresh() {
	k.asking = false
	if k.joined && k.stirred {
		k.step(schedule.Refresh{Owner: owner})
	}
}

// refreshSoon asks for a reading at the next instant of the grid, since the car
// has changed.
func (k *link) refreshSoon() {
	k.stirred = true
	if !k.joined || k.asking || !k.l.s.agent.up {
		return
	}
	k.asking = true
	grid := int64(gridOfRefreshes)
	s := k.l.s
	s.tl.Plan((s.tl.Now()/grid+1)*grid, event{kind: evRefresh, gen: s.agent.gen, who: int32(k.l.n)})
}

// limit bounds one command whose life is not shorter.
const commandLimit = 10 * time.Second
