package fsm

import (
	"slices"
	"strconv"
	"strings"

	"hoistway/fsm/elevator"
)

// hear takes in a signal, once by (boot, seq). What does not suit the state changes
// only what the robot is known to have said of itself.
func (s *step) hear(ev *Signaled) {
	content := s.now - elevator.Instant(max(ev.Age, 0))
	if !s.fresh(ev.Signal, content) {
		return
	}
	if ev.Boot != s.Boot && s.Boot != "" {
		s.Boots = [3]string{s.Boot, s.Boots[0], s.Boots[1]}
	}
	s.Boot, s.Seq = ev.Boot, ev.Seq
	s.beats(ev.Kind)
	if ev.Kind == Heartbeat && content < s.Self.At {
		return // it tells of a time before what is known
	}
	if ev.Battery >= 0 {
		s.Battery = min(ev.Battery, 100)
	}
	s.Self = ev.View
	s.Self.At = content
	if s.Plan.Sight {
		s.borrow()
	}
	if !s.Quotes(ev.Permit) || s.Granted && content < s.LeaseAt {
		return // it tells of a time when the car was not this ride's
	}
	if s.compare(ev, content) {
		s.locate(ev, content)
		s.told(ev)
	}
}

// fresh reports a signal that was not applied before. A new boot starts anew; a
// late signal of an older boot is known by its name, or by content older than what
// was heard last.
func (s *step) fresh(sig Signal, content elevator.Instant) bool {
	if sig.Boot == s.Boot {
		return sig.Seq > s.Seq
	}
	return s.Boot == "" || content >= s.Self.At && !slices.Contains(s.Boots[:], sig.Boot)
}

// Heard reports that the robot's signal was applied before; Quotes that the permit
// which it names, if any, is one of the ride under its present lease. A signal that
// fails the second moves nothing.
func (r *Ride) Heard(sig Signal) bool {
	return sig.Boot == r.Boot && sig.Seq <= r.Seq || slices.Contains(r.Boots[:], sig.Boot)
}

// Quotes see [Ride.Heard].
func (r *Ride) Quotes(permit string) bool {
	if permit == "" {
		return true
	}
	n, ok := strings.CutPrefix(permit, r.ID+"/")
	if !ok {
		return false
	}
	i, err := strconv.ParseUint(n, 10, 32)
	return err == nil && uint32(i) > r.PermitLow && uint32(i) <= r.PermitN
}

// ID is the name of the permit in signals and on the API.
func (p Permit) ID(ride string) string { return ride + "/" + strconv.FormatUint(uint64(p.N), 10) }

// told does what a signal means beyond where the robot is.
func (s *step) told(ev *Signaled) {
	switch ev.Kind {
	case Ready:
		s.Ready = s.Ready || s.State == Idle
	case Entering, KeepOpen:
		if s.Phase == Boarding {
			s.Deadline = s.boardLimit()
		}
	case Entered:
		s.entered(ev)
	case GaveUpEntering:
		s.gaveUpEntering(ev)
	case GaveUpLeaving:
		s.gaveUpLeaving(ev)
	case CannotMove:
		s.stuck(true)
	case Cleared:
		s.stuck(false)
	}
}

func (s *step) entered(ev *Signaled) {
	if ev.View.Where != InCar || s.Where != Inside {
		return
	}
	switch {
	case s.Phase == Boarding:
		s.aboard(toBoard, "the robot says that it is in")
	case s.State == Fault && s.RetryAt != 0 && s.PermitWas == Enter:
		s.RetryAt = min(s.RetryAt, s.now) // it has come in after all: no need to wait
	}
}

// gaveUpEntering lets the door go and tries again after a while. A crowded car is
// no failure of this ride.
func (s *step) gaveUpEntering(ev *Signaled) {
	if s.Phase != Boarding || s.Where != Outside || ev.View.Where != AtLanding {
		return
	}
	s.notify(elevator.GaveUpEntering, s.From, s.FromSide)
	if s.CancelAsked {
		return
	}
	code := BoardTimeout
	if s.Car.Overload.Value == elevator.Yes {
		code = Overload
	}
	s.fail(code, "the robot gave up entering")
}

// gaveUpLeaving takes the robot to the safe floor, or to its destination again.
func (s *step) gaveUpLeaving(ev *Signaled) {
	if s.State != Exiting || s.Where != Inside || ev.View.Where != InCar {
		return
	}
	s.notify(elevator.GaveUpLeaving, s.WayFloor, s.WaySide)
	s.Diverted = s.Plan.SafeFloor != 0 && s.Plan.SafeFloor != s.WayFloor
	s.fail(ExitTimeout, "the robot gave up leaving")
}

func (s *step) stuck(on bool) {
	if s.Stuck == on {
		return
	}
	s.Stuck = on
	a := Alarm{Code: RobotStuckAlarm, On: on, Detail: "moves again"}
	if on {
		a.Detail = "the robot cannot move: " + string(s.Self.Where)
	}
	s.fx = append(s.fx, a)
}
