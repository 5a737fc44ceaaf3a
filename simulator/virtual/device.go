package virtual

import (
	"errors"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// write is a command as it stands on the wire.
type write struct {
	verb  elevator.Verb
	dir   elevator.Direction
	side  elevator.Side
	floor elevator.Floor
	car   bool
	sec   int
}

// Exceptions of the bench device.
const (
	noException  = 0
	illegalValue = 3
	failure      = 4
	busy         = 6
)

const longestHold = 30 * time.Second

// encode puts a command into what the bench map can say; why is "" when it can.
// holds is when the device will end a hold, told too early rather than too late.
func (l *lift) encode(c elevator.Command, now elevator.Instant) (w write, holds elevator.Instant, why string) {
	w = write{verb: c.Verb, dir: c.Direction, side: c.Side, floor: c.Floor, car: c.Car}
	known := c.Floor != 0 && int(c.Floor) <= len(l.table)
	switch c.Verb {
	case elevator.LandingCall, elevator.CarCall, elevator.CancelCall:
		if !known {
			return w, 0, "no such landing"
		}
		w.sec = max(1, int(min(c.Until.Until(now), longestHold)/time.Second))
	case elevator.Hold:
		if !l.table.Opens(c.Floor, c.Side) {
			return w, 0, "no such door there"
		}
		w.sec = max(1, int(min(c.Until.Until(now), longestHold)/time.Second))
		holds = now.Add(time.Duration(w.sec-1) * time.Second)
	case elevator.Claim, elevator.GiveBack:
		if !l.kind.Claim {
			return w, 0, "this controller is not claimed"
		}
	case elevator.Lapse:
		if c.Side != elevator.Front && c.Side != elevator.Rear {
			return w, 0, "no such door"
		}
	default:
		return w, 0, "the profile has no write for " + c.Verb.String()
	}
	return w, holds, ""
}

// obey carries out a write at the controller and gives the exception to answer with.
func (l *lift) obey(w write) uint8 {
	b := l.s.b
	if no, mine := l.claims(w); mine {
		return no
	}
	if l.keeps(w) {
		return noException
	}
	switch w.verb {
	case elevator.Hold, elevator.Lapse:
		return l.did(&l.asked.hold, b.Hold(l.id, w.side, w.sec), true)
	case elevator.LandingCall:
		return l.did(&l.asked.landing, b.LandingCall(l.id, w.floor, w.dir), false)
	case elevator.CarCall:
		return l.did(&l.asked.car, b.CarCall(l.id, w.floor), false)
	}
	if w.car {
		return l.did(&l.asked.cancel, b.CancelCar(l.id, w.floor), false)
	}
	return l.did(&l.asked.cancel, b.CancelLanding(l.id, w.floor), false)
}

// did counts what was not refused. A call that the controller refuses is
// acknowledged all the same: it says why in its error code.
func (l *lift) did(count *int, err error, hold bool) uint8 {
	switch {
	case err == nil:
		*count++
		return noException
	case hold && errors.Is(err, building.ErrBusy):
		return busy
	case errors.Is(err, building.ErrLocked), errors.Is(err, building.ErrBusy):
		return noException
	case errors.Is(err, building.ErrNoLanding), errors.Is(err, building.ErrRange), errors.Is(err, building.ErrNoDoor):
		return illegalValue
	}
	return failure
}

// good lays a reading over what is known; at is of the process, when the question left.
func (k *link) good(c *building.CarState, at elevator.Instant) {
	s := &k.snap.Car
	s.Floor, s.Motion, s.Mode = seen(c.Floor, at), seen(c.Motion, at), seen(c.Mode, at)
	for _, side := range [...]elevator.Side{elevator.Front, elevator.Rear} {
		s.Doors[side] = seen(doorKnown(c.Doors[side].State), at)
		s.Holds[side] = holdEnds(c.Doors[side].Hold, at)
	}
	s.Position, s.Load, s.Vendor = seen(c.PositionMM, at), seen(int32(c.LoadKg), at), seen(int32(c.Error), at)
	s.Overload, s.Nudging = seen(tri(c.Overload), at), seen(tri(c.Nudging), at)
	s.Obstruction, s.EmergencyStop = seen(tri(c.Obstacle), at), seen(tri(c.Stop), at)
	s.UpCalls, s.DownCalls, s.CarCalls = seen(c.Up, at), seen(c.Down, at), seen(c.Car, at)
	k.goodKind(c, at)
	k.sound = true
	k.tells()
	k.stirred = k.stirred && k.unproven() // the lamp of a call counts when it is read after the press
	k.unread = false
	k.since = k.l.s.at()
	k.turn(elevator.Online, k.l.s.agent.now())
}

// doorKnown takes what the map has no word for as unknown.
func doorKnown(d elevator.Door) elevator.Door {
	if d > elevator.DoorClosing {
		return elevator.DoorUnknown
	}
	return d
}

func seen[T comparable](v T, at elevator.Instant) elevator.Seen[T] {
	return elevator.Seen[T]{Value: v, At: at, Source: elevator.Controller}
}

func tri(b bool) elevator.Tri {
	if b {
		return elevator.Yes
	}
	return elevator.No
}

// holdEnds reckons the end of a hold from the whole seconds that the device shows:
// of the last one that has begun nothing may be left.
func holdEnds(left time.Duration, at elevator.Instant) elevator.Instant {
	sec := (left + time.Second - 1) / time.Second
	if sec <= 1 {
		return 0
	}
	return at.Add((sec - 1) * time.Second)
}
