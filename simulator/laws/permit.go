package laws

import (
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// permitOf keeps the permit that a ride has out, and judges it at the moment at which
// it is given or renewed.
func (w *Watch) permitOf(s *ride, r *fsm.Ride, now elevator.Instant) {
	if r.Aboard && r.AboardAt != 0 {
		s.pass = permit{kind: fsm.LeaveAtTarget, floor: r.To, side: r.ToSide, until: w.outside(r.AboardAt).Add(10 * time.Minute)}
	}
	p := &r.Permit
	if p.N == 0 {
		return
	}
	until := w.outside(p.Start)
	issued := until - elevator.Instant(startSpan)
	if issued > now {
		w.breach(now, KnownPermit, s.liftID, s.id, "a permit to start within %v", until.Sub(now))
	}
	if until > s.given.until || p.Kind != s.given.kind {
		s.given = permit{kind: p.Kind, floor: p.Floor, side: p.Side, until: until}
	}
	if issued == now {
		if lacks := lacking(r, w.inside(now)); lacks != "" {
			w.breach(now, KnownPermit, s.liftID, s.id, "a permit (%s, %s, %s) with %s", p.Kind, p.Floor, p.Side, lacks)
		}
	}
}

// lacking is a plain reading of the table of permits: the first part that is not seen
// as it must be, "" for none.
func lacking(r *fsm.Ride, now elevator.Instant) string {
	p, c := &r.Permit, &r.Car
	near := sight
	if c.Holds[p.Side] >= p.Through {
		near = silence // the device itself holds the door for the whole crossing
	}
	switch {
	case !r.Granted || r.Epoch == 0 || p.Epoch != r.Epoch:
		return "no lease"
	case r.State != fsm.Waiting && r.State != fsm.Exiting:
		return "the state " + string(r.State)
	case c.Link != elevator.Online:
		return "no link"
	case !c.Door(p.Side).Fresh(now, near) || c.Door(p.Side).Value != elevator.DoorOpen:
		return "the door not seen open"
	case !c.Floor.Fresh(now, near) || c.Floor.Value != p.Floor || p.Floor == 0:
		return "the floor not seen"
	case !c.Motion.Fresh(now, near) || c.Motion.Value != elevator.Stopped:
		return "the car not seen standing"
	}
	return lackingByKind(r, now)
}

func lackingByKind(r *fsm.Ride, now elevator.Instant) string {
	p, c := &r.Permit, &r.Car
	calm := calmLift(c, now)
	switch p.Kind {
	case fsm.Enter:
		switch {
		case p.Floor != r.From || p.Side != r.FromSide:
			return "another landing than the ride's"
		case c.Overload.At != 0 && (c.Overload.Value != elevator.No || !c.Overload.Fresh(now, slowSight)):
			return "no room seen"
		}
		return calm
	case fsm.LeaveAtTarget:
		if p.Floor != r.To || p.Side != r.ToSide {
			return "another landing than the ride's"
		}
		return calm
	case fsm.LeaveBack:
		switch {
		case p.Floor != r.From || p.Side != r.FromSide || r.LeftFrom:
			return "a car that has left"
		case c.Mode.Value == elevator.Fire:
			return "a fire"
		}
		return ""
	case fsm.Evacuate:
		return lackingToEvacuate(r, calm)
	}
	return "a kind that there is not"
}

func lackingToEvacuate(r *fsm.Ride, calm string) string {
	f := r.Permit.Floor
	switch m := r.Car.Mode.Value; {
	case m == elevator.Fire || r.Code == fsm.ModeFire:
		if f != r.Plan.RecallFloor {
			return "a fire and not the recall landing"
		}
		return ""
	case m == elevator.Inspection, m == elevator.Independent, m == elevator.EmergencyStop:
		return "the mode " + m.String()
	case r.Code == fsm.ModeSeismic, r.Code == fsm.OutOfService:
		return ""
	case f != r.Plan.SafeFloor:
		return "no cause, and not the safe floor"
	}
	return calm
}

// calmLift is what a lift must say of itself before a robot relies on its door.
func calmLift(c *elevator.Snapshot, now elevator.Instant) string {
	switch {
	case c.Mode.Value != elevator.Normal || !c.Mode.Fresh(now, slowSight):
		return "the mode not seen normal"
	case c.Nudging.Value != elevator.No || !c.Nudging.Fresh(now, slowSight):
		return "nudging not seen off"
	case c.EmergencyStop.Value == elevator.Yes:
		return "an emergency stop"
	}
	return ""
}

// exits judges the moment at which EXITING begins.
func (w *Watch) exits(s *ride, r *fsm.Ride, now elevator.Instant) {
	c, in := &r.Car, w.inside(now)
	door := c.Door(r.WaySide)
	right := false
	switch r.Way {
	case fsm.LeaveAtTarget:
		right = r.WayFloor == r.To && r.WaySide == r.ToSide
	case fsm.LeaveBack:
		right = r.WayFloor == r.From && r.WaySide == r.FromSide
	case fsm.Evacuate:
		right = r.WayFloor != 0 && (c.Mode.Value != elevator.Fire || r.WayFloor == r.Plan.RecallFloor)
	}
	open := c.Link == elevator.Online && door.Value == elevator.DoorOpen && door.Fresh(in, sight)
	there := c.Floor.Value == r.WayFloor && c.Floor.Fresh(in, slowSight) && c.Motion.Value == elevator.Stopped
	if !right || !open || !there {
		w.breach(now, ExitSeen, s.liftID, s.id, "EXITING (%s) at %s by the %s door, seen at %s with the door %s", r.Way, r.WayFloor, r.WaySide, c.Floor.Value, door.Value)
	}
}
