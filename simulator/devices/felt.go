package devices

import (
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// NewRealWorld is a world on the machine's own clock, from now on.
func NewRealWorld(b *building.Building) *World {
	start := time.Now()
	return NewWorld(b, func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 })
}

// Doorway puts a body into a door of a lift, or takes it away. Words that name no
// lift or door do nothing.
func (w *World) Doorway(lift, side string, blocked bool) {
	if s, ok := elevator.ParseSide(side); ok {
		w.Do(func(b *building.Building) { _ = b.Obstruct(lift, s, blocked) })
	}
}

// Load sets what stands in a car, in kg.
func (w *World) Load(lift string, kg int) {
	w.Do(func(b *building.Building) { _ = b.SetLoad(lift, kg) })
}

// Look is what somebody at a door of the lift sees: the label of the landing at
// which the car is, "" when it is none; still, up or down; the door fully open.
func (w *World) Look(lift, side string) (floor, motion string, open bool) {
	var car building.CarState
	var floors elevator.Table
	w.Do(func(b *building.Building) { car, floors = b.Car(lift), b.Table(lift) })
	switch car.Motion {
	case elevator.Stopped:
		motion = "still"
	case elevator.MovingUp, elevator.MovingDown:
		motion = car.Motion.String()
	}
	door, ok := elevator.ParseSide(side)
	return floors.Label(car.Floor), motion, ok && car.Doors[door].State == elevator.DoorOpen
}
