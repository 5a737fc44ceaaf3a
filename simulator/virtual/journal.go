package virtual

import (
	"fmt"
	"strings"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
)

// Line is one thing that happened.
type Line struct {
	At   elevator.Instant
	Who  string
	Text string
	Bad  bool // a fault, a refusal, or something that a person should look at
}

// journal keeps the lines that nobody has fetched yet.
type journal struct {
	lines []Line
	drawn int // how many of them a frame has shown
}

// maxLines bounds what is kept for a caller that does not fetch.
const maxLines = 100_000

// Log hands out the lines since the last call, oldest first.
func (s *Site) Log() []Line {
	out := s.journal.lines
	s.journal.lines, s.journal.drawn = nil, 0
	return out
}

func (s *Site) say(who string, bad bool, text string) {
	if s.set.Lean {
		return
	}
	j := &s.journal
	if len(j.lines) >= maxLines {
		j.lines = append(j.lines[:0], j.lines[maxLines/2:]...)
		j.drawn = max(0, j.drawn-maxLines/2)
	}
	j.lines = append(j.lines, Line{At: s.at(), Who: who, Text: text, Bad: bad})
}

func (l *lift) say(bad bool, text string) { l.s.say(l.id, bad, text) }

// tell says what became of the robot's body, in words with a blank between them.
func (r *robot) tell(words ...string) {
	r.stood()
	if !r.s.set.Lean {
		r.s.say(r.id, false, strings.Join(words, " "))
	}
}

// coreLine is a line of the agent's own log.
func (s *Site) coreLine(e core.Line) {
	if e.Msg == "ride" {
		s.rideLine(e)
		return
	}
	if s.set.Lean {
		return
	}
	who := "agent"
	if e.Ride != "" {
		who = e.Ride
	} else if e.Lift != "" {
		who = e.Lift
	}
	text := e.Msg
	for i := 0; i+1 < len(e.Attrs); i += 2 {
		if e.Attrs[i+1] != "" {
			text += " " + e.Attrs[i] + "=" + e.Attrs[i+1]
		}
	}
	s.say(who, e.Level == "warn", text)
}

// rideLine is one change of a ride's state.
func (s *Site) rideLine(e core.Line) {
	to, phase := attr(e, "to"), attr(e, "phase")
	k := s.know(e.Ride, attr(e, "robot"))
	if l := s.lift(e.Lift); l != nil {
		k.lift = l.n
	}
	k.state = fsm.State(to)
	switch k.state {
	case fsm.Requesting:
		if k.waits < 0 {
			k.waits = int64(s.at()) / 1e6
		}
	case fsm.Done, fsm.FaultLocked:
		s.over(e.Ride, fsm.State(to), fsm.Phase(phase))
	}
	s.poke()
	if !s.set.Lean {
		bad := to == string(fsm.Fault) || to == string(fsm.FaultLocked)
		s.say(e.Ride, bad, fmt.Sprintf("%s → %s · %s: %s", attr(e, "from"), to, phase, attr(e, "why")))
	}
}

func attr(e core.Line, key string) string {
	for i := 0; i+1 < len(e.Attrs); i += 2 {
		if e.Attrs[i] == key {
			return e.Attrs[i+1]
		}
	}
	return ""
}

// tellCommand says what became of a command.
func (l *lift) tellCommand(c elevator.Command, o elevator.Outcome) {
	text := strings.ReplaceAll(c.Verb.String(), "_", " ")
	switch c.Verb {
	case elevator.LandingCall:
		text += " " + c.Direction.String() + " at " + l.table.Label(c.Floor)
	case elevator.CarCall:
		text += " to " + l.table.Label(c.Floor)
	case elevator.CancelCall:
		text += " at " + l.table.Label(c.Floor)
	case elevator.Hold:
		text += fmt.Sprintf(" %s door %d s", c.Side, int(c.Until.Until(l.s.agent.now()).Seconds()+0.5))
	case elevator.Lapse:
		text += " " + c.Side.String() + " door"
	}
	text += " [" + c.ID.String() + "] " + resultWord(o.Result)
	if o.Detail != "" {
		text += " (" + o.Detail + ")"
	}
	if c.Reason != "" {
		text += ": " + c.Reason
	}
	l.heard.last = text
	l.say(o.Result != elevator.Done, text)
}

func resultWord(r elevator.Result) string {
	switch r {
	case elevator.Done:
		return "done"
	case elevator.Refused:
		return "refused"
	case elevator.NotSent:
		return "not sent"
	}
	return "unknown whether done"
}

// tellCar says what changed about a car as it really is.
func (l *lift) tellCar(was, is *building.CarState) {
	at := l.table.Label(is.Floor)
	switch {
	case was.Motion == elevator.Stopped && is.Motion != elevator.Stopped:
		l.say(false, "leaves "+l.table.Label(was.Floor)+", "+is.Motion.String())
	case was.Motion != elevator.Stopped && is.Motion == elevator.Stopped:
		l.say(is.Floor == 0, "arrives at "+orBetween(at))
	}
	for side := elevator.Front; int(side) < elevator.Sides; side++ {
		if d := is.Doors[side].State; d != was.Doors[side].State {
			l.say(false, side.String()+" door "+d.String()+" at "+orBetween(at))
		}
	}
	if is.Mode != was.Mode {
		l.say(is.Mode != elevator.Normal, "mode "+is.Mode.String())
	}
	for _, f := range []struct {
		was, is bool
		what    string
	}{
		{was.Dark, is.Dark, "the controller tells nothing"}, {was.Overload, is.Overload, "overload"}, {was.Nudging, is.Nudging, "nudging"},
	} {
		if f.is != f.was {
			l.say(f.is, f.what+onOff(f.is))
		}
	}
	if is.Error != was.Error && is.Error != 0 {
		l.say(true, fmt.Sprintf("shows error %d", is.Error))
	}
}

func onOff(on bool) string {
	if on {
		return ""
	}
	return ": over"
}

func orBetween(label string) string {
	if label == "" {
		return "no landing"
	}
	return label
}

// tellSignal says that a signal has come to the agent; tellUnheard that it has not, once,
// or that it was refused.
func (r *robot) tellSignal(w *word) {
	if !r.s.set.Lean && w.s.Kind != fsm.Heartbeat {
		r.s.say(r.id, false, "says "+string(w.s.Kind)+permitWord(w.s.Permit))
	}
}

func (r *robot) tellUnheard(c *call, ok, refused bool) {
	switch {
	case r.s.set.Lean || c.word == nil || ok || c.word.unheard && !refused:
	case refused:
		r.s.say(r.id, true, "is refused its "+string(c.word.s.Kind)+": "+c.no)
	default:
		c.word.unheard = true
		r.s.say(r.id, true, "is not answered to its "+string(c.word.s.Kind))
	}
}

func permitWord(id string) string {
	if id == "" {
		return ""
	}
	return " by permit " + id
}

func pickWord(first bool, a, b string) string {
	if first {
		return a
	}
	return b
}

func (r *robot) whereWords() string {
	switch r.place.where {
	case fsm.AtLanding:
		return "on the landing " + r.table().Label(r.place.floor)
	case fsm.InCar:
		return "in the car of " + r.s.lifts[r.place.lift].id
	}
	return "in the doorway"
}

// table is the floor table that fits what the robot is about.
func (r *robot) table() elevator.Table { return r.s.lifts[r.told.lift].table }

// shown looks at the permits when readers see rides that may have changed.
func (s *Site) shown(v *core.View) {
	for i := range v.Rides {
		s.permit(&v.Rides[i].Ride)
	}
}

// permit tells of a permit that is new, and of one that is taken back.
func (s *Site) permit(x *fsm.Ride) {
	k := s.known(x.ID)
	if k == nil {
		return
	}
	if x.FaultNo != k.faultNo && x.Code != fsm.NoFault {
		k.faults = append(k.faults, string(x.Code))
	}
	k.faultNo = x.FaultNo
	was, is := k.permit, x.Permit
	k.permit = is
	now := s.agent.now()
	switch t := s.tableOf(x.Lift); {
	case is.N != 0 && is.N != was.N:
		s.say(x.ID, false, fmt.Sprintf("permit %s (%s) at %s, %s door", is.ID(x.ID), is.Kind, t.Label(is.Floor), is.Side))
		s.granted(k, is.Kind)
	case is.N == 0 && was.N != 0 && now < was.Through && x.Where == fsm.Unknown:
		s.say(x.ID, true, "permit "+was.ID(x.ID)+" withdrawn"+fsm.InWords(lacks(x, now), t))
	}
}

func lacks(x *fsm.Ride, now elevator.Instant) string {
	text := ""
	for i, u := range fsm.Withheld(x, now) {
		text += pickWord(i == 0, ": ", ", ") + u.Part + " " + u.Seen
	}
	return text
}

// granted ends the wait of a robot.
func (s *Site) granted(k *rideKnown, kind fsm.PermitKind) {
	if kind == fsm.Enter && k.waits >= 0 {
		s.rideWaits = append(s.rideWaits, int64(s.at())/1e6-k.waits)
		k.waits = -1
	}
}

func (s *Site) tableOf(lift string) elevator.Table {
	if l := s.lift(lift); l != nil {
		return l.table
	}
	return nil
}

// askedWords are the words of scenarios for what a controller is asked.
func (c asked) words() map[string]int {
	return map[string]int{"landing-call": c.landing, "car-call": c.car, "hold": c.hold, "cancel": c.cancel, "claim": c.claim, "give-back": c.back}
}
