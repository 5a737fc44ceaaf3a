package robot

import (
	"slices"
	"time"

	"hoistway/drivers"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

const (
	// SilentAfter is how long a gateway may give no answer until its rides are shown as
	// faulted here. A permit does not last that long.
	SilentAfter = 5 * time.Second

	keptEnded = 8
	keptMarks = 32
)

// Mirror is the rides of one robot as a gateway told of them, and what the robot has
// said since. It has one owner.
type Mirror struct {
	Robot string
	rides []*Ride
	eyes  Eyes
	seq   uint64 // of changes, so that each view differs from the one before
}

// Ride is one mirrored ride.
type Ride struct {
	Told   drivers.RideView // the newest answer
	Via    string           // the lift whose link carries it
	Floors elevator.Table   // of that link

	Lost    elevator.Instant // since when it cannot be asked; 0: it answers
	LostWhy string
	Gone    bool // the gateway keeps no such ride

	began    string           // the permit on which the robot began to cross, heard by the gateway
	epoch    uint32           // of the newest permit, in the present lift
	kind     string           // of the newest permit
	over     elevator.Instant // when the newest permit is over at the latest
	own      fsm.Where        // by the robot's word since, "" for none
	ownAt    elevator.Instant
	marks    []mark
	state    fsm.State // as last shown
	phase    fsm.Phase
	restored bool // from the store, and not heard of since
}

type mark struct {
	at       elevator.Instant
	wall     int64
	from, to fsm.State
	phase    fsm.Phase
	why      string
}

// New makes an empty mirror.
func New(robot string) *Mirror { return &Mirror{Robot: robot} }

// Find gives a ride of this id, nil when there is none.
func (m *Mirror) Find(id string) *Ride {
	for _, r := range m.rides {
		if r.Told.ID == id {
			return r
		}
	}
	return nil
}

// Live lists the rides that have not ended, oldest first.
func (m *Mirror) Live() []*Ride {
	var out []*Ride
	for _, r := range m.rides {
		if !r.ended() {
			out = append(out, r)
		}
	}
	return out
}

func (r *Ride) ended() bool {
	return fsm.State(r.Told.State) == fsm.Done || r.Gone && r.Where() == fsm.Outside
}

// Carrier is how a ride came here.
type Carrier struct {
	Via    string
	Floors elevator.Table
}

// Take lays an answer of a gateway over what is known. Of two answers that crossed each
// other on their way the one whose question left later counts, but a permit only if
// both have it. An answer about another robot is none.
func (m *Mirror) Take(c Carrier, v drivers.RideView, now elevator.Instant, wall int64) *Ride {
	r := m.Find(v.ID)
	switch {
	case v.ID == "" || v.Robot != m.Robot && !(v.Lost && v.Robot == ""):
		return nil
	case v.Lost && r == nil:
		return nil
	case r == nil:
		r = &Ride{Via: c.Via, Floors: c.Floors}
		m.rides = append(m.rides, r)
	}
	m.seq++
	switch {
	case v.Lost:
		r.lose(v.Why, now)
	case !r.restored && v.At < r.Told.At:
		if v.Permit.ID != r.Told.Permit.ID || v.Permit.Epoch != r.Told.Permit.Epoch {
			r.Told.Permit = drivers.RidePermit{}
		}
		return r
	default:
		r.take(v)
	}
	m.note(r, now, wall)
	m.forget()
	return r
}

func (r *Ride) lose(why string, now elevator.Instant) {
	if r.Lost == 0 {
		r.Lost = max(now, 1)
	}
	r.LostWhy = why
}

func (r *Ride) take(v drivers.RideView) {
	if v.Lift != r.Told.Lift {
		r.epoch = 0 // leases are counted by lift, and a ride may be given another before it boards
	}
	r.Told, r.Lost, r.LostWhy, r.Gone, r.restored = v, 0, "", false, false
	p := &r.Told.Permit
	if p.ID == "" {
		return
	}
	if p.Epoch < r.epoch { // of a lease that is over: nothing of it holds
		*p = drivers.RidePermit{}
		r.Told.Withheld = append(slices.Clone(v.Withheld), drivers.Unmet{Part: "lease", Want: "the present one", Seen: "one before it", Source: "robot"})
		return
	}
	r.epoch, r.kind, r.over = p.Epoch, p.Kind, p.ThroughBy
}

// Lose says that nothing of a ride can be asked, since a link ended or never was.
func (m *Mirror) Lose(id, why string, now elevator.Instant, wall int64) {
	if r := m.Find(id); r != nil {
		m.seq++
		r.lose(why, now)
		m.note(r, now, wall)
	}
}

// Drop says that the gateway keeps no ride of this id. What the robot does is its own
// affair then, and a person's: nobody holds a door for it.
func (m *Mirror) Drop(id string, now elevator.Instant, wall int64) {
	if r := m.Find(id); r != nil && !r.ended() {
		m.seq++
		r.Gone, r.Told.Permit, r.Told.Pass = true, drivers.RidePermit{}, drivers.LeavePass{}
		m.note(r, now, wall)
	}
}

// Hear takes in what the robot says of itself. heard: the gateway has it.
func (m *Mirror) Hear(id string, s drivers.RideSignal, heard bool, now elevator.Instant, wall int64) {
	m.seq++
	m.eyes.see(fromRobot, sightOf(s))
	r := m.Find(id)
	if r == nil {
		return
	}
	r.locate(s)
	if heard && (s.Kind == string(fsm.Entering) || s.Kind == string(fsm.LeavingNow)) && s.Permit != "" {
		r.began = s.Permit
	}
	m.note(r, now, wall)
}

// Sense takes in what the robot's own source of displacement shows.
func (m *Mirror) Sense(s Sample) {
	m.seq++
	m.eyes.see(fromSource, s.Sight)
}

// locate changes where the robot is by a positive report alone.
func (r *Ride) locate(s drivers.RideSignal) {
	if s.At <= r.ownAt {
		return
	}
	was := r.Where()
	is := was
	switch fsm.SignalWhere(s.Where) {
	case fsm.AtDoorway:
		is = fsm.Crossing
	case fsm.InCar:
		is = fsm.Inside
	case fsm.AtLanding:
		is = r.onLanding(s, was)
	}
	if is != was || r.own != "" {
		r.own, r.ownAt = is, s.At
	}
}

// onLanding believes a robot that says left or gave up, and otherwise one that no permit
// could have moved since.
func (r *Ride) onLanding(s drivers.RideSignal, was fsm.Where) fsm.Where {
	switch kind := fsm.SignalKind(s.Kind); {
	case kind == fsm.Left, kind == fsm.GaveUpEntering && was != fsm.Inside:
		return fsm.Outside
	case was != fsm.Inside && s.At >= r.over && kind != fsm.Entering && kind != fsm.LeavingNow:
		return fsm.Outside
	}
	return was
}

// Where the robot is: by the newer of the gateway's answer and the robot's own word.
func (r *Ride) Where() fsm.Where {
	told := fsm.Where(r.Told.Where)
	if told == "" {
		told = fsm.Unknown
	}
	if r.own != "" && r.ownAt > r.Told.At {
		return r.own
	}
	return told
}

// Look brings the marks of what is shown up to now, and reports whether any changed.
func (m *Mirror) Look(now elevator.Instant, wall int64) bool {
	changed := false
	for _, r := range m.rides {
		changed = m.note(r, now, wall) || changed
	}
	return changed
}

// note writes down a change of what is shown.
func (m *Mirror) note(r *Ride, now elevator.Instant, wall int64) bool {
	state, phase, why := r.shown(now)
	if state == r.state && phase == r.phase {
		return false
	}
	if r.state != "" && state != r.state {
		r.marks = append(r.marks, mark{now, wall, r.state, state, phase, why})
		if len(r.marks) > keptMarks {
			r.marks = slices.Delete(r.marks, 0, len(r.marks)-keptMarks)
		}
	}
	r.state, r.phase = state, phase
	m.seq++
	return true
}

// forget lets go of the oldest rides that have ended.
func (m *Mirror) forget() {
	ended := 0
	for _, r := range m.rides {
		if r.ended() {
			ended++
		}
	}
	m.rides = slices.DeleteFunc(m.rides, func(r *Ride) bool {
		if ended <= keptEnded || !r.ended() {
			return false
		}
		ended--
		return true
	})
}
