package real

import (
	"encoding/json"
	"slices"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/devices"
	"hoistway/simulator/scenarios"
	"hoistway/sync/shadow"
)

// Ride is a ride of the scenario. While the agent is down it is as it was last
// seen.
func (s *Site) Ride(name string) (scenarios.Ride, bool) {
	s.mu.Lock()
	r := s.rides[name]
	s.mu.Unlock()
	if r == nil {
		return scenarios.Ride{}, false
	}
	var now AgentRide
	if id := s.idOf(name); id != "" && s.Read("/v1/rides/"+id, &now) == nil {
		s.mu.Lock()
		r.last = now
		if now.Fault != nil && (len(r.faults) == 0 || r.faults[len(r.faults)-1] != now.Fault.Code) {
			r.faults = append(r.faults, now.Fault.Code)
		}
		s.mu.Unlock()
	}
	out := s.rideSight(r)
	out.Answered = s.answerOf(name)
	return out, true
}

func (s *Site) rideSight(r *rideOf) scenarios.Ride {
	s.mu.Lock()
	defer s.mu.Unlock()
	x := r.last
	out := scenarios.Ride{
		State: x.State, Phase: x.Phase, Where: x.Where, Do: x.Do.Do, Lift: x.Lift, Refused: r.refused,
		Faults: slices.Clone(r.faults), From: x.From, To: x.To, Place: x.Place,
	}
	for _, t := range x.Transitions {
		out.Been = append(out.Been, t.To)
	}
	if x.State != "" && len(out.Been) == 0 {
		out.Been = []string{x.State}
	}
	if x.Permit != nil {
		out.Permit = x.Permit.Kind
	}
	if x.Fault != nil {
		out.Fault = x.Fault.Code
	}
	return out
}

// Lift is a lift as it is, and as the agent says that it is.
func (s *Site) Lift(id string) (scenarios.Lift, bool) {
	unit := s.units[id]
	if unit == nil {
		return scenarios.Lift{}, false
	}
	out := s.truth(id, unit)
	out.Answered = s.answerOf(id)
	var l AgentLift
	if s.Read("/v1/lifts/"+id, &l) != nil {
		return out, true
	}
	out.Link, out.Accepting, out.Occupied = l.Link, l.Accepting, l.Occupied
	out.Maintenance, out.Halted = l.Maintenance != nil, l.Stopped != nil
	if l.AreaAlarm != nil {
		out.AreaAlarm, out.Drill = l.AreaAlarm.Kind, l.AreaAlarm.Drill
	}
	out.SeenFloor, out.SeenMode = l.Floor.word(), l.Mode.word()
	for side, d := range l.Doors {
		out.SeenDoors[side] = d.word()
	}
	if l.Owner != nil {
		out.Owner = s.nameOf(l.Owner.Ride)
	}
	for _, a := range l.Alarms {
		out.Alarms = append(out.Alarms, a.Code)
	}
	return out, true
}

func (s *Site) truth(id string, unit *devices.Unit) scenarios.Lift {
	var car building.CarState
	var floors elevator.Table
	s.world.Do(func(b *building.Building) { car, floors = b.Car(id), b.Table(id) })
	out := scenarios.Lift{
		Floor: floors.Label(car.Floor), Motion: car.Motion.String(), Mode: car.Mode.String(),
		Doors: map[string]string{}, SeenDoors: map[string]string{}, Asked: map[string]int{},
	}
	for side, d := range car.Doors {
		if d.State != elevator.DoorUnknown {
			out.Doors[elevator.Side(side).String()] = d.State.String()
		}
	}
	for _, w := range unit.Writes() {
		if w.Exception == 0 {
			out.Asked[w.Asks()]++
		}
	}
	return out
}

// nameOf is the scenario's name of a ride, or its id when it is nobody's.
func (s *Site) nameOf(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, r := range s.rides {
		if r.id == id {
			return name
		}
	}
	return id
}

// Robot is where a robot really is.
func (s *Site) Robot(id string) (scenarios.Robot, bool) {
	bot := s.robots[id]
	if bot == nil {
		return scenarios.Robot{}, false
	}
	p := bot.Where()
	return scenarios.Robot{Where: p.Where, Lift: p.Lift, Floor: p.Floor}, true
}

// Cloud is what the stand-in cloud holds.
func (s *Site) Cloud() scenarios.Cloud {
	out := scenarios.Cloud{Reported: map[string]string{}}
	if s.cloud == nil {
		return out
	}
	if p, ok := s.cloud.Presence(Serial); ok {
		out.Online = p.Online
	}
	names := []string{""}
	for id := range s.units {
		names = append(names, id)
	}
	for _, name := range names {
		d, ok := s.cloud.Document(Serial, name)
		if !ok {
			continue
		}
		prefix := ""
		if name == "" {
			out.Version = d.Version
		} else {
			prefix = name + "."
		}
		out.Delta = out.Delta || len(d.Delta()) > 0
		leaves(out.Reported, prefix, d.Reported)
	}
	return out
}

// leaves writes each leaf of a tree under its dotted path.
func leaves(into map[string]string, prefix string, t shadow.Tree) {
	for k, v := range t {
		if branch, ok := v.(shadow.Tree); ok {
			leaves(into, prefix+k+".", branch)
			continue
		}
		raw, _ := json.Marshal(v) // of a value that came as JSON
		into[prefix+k] = string(raw)
	}
}
