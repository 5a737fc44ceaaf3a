package fsm

import "hoistway/fsm/elevator"

// Where a site allows it, the robot's own sight stands in for what the controller has no
// point for. It never speaks against a reading, nor for one that fails, and it is dated as
// everything that a robot says.

// borrow lays what the robot last saw over the parts of the car that the controller never
// told. From the landing a robot sees the car only through an open door: that shows the
// floor and a standing car. In the car it knows its floor and whether it moves.
func (s *step) borrow() {
	v, c := &s.Self, &s.Car
	if v.At == 0 {
		return
	}
	open := v.DoorOpen == elevator.Yes && v.DoorFloor != 0
	if v.DoorSide != elevator.SideUnknown && int(v.DoorSide) < elevator.Sides && v.DoorFloor != 0 && v.DoorOpen != elevator.TriUnknown {
		door := elevator.DoorClosed
		if open {
			door = elevator.DoorOpen
		}
		lend(&c.Doors[v.DoorSide], door, v.At)
	}
	switch {
	case v.Where == InCar && v.FloorSure && v.Floor != 0:
		lend(&c.Floor, v.Floor, v.At)
	case v.Where != InCar && open:
		lend(&c.Floor, v.DoorFloor, v.At)
	}
	switch {
	case v.Where == InCar && v.Motion != elevator.MotionUnknown:
		lend(&c.Motion, v.Motion, v.At)
	case v.Where != InCar && open:
		lend(&c.Motion, elevator.Stopped, v.At)
	}
}

func lend[T comparable](part *elevator.Seen[T], v T, at elevator.Instant) {
	if untold(*part) {
		*part = elevator.Seen[T]{At: at, Value: v, Source: elevator.Robot}
	}
}

// untold reports a part that the controller never told, whether or not a robot did.
func untold[T comparable](part elevator.Seen[T]) bool {
	return part.At == 0 && !part.Failed || part.Source == elevator.Robot
}
