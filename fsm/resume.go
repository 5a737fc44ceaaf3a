package fsm

import (
	"hoistway/fsm/elevator"
)

// resumed takes over a stored ride. Nothing is asserted before the first fresh
// reading; what had been asked for is judged by reading, never pressed again blindly.
func (s *step) resumed() {
	if s.State == Done && !s.Granted {
		return // over; there is nothing to take over
	}
	s.Restarted, s.Restored, s.Ending = true, true, false
	s.Car = elevator.Snapshot{}
	s.Watch = s.now
	s.Permit = Permit{}
	// The last numbers may never have reached the store.
	s.NextN += restartJump
	s.PermitN += restartJump
	s.outlivePermit()
	if w := &s.Call; w.Command.ID.N != 0 {
		w.Answered = true
		if !w.Taken {
			w.Sent, w.Unsure = s.now, true
		}
	}
	for i := range s.Earlier {
		if w := &s.Earlier[i]; w.Command.ID.N != 0 {
			w.Answered, w.Unsure = true, true
			if w.Sent >= s.LeaseAt { // one of an earlier lease stays one
				w.Sent = max(w.Sent, s.now)
			}
		}
	}
	s.ShutAt = 0
	if s.Beat != 0 {
		s.Beat = s.now // it could not be heard meanwhile
	}
	s.NoStore = false
	if s.NoteN != 0 {
		s.NoteN, s.NoteEnd = 0, 0 // its outcome will not come
	}
	if s.Phase == Claiming && s.ClaimN != 0 && !s.Claimed {
		s.Deadline = 0 // nor that of the claim
	}
	s.adoptHold()
	s.alarmAgain()
}

// alarmAgain tells what stands since before the restart: who keeps the alarms has
// forgotten them.
func (s *step) alarmAgain() {
	since := "since before the restart"
	if s.Alarmed != NoFault {
		s.fx = append(s.fx, Alarm{Code: string(s.Alarmed), On: true, Detail: since})
	}
	if s.Stuck {
		s.fx = append(s.fx, Alarm{Code: RobotStuckAlarm, On: true, Detail: since})
	}
	if s.Missing {
		s.fx = append(s.fx, Alarm{Code: RobotLostAlarm, On: true, Detail: since})
	}
	if s.Unclaim {
		s.fx = append(s.fx, Alarm{Code: ClaimLostAlarm, On: true, Detail: since})
	}
	if s.DoorAlarm {
		s.fx = append(s.fx, Alarm{Code: DoorOpenAlarm, On: true, Detail: since})
	}
}

// outlivePermit assumes that a permit was handed out up to the end of the process.
func (s *step) outlivePermit() {
	may := s.Phase == Boarding || s.State == Exiting || s.Where == Unknown || s.Where == Crossing
	if !may {
		return
	}
	s.PermitOut = max(s.PermitOut, s.now.Add(PermitMargin)+s.crossing())
	if s.Where == Outside && s.Phase == Boarding || s.Where == Inside && s.State == Exiting {
		s.Where = Unknown // the permit may have gone out without being stored
	}
}

// adoptHold keeps a hold that the stored ride owns for one period at most, and
// counts the time that has passed since its stop began as held.
func (s *step) adoptHold() {
	d := &s.Door
	if d.Floor == 0 {
		return
	}
	d.Until = min(d.Until, s.now.Add(s.holdFor()))
	d.Renew = 0
	if d.Since != 0 && s.atDoor() {
		d.Used = max(d.Used, s.now.Sub(d.Since), d.Until.Sub(d.Since))
	}
}

func (s *step) atDoor() bool {
	return s.Phase == Boarding || s.Phase == Registering || s.State == Exiting
}

// awaitReading is all that happens before the lift was read.
func (s *step) awaitReading() {
	switch s.State {
	case Done:
		if s.Granted {
			s.Restarted = !s.Watch.Add(silenceLimit).Reached(s.now)
		}
	case Requesting, Waiting, Moving, Exiting:
		if s.silent() {
			s.Restarted = false
			s.fail(LinkLost, "the controller is not heard since the restart")
		}
	default:
		if s.Watch.Add(silenceLimit).Reached(s.now) {
			s.Restarted = false
		}
	}
}

// asItWas looks whether the door at which the robot was when the program ended still
// stands open. If not, nobody can say what the robot did meanwhile: the ride goes on from
// where it is said to be.
func (s *step) asItWas() {
	f, side := s.stop()
	at := s.Phase == Boarding && s.Where != Outside || s.State == Exiting && s.Where != Outside
	if !at || s.standsOpen(f, side, s.now) || s.opens(f, side, s.now) {
		return
	}
	if s.away(f, s.now) || s.door(side, s.now) == elevator.DoorClosed {
		s.fail(RestartedCode, "the door closed while the program was not running")
	}
}

// stopping asks for nothing new any more. A robot that may be in the doorway gets
// one last hold of one period; it ends by itself.
func (s *step) stopping() {
	if s.Ending {
		return
	}
	f, side := s.doorway()
	if !s.known() && s.opens(f, side, s.now) {
		s.account(f, side)
		s.ask("the program ends: the last hold")
	}
	s.Ending = true
	s.Permit = Permit{}
}
