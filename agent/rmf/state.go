package rmf

import (
	"slices"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// sight is how old a value may be that is shown; an older one is unknown.
const sight = 3 * time.Second

// silence is how long nothing may be heard of a lift that is not OFFLINE.
const silence = 5 * time.Second

// stateOf shows a lift. Whoever holds it is h.
func stateOf(l *core.LiftView, h holder, tm core.Time) LiftState {
	s := LiftState{
		LiftTime: timeOf(tm.Wall), LiftName: l.ID, AvailableFloors: labels(l.Floors),
		AvailableModes: []Mode{ModeHuman, ModeAGV}, SessionID: h.name,
		MotionState: motionOf(&l.Car, tm.Now), CurrentMode: modeOf(l, h, tm.Now),
	}
	if at, known := seen(&l.Car, l.Car.Floor, tm.Now); known {
		s.CurrentFloor = l.Floors.Label(at)
	}
	s.DestinationFloor = h.destination(l.Floors)
	s.DoorState = doorOf(l, h, tm.Now)
	return s
}

// same reports two states that tell the same, whenever they were made.
func same(a, b *LiftState) bool {
	return a.LiftName == b.LiftName && a.CurrentFloor == b.CurrentFloor && a.DestinationFloor == b.DestinationFloor &&
		a.DoorState == b.DoorState && a.MotionState == b.MotionState && a.CurrentMode == b.CurrentMode &&
		a.SessionID == b.SessionID && slices.Equal(a.AvailableFloors, b.AvailableFloors)
}

func labels(t elevator.Table) []string {
	out := make([]string, len(t))
	for i := range t {
		out[i] = t[i].Label
	}
	return out
}

// seen is a value that was read lately on a line that answers.
func seen[T comparable](car *elevator.Snapshot, v elevator.Seen[T], now elevator.Instant) (T, bool) {
	return v.Value, car.Link == elevator.Online && v.Fresh(now, sight)
}

func motionOf(car *elevator.Snapshot, now elevator.Instant) Motion {
	m, known := seen(car, car.Motion, now)
	if !known {
		return MotionUnknown
	}
	switch m {
	case elevator.Stopped:
		return MotionStopped
	case elevator.MovingUp:
		return MotionUp
	case elevator.MovingDown:
		return MotionDown
	}
	return MotionUnknown
}

// modeOf shows a fire or an emergency as long as nothing else was read: it is not over
// because the line is silent, nor, where it stands over the area, because this lift is normal
// again. A lift that people took out of use is OFFLINE to all but a robot that still rides in it.
func modeOf(l *core.LiftView, h holder, now elevator.Instant) Mode {
	car := &l.Car
	switch mode := car.Mode.Value; {
	case mode.Recalls(), alarmed(l, core.AreaFire):
		return ModeFire
	case mode == elevator.Seismic, mode == elevator.EmergencyStop, car.EmergencyStop.Value == elevator.Yes, alarmed(l, core.AreaSeismic):
		return ModeEmergency
	case (l.Maintenance != nil || l.Stopped != nil) && !h.within():
		return ModeOffline
	case car.Link == elevator.Offline, car.Floor.At != 0 && now.Sub(car.Floor.At) > silence:
		return ModeOffline
	case mode == elevator.Inspection, mode.Out():
		return ModeOffline
	}
	mode, known := seen(car, car.Mode, now)
	switch {
	case !known || mode == elevator.ModeUnknown:
		return ModeUnknown
	case mode.Manned(), !h.agv():
		return ModeHuman
	}
	return ModeAGV
}

// alarmed reports an alarm of the lift's area that is no drill.
func alarmed(l *core.LiftView, kind core.AreaKind) bool {
	return l.AreaAlarm != nil && !l.AreaAlarm.Drill && l.AreaAlarm.Kind == kind
}

// doorOf is OPEN to a holder only while its permit stands: what a fleet drives at.
// A door that is not known is neither closed nor open.
func doorOf(l *core.LiftView, h holder, now elevator.Instant) Door {
	d := doorsOf(l, h, now)
	if d == DoorOpen && h.name != "" && !h.permitted(now) {
		return DoorMoving
	}
	return d
}

// doorsOf is CLOSED when every door of the landings is, and OPEN when that of the
// holder's stop is, or any where nobody holds the lift.
func doorsOf(l *core.LiftView, h holder, now elevator.Instant) Door {
	closed, open, known := true, false, false
	for side := elevator.Front; side <= elevator.Right; side++ {
		if !fitted(l.Floors, side) {
			continue
		}
		d, fresh := seen(&l.Car, l.Car.Door(side), now)
		known = true
		closed = closed && fresh && d == elevator.DoorClosed
		open = open || fresh && d == elevator.DoorOpen && h.cares(side)
	}
	switch {
	case known && closed:
		return DoorClosed
	case open:
		return DoorOpen
	}
	return DoorMoving
}

// fitted reports that some landing has a door on this side.
func fitted(t elevator.Table, side elevator.Side) bool {
	for i := range t {
		if slices.Contains(t[i].Doors, side) {
			return true
		}
	}
	return false
}

// holder is who has the lift, or is the next to have it. The zero holder is nobody.
type holder struct {
	name  string    // the session's, or the robot's where it came by the other door
	ride  *fsm.Ride // nil while it is being opened
	floor string    // where such a one waits
	human bool      // it asked for HUMAN mode
	ended bool      // it said END, which is not believed yet
}

// permitted reports that the robot may cross now.
func (h holder) permitted(now elevator.Instant) bool {
	if h.ride == nil || h.ended {
		return false
	}
	p := h.ride.Permit
	return p.N != 0 && (now < p.Start || h.ride.Where == fsm.Crossing && now < p.Through)
}

// agv is a car in the robot's hand: doors are held at its stops.
func (h holder) agv() bool { return h.ride != nil && h.ride.Granted && !h.human }

// within reports a robot that is or may be in the car.
func (h holder) within() bool { return h.ride != nil && h.ride.Where != fsm.Outside }

// cares reports a door that is that of the stop which the ride is about.
func (h holder) cares(side elevator.Side) bool {
	r := h.ride
	switch {
	case r == nil:
		return true
	case r.Permit.N != 0:
		return side == r.Permit.Side
	case r.Way != "":
		return side == r.WaySide
	case r.Aboard && r.To != 0:
		return side == r.ToSide
	}
	return side == r.FromSide
}

// destination is where the car is wanted, until it stands there with its door open.
func (h holder) destination(t elevator.Table) string {
	r := h.ride
	switch {
	case r == nil:
		return h.floor
	case r.State == fsm.Done, r.State == fsm.Exiting, r.Phase == fsm.Boarding:
		return ""
	case r.State == fsm.Moving, r.Where != fsm.Outside:
		return t.Label(r.To)
	}
	return t.Label(r.From)
}
