package fsm

import (
	"hash/fnv"
	"strconv"
	"time"
)

// fail leaves the state for FAULT, and FAULT for FAULT_LOCKED when it was one too
// many. It reports whether the state changed.
func (s *step) fail(c Code, why string) bool {
	exit := s.State == Exiting && c.class() == retries
	if !s.move(toFail, Recovering, why) {
		return false
	}
	s.Aboard = s.Aboard || s.Where == Inside
	if c == CallNotAccepted || c == TravelTimeout {
		s.Restored = false // the lamp was waited for since the restart, and nobody reads it
	}
	s.blame(c)
	if exit {
		s.exitFailed()
	}
	switch {
	case s.Latched: // a person must come anyhow, and a fire may have to let the robot out
	case s.RetryN > s.Params.Retries:
		s.lock(why)
	case s.ExitN >= maxExits:
		s.lock(why + ", and so did the exits before")
	}
	return true
}

// exitFailed counts the exits that came to nothing. A robot that is carried about by a lift
// which lets it out nowhere would go round for ever, since each ride begins its count anew.
func (s *step) exitFailed() {
	if s.ExitAt == 0 || s.ExitAt.Add(insideWindow).Reached(s.now) {
		s.ExitN = 0
	}
	s.ExitN++
	s.ExitAt = s.now
}

// blame writes down what the fault is and when the local policy may go on.
func (s *step) blame(c Code) {
	s.FaultAt, s.Planned, s.RetryAt = s.now, false, 0
	s.FaultNo++
	s.Clash.Agree = 0
	kind := c.class()
	if c == SignalConflict {
		s.Conflicts++
		if s.Conflicts > 1 {
			kind = latches
		}
	}
	if kind == retries {
		s.RetryN++
	}
	if !s.Latched || kind == latches && s.Code != ModeFire { // what only a person clears, no other fault covers up
		s.Code, s.Latched = c, kind == latches
	}
	if !s.Latched || c == ExitTimeout {
		s.RetryAt = s.now.Add(s.Params.CloudWait + s.backoff())
	}
}

// backoff doubles with each failure in a row. Its jitter, a quarter either way,
// comes from the ride and the fault, so that a fleet does not act in step and the
// same ride does the same again.
func (s *step) backoff() time.Duration {
	d := s.Params.Backoff << min(max(s.RetryN-1, 0), 6)
	h := fnv.New32a()
	_, _ = h.Write([]byte(s.ID + "/" + strconv.Itoa(s.FaultNo)))
	permille := 750 + time.Duration(h.Sum32()%501)
	return (d * permille / 1000).Round(time.Millisecond)
}

func (s *step) lock(why string) {
	if s.move(toLock, Locked, why) {
		s.RetryAt = 0
	}
}

// worsen turns a standing fault into one that only a person clears, when the lift
// goes into fire, seismic or emergency stop meanwhile. The state stays, so that
// the change of the fault is what is told. A person's reset does not end a fire
// that still stands.
func (s *step) worsen() {
	code := modeCode(&s.Car)
	if code.class() != latches || code == NoFault || s.Latched && (s.Code == code || s.Code == ModeFire) {
		return
	}
	s.Permit = Permit{}
	s.Why = "the lift is in mode " + modeWord(&s.Car)
	s.blame(code)
	s.fx = append(s.fx, Moved{From: s.State, To: s.State, Phase: s.Phase, Why: s.Why})
}

// causeGone reports that what the fault waits for is over.
func (s *step) causeGone() bool {
	if !s.fit(s.now) {
		return false
	}
	return s.Code != SignalConflict || s.Where != Inside || s.agreed()
}

// agreed reports that lift and robot have agreed for long enough.
func (s *step) agreed() bool {
	a := s.Clash.Agree
	return a != 0 && s.Self.At.Sub(a) >= agreeFor
}
