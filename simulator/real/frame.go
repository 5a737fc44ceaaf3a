package real

import (
	"time"

	"hoistway/simulator/building"
	"hoistway/simulator/faults"
	"hoistway/simulator/picture"
	"hoistway/simulator/picture/draw"
)

// Header is what does not change in the pictures of this site.
func (s *Site) Header(title string) picture.Header {
	var lifts []draw.Lift
	for _, id := range names(s.units) {
		lifts = append(lifts, draw.Lift{ID: id, Wire: s.wires[id]})
	}
	h := draw.Header(s.conf, lifts, names(s.robots))
	h.Title, h.Seed = title, s.o.Seed
	return h
}

// Frame is the site as it is now, with what happened since the frame before. One
// goroutine draws.
func (s *Site) Frame() picture.Frame {
	f := picture.Frame{AtMS: s.Since().Milliseconds()}
	var lifts []AgentLift
	var rides []AgentRide
	down := s.Read("/v1/lifts", &lifts) != nil || s.Read("/v1/rides", &rides) != nil
	s.world.Do(func(b *building.Building) {
		for _, id := range names(s.units) {
			f.Cars = append(f.Cars, draw.Car(b, s.conf, id))
		}
		f.Wait = draw.Waiting(b)
		for _, w := range b.Waits() {
			f.Waits = append(f.Waits, w.Milliseconds())
		}
		for _, a := range b.Faults() {
			f.Faults = append(f.Faults, draw.Fault(a, b.Now()))
		}
		s.tellFaults(b.FaultEvents())
	})
	for i, id := range names(s.units) {
		seenBy(&f.Cars[i], id, lifts, rides, down)
		f.Wires = append(f.Wires, s.wire(id, lifts))
	}
	s.drawRobots(&f, rides)
	s.drawRides(&f, rides)
	s.drawFaults(&f)
	c := s.Cloud()
	f.Cloud = picture.Cloud{Online: c.Online, Version: c.Version, Delta: c.Delta}
	f.Events = s.events()
	return f
}

// seenBy adds a lift as the agent has it.
func seenBy(p *picture.Car, id string, lifts []AgentLift, rides []AgentRide, down bool) {
	p.State = "IDLE"
	if down {
		return
	}
	for _, l := range lifts {
		if l.ID != id {
			continue
		}
		p.Link, p.SeenFloor, p.SeenDoors = l.Link, l.Floor.word(), map[string]string{}
		for side, d := range l.Doors {
			p.SeenDoors[side] = d.word()
			if wider(d.word(), p.SeenDoor) {
				p.SeenDoor = d.word()
			}
		}
		for _, a := range l.Alarms {
			p.Alarms = append(p.Alarms, a.Code)
		}
		if l.Owner != nil {
			p.Owner = l.Owner.Ride
		}
	}
	for _, r := range rides {
		if r.ID == p.Owner {
			p.State = r.State
		}
	}
}

// wider says which of two doors is to be shown for the car.
func wider(a, b string) bool {
	rank := map[string]int{"closed": 1, "closing": 2, "opening": 3, "open": 4}
	return rank[a] > rank[b]
}

func (s *Site) wire(id string, lifts []AgentLift) picture.Wire {
	u := s.units[id]
	w := picture.Wire{Lift: id, Spoiled: s.film.spoiled[id]}
	for _, a := range u.Faults() {
		w.Spoiled += uint64(a.Struck)
	}
	for r, n := range u.Requests() {
		w.Asked += n
		if r.Writes() {
			w.Wrote += n
		}
	}
	w.Answered = w.Asked - min(w.Asked, w.Spoiled)
	if all := u.Writes(); len(all) > 0 {
		w.Last = all[len(all)-1].String()
	}
	for _, l := range lifts {
		w.Up = w.Up || l.ID == id && l.Link == "online"
	}
	return w
}

func (s *Site) drawRobots(f *picture.Frame, rides []AgentRide) {
	for _, id := range names(s.robots) {
		p := s.robots[id].Where()
		r := picture.Robot{ID: id, Where: p.Where, Lift: p.Lift, Floor: p.Floor}
		for _, x := range rides {
			if x.Robot == id && x.State != "DONE" && r.Do == "" {
				r.Do = x.Do.Do
			}
		}
		f.Robots = append(f.Robots, r)
	}
}

// endedShown is how long a ride that is over stays in the picture.
const endedShown = time.Minute

func (s *Site) drawRides(f *picture.Frame, rides []AgentRide) {
	for _, x := range rides {
		last := time.Now()
		if n := len(x.Transitions); n > 0 {
			last = x.Transitions[n-1].At
		}
		if x.State == "DONE" && time.Since(last) > endedShown {
			continue
		}
		p := picture.Ride{ID: x.ID, Robot: x.Robot, Lift: x.Lift, From: x.From, To: x.To, State: x.State, Phase: x.Phase}
		if x.Permit != nil {
			p.Permit = x.Permit.Kind
		}
		if x.Fault != nil {
			p.Fault = x.Fault.Code
		}
		if n := len(x.Transitions); n > 0 {
			p.Why = x.Transitions[n-1].Why
		}
		f.Rides = append(f.Rides, p)
		s.tellRide(f, x)
	}
}

// tellRide makes events of the transitions that no frame has shown, and a waiting
// time of the first permit to enter.
func (s *Site) tellRide(f *picture.Frame, x AgentRide) {
	told := s.film.told[x.ID]
	for _, t := range x.Transitions[min(told, len(x.Transitions)):] {
		s.tell(picture.Event{
			AtMS: max(0, t.At.Sub(s.began).Milliseconds()), Who: x.Lift, Bad: t.To == "FAULT" || t.To == "FAULT_LOCKED",
			Text: x.ID + " " + t.From + " → " + t.To + " · " + t.Phase + "  " + t.Why,
		})
	}
	s.film.told[x.ID] = len(x.Transitions)
	if x.Permit != nil && x.Permit.Kind == "enter" && !s.film.waited[x.ID] && len(x.Transitions) > 0 {
		s.film.waited[x.ID] = true
		f.RideWaits = append(f.RideWaits, time.Since(x.Transitions[0].At).Milliseconds())
	}
}

func (s *Site) drawFaults(f *picture.Frame) {
	now := s.now()
	lists := [][]faults.Active{}
	for _, id := range names(s.units) {
		lists = append(lists, s.units[id].Faults())
		events := s.units[id].FaultEvents()
		for _, e := range events {
			if e.What == faults.Ended {
				s.film.spoiled[id] += uint64(e.Strike)
			}
		}
		s.tellFaults(events)
	}
	for _, id := range names(s.robots) {
		lists = append(lists, s.robots[id].Faults())
		s.tellFaults(s.robots[id].FaultEvents())
	}
	s.mu.Lock()
	lists = append(lists, s.timed.player.List())
	events := s.timed.player.Events()
	s.mu.Unlock()
	s.tellFaults(events)
	for _, list := range lists {
		for _, a := range list {
			f.Faults = append(f.Faults, draw.Fault(a, now))
		}
	}
}

// film is what the frames have shown so far.
type film struct {
	told    map[string]int // transitions, by ride
	waited  map[string]bool
	spoiled map[string]uint64 // requests, by lift, of faults that are over
	fresh   []picture.Event
}

func (s *Site) tell(e picture.Event) { s.film.fresh = append(s.film.fresh, e) }

func (s *Site) tellFaults(events []faults.Event) {
	for _, e := range events {
		s.tell(picture.Event{AtMS: int64(e.At) / int64(time.Millisecond), Who: "fault", Text: e.String(), Bad: e.What != faults.Ended})
	}
}

func (s *Site) events() []picture.Event {
	out := s.film.fresh
	s.film.fresh = nil
	return out
}
