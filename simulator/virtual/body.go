package virtual

import (
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/timeline"
)

// begin sets off. The body stands in the doorway until it is through.
func (r *robot) begin() {
	m := &r.move
	said := pick(m.entering, fsm.Entering, fsm.LeavingNow)
	r.dead = r.dead || r.dies(said)
	_, freezes := r.s.on(r.id, "freezes")
	m.frozen = r.dead || freezes && m.entering
	r.sure = r.sure && m.entering
	r.place, r.going = spot{where: fsm.AtDoorway, lift: m.lift, floor: m.floor, side: m.side}, true
	r.began = r.s.at()
	r.s.doorway(m.lift, m.side)
	r.tell(pickWord(m.entering, "enters", "leaves by"), "the doorway at", r.s.lifts[m.lift].table.Label(m.floor))
	if m.frozen {
		return
	}
	r.bodyIn(r.takes())
}

// takes is how long this crossing takes.
func (r *robot) takes() time.Duration {
	if slow, on := r.s.on(r.id, "crosses-slowly"); on {
		return slow.Duration()
	}
	return r.crossing
}

func (r *robot) bodyIn(d time.Duration) {
	r.endsAt = r.s.at() + elevator.Instant(d)
	r.body = r.s.tl.Plan(int64(r.endsAt), event{kind: evBody, who: int32(r.n)})
}

// turnRound is what a robot in a doorway does when told to back off.
func (r *robot) turnRound() {
	if r.move.turned || r.move.frozen || r.ended || r.stands {
		return
	}
	r.move.turned = true
	r.s.tl.Cancel(r.body)
	r.tell("turns round in the doorway:", r.told.why)
	r.bodyIn(r.s.at().Sub(r.began))
}

// through is the end of a crossing, on one side or the other.
func (r *robot) through() {
	m := &r.move
	inside := m.entering != m.turned
	if inside {
		r.place, r.sure = spot{where: fsm.InCar, lift: m.lift}, false
	} else {
		r.settle(m)
	}
	r.ended = true
	r.s.doorway(m.lift, m.side)
	r.s.weigh(m.lift)
	r.stood()
	if !r.s.set.Lean {
		r.s.say(r.id, false, "is "+r.whereWords())
	}
	if r.doing != pausing {
		return
	}
	r.s.tl.Cancel(r.turn)
	r.turn, r.turnAt = timeline.Handle{}, 0
	if r.s.set.Lean {
		r.takeTurn()
		return
	}
	r.wakeIn(0)
}

// settle puts the robot on the landing where it came out: the one that it sees.
func (r *robot) settle(m *move) {
	floor, _, _ := r.s.sight(m.lift, m.side)
	r.sure = m.entering || floor != 0
	if m.entering || floor == 0 {
		floor = m.floor
	}
	r.place = spot{where: fsm.AtLanding, floor: floor}
}

// sayEnd says how a crossing ended.
func (r *robot) sayEnd() {
	m := &r.move
	r.ended, r.going = false, false
	if r.fleet {
		r.fleetThrough()
		return
	}
	kind := pick(m.entering, fsm.Entered, fsm.Left)
	if m.turned {
		kind = pick(m.entering, fsm.GaveUpEntering, fsm.GaveUpLeaving)
	}
	r.lost = r.muted(kind)
	r.say(m.ride, r.signal(kind, ""))
}

// halt stops the body where it is, and resume lets it go on.
func (r *robot) halt() {
	if r.going && !r.ended && !r.move.frozen && !r.stands {
		r.stands, r.left = true, r.endsAt.Sub(r.s.at())
		r.s.tl.Cancel(r.body)
	}
}

func (r *robot) resume() {
	if r.stands {
		r.stands = false
		r.bodyIn(r.left)
	}
	r.wakeIn(0)
}

// thaw lets a robot that froze in a doorway go on through it.
func (r *robot) thaw() {
	if r.going && r.move.frozen && !r.dead {
		r.move.frozen = false
		r.bodyIn(r.takes())
	}
}

// carryAway takes the robot out of the lift by hand, to a landing.
func (r *robot) carryAway(f elevator.Floor) {
	was := r.place
	r.s.tl.Cancel(r.body)
	r.place, r.sure = spot{where: fsm.AtLanding, floor: f}, true
	r.going, r.ended, r.stands, r.lost, r.hurry = false, false, false, false, true
	switch was.where {
	case fsm.AtDoorway:
		r.s.doorway(was.lift, was.side)
	case fsm.InCar:
		r.s.weigh(was.lift)
	}
	r.tell("is carried to the landing", r.s.lifts[0].table.Label(f))
}

// doorway tells the building who stands in a door of a lift.
func (s *Site) doorway(lift int, side elevator.Side) {
	on := false
	for _, r := range s.robots {
		on = on || r.place.where == fsm.AtDoorway && r.place.lift == lift && r.place.side == side
	}
	s.b.Advance(s.at())
	s.obstruct(s.lifts[lift], side, on)
	s.moved()
}

// weigh tells the building what the robots in a car weigh.
func (s *Site) weigh(lift int) {
	kg := 0
	for _, r := range s.robots {
		if r.place.where == fsm.InCar && r.place.lift == lift {
			kg += robotKg
		}
	}
	s.b.Advance(s.at())
	s.load(s.lifts[lift], kg)
	s.moved()
}

// sight is what somebody at a door of a lift sees: the landing at which the car is,
// how it moves, and whether the door stands fully open.
func (s *Site) sight(lift int, side elevator.Side) (elevator.Floor, elevator.Motion, bool) {
	s.b.Advance(s.at())
	c := s.b.See(s.lifts[lift].id)
	return c.Floor, c.Motion, c.Doors[side].State == elevator.DoorOpen
}
