package laws

import (
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// Where is where a robot really is.
type Where uint8

// The places. The zero place is nowhere near a lift.
const (
	Gone Where = iota
	Landing
	Doorway
	InCar
)

func (w Where) String() string { return [...]string{"gone", "landing", "doorway", "car"}[w] }

// Place is the true place of a robot.
type Place struct {
	Where Where
	Lift  string         // of the doorway and the car
	Floor elevator.Floor // of the landing and the doorway
	Side  elevator.Side  // of the doorway
}

type robot struct {
	id   string
	num  uint64
	at   Place
	ride *ride
	lies bool
	liar bool // lies, or has lied since it went in
}

func (b *robot) out() bool { return b.at.Where == Landing || b.at.Where == Gone }

// AnyIn reports a robot in a car or in its doorway.
func (w *Watch) AnyIn() bool {
	for i := range w.robots {
		if at := w.robots[i].at.Where; at == InCar || at == Doorway {
			return true
		}
	}
	return false
}

// Place is where a robot was last shown to be.
func (w *Watch) Place(robot string) Place { return w.robot(robot).at }

func (w *Watch) robot(id string) *robot {
	if w.met < len(w.robots) && w.robots[w.met].id == id {
		return &w.robots[w.met]
	}
	for i := range w.robots {
		if w.robots[i].id == id {
			w.met = i
			return &w.robots[i]
		}
	}
	w.robots = append(w.robots, robot{id: id, num: number(id)})
	return &w.robots[len(w.robots)-1]
}

// Robot shows where a robot really is, whenever that changes. A robot that people
// carry away goes from anywhere to its landing without a doorway.
func (w *Watch) Robot(id string, p Place, now elevator.Instant) {
	b := w.robot(id)
	was := b.at
	w.mix(now, mixRobot, b.num, uint64(p.Where), uint64(p.Floor)|uint64(p.Side)<<8)
	b.at = p
	b.liar = b.liar && (b.lies || !b.out())
	if p.Where != Doorway || was.Where == Doorway {
		return
	}
	if l := w.lift(p.Lift); l != nil {
		w.setsOff(b, l, was.Where != InCar, now)
	}
}

// setsOff judges a robot that has just gone into a doorway.
func (w *Watch) setsOff(b *robot, l *lift, in bool, now elevator.Instant) {
	r, p := b.ride, b.at
	id := ""
	if r != nil {
		id = r.id
	}
	if in {
		w.goesIn(b, l, id, now)
	}
	if r != nil && !r.lets(p, in, now) {
		w.breach(now, PermitToCross, l.id, id, "%s crosses at %s by the %s door with no permit for it", b.id, p.Floor, p.Side)
	}
	if l.honestSince(now-elevator.Instant(startSpan+sight)) && !l.openSince(p.Floor, p.Side, now-elevator.Instant(startSpan+sight)) {
		w.breach(now, TrueDoor, l.id, id, "%s crosses at %s by the %s door, and the car is at %s with that door %s", b.id, p.Floor, p.Side, l.floor, l.doors[p.Side])
	}
}

func (w *Watch) goesIn(b *robot, l *lift, ride string, now elevator.Instant) {
	if r := b.ride; r == nil || !r.granted || r.liftID != l.id {
		w.breach(now, LeaseToEnter, l.id, ride, "%s goes in and its ride holds no lease of the lift", b.id)
	}
	for i := range w.robots {
		if o := &w.robots[i]; o != b && !o.liar && o.at.Lift == l.id && (o.at.Where == InCar || o.at.Where == Doorway) {
			w.breach(now, OneRobot, l.id, ride, "%s goes in and %s is in the %s", b.id, o.id, o.at.Where)
		}
	}
}

// lets reports a permit by which a robot may set off there now.
func (r *ride) lets(p Place, in bool, now elevator.Instant) bool {
	fits := func(q permit) bool { return q.floor == p.Floor && q.side == p.Side && now <= q.until }
	if in {
		return r.given.kind == fsm.Enter && fits(r.given)
	}
	return r.given.kind != fsm.Enter && r.given.kind != "" && fits(r.given) || fits(r.pass)
}
