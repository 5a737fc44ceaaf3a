package fsm

import (
	"time"

	"hoistway/fsm/elevator"
)

// send gives a command its number and asks for it, unless it must not be asked
// now. It reports whether it was.
func (s *step) send(c elevator.Command, life time.Duration) bool {
	if s.hush(c) {
		return false
	}
	if c.MayClose {
		s.CloseAt = s.now
	}
	s.NextN++
	c.ID = elevator.CommandID{Ride: s.ID, N: s.NextN}
	if c.Until == 0 {
		c.Until = s.now.Add(life)
	}
	urgent := c.Verb == elevator.Hold || c.Verb == elevator.GiveBack || c.Verb == elevator.CancelCall && s.Latched
	s.fx = append(s.fx, Send{Command: c, Urgent: urgent})
	return true
}

// hush is the last gate before a command, whatever the rules above it think:
// nothing that may close a door on a robot that may be in it, nothing to a lift that
// is not ours, in fire service or under inspection, and nothing new when the
// program ends.
func (s *step) hush(c elevator.Command) bool {
	switch {
	case c.MayClose && !s.sure():
		s.illegal(c.Verb.String())
		return true
	case !s.Granted, s.broken():
		return true
	case s.untouchable():
		return true
	case s.Ending:
		return c.Verb == elevator.LandingCall || c.Verb == elevator.CarCall || c.Verb == elevator.Journey || c.Verb == elevator.Claim
	}
	return false
}

// untouchable reports a lift of which nothing at all may be asked.
func (s *step) untouchable() bool {
	return s.Car.Mode.Value.Recalls() || s.Car.Mode.Value == elevator.Inspection
}

// known reports that the robot is where a door may close.
func (r *Ride) known() bool { return r.Where == Outside || r.Where == Inside }

// lapse ends a hold early, where that exists and one is running.
func (s *step) lapse(why string) {
	if !s.Plan.HasLapse || s.Door.Until <= s.now || !s.sure() || !s.Granted || !s.online() {
		return
	}
	if s.send(elevator.Command{
		Verb: elevator.Lapse, Floor: s.Door.Floor, Side: s.Door.Side, Reason: why, MayClose: true,
	}, lapseLife) {
		s.Door.Until, s.Door.Renew = s.now, 0
	}
}

// notify tells the controller what the robot did, where it must be told. Where that word
// may close a door it is not said of a robot that may be in it.
func (s *step) notify(n elevator.Notice, f elevator.Floor, side elevator.Side) {
	closes, life := s.Plan.NotifyMayClose, callLife
	if closes {
		life = lapseLife
	}
	if !s.Plan.Notifies || closes && !s.sure() {
		return
	}
	sent := s.send(elevator.Command{
		Verb: elevator.Notify, Notice: n, Floor: f, Side: side, Reason: "the robot says " + n.String(), MayClose: closes,
	}, life)
	if sent && n == elevator.HasLeft {
		s.NoteN, s.NoteEnd = s.NextN, s.now.Add(life)
	}
}

// cancelCall takes back the call of this leg, where that exists and one may stand.
func (s *step) cancelCall(why string) {
	c := s.Call.Command
	if c.ID.N == 0 || !s.Plan.HasCancel {
		s.letGo()
		return
	}
	if !s.Granted || !s.online() || s.Plan.CancelMayClose && !s.sure() {
		return // while the line is lost it stays owed, and while it could close a door on the robot
	}
	life := callLife
	if s.Plan.CancelMayClose {
		life = lapseLife
	}
	if s.send(elevator.Command{
		Verb: elevator.CancelCall, Floor: c.Floor, To: c.To, Side: c.Side, Direction: c.Direction,
		Car: c.Verb == elevator.CarCall, Reason: why, MayClose: s.Plan.CancelMayClose,
	}, life) {
		s.Call = Wish{}
	}
}

// giveBack returns a claimed car. It is owed until the controller takes it, and
// asked again with a new number while it does not; a lost line is waited for.
func (s *step) giveBack(why string) {
	if s.NoteEnd.Reached(s.now) {
		s.NoteN, s.NoteEnd = 0, 0
	}
	if !s.owes() || s.NoteN != 0 || s.Where != Outside || !s.online() || s.BackN != 0 && s.now < s.BackAt {
		return
	}
	if s.send(elevator.Command{Verb: elevator.GiveBack, Reason: why, MayClose: true}, lapseLife) {
		s.BackN, s.BackAt = s.NextN, s.now.Add(backEvery)
	}
}

// alarm raises the one alarm of the ride, or clears it with NoFault.
func (s *step) alarm(c Code, detail string) {
	if s.Alarmed == c {
		return
	}
	if s.Alarmed != NoFault {
		s.fx = append(s.fx, Alarm{Code: string(s.Alarmed), Detail: "over"})
	}
	if c != NoFault {
		s.fx = append(s.fx, Alarm{Code: string(c), On: true, Detail: detail})
	}
	s.Alarmed = c
}
