package cli

import (
	"hoistway/simulator/devices"
	"hoistway/simulator/robots"
)

// presence lets a robot be felt by the building, its body in the doorway and its
// weight in the car, and gives it eyes.
type presence struct{ *devices.World }

// See is what the robot's own eyes and its own sense of motion tell.
func (p presence) See(lift, side string) robots.Sight {
	floor, motion, open := p.Look(lift, side)
	return robots.Sight{Floor: floor, Motion: motion, Open: open}
}
