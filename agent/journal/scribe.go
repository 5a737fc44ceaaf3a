package journal

import (
	"fmt"
	"reflect"

	"hoistway/agent/core"
	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// scribe writes one ride's entries: it knows what it wrote last, and writes what differs.
type scribe struct {
	write  func(e entry)
	tape   *tape
	lifts  map[string]Lift
	robot  string
	over   bool
	t, w   int64  // of the entries to come
	missed uint64 // entries that the disk did not take

	head   headPart
	state  fsm.State
	phase  fsm.Phase
	where  fsm.Where
	code   fsm.Code // of the fault that the ride is in
	permit permitPart
	car    carPart
	alarms map[string]bool
	self   signalPart // the last signal
}

func (s *scribe) at(t core.Time) { s.t, s.w = int64(t.Now), t.Wall }

func (s *scribe) put(e entry) {
	if e.T == 0 {
		e.T, e.W = s.t, s.w
	}
	s.write(e)
}

// gap says that something is missing here.
func (s *scribe) gap(n uint64, why string) {
	s.put(entry{Note: &notePart{Kind: "gap", Lost: n, Text: fmt.Sprintf("%d %s", n, why)}})
}

func (s *scribe) table() elevator.Table { return s.lifts[s.head.Lift].Floors }

// header is written at first, and again when the ride gets another lift or destination.
func (s *scribe) header(r *fsm.Ride) {
	l := s.lifts[r.Lift]
	h := headPart{
		Task: r.Task, Robot: r.Robot, Lift: r.Lift, From: l.Floors.Label(r.From), To: l.Floors.Label(r.To),
		FromDoor: r.FromSide.String(), ToDoor: r.ToSide.String(), Crossing: r.Crossing.Milliseconds(),
		Profile: l.Profile, Hash: l.Hash, Link: l.Link, Floors: floorsOf(l.Floors),
	}
	s.robot = r.Robot
	if reflect.DeepEqual(h, s.head) {
		return
	}
	s.head = h
	s.put(entry{Head: &h})
}

func floorsOf(t elevator.Table) []RecordFloor {
	out := make([]RecordFloor, 0, len(t))
	for _, l := range t {
		f := RecordFloor{Label: l.Label, Doors: []string{}}
		for _, d := range l.Doors {
			f.Doors = append(f.Doors, d.String())
		}
		out = append(out, f)
	}
	return out
}

func (s *scribe) moved(to fsm.State, phase fsm.Phase, why string) {
	from, code := s.state, fsm.Code("")
	if isFault(to) {
		code = s.code
	}
	s.state, s.phase, s.over = to, phase, to == fsm.Done
	s.put(entry{State: &statePart{From: from, To: to, Phase: phase, Why: why, Code: code}})
}

// follow writes what has changed of the ride since it was last seen.
func (s *scribe) follow(r *fsm.Ride) {
	if r.State != s.state || r.Phase != s.phase {
		why := ""
		if r.State != s.state {
			why = fsm.InWords(r.Why, s.table())
		}
		s.moved(r.State, r.Phase, why)
	}
	if watches(r) {
		s.lift(&r.Car)
	}
	s.permits(r)
	s.alarm(string(r.Alarmed), r.Why)
	s.alarmIs(fsm.DoorOpenAlarm, r.DoorAlarm, "")
	s.alarmIs(fsm.RobotStuckAlarm, r.Stuck, "")
}

// whereabouts comes before the change of state that it brings.
func (s *scribe) whereabouts(r *fsm.Ride) {
	if r.Where != s.where {
		s.where = r.Where
		s.put(entry{Robot: &robotPart{Where: r.Where}})
	}
}

// lift writes what the car shows. A door that the table does not have is left out
// while nothing is known of it.
func (s *scribe) lift(c *elevator.Snapshot) {
	p := carPart{
		Floor: s.table().Label(c.Floor.Value), FloorS: sourceWord(c.Floor.Source),
		Motion: c.Motion.Value.String(), Link: c.Link.String(), Mode: c.Mode.Value.String(),
	}
	for side := elevator.Front; int(side) < elevator.Sides; side++ {
		d := c.Doors[side]
		if d.At != 0 || d.Failed {
			p.Doors = append(p.Doors, doorPart{Side: side.String(), Door: d.Value.String(), Source: sourceWord(d.Source)})
		}
	}
	if reflect.DeepEqual(p, s.car) {
		return
	}
	s.car = p
	s.put(entry{Car: &p})
}

// permits writes the permit that stands, or why there is none, when that changes.
func (s *scribe) permits(r *fsm.Ride) {
	var p permitPart
	now := elevator.Instant(s.t)
	if r.Permit.N != 0 && !r.Permit.Through.Reached(now) {
		p = permitPart{
			ID: r.Permit.ID(r.ID), Kind: r.Permit.Kind, Floor: s.table().Label(r.Permit.Floor), Side: r.Permit.Side.String(), Epoch: r.Permit.Epoch,
		}
	} else if r.Granted {
		p = s.withheld(r, now)
	}
	if samePermit(p, s.permit) {
		return
	}
	s.permit = p
	s.put(entry{Permit: &p})
}

func (s *scribe) withheld(r *fsm.Ride, now elevator.Instant) permitPart {
	unmet := fsm.Withheld(r, now)
	if len(unmet) == 0 {
		return permitPart{}
	}
	kind, floor, side := r.Wanted()
	p := permitPart{Kind: kind, Floor: s.table().Label(floor), Side: side.String(), Epoch: r.Epoch}
	for _, u := range unmet {
		p.Missing = append(p.Missing, MissingPart{
			Part: u.Part, Want: fsm.InWords(u.Want, s.table()), Seen: fsm.InWords(u.Seen, s.table()), Source: u.Source.String(),
		})
	}
	return p
}

// samePermit leaves out how old something is: that changes with every look.
func samePermit(a, b permitPart) bool {
	if a.ID != b.ID || a.Kind != b.Kind || a.Floor != b.Floor || a.Side != b.Side || len(a.Missing) != len(b.Missing) {
		return false
	}
	for i, m := range a.Missing {
		x := b.Missing[i]
		counts := m.Part == "fresh" || m.Part == "hold" || m.Part == "time"
		if m.Part != x.Part || m.Want != x.Want || m.Source != x.Source || !counts && m.Seen != x.Seen {
			return false
		}
	}
	return true
}

// alarm writes the alarm that stands for the ride; code "" is none.
func (s *scribe) alarm(code, detail string) {
	for old, on := range s.alarms {
		if on && old != code && old != fsm.DoorOpenAlarm && old != fsm.RobotStuckAlarm {
			s.alarmIs(old, false, "")
		}
	}
	if code != "" {
		s.alarmIs(code, true, fsm.InWords(detail, s.table()))
	}
}

func (s *scribe) alarmIs(code string, on bool, detail string) {
	if s.alarms[code] == on {
		return
	}
	if s.alarms == nil {
		s.alarms = map[string]bool{}
	}
	s.alarms[code] = on
	if !on {
		delete(s.alarms, code)
	}
	s.put(entry{Alarm: &alarmPart{Code: code, On: on, Detail: detail}})
}

func (s *scribe) command(g given) {
	c := g.c.Command
	p := commandPart{
		N: c.ID.N, Verb: c.Verb.String(), Floor: s.table().Label(c.Floor), To: s.table().Label(c.To), Reason: fsm.InWords(c.Reason, s.table()),
		Urgent: g.urgent, MayClose: c.MayClose, Lives: c.Until.Until(g.t.Now).Milliseconds(),
	}
	if c.Side != elevator.SideUnknown {
		p.Side = c.Side.String()
	}
	if c.Direction != elevator.DirectionUnknown {
		p.Direction = c.Direction.String()
	}
	if c.Notice != elevator.NoticeUnknown {
		p.Notice = c.Notice.String()
	}
	s.put(entry{Command: &p})
}

func (s *scribe) outcome(o elevator.Outcome) {
	s.put(entry{Outcome: &outcomePart{N: o.ID.N, Result: o.Result.String(), Code: o.Code, Detail: o.Detail}})
}

func (s *scribe) signal(sig fsm.Signal) {
	if sig.Kind == fsm.Heartbeat {
		s.heartbeat(sig)
		return
	}
	p := s.signalPart(sig)
	if p.Boot == s.self.Boot && p.Seq == s.self.Seq {
		return // said again because the answer got lost
	}
	s.self = p
	s.put(entry{Signal: &p})
}

// heartbeat is written only when the robot tells something new by it.
func (s *scribe) heartbeat(sig fsm.Signal) {
	p := s.signalPart(sig)
	p.Kind = string(fsm.Heartbeat)
	was := s.self
	was.Kind, was.Seq, was.AgeMs, was.OdoM, was.Battery, was.Permit = p.Kind, p.Seq, p.AgeMs, p.OdoM, p.Battery, p.Permit
	if p == was {
		return
	}
	s.self = p
	s.put(entry{Signal: &p})
}

func (s *scribe) signalPart(sig fsm.Signal) signalPart {
	v := sig.View
	p := signalPart{
		Kind: string(sig.Kind), Boot: sig.Boot, Seq: sig.Seq, AgeMs: sig.Age.Milliseconds(), Where: string(v.Where),
		Floor: s.table().Label(v.Floor), FloorSure: v.FloorSure, Motion: v.Motion.String(), OdoM: v.OdoM, Permit: sig.Permit, Battery: sig.Battery,
	}
	if v.DoorOpen != elevator.TriUnknown {
		p.DoorFloor, p.DoorSide, p.DoorOpen = s.table().Label(v.DoorFloor), v.DoorSide.String(), v.DoorOpen.String()
	}
	return p
}

// frame keeps one frame, cut where it is long and without its secrets.
func (s *scribe) frame(f drivers.Frame, cmd uint32, mask func(string) string) {
	data, note := f.Data, f.Note
	if mask != nil {
		data, note = []byte(mask(string(data))), mask(note)
	}
	p := framePart{Line: f.Line, Out: f.Out, Data: data[:min(len(data), maxFrame)], Len: len(data), Note: note, Cmd: cmd}
	s.put(entry{T: int64(f.At), Frame: &p})
}
