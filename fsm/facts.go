package fsm

import (
	"time"

	"hoistway/fsm/elevator"
)

// The facts about the car that rules ask for. Each is false when it is not known
// freshly: unknown is never open, closed or standing.

// sight is how old a reading may be that a call or a hold rests on: two poll
// periods, not less than the limit of a permit and not more than three seconds.
func (r *Ride) sight() time.Duration { return min(max(2*r.Plan.Poll, sightLimit), slowLimit) }

func (r *Ride) online() bool { return r.Car.Link == elevator.Online }

func (r *Ride) at(f elevator.Floor, now elevator.Instant) bool {
	return f != 0 && r.online() && r.Car.Floor.Fresh(now, r.sight()) && r.Car.Floor.Value == f
}

func (r *Ride) standing(now elevator.Instant) bool {
	return r.online() && r.Car.Motion.Fresh(now, r.sight()) && r.Car.Motion.Value == elevator.Stopped
}

func (r *Ride) running(now elevator.Instant) bool {
	m := r.Car.Motion
	return r.online() && m.Fresh(now, r.sight()) && (m.Value == elevator.MovingUp || m.Value == elevator.MovingDown)
}

// away reports that the car is known not to stand at f.
func (r *Ride) away(f elevator.Floor, now elevator.Instant) bool {
	fl := r.Car.Floor
	return r.running(now) || r.online() && fl.Fresh(now, r.sight()) && fl.Value != 0 && fl.Value != f
}

// door gives the state of the door as far as it is known now.
func (r *Ride) door(side elevator.Side, now elevator.Instant) elevator.Door {
	d := r.Car.Door(side)
	if !r.online() || !d.Fresh(now, r.sight()) {
		return elevator.DoorUnknown
	}
	return d.Value
}

// standsOpen reports that the car stands at f with that door fully open.
func (r *Ride) standsOpen(f elevator.Floor, side elevator.Side, now elevator.Instant) bool {
	return r.at(f, now) && r.standing(now) && r.door(side, now) == elevator.DoorOpen
}

// opens is standsOpen with a door that has begun to open counted in.
func (r *Ride) opens(f elevator.Floor, side elevator.Side, now elevator.Instant) bool {
	d := r.door(side, now)
	return r.at(f, now) && r.standing(now) && (d == elevator.DoorOpen || d == elevator.DoorOpening)
}

// closes reports the step in which the door of a stop is first seen to close.
func (s *step) closes(side elevator.Side) bool {
	closed := func(d elevator.Door) bool { return d == elevator.DoorClosing || d == elevator.DoorClosed }
	return s.seen && !s.shut && closed(s.door(side, s.now)) && !closed(s.was.Door(side).Value)
}

// readable reports that floor and one door are seen now, as far as this controller tells
// them at all: the rest is the robot's to see when it stands there.
func (r *Ride) readable(side elevator.Side, now elevator.Instant) bool {
	floor := r.Car.Floor.Fresh(now, r.sight()) || r.Plan.Sight && untold(r.Car.Floor)
	door := r.door(side, now) != elevator.DoorUnknown || r.Plan.Sight && untold(r.Car.Door(side))
	return r.online() && (floor && door || r.blindfold())
}

// blindfold reports a controller that shows nothing before it has given the car.
func (r *Ride) blindfold() bool {
	return r.Plan.Blind && r.Plan.Claims && !r.Claimed && (r.State == Idle || r.State == Fault && r.Ashore())
}

// stop is the landing and side that matter in the state that the ride is in.
func (r *Ride) stop() (elevator.Floor, elevator.Side) {
	switch {
	case r.Way != "" && (r.State == Exiting || r.State == Done):
		return r.WayFloor, r.WaySide
	case r.Aboard && r.To != 0:
		return r.To, r.ToSide
	}
	return r.From, r.FromSide
}

// coming reports a ride that still waits for its car: where that was before is nothing to it.
func (r *Ride) coming() bool { return r.State == Idle || r.State == Requesting || r.Phase == Called }

// look takes in a reading.
func (s *step) look(car *elevator.Snapshot) {
	s.was = s.Car // one by one: assigned together they would be copied twice
	s.Car = *car
	s.seen = true
	if s.Plan.Sight {
		s.borrow()
	}
	_, side := s.stop()
	if s.Restarted && s.readable(side, s.now) {
		s.Restarted, s.lasting = false, true
		s.asItWas()
	}
	if !s.LeftFrom && !s.coming() && s.away(s.From, s.now) {
		s.LeftFrom, s.lasting = true, true
	}
	s.serve()
	s.cool()
	if s.Unseen != "" {
		s.bearOut()
	}
}
