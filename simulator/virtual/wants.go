package virtual

import (
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/scenarios"
)

// A lift whose controller wants more than buttons pressed: it must be claimed, lets a
// robot in and out by a word of its own, or keeps a call only while it is kept up. All
// of it is forgotten when the controller is dark.
type wants struct {
	scenarios.Kind

	taken bool                             // it was claimed
	kept  [elevator.MaxFloors + 1]keptCall // by landing
	open  [elevator.Sides]elevator.Instant // since when a door stands fully open
}

// keptCall is a call that ends unless it is kept up.
type keptCall struct {
	landing, car elevator.Instant // 0: none
}

// welcome is how long a door must stand fully open before the controller lets a robot
// through.
const (
	welcome = 1500 * time.Millisecond
	claimIn = 3 * time.Second
)

// plan adds what the agent's profile would say of this controller.
func (k *wants) plan(p *fsm.Plan) {
	p.PermitsEnter, p.PermitsLeave = k.Permission, k.Permission
	if k.Claim {
		p.Claims, p.ClaimWithin = true, claimIn
	}
	if k.Level {
		p.Style = fsm.LevelCall
	}
	if k.NoLamps {
		p.Confirm = fsm.ConfirmAck
	}
	p.Sight = k.Sight
}

// look notes since when each door stands open, and what a dark controller forgets.
func (l *lift) lookKind(c *building.CarState) {
	if c.Dark {
		l.kind.taken, l.kind.kept = false, [elevator.MaxFloors + 1]keptCall{}
	}
	for side := 1; side < elevator.Sides; side++ {
		switch open := c.Doors[side].State == elevator.DoorOpen; {
		case !open:
			l.kind.open[side] = 0
		case l.kind.open[side] == 0:
			l.kind.open[side] = l.s.at()
		}
	}
}

// lets reports that the controller lets a robot through now.
func (l *lift) lets(c *building.CarState) bool {
	if c.Mode != elevator.Normal || c.Motion != elevator.Stopped || c.Overload || l.kind.Claim && !l.kind.taken {
		return false
	}
	for _, since := range l.kind.open {
		if since != 0 && l.s.at().Sub(since) >= welcome {
			return true
		}
	}
	return false
}

// goodKind lays over what is known what such a controller shows beside.
func (k *link) goodKind(c *building.CarState, at elevator.Instant) {
	l := k.l
	if l.kind.Permission {
		lets := tri(l.lets(c))
		k.snap.Car.MayEnter, k.snap.Car.MayLeave = seen(lets, at), seen(lets, at)
	}
	if l.kind.Claim {
		k.snap.Car.Claimed = seen(tri(l.kind.taken), at)
	}
	l.kind.hide(&k.snap.Car)
}

// hide leaves out of a reading what the controller has no point for.
func (k *wants) hide(s *elevator.Snapshot) {
	if k.NoFloor {
		s.Floor, s.Position = elevator.Seen[elevator.Floor]{}, elevator.Seen[int32]{}
	}
	if k.NoDoor {
		s.Doors = [elevator.Sides]elevator.Seen[elevator.Door]{}
	}
	if k.NoLamps {
		s.UpCalls, s.DownCalls, s.CarCalls = elevator.Seen[elevator.FloorSet]{}, elevator.Seen[elevator.FloorSet]{}, elevator.Seen[elevator.FloorSet]{}
	}
}

// claims carries out a claim or its end; false for another command.
func (l *lift) claims(w write) (no uint8, mine bool) {
	switch {
	case !l.kind.Claim:
		return noException, false
	case w.verb == elevator.Claim:
		if l.s.b.Car(l.id).Mode != elevator.Normal {
			return busy, true
		}
		l.kind.taken = true
		l.asked.claim++
		return noException, true
	case w.verb == elevator.GiveBack:
		l.kind.taken = false
		l.asked.back++
		return noException, true
	}
	called := w.verb == elevator.LandingCall || w.verb == elevator.CarCall
	return busy, called && !l.kind.taken
}

// keeps carries out a call that is a level: pressed once, and kept up from then on; false
// where calls are no levels.
func (l *lift) keeps(w write) bool {
	if !l.kind.Level || w.verb != elevator.LandingCall && w.verb != elevator.CarCall {
		return false
	}
	end := &l.kind.kept[w.floor].car
	if w.verb == elevator.LandingCall {
		end = &l.kind.kept[w.floor].landing
	}
	again := *end != 0
	*end = l.s.at().Add(time.Duration(w.sec) * time.Second)
	return again
}

// dropLevels ends the calls that nobody keeps up any more.
func (l *lift) dropLevels() {
	if !l.kind.Level {
		return
	}
	for f := range l.kind.kept {
		k, floor := &l.kind.kept[f], elevator.Floor(f)
		if k.landing.Reached(l.s.at()) {
			k.landing = 0
			_ = l.s.b.CancelLanding(l.id, floor) // of a landing that there is
		}
		if k.car.Reached(l.s.at()) {
			k.car = 0
			_ = l.s.b.CancelCar(l.id, floor)
		}
	}
}

// levels lists the lifts whose calls are levels.
func (c Setup) levels() (ids []string) {
	for _, l := range c.Lifts {
		if l.Level {
			ids = append(ids, l.ID)
		}
	}
	return ids
}
