package dispatch

import (
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// What an estimate assumes where nothing was learned.
const (
	aFloor = 3 * time.Second  // past one landing
	aDoor  = 4 * time.Second  // to open at the landing
	aRide  = 45 * time.Second // of another robot, from its landing to the end
)

// eta estimates the time until a car can stand open at the landing where a ride begins.
// It is a comparison more than a promise. A car whose floor is not known is taken to be
// as far away as it can be.
func (s *Site) eta(c *car, e *entry, now elevator.Instant) time.Duration {
	from, side, _ := landing(c, e.book.Asked.From, e.book.Asked.FromDoor, "from")
	t := time.Duration(s.ahead(c, e, now)) * aRide
	if !c.opensAt(from, side, now) {
		t += aDoor + time.Duration(c.floorsAway(from, now))*c.pace.floor()
	}
	return t
}

func (c *car) floorsAway(f elevator.Floor, now elevator.Instant) int {
	at := c.seen.Car.Floor
	if f == 0 || !at.Fresh(now, sightLimit) || at.Value == 0 {
		return len(c.Floors)
	}
	return max(int(at.Value)-int(f), int(f)-int(at.Value))
}

// sightLimit is how old a reading may be that a choice rests on.
const sightLimit = 3 * time.Second

// opensAt reports a car that is seen to stand open there.
func (c *car) opensAt(f elevator.Floor, side elevator.Side, now elevator.Instant) bool {
	s := &c.seen.Car
	d := s.Door(side)
	return f != 0 && s.Link == elevator.Online && s.Floor.Fresh(now, sightLimit) && s.Floor.Value == f &&
		s.Motion.Fresh(now, sightLimit) && s.Motion.Value == elevator.Stopped &&
		d.Fresh(now, sightLimit) && d.Value == elevator.DoorOpen
}

// pace learns how long a car takes from one landing to the next.
type pace struct {
	at     elevator.Floor
	since  elevator.Instant // it came past there
	going  bool             // it has moved at each reading since
	learnt time.Duration    // 0 = nothing yet
}

func (p *pace) floor() time.Duration {
	if p.learnt == 0 {
		return aFloor
	}
	return p.learnt
}

// look takes in a reading.
func (p *pace) look(car *elevator.Snapshot, now elevator.Instant) {
	f, moves := car.Floor.Value, car.Motion.Value == elevator.MovingUp || car.Motion.Value == elevator.MovingDown
	if f == 0 || car.Link != elevator.Online {
		*p = pace{learnt: p.learnt}
		return
	}
	if f == p.at {
		p.going = p.going && moves
		return
	}
	if n := max(int(f)-int(p.at), int(p.at)-int(f)); p.at != 0 && p.going && moves {
		took := min(max(now.Sub(p.since)/time.Duration(n), time.Second/2), 20*time.Second)
		p.learnt = p.floor() + (took-p.floor())/4
	}
	p.at, p.since, p.going = f, now, moves
}

// comes estimates the time until the car of a ride that has it is at From; 0 = it is
// there, or the robot has it behind itself.
func (s *Site) comes(c *car, r *fsm.Ride, now elevator.Instant) time.Duration {
	early := r.State == fsm.Idle || r.State == fsm.Requesting || r.Phase == fsm.Called
	if !early || c.opensAt(r.From, r.FromSide, now) {
		return 0
	}
	return aDoor + time.Duration(c.floorsAway(r.From, now))*c.pace.floor()
}
