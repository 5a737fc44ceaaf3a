package virtual

import (
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/timeline"
)

// Robots behave as those of the simulator's other room do, which speak HTTP: about
// every 150 ms a robot says what is to be said, asks what to do, and does it. It
// crosses a door line only on a permit that it has just fetched, that it can begin
// in time and get through in time, and once the agent has heard that it goes. Aboard and with no answer any more
// it leaves by its pass, by what it sees itself.

const (
	turnShort   = 120 * time.Millisecond
	turnLong    = 180 * time.Millisecond
	leanShort   = 500 * time.Millisecond // while a permit may come without any other sign
	leanGoing   = 5 * time.Second        // while it crosses
	leanLong    = 20 * time.Second
	beatEvery   = time.Second
	leanBeat    = 30 * time.Second
	beatAgain   = 300 * time.Millisecond
	resayPause  = 50 * time.Millisecond
	readyAgain  = 5 * time.Second
	callTimeout = 2 * time.Second
	cutOffAfter = 3 * time.Second // with no answer; more than one call waits
	boxRoom     = 16
)

// spot is where a robot really is.
type spot struct {
	where fsm.SignalWhere // AtLanding, AtDoorway or InCar
	lift  int             // in a doorway or a car
	floor elevator.Floor  // at a landing, or in its doorway; 0 is not known
	side  elevator.Side   // in a doorway
}

// doing is the step of a turn that waits for an answer.
type doing uint8

const (
	pausing doing = iota
	speaking
	asking
	announcing
	beating
)

type robot struct {
	s        *Site
	rng      chance
	n        int
	id       string
	crossing time.Duration

	place  spot
	sure   bool // of the floor: it was put there, or sees it
	going  bool // a crossing runs, or its end is not said yet
	ended  bool // the crossing is over and its end is not said yet
	move   move
	began  elevator.Instant
	endsAt elevator.Instant
	body   timeline.Handle
	left   time.Duration // of a crossing that stands still
	stands bool

	mouth
	fleetman
	turn   timeline.Handle
	turnAt elevator.Instant
	doing  doing
	call   call
	told   told
	deaf   elevator.Instant // since then nobody answers; 0: somebody does
}

// move is one crossing of a door line.
type move struct {
	ride     string
	lift     int
	side     elevator.Side
	floor    elevator.Floor
	entering bool
	turned   bool // went back to where it came from
	frozen   bool // stays in the doorway
}

// told is what the agent last said of the robot's ride. Times count from the question.
type told struct {
	asked    elevator.Instant
	ride     string
	lift     int
	state    fsm.State
	phase    fsm.Phase
	where    fsm.Where
	do       fsm.Action
	why      string
	from, to elevator.Floor
	fromSide elevator.Side
	toSide   elevator.Side
	permit   fsm.Permit
	permitID string
	start    time.Duration
	through  time.Duration
	pass     fsm.LeavePass // floor and side; no floor is no pass
	passFor  time.Duration
}

func newRobot(s *Site, n int, c Robot) *robot {
	r := &robot{s: s, rng: s.chance(ofRobot, uint64(n)), n: n, id: c.ID, crossing: c.Crossing, place: spot{where: fsm.AtLanding}}
	if r.crossing == 0 {
		r.crossing = usualCrossing
	}
	r.fleet = c.Fleet
	r.boots = 1
	r.boot = bootName(c.ID, 1)
	return r
}

func (s *Site) robot(id string) *robot {
	for _, r := range s.robots {
		if r.id == id {
			return r
		}
	}
	return nil
}

func (r *robot) happens(e event) {
	switch e.kind {
	case evTurn:
		r.turn, r.turnAt = timeline.Handle{}, 0
		r.takeTurn()
	case evBody:
		r.body = timeline.Handle{}
		r.through()
	case evArrive:
		r.arrives(e.n)
	case evHeard, evLate:
		r.heard(e)
	}
}

// wakeIn plans a turn, unless an earlier one is planned.
func (r *robot) wakeIn(d time.Duration) {
	at := r.s.at() + elevator.Instant(d)
	if r.doing != pausing || r.turnAt != 0 && r.turnAt <= at {
		return
	}
	r.s.tl.Cancel(r.turn)
	r.turnAt = at
	r.turn = r.s.tl.Plan(int64(at), event{kind: evTurn, who: int32(r.n)})
}

// takeTurn begins a turn: first it speaks.
func (r *robot) takeTurn() {
	switch {
	case r.dead || r.silent():
		return
	case r.ended:
		r.sayEnd()
	}
	r.doing = speaking
	r.speak()
}

func (r *robot) silent() bool {
	_, on := r.s.on(r.id, "robot-silent")
	return on
}

// rest ends a turn.
func (r *robot) rest() {
	r.doing = pausing
	r.leaveByPass()
	switch {
	case r.ended:
		r.wakeIn(0)
	case !r.s.set.Lean:
		r.wakeIn(r.rng.between(turnShort, turnLong))
	case r.told.ride == "" && !r.rides(r.s):
	case r.going:
		r.wakeIn(leanGoing)
	case r.deaf != 0 && r.place.where == fsm.InCar, r.told.phase == fsm.Boarding || r.told.state == fsm.Exiting || len(r.box) > 0:
		r.wakeIn(leanShort)
	default:
		r.wakeIn(leanLong)
	}
}

// obey does the one thing that the ride says.
func (r *robot) obey() {
	t := &r.told
	if t.ride == "" {
		r.beat()
		return
	}
	r.takePlace()
	r.fleetSays()
	switch {
	case r.going:
		if t.do == fsm.DoBackOff {
			r.turnRound()
		}
	case t.do == fsm.DoGoTo && r.place.where == fsm.AtLanding:
		r.sayReady()
	case t.do == fsm.DoEnter && r.place.where == fsm.AtLanding:
		if r.setOff(true) {
			return
		}
	case t.do == fsm.DoLeave && r.place.where == fsm.InCar && r.place.lift == t.lift:
		if r.setOff(false) {
			return
		}
	case t.do == fsm.DoBackOff, t.do == fsm.DoClearDoor:
		r.hurry = t.do != r.lastDo // say at once where it stands
	}
	r.lastDo = t.do
	r.beat()
}

// takePlace carries the robot to the landing where a new ride begins: pretend
// robots know no corridors.
func (r *robot) takePlace() {
	t := &r.told
	if r.going || r.place.where != fsm.AtLanding || t.where != fsm.Outside || t.ride == r.placedFor {
		return
	}
	r.placedFor = t.ride
	if r.place.floor == t.from {
		return
	}
	r.place, r.sure, r.hurry = spot{where: fsm.AtLanding, floor: t.from}, true, !r.s.set.Lean
	r.tell("stands at the landing", r.table().Label(t.from))
}

// setOff begins to cross a door line if the permit is good for it: first it says
// so. False when it stays.
func (r *robot) setOff(entering bool) bool {
	t := &r.told
	p := t.permit
	if p.N == 0 || entering != (p.Kind == fsm.Enter) || entering && p.Floor != r.place.floor || !r.inTime() {
		return false
	}
	if _, lies := r.s.on(r.id, "says-left"); lies && !entering {
		r.lie()
		return false
	}
	r.move = move{ride: t.ride, lift: t.lift, side: p.Side, floor: p.Floor, entering: entering}
	kind := pick(entering, fsm.Entering, fsm.LeavingNow)
	if r.fleet || r.muted(kind) {
		r.begin()
		return false
	}
	s := r.signal(kind, t.permitID)
	s.View.Where, s.View.Floor = fsm.AtDoorway, p.Floor
	r.seesDoor(&s, t.lift, p.Side)
	if !entering {
		s.View.FloorSure = s.View.DoorOpen == elevator.Yes
	}
	r.goes = word{ride: t.ride, s: s, made: r.s.at()}
	r.doing = announcing
	r.request(&r.goes)
	return true
}

// inTime holds while the robot can begin, and be through, by its last answer.
func (r *robot) inTime() bool {
	since := r.s.at().Sub(r.askedAt)
	return since < r.told.start && since+r.crossing <= r.told.through
}

// announced is the answer to the word that the robot goes.
func (r *robot) announced(ok, refused bool) {
	since := r.s.at().Sub(r.askedAt)
	switch {
	case ok && r.inTime():
		r.spoke = r.s.at()
		r.begin()
	case ok:
		r.spoke = r.s.at()
		r.giveUp()
	case refused:
	case since+resayPause >= r.told.start:
		r.giveUp()
	default:
		r.requestIn(resayPause, r.call.word)
		return
	}
	r.beat()
}

func (r *robot) giveUp() {
	r.say(r.move.ride, r.signal(pick(r.move.entering, fsm.GaveUpEntering, fsm.GaveUpLeaving), ""))
}

// sayReady says that the robot stands at the door, unless whoever plays it says when.
func (r *robot) sayReady() {
	if r.waitsFor == r.told.ride || r.readyFor == r.told.ride && r.s.at().Sub(r.readyAt) < readyAgain {
		return
	}
	r.readyFor, r.readyAt = r.told.ride, r.s.at()
	r.say(r.told.ride, r.signal(fsm.Ready, ""))
}

func pick(entering bool, in, out fsm.SignalKind) fsm.SignalKind {
	if entering {
		return in
	}
	return out
}
