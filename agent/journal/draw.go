package journal

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hoistway/fsm"
)

// placed is an entry on the axis of the whole record.
type placed struct {
	entry
	ns   int64 // since the record's first entry
	wall int64 // epoch ms
}

// draw makes the document of a record. What is damaged is left out and said.
func draw(ride string, c copied, version, serial string, now time.Time) *Record {
	d := &drawing{out: Record{
		Schema: Schema, ExportedAt: stamp(now.UnixMilli()), Agent: RecordAgent{version, serial},
		Ride: RecordRide{ID: ride, Robot: c.robot}, Faulted: c.fault, Bytes: c.bytes, Damage: c.cuts, Running: c.live,
		Floors: []RecordFloor{}, Lanes: emptyLanes(),
	}, asked: map[uint32]int{}}
	if d.out.Damage == nil {
		d.out.Damage = []string{}
	}
	list := d.place(d.decode(c.parts))
	for i := range list {
		d.add(&list[i])
	}
	d.end(list)
	return &d.out
}

func emptyLanes() Lanes {
	return Lanes{
		State: []StateSpan{}, Robot: []RobotSpan{}, Permit: []PermitSpan{}, Commands: []CommandSpan{}, Door: []DoorSpan{}, Floor: []FloorSpan{},
		Motion: []MotionSpan{}, Lift: []LiftSpan{}, Signals: []SignalMark{}, Orders: []OrderMark{}, Alarms: []AlarmSpan{}, Frames: []FrameMark{},
		Notes: []NoteMark{},
	}
}

// drawing is a document that is being made.
type drawing struct {
	out   Record
	asked map[uint32]int // commands without an outcome, by number: their index in the lane
	where fsm.Where
}

// decode reads the entries of all parts, and says where parts or ends are missing.
func (d *drawing) decode(parts []part) []entry {
	var out []entry
	want := 1
	for _, p := range parts {
		if p.no != want {
			d.out.Damage = append(d.out.Damage, fmt.Sprintf("parts %d to %d were dropped: the record had grown too long", want, p.no-1))
		}
		want = p.no + 1
		first := true
		good := sound(p.data, func(body []byte) {
			if first { // the segment's head
				first = false
				return
			}
			var e entry
			if err := json.Unmarshal(body, &e); err != nil {
				d.out.Damage = append(d.out.Damage, "segment "+p.name+": an entry is not readable")
				return
			}
			out = append(out, e)
		})
		if good < len(p.data) {
			d.out.Damage = append(d.out.Damage, fmt.Sprintf("segment %s: cut at byte %d", p.name, good))
		}
	}
	return out
}

// place lays the clocks of all runs end to end. Within one boot the machine's own clock
// says how long the program was away, over a reboot only wall time does.
func (d *drawing) place(list []entry) []placed {
	out := make([]placed, 0, len(list))
	var shift, last, lastWall, skew int64
	var run *runPart
	for _, e := range list {
		if e.Run != nil {
			shift = shiftOf(run, e, shift, last, lastWall)
			run = e.Run
			skew = e.Run.Wall0
		}
		if e.W != 0 {
			skew = e.W - e.T/1e6
		}
		p := placed{entry: e, ns: e.T + shift, wall: skew + e.T/1e6}
		if e.Frame == nil {
			last, lastWall = max(last, p.ns), p.wall
		}
		out = append(out, p)
	}
	slices.SortStableFunc(out, func(a, b placed) int { return cmp.Compare(a.ns, b.ns) })
	for i := len(out) - 1; i >= 0; i-- {
		out[i].ns -= out[0].ns
	}
	return out
}

// shiftOf is what to add to the clock of a run that begins with e.
func shiftOf(before *runPart, e entry, shift, last, lastWall int64) int64 {
	switch {
	case before == nil:
		return 0
	case before.Boot == e.Run.Boot && e.Run.Boot != "" && e.Run.Zero >= before.Zero:
		return shift + e.Run.Zero - before.Zero
	}
	return last + max(0, e.W-lastWall)*1e6 - e.T
}

func (p *placed) mark() TimeMark { return TimeMark{TMs: float64(p.ns) / 1e6, At: stamp(p.wall)} }
func (p *placed) span() TimeSpan { return TimeSpan{TimeMark: p.mark()} }

func (d *drawing) add(p *placed) {
	l := &d.out.Lanes
	switch {
	case p.Run != nil:
		l.Notes = append(l.Notes, NoteMark{p.mark(), "run", "recorded by version " + p.Run.Version, 0})
	case p.Head != nil:
		d.head(p.Head)
	case p.State != nil:
		d.state(p)
	case p.Robot != nil:
		d.where = p.Robot.Where
		until(l.Robot, p, func(s *RobotSpan) *TimeSpan { return &s.TimeSpan })
		l.Robot = append(l.Robot, RobotSpan{p.span(), string(p.Robot.Where)})
	case p.Permit != nil:
		d.permit(p)
	case p.Command != nil:
		d.command(p)
	case p.Outcome != nil:
		d.outcome(p)
	case p.Car != nil:
		d.car(p)
	case p.Signal != nil:
		l.Signals = append(l.Signals, signalMark(p))
	case p.Order != nil:
		o := p.Order
		l.Orders = append(l.Orders, OrderMark{p.mark(), o.Who, o.What, o.Detail, o.Result, o.Code})
	case p.Alarm != nil:
		d.alarmed(p)
	case p.Frame != nil:
		l.Frames = append(l.Frames, frameMark(p))
	case p.Note != nil:
		l.Notes = append(l.Notes, NoteMark{p.mark(), p.Note.Kind, p.Note.Text, p.Note.Lost})
	}
}

// until ends the last span of a lane, if it lasts still.
func until[T any](lane []T, p *placed, of func(*T) *TimeSpan) {
	if len(lane) == 0 {
		return
	}
	if s := of(&lane[len(lane)-1]); s.UntilMs == nil {
		t := float64(p.ns) / 1e6
		s.UntilMs = &t
	}
}

func (d *drawing) head(h *headPart) {
	r := &d.out.Ride
	r.Task, r.Robot, r.Lift, r.From, r.To, r.FromDoor, r.ToDoor, r.CrossingMs = h.Task, h.Robot, h.Lift, h.From, h.To, h.FromDoor, h.ToDoor, h.Crossing
	d.out.Profile = RecordProfile{h.Profile, h.Hash, h.Link}
	d.out.Floors = h.Floors
	if d.out.Floors == nil {
		d.out.Floors = []RecordFloor{}
	}
}

func (d *drawing) state(p *placed) {
	s := p.State
	l := &d.out.Lanes
	until(l.State, p, func(s *StateSpan) *TimeSpan { return &s.TimeSpan })
	l.State = append(l.State, StateSpan{p.span(), string(s.From), string(s.To), string(s.Phase), string(d.where), s.Why, string(s.Code)})
	d.out.State, d.out.Phase = string(s.To), string(s.Phase)
	if isFault(s.To) {
		d.out.Faulted = true
		if s.Code != "" {
			d.out.LastFault = string(s.Code)
		}
	}
	d.out.EndedAt = nil
	if s.To == fsm.Done {
		at := stamp(p.wall)
		d.out.EndedAt = &at
	}
}

func (d *drawing) permit(p *placed) {
	x := p.Permit
	l := &d.out.Lanes
	until(l.Permit, p, func(s *PermitSpan) *TimeSpan { return &s.TimeSpan })
	if x.ID == "" && x.Kind == "" {
		return
	}
	status, missing := "granted", x.Missing
	if x.ID == "" {
		status = "withheld"
	}
	if missing == nil {
		missing = []MissingPart{}
	}
	l.Permit = append(l.Permit, PermitSpan{p.span(), status, x.ID, string(x.Kind), x.Floor, x.Side, x.Epoch, missing})
}

func (d *drawing) command(p *placed) {
	c := p.Command
	s := CommandSpan{
		TimeSpan: p.span(), ID: fmt.Sprintf("%s/%d", d.out.Ride.ID, c.N), N: c.N, Verb: c.Verb, Floor: c.Floor, To: c.To, Side: c.Side,
		Direction: c.Direction, Notice: c.Notice, Reason: c.Reason, Urgent: c.Urgent, MayClose: c.MayClose, Result: "pending",
	}
	if c.Lives != 0 {
		s.LivesMs = &c.Lives
	}
	d.asked[c.N] = len(d.out.Lanes.Commands)
	d.out.Lanes.Commands = append(d.out.Lanes.Commands, s)
}

func (d *drawing) outcome(p *placed) {
	i, ok := d.asked[p.Outcome.N]
	if !ok {
		return
	}
	delete(d.asked, p.Outcome.N)
	c := &d.out.Lanes.Commands[i]
	end := float64(p.ns) / 1e6
	took := end - c.TMs
	c.UntilMs, c.TookMs = &end, &took
	c.Result, c.Code, c.Detail = p.Outcome.Result, p.Outcome.Code, p.Outcome.Detail
}

func (d *drawing) alarmed(p *placed) {
	l := &d.out.Lanes
	for i := range l.Alarms {
		if a := &l.Alarms[i]; a.Code == p.Alarm.Code && a.UntilMs == nil {
			end := float64(p.ns) / 1e6
			a.UntilMs = &end
		}
	}
	if p.Alarm.On {
		l.Alarms = append(l.Alarms, AlarmSpan{p.span(), p.Alarm.Code, p.Alarm.Detail})
	}
}

// end closes the document: how long it is, and whether the ride still runs.
func (d *drawing) end(list []placed) {
	if len(list) == 0 {
		return
	}
	first, last := &list[0], &list[len(list)-1]
	d.out.StartedAt = stamp(first.wall)
	d.out.SpanMs = float64(last.ns) / 1e6
	d.out.Running = d.out.Running && d.out.EndedAt == nil
	if d.out.LastFault == "" && d.out.Faulted {
		d.out.LastFault = "unknown"
	}
}

func signalMark(p *placed) SignalMark {
	s := p.Signal
	m := SignalMark{
		TimeMark: p.mark(), Kind: s.Kind, Boot: s.Boot, Seq: s.Seq, AgeMs: s.AgeMs, Where: s.Where, Floor: s.Floor, FloorSure: s.FloorSure,
		Motion: s.Motion, OdoM: s.OdoM, Permit: s.Permit,
	}
	if s.DoorOpen != "" {
		m.SeesDoor = &SeenDoor{Floor: s.DoorFloor, Side: s.DoorSide, Open: s.DoorOpen}
	}
	if s.Battery >= 0 {
		m.Battery = &s.Battery
	}
	return m
}

func frameMark(p *placed) FrameMark {
	f := p.Frame
	return FrameMark{p.mark(), f.Line, f.Out, strings.ToLower(fmt.Sprintf("%x", f.Data)), f.Len, f.Len > len(f.Data), f.Note, f.Cmd}
}
