package journal

import (
	"slices"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// moment is one step of the loop as the writer gets it.
type moment struct {
	in    core.Input  // an Ordered or Answered, else nil
	reply core.Answer // to the order
	moves []core.Move
	notes []core.Line // about rides, that are no moves
	rides []fsm.Ride  // those that may have changed, as they then were
	gone  []string    // rides that the site no longer keeps
	t     core.Time
	lost  uint64 // entries that got lost before this
}

// wholeEvery is how often a ride that seems not to change is looked at whole all the same:
// a permit may be withheld for a reason that only time brings.
const wholeEvery = time.Second

// gist is what tells at a glance that a ride has changed.
type gist struct {
	state     fsm.State
	phase     fsm.Phase
	where     fsm.Where
	lift      string
	permit    uint32
	faultNo   int
	code      fsm.Code
	alarmed   fsm.Code
	doorAlarm bool
	stuck     bool
	granted   bool
	car       glance
}

// glance is what a car shows, without when.
type glance struct {
	floor  elevator.Floor
	motion elevator.Motion
	mode   elevator.Mode
	link   elevator.LinkState
	doors  [elevator.Sides]elevator.Door
}

func gistOf(r *fsm.Ride) gist {
	g := gist{
		state: r.State, phase: r.Phase, where: r.Where, lift: r.Lift, permit: r.Permit.N, faultNo: r.FaultNo, code: r.Code,
		alarmed: r.Alarmed, doorAlarm: r.DoorAlarm, stuck: r.Stuck, granted: r.Granted,
	}
	if watches(r) {
		g.car = glanceAt(&r.Car)
	}
	return g
}

// watches reports a ride to which the car matters: one that has it, or whose robot may
// be in it. A ride in the queue would only record the journeys of others.
func watches(r *fsm.Ride) bool {
	return r.State != fsm.Done && (r.Granted || r.Where == fsm.Inside || r.Where == fsm.Crossing)
}

func glanceAt(c *elevator.Snapshot) glance {
	g := glance{floor: c.Floor.Value, motion: c.Motion.Value, mode: c.Mode.Value, link: c.Link}
	for i := range c.Doors {
		g.doors[i] = c.Doors[i].Value
	}
	return g
}

// sweep looks over the rides after each step and picks those worth telling.
type sweep struct {
	known map[string]*known
	round uint64
	last  elevator.Instant
}

type known struct {
	gist  gist
	at    elevator.Instant // when it was last told whole
	round uint64
}

func newSweep() sweep { return sweep{known: map[string]*known{}} }

// look gives what the step brought, nil for nothing, and how many entries that is.
func (s *sweep) look(in core.Input, res *core.Result, k *core.Core, t core.Time) (*moment, uint64) {
	m := moment{t: t, moves: res.Moves}
	for _, e := range res.After {
		switch e := e.(type) {
		case core.Line:
			if isNote(&e) {
				m.notes = append(m.notes, e)
			}
		case core.Reply:
			m.reply = e.Answer
		}
	}
	told := len(m.moves)+len(m.notes) > 0
	lift := "" // only its rides are looked at; "" is all
	switch in := in.(type) {
	case core.Ordered, core.Answered:
		m.in = in
	case *core.Seen: // a ride of another lift changes only with a word about it
		if !told && t.Now.Sub(s.last) < wholeEvery {
			lift = in.Lift
		}
	default:
		if !res.Changed && !told && in != nil && t.Now.Sub(s.last) < wholeEvery {
			return nil, 0
		}
	}
	s.over(&m, k, lift)
	n := len(m.moves) + len(m.notes) + len(m.rides) + len(m.gone)
	if m.in != nil {
		n++
	}
	if n == 0 {
		return nil, 0
	}
	kept := m // most steps tell nothing, and shall cost nothing
	return &kept, uint64(n)
}

// isNote reports a line about a ride that stands in no other part of its record: moves and alarms do.
func isNote(l *core.Line) bool {
	return l.Ride != "" && !l.Moved && l.Level != "info" && !slices.Contains(l.Attrs, "detail")
}

func (s *sweep) over(m *moment, k *core.Core, lift string) {
	s.round++
	seen := 0
	k.EachRide(func(r *fsm.Ride) {
		if lift != "" && r.Lift != lift {
			return
		}
		seen++
		x := s.known[r.ID]
		if x == nil {
			x = &known{}
			s.known[r.ID] = x
		}
		x.round = s.round
		g := gistOf(r)
		if g != x.gist || r.Granted && r.State != fsm.Done && m.t.Now.Sub(x.at) >= wholeEvery {
			x.gist, x.at = g, m.t.Now
			m.rides = append(m.rides, *r)
		}
	})
	if lift != "" {
		return
	}
	s.last = m.t.Now
	if seen == len(s.known) {
		return
	}
	for id, x := range s.known {
		if x.round != s.round {
			delete(s.known, id)
			m.gone = append(m.gone, id)
		}
	}
}

// again forgets what was told in a moment that got lost, so that it is told anew.
func (s *sweep) again(m *moment) {
	for i := range m.rides {
		if x := s.known[m.rides[i].ID]; x != nil {
			x.gist = gist{}
		}
	}
}
