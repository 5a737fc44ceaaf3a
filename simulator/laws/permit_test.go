package laws

import (
	"slices"
	"testing"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// met is a ride from 2 (front) to 3 (rear) with a permit of that kind as of now, and a
// car of which all is seen that it needs. The recall landing is 1, the safe floor 4.
func met(k fsm.PermitKind, now elevator.Instant) fsm.Ride {
	r := fsm.Ride{
		Request: fsm.Request{ID: "A", Robot: "R", Lift: "L1", From: 2, To: 3, FromSide: elevator.Front, ToSide: elevator.Rear},
		State:   fsm.Exiting, Granted: true, Epoch: 1, Plan: fsm.Plan{RecallFloor: 1, SafeFloor: 4},
	}
	p := &r.Permit
	*p = fsm.Permit{N: 1, Epoch: 1, Kind: k, Floor: 2, Side: elevator.Front, Start: now + 2*sec, Through: now + 10*sec}
	switch k {
	case fsm.Enter:
		r.State = fsm.Waiting
	case fsm.LeaveAtTarget:
		p.Floor, p.Side = 3, elevator.Rear
	case fsm.Evacuate:
		p.Floor = 4
	}
	c := &r.Car
	c.Link = elevator.Online
	c.Floor.Value, c.Motion.Value, c.Mode.Value, c.Nudging.Value = p.Floor, elevator.Stopped, elevator.Normal, elevator.No
	c.Doors[p.Side].Value = elevator.DoorOpen
	c.Floor.At, c.Motion.At, c.Mode.At, c.Nudging.At, c.Doors[p.Side].At = now, now, now, now, now
	return r
}

// RD-7, IL-2, IL-9: each part of the table of permits, with what may be otherwise ("") and what
// may not.
func TestEachLackOfAPermit(t *testing.T) {
	const now = 100 * sec
	mode := func(m elevator.Mode) func(*fsm.Ride) { return func(r *fsm.Ride) { r.Car.Mode.Value = m } }
	to := func(f elevator.Floor, more func(*fsm.Ride)) func(*fsm.Ride) {
		return func(r *fsm.Ride) { r.Permit.Floor, r.Car.Floor.Value = f, f; more(r) }
	}
	old := func(at *elevator.Instant, age time.Duration) { *at -= elevator.Instant(age) }
	for i, c := range []struct {
		kind   fsm.PermitKind
		change func(*fsm.Ride)
		want   string
	}{
		{fsm.Enter, func(*fsm.Ride) {}, ""},
		{fsm.Enter, func(r *fsm.Ride) { r.Granted = false }, "no lease"},
		{fsm.Enter, func(r *fsm.Ride) { r.Epoch = 2 }, "no lease"},
		{fsm.Enter, func(r *fsm.Ride) { r.State = fsm.Moving }, "the state MOVING"},
		{fsm.Enter, func(r *fsm.Ride) { r.Car.Link = elevator.LinkUnknown }, "no link"},
		{fsm.Enter, func(r *fsm.Ride) { r.Car.Doors[1].Value = elevator.DoorOpening }, "the door not seen open"},
		{fsm.Enter, func(r *fsm.Ride) { old(&r.Car.Doors[1].At, sight) }, ""},
		{fsm.Enter, func(r *fsm.Ride) { old(&r.Car.Doors[1].At, sight+1) }, "the door not seen open"},
		{fsm.Enter, func(r *fsm.Ride) { old(&r.Car.Doors[1].At, 5*time.Second); r.Car.Holds[1] = r.Permit.Through }, ""},
		{fsm.Enter, func(r *fsm.Ride) { old(&r.Car.Doors[1].At, 5*time.Second+1); r.Car.Holds[1] = r.Permit.Through }, "the door not seen open"},
		{fsm.Enter, func(r *fsm.Ride) { r.Car.Floor.Value = 3 }, "the floor not seen"},
		{fsm.Enter, func(r *fsm.Ride) { r.Car.Motion.Value = elevator.MotionUnknown }, "the car not seen standing"},
		{fsm.Enter, to(3, func(*fsm.Ride) {}), "another landing than the ride's"},
		{fsm.Enter, func(r *fsm.Ride) { r.FromSide = elevator.Rear }, "another landing than the ride's"},
		{fsm.Enter, func(r *fsm.Ride) { r.Car.Overload.Value, r.Car.Overload.At = elevator.No, now-3*sec }, ""},
		{fsm.Enter, func(r *fsm.Ride) { r.Car.Overload.Value, r.Car.Overload.At = elevator.Yes, now }, "no room seen"},
		{fsm.Enter, func(r *fsm.Ride) { r.Car.Overload.Value, r.Car.Overload.At = elevator.No, now-3*sec-1 }, "no room seen"},
		{fsm.Enter, mode(elevator.ModeUnknown), "the mode not seen normal"},
		{fsm.Enter, func(r *fsm.Ride) { r.Car.Mode.At = now - 3*sec - 1 }, "the mode not seen normal"},
		{fsm.Enter, func(r *fsm.Ride) { r.Car.Nudging.Value = elevator.Yes }, "nudging not seen off"},
		{fsm.Enter, func(r *fsm.Ride) { r.Car.EmergencyStop.Value = elevator.Yes }, "an emergency stop"},
		{fsm.LeaveAtTarget, func(*fsm.Ride) {}, ""},
		{fsm.LeaveAtTarget, to(2, func(*fsm.Ride) {}), "another landing than the ride's"},
		{fsm.LeaveAtTarget, func(r *fsm.Ride) { r.ToSide = elevator.Front }, "another landing than the ride's"},
		{fsm.LeaveAtTarget, mode(elevator.Seismic), "the mode not seen normal"},
		{fsm.LeaveBack, mode(elevator.Seismic), ""},
		{fsm.LeaveBack, mode(elevator.Fire), "a fire"},
		{fsm.LeaveBack, func(r *fsm.Ride) { r.LeftFrom = true }, "a car that has left"},
		{fsm.Evacuate, func(*fsm.Ride) {}, ""},
		{fsm.Evacuate, to(2, func(*fsm.Ride) {}), "no cause, and not the safe floor"},
		{fsm.Evacuate, to(2, func(r *fsm.Ride) { r.Code = fsm.ModeSeismic }), ""},
		{fsm.Evacuate, mode(elevator.Fire), "a fire and not the recall landing"},
		{fsm.Evacuate, func(r *fsm.Ride) { r.Code = fsm.ModeFire }, "a fire and not the recall landing"},
		{fsm.Evacuate, to(1, mode(elevator.Fire)), ""},
		{fsm.Evacuate, mode(elevator.Inspection), "the mode inspection"},
		{"sideways", func(*fsm.Ride) {}, "a kind that there is not"},
	} {
		r := met(c.kind, now)
		c.change(&r)
		if got := lacking(&r, now); got != c.want {
			t.Errorf("row %d, %s: %q, want %q", i, c.kind, got, c.want)
		}
	}
}

// IL-9: what the laws let pass on purpose, and not a moment longer.
func TestWhatIsLetPass(t *testing.T) {
	broken := func(s *story, law Law) bool {
		return slices.ContainsFunc(s.Breaches(), func(b Breach) bool { return b.Law == law })
	}
	fire := tell().waits()
	fire.car.Mode.Value = elevator.Fire
	fire.read()
	fire.after(2*time.Second - 1)
	fire.writes(fire.command(elevator.Hold))
	if broken(fire, HandsOff) {
		t.Error("what was on its way when the fire was seen breaks", fire.Breaches())
	}
	fire.after(1)
	if fire.writes(fire.command(elevator.Hold)); !broken(fire, HandsOff) {
		t.Error("a write after the delay of the wire passes")
	}

	held := tell()
	held.boards()
	for range 20 {
		c := held.command(elevator.Hold)
		c.Until = held.now.Add(30 * time.Second)
		held.asks(c)
		held.asks(held.command(elevator.Lapse))
	}
	if broken(held, HoldCap) {
		t.Error("holds that were given back add up")
	}

	liar := tell().waits()
	liar.Liar("R", true)
	liar.Robot("R", Place{Where: InCar, Lift: "L1"}, liar.now)
	liar.Liar("R", false)
	liar.Robot("R", Place{Where: InCar, Lift: "L1"}, liar.now)
	if liar.to(fsm.FailedEnd, fsm.Done); broken(liar, NotLeftBehind) {
		t.Error("a robot that lied is looked for")
	}

	for _, answered := range []bool{false, true} {
		blind := tell().waits() // no lamp shows where a journey goes
		c := blind.command(elevator.Journey)
		blind.asks(c)
		if answered {
			blind.step(core.Answered{Outcome: elevator.Outcome{ID: c.ID, Result: elevator.Done}})
		}
		if blind.asks(blind.command(elevator.Journey)); broken(blind, PressOnce) == answered {
			t.Errorf("pressed again with no lamp, answered %v: %v", answered, blind.Breaches())
		}
	}
}

// IL-4: after its last hold a stop is added up anew only with a cool-down over and the door
// let go of meanwhile.
func TestAStopRestsBeforeItIsHeldAnew(t *testing.T) {
	for _, x := range []struct {
		rest  time.Duration
		shuts bool
		kept  bool
	}{{30 * time.Second, true, true}, {30*time.Second - 1, true, false}, {time.Hour, false, false}} {
		s := tell().boards()
		spend := func() {
			for range 9 {
				c := s.command(elevator.Hold)
				c.Until = s.now.Add(10 * time.Second)
				s.asks(c)
				s.after(10 * time.Second)
			}
		}
		s.stands(2, elevator.DoorOpen)
		spend()
		if x.shuts {
			s.stands(2, elevator.DoorClosed)
		}
		s.after(x.rest)
		s.stands(2, elevator.DoorOpen)
		spend()
		broken := slices.ContainsFunc(s.Breaches(), func(b Breach) bool { return b.Law == HoldCap })
		if broken == x.kept {
			t.Errorf("a rest of %v, the door shut in it: %v; breaches: %v", x.rest, x.shuts, s.Breaches())
		}
	}
}
