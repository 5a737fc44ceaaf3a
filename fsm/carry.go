package fsm

// carried goes over to another car of the same group: the state stays, and so does the
// landing call, which is the group's. What was held or owed at the other car is not: the
// ride goes over only while there is nothing of that ([Ride.MayMove]).
func (s *step) carried(ev *Leased) {
	if !s.MayMove(true) || ev.Epoch <= s.Epoch {
		s.illegal("leased")
		return
	}
	s.Lift, s.Epoch, s.Why = ev.Lift, ev.Epoch, ev.Why
	s.Plan, s.Params = ev.Plan.orDefault(), ev.Params.orDefault()
	s.LeaseAt, s.Watch = s.now, s.now
	s.PermitLow = s.PermitN
	s.Door, s.Past = DoorHold{}, [3]DoorHold{}
	s.account(s.From, s.FromSide)
	s.look(&ev.Car)
}
