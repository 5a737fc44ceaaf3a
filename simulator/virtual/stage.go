package virtual

import (
	"strings"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/scenarios"
	"hoistway/sync/shadow"
)

// Ride shows a ride as its robot may read it.
func (s *Site) Ride(id string) (scenarios.Ride, bool) {
	k := s.known(id)
	x, ok := s.rideOf(id)
	if !ok {
		if k == nil {
			return scenarios.Ride{}, false
		}
		return scenarios.Ride{Refused: k.refused, Faults: k.faults}, true
	}
	now := s.agent.now()
	r := scenarios.Ride{
		State: string(x.Ride.State), Phase: string(x.Ride.Phase), Been: been(x),
		Fault: string(x.Ride.Code), Where: string(x.Ride.Where), Lift: x.Ride.Lift,
		From: x.Floors.Label(x.Ride.From), To: x.Floors.Label(x.Ride.To), Place: x.Place,
	}
	if k != nil {
		r.Faults, r.Refused, r.Answered = k.faults, k.refused, k.answered
	}
	if s.agent.up {
		t := s.tell(&x.Ride)
		r.Do = string(t.do)
		r.Permit = string(t.permit.Kind)
	}
	if r.Permit != "" && x.Ride.Permit.Through.Reached(now) {
		r.Permit = ""
	}
	return r, true
}

func been(x *core.RideView) []string {
	if len(x.Marks) == 0 {
		return []string{string(x.Ride.State)}
	}
	out := []string{string(x.Marks[0].From)}
	for _, m := range x.Marks {
		if string(m.To) != out[len(out)-1] {
			out = append(out, string(m.To))
		}
	}
	return out
}

// Lift shows a lift as it is, and as the agent has it.
func (s *Site) Lift(id string) (scenarios.Lift, bool) {
	l := s.lift(id)
	if l == nil {
		return scenarios.Lift{}, false
	}
	s.b.Advance(s.at())
	c := s.b.Car(id)
	out := scenarios.Lift{
		Floor: l.table.Label(c.Floor), Motion: motionWord(c.Motion), Mode: c.Mode.String(),
		Doors: map[string]string{}, SeenDoors: map[string]string{}, Asked: l.asked.words(), Link: "connecting", Answered: l.answered,
	}
	for side := elevator.Front; int(side) < elevator.Sides; side++ {
		if d := c.Doors[side].State; d != elevator.DoorUnknown {
			out.Doors[side.String()] = d.String()
		}
	}
	v := s.agent.view
	if s.agent.up {
		v = s.agent.look()
	}
	if v == nil {
		return out, true
	}
	for i := range v.Lifts {
		if v.Lifts[i].ID == id {
			s.seenLift(&out, &v.Lifts[i])
		}
	}
	return out, true
}

func (s *Site) seenLift(out *scenarios.Lift, v *core.LiftView) {
	now := s.agent.now()
	c := &v.Car
	out.Link = linkWord(c, now)
	out.SeenFloor = v.Floors.Label(freshOr(c.Floor, now))
	out.SeenMode = known(freshOr(c.Mode, now), elevator.ModeUnknown)
	for side := elevator.Front; int(side) < elevator.Sides; side++ {
		if d := c.Doors[side]; d.At != 0 || d.Failed {
			out.SeenDoors[side.String()] = known(freshOr(d, now), elevator.DoorUnknown)
		}
	}
	out.SeenEntry = known(freshOr(c.MayEnter, now), elevator.TriUnknown)
	out.Owner, out.Accepting, out.Occupied = v.Owner, v.Accepting, v.Occupied
	out.Maintenance, out.Halted = v.Maintenance != nil, v.Stopped != nil
	if a := v.AreaAlarm; a != nil {
		out.AreaAlarm, out.Drill = string(a.Kind), a.Drill
	}
	for _, a := range v.Alarms {
		out.Alarms = append(out.Alarms, a.Code)
	}
}

// freshOr is the value if it may be believed now, else the unknown one.
func freshOr[T comparable](v elevator.Seen[T], now elevator.Instant) T {
	var unknown T
	if v.Fresh(now, offlineAfter) {
		return v.Value
	}
	return unknown
}

func known[T interface {
	comparable
	String() string
}](v, unknown T) string {
	if v == unknown {
		return ""
	}
	return v.String()
}

func motionWord(m elevator.Motion) string { return known(m, elevator.MotionUnknown) }

// linkWord is degraded where the link counts as up and the last reading failed or is
// old.
func linkWord(c *elevator.Snapshot, now elevator.Instant) string {
	switch {
	case c.Link == elevator.LinkUnknown:
		return "connecting"
	case c.Link == elevator.Online && !c.Floor.Fresh(now, offlineAfter):
		return "degraded"
	}
	return c.Link.String()
}

// Robot shows where a robot really is.
func (s *Site) Robot(id string) (scenarios.Robot, bool) {
	r := s.robot(id)
	if r == nil {
		return scenarios.Robot{}, false
	}
	out := scenarios.Robot{Where: string(r.place.where)}
	if r.place.where != fsm.AtLanding {
		out.Lift = s.lifts[r.place.lift].id
	}
	switch r.place.where {
	case fsm.InCar:
		floor, _, _ := s.sight(r.place.lift, elevator.SideUnknown)
		out.Floor = s.lifts[r.place.lift].table.Label(floor)
	default:
		out.Floor = r.table().Label(r.place.floor)
	}
	return out, true
}

// Cloud shows what the stand-in cloud holds. Its map is not to be changed.
func (s *Site) Cloud() scenarios.Cloud {
	if !s.set.Cloud {
		return scenarios.Cloud{Reported: map[string]string{}}
	}
	c := &s.cloud
	if c.shownOld {
		c.shown, c.shownOld = s.documents(), false
	}
	p, _ := c.svc.Presence(serial, c.now())
	c.shown.Online = p.Online
	return c.shown
}

// documents reads all shadows.
func (s *Site) documents() scenarios.Cloud {
	out := scenarios.Cloud{Reported: map[string]string{}}
	for _, name := range s.shadows() {
		d, ok := s.cloud.svc.Document(serial, name)
		if !ok {
			continue
		}
		if name == "" {
			out.Version = d.Version
		}
		out.Delta = out.Delta || len(d.Delta()) > 0
		leaves(out.Reported, name, d.Reported)
	}
	return out
}

func (s *Site) shadows() []string {
	names := []string{""}
	for _, l := range s.lifts {
		names = append(names, l.id)
	}
	return names
}

func leaves(into map[string]string, path string, v any) {
	t, ok := v.(shadow.Tree)
	if !ok {
		into[path] = strings.TrimSpace(leafJSON(v))
		return
	}
	for k, e := range t {
		at := k
		if path != "" {
			at = path + "." + k
		}
		leaves(into, at, e)
	}
}

func leafJSON(v any) string {
	raw := string(shadow.Encode(shadow.Tree{"v": v}))
	return strings.TrimSuffix(strings.TrimPrefix(raw, `{"v":`), "}")
}
