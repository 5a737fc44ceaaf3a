package fsm

import "hoistway/fsm/elevator"

// guard gives way: fire and the other modes, an overload, a lost or silent link,
// a standing contradiction. It reports whether that ended the state.
func (s *step) guard() bool {
	switch s.State {
	case Requesting, Waiting, Moving, Exiting:
	default:
		return false
	}
	if s.Where == Outside && s.Aboard {
		return false // it is out: nothing can hinder the end of the ride
	}
	if (s.State == Requesting || s.Phase == Called) && s.Where == Inside {
		return s.fail(BoardTimeout, "the robot is in the car after all")
	}
	if code, why := s.hindrance(); code != NoFault {
		return s.fail(code, why)
	}
	if s.watchClaim() {
		return true
	}
	if s.clashed() {
		return s.fail(SignalConflict, "lift and robot contradict each other: "+s.Clash.Kind)
	}
	return false
}

// hindrance is what stands against going on in this state.
func (s *step) hindrance() (Code, string) {
	if code := modeCode(&s.Car); code != NoFault && !s.leavesAnyway() {
		return code, "the lift is in mode " + modeWord(&s.Car)
	}
	if s.overloaded() {
		return Overload, "the car is overloaded"
	}
	if s.Car.Link == elevator.Offline {
		return LinkLost, "the controller is not heard"
	}
	if s.silent() && !(s.Plan.Blind && s.Phase == Claiming) {
		return StaleData, "no fresh floor and door"
	}
	return NoFault, ""
}

// leavesAnyway reports an exit that the mode of the lift does not forbid.
func (s *step) leavesAnyway() bool {
	return s.State == Exiting && s.modeLets(s.Way, s.WayFloor)
}

// modeLets reports that the mode as it is now allows this way out: in a fire the
// recall floor alone, in an earthquake or out of service any floor, and back at From
// in all but a fire.
func (r *Ride) modeLets(way PermitKind, f elevator.Floor) bool {
	switch modeCode(&r.Car) {
	case NoFault:
		return true
	case ModeFire:
		return way == Evacuate && f == r.Plan.RecallFloor
	case ModeSeismic, OutOfService:
		return way == Evacuate || way == LeaveBack
	}
	return way == LeaveBack
}

// overloaded matters only while the robot may be the one who is too much.
func (s *step) overloaded() bool {
	early := s.Phase == Boarding || s.State == Moving && !s.LeftFrom && s.Phase != Returning
	return early && s.Car.Overload.Value == elevator.Yes && s.Car.Overload.Fresh(s.now, slowLimit)
}

// silent reports that the floor or the door of this stop was not read for long.
func (s *step) silent() bool { return s.silentAt().Reached(s.now) }

// toldAt is the same for a controller that may tell but one of the two, or neither: then
// its mode is what is heard of it.
func (r *Ride) toldAt(side elevator.Side) elevator.Instant {
	switch floor, door := !untold(r.Car.Floor), !untold(r.Car.Door(side)); {
	case floor && door:
		return min(r.Car.Floor.At, r.Car.Door(side).At)
	case floor:
		return r.Car.Floor.At
	case door:
		return r.Car.Door(side).At
	}
	return r.Car.Mode.At
}

// silentAt is when silence becomes a fault.
func (r *Ride) silentAt() elevator.Instant {
	_, side := r.stop()
	heard := min(r.Car.Floor.At, r.Car.Door(side).At)
	if r.Plan.Sight {
		heard = r.toldAt(side)
	}
	return max(heard, r.Watch, 1).Add(silenceLimit) + 1
}

// modeCode is the fault that the mode of a car means; none for normal and for
// unknown, which forbids permits but is no fault by itself. A mode that was read
// once holds until another is read: a fire is not over because the line is silent.
func modeCode(car *elevator.Snapshot) Code {
	switch m := car.Mode.Value; {
	case m.Recalls():
		return ModeFire
	case m == elevator.Seismic:
		return ModeSeismic
	case m == elevator.EmergencyStop || car.EmergencyStop.Value == elevator.Yes:
		return EmergencyStop // whatever milder mode is shown beside it
	case m == elevator.Inspection:
		return ModeInspection
	case m.Manned():
		return ModeIndependent
	case m.Out():
		return OutOfService
	}
	return NoFault
}

func modeWord(car *elevator.Snapshot) string {
	if modeCode(car) == EmergencyStop {
		return elevator.EmergencyStop.String()
	}
	return car.Mode.Value.String()
}

// fit reports that the car is fresh and its mode allows a ride.
func (r *Ride) fit(now elevator.Instant) bool {
	ok, _ := r.Plan.Accepting(&r.Car, now)
	_, side := r.stop()
	return ok && r.readable(side, now)
}

// Accepting reports whether a car of this plan may take a new ride, and if not why: one
// that tells strangers nothing may while it is heard at all, and one that never tells its
// floor where a robot's sight may stand in for that. The zero Plan stands for one that is not known.
func (p *Plan) Accepting(car *elevator.Snapshot, now elevator.Instant) (bool, Code) {
	code := modeCode(car)
	blind := func(never bool) bool { return p.Blind && p.Claims || p.Sight && never }
	switch {
	case code != NoFault:
	case car.Link != elevator.Online:
		code = LinkLost
	case !car.Floor.Fresh(now, slowLimit) && !blind(untold(car.Floor)):
		code = StaleData
	case (!car.Mode.Fresh(now, slowLimit) || car.Mode.Value == elevator.ModeUnknown) && !(p.Blind && p.Claims):
		code = StaleData
	case car.Overload.Value == elevator.Yes:
		code = Overload
	}
	return code == NoFault, code
}
