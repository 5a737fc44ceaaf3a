package fsm

import (
	"cmp"
	"time"

	"hoistway/fsm/elevator"
)

// hold keeps the door of a stop open by short holds, each a command of its own
// that ends by itself. It asks only while the car stands there with the door open
// or opening, and only within the cap of that stop.
func (s *step) hold(f elevator.Floor, side elevator.Side, why string) {
	if !s.opens(f, side, s.now) {
		return
	}
	s.account(f, side)
	if s.Door.Until > s.now && s.now < s.Door.Renew {
		return
	}
	s.ask(why)
}

// reopen asks for the door once, at the moment when it is seen to close.
func (s *step) reopen(f elevator.Floor, side elevator.Side, why string) {
	if !s.at(f, s.now) || !s.standing(s.now) {
		return
	}
	s.account(f, side)
	s.ask(why)
}

// ask sends the next hold of this stop, cut to what the cap has left.
func (s *step) ask(why string) {
	if !s.mayHold() || s.Door.Stopped {
		return
	}
	from := max(s.now, s.Door.Until)
	until := s.now.Add(s.holdFor())
	if left := s.Params.HoldLimit - s.Door.Used; until > from.Add(left) {
		until = from.Add(left)
		s.Door.Stopped = true
	}
	if until <= from || !s.holdUntil(until, why) {
		return
	}
	s.Door.Used += until.Sub(from)
}

// holdFor is the life of one hold: the line refreshes a level only within it, so
// that a loop that hangs cannot hold a door for ever.
func (s *step) holdFor() time.Duration { return s.Params.HoldRenew + s.overlap() }

// overlap is how long before the end of a hold the next is asked for, so that the
// door never begins to close between the two.
func (r *Ride) overlap() time.Duration { return 2*r.Plan.Poll + time.Second }

func (s *step) holdUntil(until elevator.Instant, why string) bool {
	sent := s.send(elevator.Command{
		Verb: elevator.Hold, Floor: s.Door.Floor, Side: s.Door.Side, Reason: why, Until: until,
	}, 0)
	if !sent {
		return false
	}
	s.Door.N = s.NextN
	if s.Door.Since == 0 {
		s.Door.Since = s.now
	}
	s.Door.Until, s.Door.Renew = until, s.now.Add(s.Params.HoldRenew)
	return true
}

// mayHold reports that a hold exists here and that no fire forbids it.
func (s *step) mayHold() bool {
	return s.Plan.HasHold && !s.Ending && !s.Car.Mode.Value.Recalls() && s.Code != ModeFire
}

// grace is the one larger hold for a robot that may stand in the doorway. It is
// beside the cap, and once in the account of a stop.
func (s *step) grace(f elevator.Floor, side elevator.Side) {
	if !s.opens(f, side, s.now) {
		return
	}
	s.account(f, side)
	if s.Door.Grace || !s.mayHold() {
		return
	}
	if s.holdUntil(s.now.Add(graceHold), "the robot may be in the doorway") {
		s.Door.Grace, s.Door.Renew = true, s.Door.Until
	}
}

// account opens the account of a stop, or finds the one that it has. With no room
// for another account there are no more holds: better none than one uncounted.
func (s *step) account(f elevator.Floor, side elevator.Side) {
	s.open(f, side)
	if s.Door.coolAt(s.Params.CoolDown).Reached(s.now) {
		s.Door = DoorHold{Floor: f, Side: side}
	}
}

// coolAt is when a stop whose cap was reached may be held anew; never before its door was
// seen closed, or the car away.
func (h *DoorHold) coolAt(rest time.Duration) elevator.Instant {
	if !h.Stopped || !h.Shut {
		return 0
	}
	return h.Until.Add(cmp.Or(rest, coolDown))
}

// spent reports a landing whose door may not be held for this robot yet: another attempt
// would fail at once.
func (r *Ride) spent(now elevator.Instant) bool {
	for _, h := range [...]*DoorHold{&r.Door, &r.Past[0], &r.Past[1], &r.Past[2]} {
		if h.Floor == r.From && h.Side == r.FromSide {
			return h.Stopped && !h.coolAt(r.Params.CoolDown).Reached(now)
		}
	}
	return false
}

// cool notes which of the stops that are held no more have been let go of since.
func (s *step) cool() {
	s.coolOne(&s.Door)
	for i := range s.Past {
		s.coolOne(&s.Past[i])
	}
}

func (s *step) coolOne(h *DoorHold) {
	if !h.Stopped || h.Shut || !h.Until.Reached(s.now) {
		return
	}
	if s.away(h.Floor, s.now) || s.door(h.Side, s.now) == elevator.DoorClosed {
		h.Shut, s.lasting = true, true
	}
}

func (s *step) open(f elevator.Floor, side elevator.Side) {
	if s.Door.Floor == f && s.Door.Side == side {
		return
	}
	if s.Door.Floor == 0 {
		s.Door = DoorHold{Floor: f, Side: side}
		return
	}
	for i := range s.Past {
		if p := &s.Past[i]; p.Floor == f && p.Side == side {
			s.Door, *p = *p, s.Door
			return
		}
	}
	for i := range s.Past {
		if s.Past[i].Floor == 0 {
			s.Past[i], s.Door = s.Door, DoorHold{Floor: f, Side: side}
			return
		}
	}
	s.Door = DoorHold{Floor: f, Side: side, Stopped: true, Grace: true}
}
