package virtual

import (
	"fmt"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/faults"
	"hoistway/simulator/picture"
)

// endedShown is how long a ride that is over stays in the picture.
const endedShown = time.Minute

// Header is what does not change in the pictures of this site.
func (s *Site) Header(title string) picture.Header {
	h := picture.Header{Picture: picture.Format, Title: title, Seed: s.set.Seed, Virtual: true}
	first := s.set.Building.Cars[0].Landings
	for _, l := range first {
		h.Floors = append(h.Floors, picture.Floor{Label: l.Label, HeightMM: l.HeightMM - first[0].HeightMM})
	}
	for _, l := range s.lifts {
		h.Lifts = append(h.Lifts, s.headLift(l))
	}
	for _, r := range s.robots {
		h.Robots = append(h.Robots, r.id)
	}
	return h
}

func (s *Site) headLift(l *lift) picture.Lift {
	car := s.set.car(l.id)
	p := picture.Lift{ID: l.id, Wire: pickWord(l.rtu, "Modbus RTU", "Modbus TCP"), Doors: map[string][]string{}, Rated: car.RatedKg, Recall: car.Recall}
	for _, x := range l.table {
		for _, side := range x.Doors {
			p.Doors[x.Label] = append(p.Doors[x.Label], side.String())
		}
	}
	return p
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
	for _, w := range s.b.Waiting() {
		f.Wait = append(f.Wait, picture.Wait{Floor: w.Label, Up: w.Up, Down: w.Down})
	}
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
	c := s.b.Car(l.id)
	p := picture.Car{
		PositionMM: int(c.PositionMM), SpeedMMS: int(c.Speed * 1000), Floor: l.table.Label(c.Floor), Motion: motionWord(c.Motion),
		Doors: map[string]float64{}, Up: labels(c.Up|c.HallUp, l.table), Down: labels(c.Down|c.HallDown, l.table), Calls: labels(c.Car, l.table),
		Mode: c.Mode.String(), LoadKg: c.LoadKg, People: s.b.Inside(l.id), Blocked: c.Obstacle, Error: c.Error,
		State: string(fsm.Idle), Link: pickWord(s.agent.up, "connecting", ""),
	}
	for side := elevator.Front; int(side) < elevator.Sides; side++ {
		if c.Doors[side].State != elevator.DoorUnknown {
			p.Doors[side.String()] = c.Doors[side].Open
		}
	}
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

func labels(set elevator.FloorSet, t elevator.Table) []string {
	var out []string
	for i := range t {
		if set.Has(elevator.Floor(i + 1)) {
			out = append(out, t[i].Label)
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
		out = append(out, s.drawFault(a))
	}
	return out
}

func (s *Site) drawFault(a faults.Active) picture.Fault {
	p := picture.Fault{Name: a.Kind, Target: a.Target, Arg: a.Value(), SinceMS: int64(a.Since) / 1e6, Struck: a.Struck}
	if a.Until != 0 {
		p.LeftMS = max(a.Until.Sub(s.at()).Milliseconds(), 1)
	}
	return p
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
