package journal

import (
	"fmt"
	"strings"

	"hoistway/agent/core"
	"hoistway/fsm"
)

// writer turns moments into entries. Run's goroutine owns it.
type writer struct {
	r     *Recorder
	ring  *ring
	rides map[string]*scribe
	mute  bool // the disk takes nothing; said once
}

func (w *writer) take(m any) {
	switch m := m.(type) {
	case *moment:
		w.moment(m)
	case given:
		w.given(m)
	}
}

// hole writes into each running record that something is missing here.
func (w *writer) hole(n uint64) {
	if n == 0 {
		return
	}
	for _, s := range w.rides {
		s.gap(n, "entries of this gateway's rides were lost here: the recorder was behind")
	}
}

func (w *writer) moment(m *moment) {
	for i := range m.rides {
		w.meet(&m.rides[i], m.t)
	}
	w.hole(m.lost)
	w.cause(m)
	for i := range m.rides {
		if s := w.rides[m.rides[i].ID]; s != nil {
			s.at(m.t)
			s.whereabouts(&m.rides[i])
		}
	}
	for _, x := range m.moves {
		if s := w.rides[x.Ride]; s != nil {
			s.at(m.t)
			s.state = x.From
			s.moved(x.To, x.Phase, x.Why)
		}
	}
	for _, l := range m.notes {
		if s := w.rides[l.Ride]; s != nil {
			s.at(m.t)
			s.put(entry{Note: &notePart{Kind: "note", Text: l.Msg}})
		}
	}
	for i := range m.rides {
		if s := w.rides[m.rides[i].ID]; s != nil {
			s.at(m.t)
			s.follow(&m.rides[i])
		}
	}
	for _, id := range m.gone {
		if s := w.rides[id]; s != nil {
			w.ring.finish(s.tape)
			delete(w.rides, id)
		}
	}
}

// meet opens the record of a ride that is seen for the first time in this run. One that
// was over before the run began has its record already.
func (w *writer) meet(r *fsm.Ride, t core.Time) {
	s := w.rides[r.ID]
	if s == nil {
		old := w.ring.ended(r.ID)
		if r.State == fsm.Done && !w.ring.begun(r.ID) || r.State == fsm.Done && old {
			return
		}
		s = &scribe{lifts: w.r.o.Lifts}
		s.write = func(e entry) { w.write(s, e) }
		s.tape = w.ring.take(r.ID, r.Robot, old)
		w.rides[r.ID] = s
		s.at(t)
		s.put(entry{Run: &runPart{
			Version: w.r.o.Version, Serial: w.r.o.Serial, Boot: w.r.o.Boot.ID, Zero: w.r.o.Boot.Zero, Wall0: w.r.o.Boot.Wall0,
		}})
		for _, cut := range s.tape.cuts { // said in the record too, since a torn tail is there no more
			s.put(entry{Note: &notePart{Kind: "gap", Text: cut}})
		}
	}
	s.at(t)
	s.code = r.Code
	s.header(r)
}

// cause writes what set the step off: a signal, an order, or what became of a command.
func (w *writer) cause(m *moment) {
	switch in := m.in.(type) {
	case core.Answered:
		if s := w.rides[in.Outcome.ID.Ride]; s != nil {
			s.at(m.t)
			s.outcome(in.Outcome)
		}
	case core.Ordered:
		w.order(in.Order, m)
	}
}

func (w *writer) order(o core.Order, m *moment) {
	switch o := o.(type) {
	case core.SendSignal:
		if s := w.rides[o.Ride]; s != nil {
			s.at(m.t)
			s.signal(o.Signal)
		}
	case core.SendHeartbeat:
		for _, s := range w.rides {
			if s.robot == o.Robot && !s.over {
				s.at(m.t)
				s.heartbeat(o.Signal)
			}
		}
	default:
		what, ride, who, detail := orderWords(o)
		if ride == "" {
			ride = m.reply.Ride
		}
		if s := w.rides[ride]; s != nil {
			s.at(m.t)
			s.put(entry{Order: &orderPart{Who: who, What: what, Detail: detail, Result: m.reply.Status.String(), Code: m.reply.Code}})
		}
	}
}

// orderWords says an order for people. One that is new here is told by its type's name.
func orderWords(o core.Order) (what, ride, who, detail string) {
	switch o := o.(type) {
	case core.CreateRide:
		return "create", o.Request.ID, "robot " + o.Request.Robot, strings.Trim(o.From+" to "+o.To, " ")
	case core.CancelRide:
		return "cancel", o.Ride, o.By, ""
	case core.ResetRide:
		return "reset", o.Ride, o.By, "the robot is " + string(o.RobotIs)
	case core.PatchRide:
		return "redirect", o.Ride, o.By, destination(o)
	case core.ClaimRide:
		return "claim", o.Ride, o.By, string(o.Says)
	}
	return strings.ToLower(strings.TrimPrefix(fmt.Sprintf("%T", o), "core.")), "", "", ""
}

func destination(o core.PatchRide) string {
	words := strings.Trim("to "+o.To+" "+o.ToDoor, " ")
	if o.Aboard {
		words += ", also with the robot in the car"
	}
	return words
}

func (w *writer) given(g given) {
	w.hole(g.lost)
	s := w.rides[g.c.Command.ID.Ride]
	if s == nil {
		return
	}
	for _, f := range g.before {
		s.frame(f, g.c.Command.ID.N, w.r.o.Lifts[g.c.Lift].Mask)
	}
	s.at(g.t)
	s.command(g)
}

func (w *writer) frame(p passed) {
	w.hole(p.lost)
	if s := w.rides[p.id.Ride]; s != nil {
		s.frame(p.f, p.id.N, s.lifts[s.head.Lift].Mask)
	}
}

// write puts one entry on the disk. A disk that takes nothing is told of once; what it
// did not take is counted as lost.
func (w *writer) write(s *scribe, e entry) {
	var to fsm.State
	if e.State != nil {
		to = e.State.To
	}
	body, err := bodyOf(e)
	var framed []byte
	if err == nil {
		framed, err = appendRecord(nil, body)
	}
	if err == nil {
		err = w.ring.put(s.tape, framed, to)
	}
	if err != nil {
		w.r.lost.Add(1)
		s.missed++
		if !w.mute {
			w.mute = true
			w.r.o.Log.Warn("the flight record cannot be written; rides go on", "code", "E-4008", "error", err)
		}
		return
	}
	if w.mute {
		w.mute = false
		w.r.o.Log.Info("the flight record can be written again")
	}
	if n := s.missed; n > 0 {
		s.missed = 0
		s.gap(n, "entries were lost before this one: the disk did not take them")
	}
	if isFault(to) || to == fsm.Done {
		w.ring.durable(s.tape)
	}
}

// rest writes what still waits at the end of the program.
func (w *writer) rest() {
	for {
		select {
		case m := <-w.r.moments:
			w.take(m)
		case p := <-w.r.passed:
			w.frame(p)
		default:
			return
		}
	}
}
