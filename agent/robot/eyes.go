package robot

import (
	"time"

	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// sightLimit is how old what the robot sees may be that a way out rests on.
const sightLimit = 2 * time.Second

const (
	fromRobot  = iota // its software's signals
	fromSource        // its own source of displacement
	sources
)

// Sight is what one source shows of the robot, whole and dated. A part that it does not
// tell is unknown.
type Sight struct {
	At     elevator.Instant
	Where  fsm.SignalWhere
	Floor  elevator.Floor // only where it is sure
	Motion elevator.Motion
	Door   drivers.SeenDoor // of floor 0: none is seen
}

// Eyes is the newest sight of each source.
type Eyes [sources]Sight

func (e *Eyes) see(from int, s Sight) {
	if s.At > e[from].At {
		e[from] = s
	}
}

func sightOf(s drivers.RideSignal) Sight {
	out := Sight{At: s.At, Where: fsm.SignalWhere(s.Where), Motion: s.Motion}
	if s.FloorSure {
		out.Floor = s.Floor
	}
	if s.Door != nil {
		out.Door = *s.Door
	}
	return out
}

// verdict of one part: each fresh source is asked, one that says no outweighs all.
type verdict struct{ yes, no bool }

func (v *verdict) say(known, good bool) {
	v.yes, v.no = v.yes || known && good, v.no || known && !good
}

// lacks says what the eyes do not show of a door to leave by; "" is nothing. until is
// when the oldest sight that it rests on is too old.
func (e *Eyes) lacks(p drivers.LeavePass, now elevator.Instant) (lacks string, until elevator.Instant) {
	var floor, motion, door, inside verdict
	for _, s := range e {
		if s.At == 0 || now.Sub(s.At) > sightLimit || s.At > now {
			continue
		}
		floor.say(s.Floor != 0, s.Floor == p.Floor)
		motion.say(s.Motion != elevator.MotionUnknown, s.Motion == elevator.Stopped)
		door.say(s.Door.Floor != 0 && s.Door.Side == p.Side, s.Door.Floor == p.Floor && s.Door.Open)
		inside.say(s.Where != "" && s.Where != fsm.Nowhere, s.Where == fsm.InCar)
		if end := s.At.Add(sightLimit); until == 0 || end < until {
			until = end
		}
	}
	switch {
	case floor.no || !floor.yes:
		return "its own eyes show this floor", 0
	case door.no || !door.yes:
		return "its own eyes show the door open", 0
	case motion.no || !motion.yes:
		return "its own senses show the car standing", 0
	case inside.no:
		return "it says that it is in the car", 0
	}
	return "", until
}
