package fsm

import "hoistway/fsm/elevator"

// compare looks for a contradiction between what the robot says and the lift as it
// was at that time. It withholds permits at once. It reports whether the signal may
// be acted on: a robot that says it left through a shut door is not believed.
func (s *step) compare(ev *Signaled, content elevator.Instant) bool {
	kind := s.contradiction(ev, content)
	if kind == "" {
		s.agree(ev)
		return true
	}
	c := &s.Clash
	c.Agree = 0
	s.Permit = Permit{}
	switch {
	case c.Kind == "":
		c.At, c.N = s.now, 1
	case ev.Then.Floor.At != c.Read || ev.Then.Floor.At == 0 || kind == "left_shut":
		c.N++ // both sides are new: two signals against one reading are one sample
	}
	c.Kind, c.Read = kind, ev.Then.Floor.At
	return kind != "left_shut"
}

// agree ends a contradiction. One about the past ends only by a word about the same.
func (s *step) agree(ev *Signaled) {
	c := &s.Clash
	if c.Kind == "left_shut" && ev.Kind != Left && ev.View.Where != InCar {
		return
	}
	agree := c.Agree
	if s.State == Fault && s.Code == SignalConflict && agree == 0 && ev.View.Where == InCar {
		agree = s.Self.At
	}
	s.Clash = Clash{Agree: agree}
}

// contradiction names what cannot both be true. Silence of one side, and a lift
// that was not read at that time, contradict nothing.
func (s *step) contradiction(ev *Signaled, content elevator.Instant) string {
	inside := s.State == Moving || s.faulty() && s.Where == Inside
	mayBeIn := inside || s.State == Exiting || s.faulty() && s.Where != Outside
	v := ev.View
	switch {
	case !s.Granted && s.Where == Outside:
		return ""
	case (s.State == Requesting || s.Phase == Called) && s.Where == Outside && (v.Where == InCar || v.Where == AtDoorway):
		return "not_permitted"
	case ev.Kind == Left && mayBeIn && shutThen(&ev.Then, content):
		return "left_shut"
	case ev.Kind == Left:
		return ""
	case inside && s.Unseen == Entered && v.Where == AtLanding && !s.LeftFrom:
		return "" // that it is in was only claimed
	case inside && v.Where == AtLanding && s.LeftFrom:
		return "car_away"
	case inside && v.Where == AtLanding:
		return "not_aboard"
	case s.Phase == Boarding && v.Where == AtLanding && v.FloorSure && v.Floor != 0 && v.Floor != s.From:
		return "elsewhere"
	case (v.Where == InCar || v.Where == AtDoorway) && stoodThen(&ev.Then, content):
		return s.differs(v, &ev.Then, content)
	}
	return ""
}

// differs compares a robot in the car, or in its door, with a car that stood.
func (s *step) differs(v RobotView, then *elevator.Snapshot, content elevator.Instant) string {
	if v.Motion == elevator.MovingUp || v.Motion == elevator.MovingDown {
		return "robot_moves"
	}
	f := floorThen(then, content)
	if v.FloorSure && v.Floor != 0 && f != 0 && v.Floor != f {
		return "floors_differ"
	}
	return ""
}

func stoodThen(car *elevator.Snapshot, at elevator.Instant) bool {
	return car.Motion.Fresh(at, sightLimit) && car.Motion.Value == elevator.Stopped
}

// shutThen reports that no door was open: the car ran, or every door that was read
// was closed, and one was.
func shutThen(car *elevator.Snapshot, at elevator.Instant) bool {
	if m := car.Motion; m.Fresh(at, sightLimit) && (m.Value == elevator.MovingUp || m.Value == elevator.MovingDown) {
		return true
	}
	shut := false
	for _, d := range car.Doors[1:] {
		switch {
		case d.At == 0:
		case !d.Fresh(at, sightLimit), d.Value != elevator.DoorClosed:
			return false
		default:
			shut = true
		}
	}
	return shut
}

// clashed reports a contradiction that has lasted or was seen again.
func (s *step) clashed() bool {
	c := s.Clash
	return c.Kind != "" && (c.N >= clashCount || c.At.Add(clashLimit).Reached(s.now))
}
