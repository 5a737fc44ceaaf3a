package virtual

import (
	"fmt"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/picture"
	"hoistway/simulator/picture/draw"
)

// endedShown is how long a ride that is over stays in the picture.
const endedShown = time.Minute

// Header is what does not change in the pictures of this site.
func (s *Site) Header(title string) picture.Header {
	var lifts []draw.Lift
	for _, l := range s.lifts {
		lifts = append(lifts, draw.Lift{ID: l.id, Wire: pickWord(l.rtu, "Modbus RTU", "Modbus TCP")})
	}
	var robots []string
	for _, r := range s.robots {
		robots = append(robots, r.id)
	}
	h := draw.Header(s.set.Building, lifts, robots)
	h.Title, h.Seed, h.Virtual = title, s.set.Seed, true
	return h
}

// Frame is the site as it is now, with what happened since the frame before.
func (s *Site) Frame() picture.Frame {
	s.b.Advance(s.at())
	f := picture.Frame{AtMS: int64(s.at()) / 1e6}
	v := s.agent.view
	if s.agent.up {
		v = s.agent.look()
	}
	for _, l := range s.lifts {
		f.Cars = append(f.Cars, s.drawCar(l, v))
		f.Wires = append(f.Wires, l.drawWire())
	}
	f.Wait = draw.Waiting(s.b)
	for _, r := range s.robots {
		seen, _ := s.Robot(r.id)
		f.Robots = append(f.Robots, picture.Robot{ID: r.id, Where: seen.Where, Lift: seen.Lift, Floor: seen.Floor, Do: string(r.told.do)})
	}
	if v != nil {
		f.Rides = s.drawRides(v)
	}
	f.Faults = s.drawFaults()
	c := s.Cloud()
	f.Cloud = picture.Cloud{Online: c.Online, Version: c.Version, Delta: c.Delta}
	f.Events = s.drawEvents()
	for _, d := range s.b.Waits() {
		f.Waits = append(f.Waits, d.Milliseconds())
	}
	f.RideWaits, s.rideWaits = s.rideWaits, nil
	return f
}

func (s *Site) drawCar(l *lift, v *core.View) picture.Car {
	p := draw.Car(s.b, s.set.Building, l.id)
	p.State, p.Link = string(fsm.Idle), pickWord(s.agent.up, "connecting", "")
	if v != nil && s.agent.up {
		s.drawSeen(&p, l, v)
	}
	return p
}

// drawSeen adds the lift as the agent has it.
func (s *Site) drawSeen(p *picture.Car, l *lift, v *core.View) {
	now := s.agent.now()
	for i := range v.Lifts {
		x := &v.Lifts[i]
		if x.ID != l.id {
			continue
		}
		p.Link, p.Owner = linkWord(&x.Car, now), x.Owner
		p.SeenFloor = l.table.Label(freshOr(x.Car.Floor, now))
		p.SeenDoor, p.SeenDoors = seenDoor(&x.Car, now), seenDoors(l, &x.Car, now)
		for _, a := range x.Alarms {
			p.Alarms = append(p.Alarms, a.Code)
		}
		if r, ok := s.rideOf(x.Owner); ok {
			p.State = string(r.Ride.State)
		}
	}
}

// seenDoor is the door that is open the widest, as far as it is seen.
func seenDoor(c *elevator.Snapshot, now elevator.Instant) string {
	best := elevator.DoorUnknown
	for _, d := range []elevator.Door{elevator.DoorClosed, elevator.DoorClosing, elevator.DoorOpening, elevator.DoorOpen} {
		for _, x := range c.Doors[1:] {
			if freshOr(x, now) == d {
				best = d
			}
		}
	}
	return known(best, elevator.DoorUnknown)
}

func seenDoors(l *lift, c *elevator.Snapshot, now elevator.Instant) map[string]string {
	out := map[string]string{}
	for _, x := range l.table {
		for _, side := range x.Doors {
			out[side.String()] = known(freshOr(c.Doors[side], now), elevator.DoorUnknown)
		}
	}
	return out
}

func (l *lift) drawWire() picture.Wire {
	return picture.Wire{
		Lift: l.id, Up: l.s.agent.up && l.link.sched.Up() && !l.gone(), Asked: l.heard.asked, Answered: l.heard.answered,
		Spoiled: l.heard.spoiled, Wrote: l.heard.wrote, Last: l.heard.last,
	}
}

func (s *Site) drawRides(v *core.View) []picture.Ride {
	var out []picture.Ride
	now := s.agent.now()
	for i := range v.Rides {
		x := &v.Rides[i].Ride
		if x.State == fsm.Done && now.Sub(x.Since) > endedShown {
			continue
		}
		t := s.tableOf(x.Lift)
		p := picture.Ride{
			ID: x.ID, Robot: x.Robot, Lift: x.Lift, From: t.Label(x.From), To: t.Label(x.To),
			State: string(x.State), Phase: string(x.Phase), Fault: string(x.Code), Why: fsm.InWords(x.Why, t),
		}
		if s.agent.up {
			p.Permit = string(s.tell(x).permit.Kind)
		}
		out = append(out, p)
	}
	return out
}

func (s *Site) drawFaults() []picture.Fault {
	var out []picture.Fault
	for _, a := range append(s.b.Faults(), s.play.List()...) {
		out = append(out, draw.Fault(a, s.at()))
	}
	return out
}

// drawEvents are the lines that no frame has shown yet.
func (s *Site) drawEvents() []picture.Event {
	var out []picture.Event
	j := &s.journal
	for _, l := range j.lines[j.drawn:] {
		out = append(out, picture.Event{AtMS: int64(l.At) / 1e6, Who: l.Who, Text: l.Text, Bad: l.Bad})
	}
	j.drawn = len(j.lines)
	return out
}

// String is a line as a transcript has it.
func (l Line) String() string {
	mark := " "
	if l.Bad {
		mark = "!"
	}
	return fmt.Sprintf("%10.3f %s %-8s %s", time.Duration(l.At).Seconds(), mark, l.Who, l.Text)
}
