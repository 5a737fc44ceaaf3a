package virtual

import (
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/scenarios"
	"hoistway/simulator/timeline"
)

// mouth is what a robot has said and has still to say.
type mouth struct {
	boot   string
	boots  int
	seq    uint64
	box    []word // not heard yet, oldest first
	goes   word   // that it is about to cross
	spoke  elevator.Instant
	beaten elevator.Instant

	serving   string // ride
	placedFor string // ride for which it was carried to the landing
	readyFor  string // ride
	readyAt   elevator.Instant
	waitsFor  string            // ride for which it says ready only when it is made to
	wish      scenarios.AskRide // the last one, taken or not
	askedAt   elevator.Instant
	lastDo    fsm.Action
	hurry     bool // a heartbeat is due at once
	lost      bool // muted about its last crossing: does not say where it is
	lies      bool // says that it stands at the landing and does not
	dead      bool
}

// word is a signal on its way.
type word struct {
	ride  string
	s     fsm.Signal
	made  elevator.Instant
	times int // how often it is still to be said

	unheard bool // told that nobody answered to it
}

// call is the one request of a robot that is under way.
type call struct {
	n     uint64
	made  elevator.Instant
	word  *word // nil: it asks what to do
	token uint64
	late  timeline.Handle
	any   bool // answer at all
	ok    bool
	no    string // E-code of a refusal
	told  told
}

func bootName(id string, n int) string {
	const digits = "0123456789"
	if n < 10 {
		return id + "." + digits[n:n+1]
	}
	return bootName(id, n/10) + digits[n%10:n%10+1]
}

// signal makes a whole report of now, with the next number.
func (r *robot) signal(kind fsm.SignalKind, permit string) fsm.Signal {
	r.seq++
	s := fsm.Signal{Kind: kind, Boot: r.boot, Seq: r.seq, Permit: permit, Battery: -1}
	s.View = fsm.RobotView{
		Where: r.place.where, Floor: r.place.floor, FloorSure: r.sure && r.place.floor != 0, Motion: elevator.Stopped,
	}
	switch {
	case r.lost:
		s.View = fsm.RobotView{Where: fsm.Nowhere}
	case r.lies:
		s.View = fsm.RobotView{Where: fsm.AtLanding, Floor: r.told.to, FloorSure: true, Motion: elevator.Stopped}
	case r.place.where == fsm.InCar:
		floor, motion, _ := r.s.sight(r.place.lift, elevator.SideUnknown)
		s.View.Floor, s.View.FloorSure, s.View.Motion = floor, floor != 0, motion
	}
	return s
}

// seesDoor adds the door in front of the robot, if it sees it open.
func (r *robot) seesDoor(s *fsm.Signal, lift int, side elevator.Side) {
	if floor, _, open := r.s.sight(lift, side); open && floor != 0 {
		s.View.DoorFloor, s.View.DoorSide, s.View.DoorOpen = floor, side, elevator.Yes
	}
}

func (r *robot) muted(kind fsm.SignalKind) bool {
	f, on := r.s.on(r.id, "mute")
	return on && f.Value() == string(kind)
}

func (r *robot) dies(kind fsm.SignalKind) bool {
	f, on := r.s.on(r.id, "dies")
	return on && f.Value() == string(kind)
}

// say keeps a word until it is heard. A muted one is never said.
func (r *robot) say(ride string, s fsm.Signal) {
	if r.fleet || r.muted(s.Kind) {
		return
	}
	r.hurry = false // the word says where it is
	w := word{ride: ride, s: s, made: r.s.at(), times: 1}
	if f, struck := r.s.meet(r.id, "repeats"); struck {
		w.times = f.Number()
	}
	r.box = append(r.box, w)
	if len(r.box) > boxRoom {
		r.box = append(r.box[:0], r.box[1:]...)
	}
}

// speak says the kept words in their order, and then asks what to do.
func (r *robot) speak() {
	if len(r.box) > 0 && !r.dead {
		r.request(&r.box[0])
		return
	}
	if r.dead {
		r.doing = pausing
		return
	}
	r.doing = asking
	r.askedAt = r.s.at()
	if r.s.set.Lean && r.s.agent.up && !r.s.agent.frozen {
		r.told, r.deaf = r.s.told(r), 0
		r.told.asked = r.askedAt
		r.learned()
		return
	}
	r.request(nil)
}

// spokeOne is the answer to the oldest kept word. One that is refused is not said
// again; one that may not have been heard is, in the next turn.
func (r *robot) spokeOne(ok, refused bool) {
	if !ok && !refused {
		r.rest()
		return
	}
	w := &r.box[0]
	kind := w.s.Kind
	if w.times--; w.times <= 0 || refused {
		r.box = append(r.box[:0], r.box[1:]...)
	}
	if ok {
		r.hear(kind)
	}
	r.speak()
}

func (r *robot) hear(kind fsm.SignalKind) {
	r.spoke = r.s.at()
	if kind != fsm.Entering && kind != fsm.LeavingNow {
		r.dead = r.dead || r.dies(kind)
	}
}

// beat says about each second that the robot lives and where it is, and ends the
// turn.
func (r *robot) beat() {
	every := beatEvery
	if r.s.set.Lean {
		every = leanBeat
	}
	now := r.s.at()
	due := r.hurry || now.Sub(r.spoke) >= every
	if !due || now.Sub(r.beaten) < beatAgain && r.beaten != 0 || len(r.box) > 0 || r.dead || r.fleet || r.muted(fsm.Heartbeat) {
		r.rest()
		return
	}
	r.beaten = now
	s := r.signal(fsm.Heartbeat, "")
	if r.place.where != fsm.AtDoorway && r.told.ride != "" && !r.lost && !r.lies {
		r.doorHere(&s)
	}
	r.goes = word{ride: r.told.ride, s: s, made: now}
	r.doing = beating
	r.request(&r.goes)
}

// doorHere is the door of the ride at the landing where the robot is, or where it rides by.
func (r *robot) doorHere(s *fsm.Signal) {
	side := r.told.fromSide
	if s.View.Floor != r.told.from {
		side = r.told.toSide
	}
	if floor, _, open := r.s.sight(r.told.lift, side); open && floor == s.View.Floor {
		s.View.DoorFloor, s.View.DoorSide, s.View.DoorOpen = floor, side, elevator.Yes
	}
}

// The way of a call to the agent and back.
const wayLow, wayHigh = time.Millisecond, 3 * time.Millisecond

// request sends one call on its way.
func (r *robot) request(w *word) { r.requestIn(0, w) }

// requestIn sends it after a pause.
func (r *robot) requestIn(d time.Duration, w *word) {
	s := r.s
	r.call = call{n: r.call.n + 1, word: w, made: s.at() + elevator.Instant(d)}
	s.in(d+r.rng.between(wayLow, wayHigh), event{kind: evArrive, who: int32(r.n), n: r.call.n})
	if !s.prompt() {
		r.waits()
	}
}

// waits plans the end of the wait for an answer.
func (r *robot) waits() {
	c := &r.call
	c.late = r.s.tl.Plan(int64(c.made+elevator.Instant(callTimeout)), event{kind: evLate, who: int32(r.n), n: c.n})
}

// arrives is the moment at which the agent takes the call.
func (r *robot) arrives(n uint64) {
	s, c := r.s, &r.call
	switch {
	case c.n != n:
		return
	case !s.agent.up:
		r.answerIn()
	case c.word == nil:
		c.told, c.any, c.ok = s.told(r), true, true
		r.answerIn()
	default:
		r.tellSignal(c.word)
		sig := c.word.s
		sig.Age = s.at().Sub(c.word.made)
		if c.word.ride == "" {
			c.token = s.agent.order(core.SendHeartbeat{Robot: r.id, Signal: sig})
		} else {
			s.speaks(c.word.ride)
			c.token = s.agent.order(core.SendSignal{Ride: c.word.ride, Signal: sig})
		}
	}
}

// answerIn brings the answer on its way. While lean it is there at once.
func (r *robot) answerIn() {
	if r.s.set.Lean {
		r.heard(event{kind: evHeard, n: r.call.n})
		return
	}
	r.s.in(r.rng.between(wayLow, wayHigh), event{kind: evHeard, who: int32(r.n), n: r.call.n})
}

// heard is the answer to the call, or the end of the wait for it.
func (r *robot) heard(e event) {
	c := &r.call
	if c.n != e.n {
		return
	}
	r.s.tl.Cancel(c.late)
	ok, refused := c.ok && e.kind == evHeard, c.no != "" && e.kind == evHeard
	c.n++ // what comes yet is of no use
	c.token = 0
	if r.dead || r.silent() {
		r.doing = pausing
		return
	}
	r.tellUnheard(c, ok, refused)
	r.listened(c.any && e.kind == evHeard, c.made)
	switch r.doing {
	case speaking:
		r.spokeOne(ok, refused)
	case asking:
		if !ok {
			r.rest()
			return
		}
		r.told = c.told
		r.told.asked = r.askedAt
		r.learned()
	case announcing:
		r.announced(ok, refused)
	case beating:
		if ok {
			r.hurry = false
			r.hear(fsm.Heartbeat)
		}
		r.rest()
	}
}

// learned is what the agent told of the robot's ride.
func (r *robot) learned() {
	r.serving = r.told.ride
	r.obey()
}

// lie is a robot that says that it has left, and stays.
func (r *robot) lie() {
	if r.lies {
		return
	}
	r.lies = true
	r.s.watch.Liar(r.id, true)
	r.say(r.told.ride, r.signal(fsm.Left, ""))
}

// reboot starts the robot's program anew; its body stays as it is.
func (r *robot) reboot() {
	r.boots++
	r.boot, r.seq = bootName(r.id, r.boots), 0
	r.readyFor, r.hurry = "", true
	r.told.pass = fsm.LeavePass{}
}
