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
	_, shown := b.Both(id)
	return shown
}

// Both is [Building.Car] and [Building.Shown] in one.
func (b *Building) Both(id string) (is, shown CarState) {
	c := b.car(id)
	if c == nil {
		return
	}
	is = c.state(b.now)
	return is, c.tells(is)
}

// tells makes of a state what the controller tells of it.
func (c *car) tells(s CarState) CarState {
	if s.Dark {
		return CarState{ID: s.ID, Dark: true}
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
	return s
}

// Car shows a car as it really is now. The zero state answers an unknown id.
func (b *Building) Car(id string) CarState {
	if c := b.car(id); c != nil {
		return c.state(b.now)
	}
	return CarState{}
}

func (c *car) state(now elevator.Instant) CarState {
	x, v, a := c.motion(now)
	s := CarState{
		ID:         c.conf.ID,
		Dark:       c.special == dark || c.special == booting,
		Floor:      c.floor,
		Motion:     elevator.Stopped,
		PositionMM: int32(math.Round(x * 1000)),
		Speed:      v,
		Accel:      a,
		Mode:       c.shownMode(),
		Overload:   c.overloaded(),
		Nudging:    c.nudging(),
		Stop:       c.mode == elevator.EmergencyStop,
		Up:         c.calls.up,
		Down:       c.calls.down,
		Car:        c.calls.car,
		HallUp:     c.calls.hallUp,
		HallDown:   c.calls.hallDown,
		Locked:     c.lock | c.ills.locked,
		LoadKg:     c.weight(),
		Error:      c.code(now),
		Direction:  c.calls.bound,
	}
	if c.moving() {
		s.Floor = c.nearest(c.all, x)
		s.Motion = elevator.MovingUp
		if c.sign < 0 {
			s.Motion = elevator.MovingDown
		}
	}
	if c.phase == starting || c.phase == travelling {
		s.Target = c.target
	}
	for i := range c.doors {
		s.Doors[i] = c.doors[i].state(&c.conf, now)
		s.Obstacle = s.Obstacle || s.Doors[i].Obstacle
	}
	return s
}

func (c *car) moving() bool {
	return c.phase == travelling || c.phase == braking
}

func (d *door) state(c *Car, now elevator.Instant) DoorState {
	if !d.fitted {
		return DoorState{}
	}
	return DoorState{
		State:    d.shows(),
		Open:     d.open(c, now),
		Hold:     max(0, d.holdUntil.Sub(now)),
		Obstacle: d.blocked(),
		Stuck:    d.stuckBy != 0,
	}
}

// code is the controller's own error code. A door that is late outranks a
// refused call.
func (c *car) code(now elevator.Instant) int {
	keep := c.keepsOpen()
	for i := range c.doors {
		d := &c.doors[i]
		if d.stuckBy != 0 && d.due(&c.conf, keep) < now-elevator.Instant(doorFaultAfter) {
			return CodeDoor
		}
	}
	if c.refusal != CodeNone && now.Sub(c.refusedAt) < refusalShows {
		return c.refusal
	}
	return CodeNone
}
