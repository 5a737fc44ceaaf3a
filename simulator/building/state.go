package building

import (
	"math"
	"time"

	"hoistway/fsm/elevator"
)

// doorFaultAfter is how late a stuck door is before the controller says so.
const doorFaultAfter = 3 * time.Second

// DoorInvalid is shown for a door by a controller that has lost its mind: it is
// no state at all.
const DoorInvalid = elevator.Door(9)

// CarState is a car at one instant. Comparable. The zero CarState knows nothing.
//
// [Building.Car] gives what a perfect observer sees, [Building.Shown] what the
// controller tells, which is the same as long as nothing is wrong with it.
type CarState struct {
	ID string
	// Dark: the controller tells nothing, all that follows is zero. An observer sees
	// the car all the same.
	Dark bool
	// Floor is the landing at which the car stands or, while it moves, the nearest
	// one; 0 when it stands between landings.
	Floor  elevator.Floor
	Motion elevator.Motion // Stopped once level; up or down from the first movement until then
	Target elevator.Floor  // where it is going, 0 for nowhere

	PositionMM int32   // above the lowest landing
	Speed      float64 // m/s, upwards positive
	Accel      float64 // m/s²

	Doors [elevator.Sides]DoorState // by Side

	Mode      elevator.Mode
	Overload  bool
	Nudging   bool
	Obstacle  bool              // something stands in a doorway
	Stop      bool              // the stop switch
	Up        elevator.FloorSet // the lift's own landing buttons
	Down      elevator.FloorSet
	Car       elevator.FloorSet
	HallUp    elevator.FloorSet // calls of the group's buttons that were given to this lift
	HallDown  elevator.FloorSet
	Locked    elevator.FloorSet
	LoadKg    int
	Error     int // CodeNone, CodeLocked, CodeBusy, CodeDoor
	Direction elevator.Direction
}

// DoorState is one door of a car.
type DoorState struct {
	State    elevator.Door // unknown where none is fitted
	Open     float64       // 0 closed to 1 fully open
	Hold     time.Duration // left of the hold asked for
	Obstacle bool
	Stuck    bool
}

// Shown is a car as its controller tells it. The zero state answers an unknown id.
// A car that lost its place shows floor 0 and place 0 until it knows it again.
func (b *Building) Shown(id string) CarState {
	var is, shown CarState
	b.Both(id, &is, &shown)
	return shown
}

// Both is [Building.Car] and [Building.Shown] in one, into states of the caller's: they are
// large, and asked for often.
func (b *Building) Both(id string, is, shown *CarState) {
	b.Look(id, is)
	b.Tell(id, shown)
}

// Tell is [Building.Shown] into a state of the caller's.
func (b *Building) Tell(id string, shown *CarState) {
	*shown = *b.See(id)
	if c := b.car(id); c != nil {
		c.tells(shown)
	}
}

// Dark reports a controller that tells nothing.
func (b *Building) Dark(id string) bool {
	c := b.car(id)
	return c != nil && c.dark()
}

func (c *car) dark() bool { return c.special == dark || c.special == booting }

// Look is [Building.Car] into a state of the caller's.
func (b *Building) Look(id string, is *CarState) { *is = *b.See(id) }

// See is [Building.Car] in its place: to be read before the building lives on or anything
// is done to it, and not to be written to.
func (b *Building) See(id string) *CarState {
	c := b.car(id)
	if c == nil {
		return &CarState{}
	}
	if c.seenOf != b.stamp || c.seenAt != b.now {
		c.seenOf, c.seenAt = b.stamp, b.now
		c.seen = CarState{} // by itself: assigned together with others it would be copied twice
		c.state(&c.seen, b.now)
	}
	return &c.seen
}

// tells makes of a state what the controller tells of it.
func (c *car) tells(s *CarState) {
	if s.Dark {
		*s = CarState{ID: s.ID, Dark: true}
		return
	}
	switch {
	case c.lost:
		s.Floor, s.PositionMM = 0, 0
	case c.ills.floorUnknown:
		s.Floor = 0
	case c.ills.floorStuck:
		s.Floor = c.ills.floor
	}
	if c.ills.doorUnknown {
		for _, side := range c.sides {
			s.Doors[side].State = DoorInvalid
		}
	}
}

// Car shows a car as it really is now. The zero state answers an unknown id.
func (b *Building) Car(id string) (is CarState) {
	if c := b.car(id); c != nil {
		c.state(&is, b.now)
	}
	return
}

// state fills in a zero state: one is large, and asked for often.
func (c *car) state(s *CarState, now elevator.Instant) {
	x, v, a := c.motion(now)
	s.ID = c.conf.ID
	s.Dark = c.dark()
	s.Floor = c.near(x)
	s.Motion = elevator.Stopped
	s.PositionMM = int32(math.Round(x * 1000))
	s.Speed = v
	s.Accel = a
	s.Mode = c.shownMode()
	s.Overload = c.overloaded()
	s.Stop = c.mode == elevator.EmergencyStop
	s.Up = c.calls.up
	s.Down = c.calls.down
	s.Car = c.calls.car
	s.HallUp = c.calls.hallUp
	s.HallDown = c.calls.hallDown
	s.Locked = c.lock | c.ills.locked
	s.LoadKg = c.weight()
	s.Direction = c.calls.bound
	if c.moving() {
		s.Motion = elevator.MovingUp
		if c.sign < 0 {
			s.Motion = elevator.MovingDown
		}
	}
	if c.phase == starting || c.phase == travelling {
		s.Target = c.target
	}
	stuck := false
	for _, side := range c.sides {
		d, shows := &c.doors[side], &s.Doors[side]
		d.state(shows, &c.conf, now)
		s.Obstacle, s.Nudging, stuck = s.Obstacle || shows.Obstacle, s.Nudging || d.nudging, stuck || shows.Stuck
	}
	s.Error = c.code(now, stuck)
}

// near is the landing at which the car stands or, while it moves, the one nearest to x.
func (c *car) near(x float64) elevator.Floor {
	if c.moving() {
		return c.nearest(c.all, x)
	}
	return c.floor
}

func (c *car) moving() bool {
	return c.phase == travelling || c.phase == braking
}

func (d *door) state(s *DoorState, c *Car, now elevator.Instant) {
	s.State, s.Open, s.Hold = d.shows(), d.open(c, now), max(0, d.holdUntil.Sub(now))
	s.Obstacle, s.Stuck = d.blocked(), d.stuckBy != 0
}

// code is the controller's own error code. A door that is late, as only one that is stuck
// can be, outranks a refused call.
func (c *car) code(now elevator.Instant, stuck bool) int {
	if stuck && c.late(now) {
		return CodeDoor
	}
	if c.refusal != CodeNone && now.Sub(c.refusedAt) < refusalShows {
		return c.refusal
	}
	return CodeNone
}

// late reports a stuck door that has been due for a while.
func (c *car) late(now elevator.Instant) bool {
	for _, side := range c.sides {
		d := &c.doors[side]
		if d.stuckBy != 0 && d.due(&c.conf, c.keepsOpen()) < now-elevator.Instant(doorFaultAfter) {
			return true
		}
	}
	return false
}
