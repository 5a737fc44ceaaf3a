package fsm

import "hoistway/fsm/elevator"

// done pays what is owed and gives the car back to people.
func (s *step) done() {
	shut := s.shutBehind()
	if s.DoorAlarm && shut {
		s.doorAlarm(false)
	}
	s.missing(false)
	if s.Unclaim {
		s.Unclaim = false
		s.fx = append(s.fx, Alarm{Code: ClaimLostAlarm, Detail: "over"})
	}
	if s.NoStore {
		s.storeLost(StoreLost{Back: true})
	}
	if !s.Granted {
		return
	}
	s.cancelCall("the ride is over")
	s.cancelFormer("the ride is over")
	s.lapse("the ride is over")
	s.giveBack("the ride is over")
	s.alarm(NoFault, "")
	end := s.Since.Add(closeLimit)
	switch {
	case shut && !s.owes():
		s.free(false)
	case end.Reached(s.now):
		_, side := s.stop()
		s.doorAlarm(!shut && !(s.Plan.Sight && untold(s.Car.Door(side))))
		s.free(false)
	}
}

// owes reports that the controller may think that the car is still ours: it gave
// it, or a claim is out that was not refused.
func (r *Ride) owes() bool { return r.Plan.Claims && (r.Claimed || r.ClaimN != 0) }

// settled reports that nothing is owed, or that it was offered for long enough to a
// controller that could have taken it.
func (s *step) settled() bool {
	return !s.owes() || s.online() && !s.untouchable() && s.Since.Add(closeLimit).Reached(s.now)
}

// shutBehind reports that the door which the robot used is known to be closed, or
// that the car has gone.
func (s *step) shutBehind() bool {
	f, side := s.stop()
	return s.away(f, s.now) || s.door(side, s.now) == elevator.DoorClosed
}

// doorAlarm tells people of a door that is still open, or not known to be closed.
func (s *step) doorAlarm(on bool) {
	if s.DoorAlarm == on {
		return
	}
	s.DoorAlarm = on
	a := Alarm{Code: DoorOpenAlarm, On: on, Detail: "closed"}
	if on {
		_, side := s.stop()
		a.Detail = "the door is " + s.door(side, s.now).String() + " after the ride"
	}
	s.fx = append(s.fx, a)
}
