package fsm

import "hoistway/fsm/elevator"

// leased takes the car that dispatch has granted.
func (s *step) leased(ev *Leased) {
	if s.Granted && ev.Lift != s.Lift && s.MayMove(ev.Carry) && !ev.Plan.Claims {
		s.goOver(ev)
		return
	}
	if s.Granted || s.State != Idle && s.State != Fault || s.State == Idle && !s.Ready || ev.Lift == s.Lift && ev.Epoch <= s.Epoch {
		s.illegal("leased")
		return
	}
	if ev.Lift != s.Lift {
		s.Earlier = [2]Wish{} // other buttons
	}
	s.Lift, s.Epoch, s.Granted = ev.Lift, ev.Epoch, true
	s.Plan, s.Params = ev.Plan.orDefault(), ev.Params.orDefault()
	s.LeaseAt, s.Watch, s.Other = s.now, s.now, false
	s.PermitLow = s.PermitN // a signal that quotes a permit of an older lease changes nothing
	s.look(&ev.Car)
}

// goOver takes another car of the group in place of the one that the ride has. The call
// at the landing is the group's: it stands, and is not pressed again.
func (s *step) goOver(ev *Leased) {
	s.Lift, s.Epoch = ev.Lift, ev.Epoch
	s.Plan, s.Params = ev.Plan.orDefault(), ev.Params.orDefault()
	s.LeaseAt, s.Watch, s.Other, s.Why = s.now, s.now, false, ev.Why
	s.PermitLow = s.PermitN
	s.LeftFrom, s.Door, s.Past = false, DoorHold{}, [3]DoorHold{}
	s.account(s.From, s.FromSide)
	s.look(&ev.Car)
}

// free ends the lease. Only a robot that is known outside lets the car go, and not
// before what may close its door is over: the next robot may cross at once.
func (s *step) free(keepPlace bool) {
	if !s.Granted || s.Where != Outside || s.now < s.CloseAt.Add(lapseLife) || !s.settled() {
		return
	}
	s.Granted, s.Claimed, s.ClaimN, s.BackN, s.ClaimAt, s.Unsent = false, false, 0, 0, 0, false
	s.letGo() // from now on a call at this landing may be somebody else's
	s.Former = Wish{}
	s.fx = append(s.fx, FreeLease{KeepPlace: keepPlace, Other: s.Other && keepPlace})
}

// idle waits for the robot, for the lease and for a lift that can be used.
func (s *step) idle() {
	switch {
	case s.CancelAsked:
		s.end(Cancelled, s.Why)
	case s.Expires.Reached(s.now):
		s.end(Expired, "nobody could take the ride in time")
	case s.Phase == Standby && s.Ready:
		s.enter(Queued, "the robot is at the door")
	case s.late():
		s.Deadline = 0 // others may overtake from now on; dispatch sees it
	case s.Granted && s.fit(s.now) && !s.Ending && !s.NoStore:
		s.request("the car is ours")
	case s.Granted && s.LeaseAt.Add(keepLease).Reached(s.now):
		s.free(true)
	}
}

// request begins an attempt, the first or another.
func (s *step) request(why string) {
	t, phase := toRequest, Calling
	if s.State == Fault {
		t = toRetry
	}
	if s.BackN != 0 { // whether the give-back was taken or not: it must be ours again
		s.Claimed, s.BackN = false, 0
	}
	if s.Plan.Claims && !s.Claimed {
		phase, s.ClaimN = Claiming, 0
	}
	if !s.move(t, phase, why) {
		return
	}
	s.letGo()
	s.Unsent, s.Unseen = false, ""
	s.Reopened, s.LeftFrom, s.Clash = 0, false, Clash{}
	s.Way, s.WayFloor, s.WaySide = "", 0, 0
	s.Code, s.Watch, s.Aboard, s.Diverted = NoFault, s.now, false, false
	s.alarm(NoFault, "")
	s.account(s.From, s.FromSide)
}

// end closes the ride with the robot outside. From a fault that was latched only
// a person's word leads here, and that does not come by this way.
func (s *step) end(p Phase, why string) {
	if s.Where != Outside {
		return
	}
	t := toEnd
	if s.State == FaultLocked {
		t = toClear
	}
	if s.move(t, p, why) {
		s.CancelAsked = false
	}
}

// direction is that of the landing call. A ride that does not know yet where it goes is
// told one by whoever knows the building.
func (r *Ride) direction() elevator.Direction {
	if r.To == 0 && r.Toward != elevator.DirectionUnknown {
		return r.Toward
	}
	if r.To != 0 && r.To < r.From {
		return elevator.Down
	}
	return elevator.Up
}
