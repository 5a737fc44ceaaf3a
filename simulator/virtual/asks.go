package virtual

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/simulator/scenarios"
)

// ask is a wish for a ride on its way.
type ask struct {
	act   scenarios.AskRide
	tries int
	token uint64
	over  bool
}

const (
	askTries = 5
	askPause = 300 * time.Millisecond
)

// rideKnown is what the site remembers of a ride beside the agent.
type rideKnown struct {
	id       string
	robot    string
	who      *robot // nil: no such robot
	lift     int
	refused  string
	goal     string // of a fleet's ride: the label that is named once the robot is in
	answered string // what the last order about it came to
	faults   []string
	faultNo  int
	state    fsm.State // as last told by the agent's log
	permit   fsm.Permit
	waits    int64 // when the wait began, ms; -1: it is over
	locked   bool  // its end in FAULT_LOCKED was told
	over     bool  // done, or not there any more
}

// Over is a ride that has ended, or that is locked and waits for a person; it may end
// later. A ride without a state was refused, or no store knew it after a kill.
type Over struct {
	Ride, Robot, Lift string
	State             fsm.State
	Phase             fsm.Phase
}

// Over hands out the rides that ended since the last call, oldest first.
func (s *Site) Over() []Over {
	out := s.overs
	s.overs = s.overs[len(s.overs):]
	if cap(s.overs) == 0 {
		s.overs = nil
	}
	return out
}

var (
	errNoRobot = errors.New("no such robot")
	errNoLift  = errors.New("no such lift")
	errNoRide  = errors.New("no such ride")
	errDown    = errors.New("the agent does not run")
	errNoCloud = errors.New("this site has no cloud")
	errNoLink  = errors.New("not connected")
	errNoAck   = errors.New("no acknowledgement")
)

// askRide lets a robot ask for a ride.
func (s *Site) askRide(a scenarios.AskRide) error {
	r := s.robot(a.Robot)
	switch {
	case r == nil:
		return fmt.Errorf("%s: %w", a.Robot, errNoRobot)
	case a.ID == "":
		return fmt.Errorf("a ride without an id: %w", errNoRide)
	}
	i := s.slot()
	s.asks[i] = ask{act: a}
	k := s.know(a.ID, a.Robot)
	if r.fleet {
		k.goal, a.To, a.ToDoor, a.Open = a.To, "", "", true
		s.asks[i].act = a
	}
	r.wish = a
	if a.NotReady {
		r.waitsFor = a.ID
	}
	if !s.set.Lean {
		s.say(a.Robot, false, "asks for "+a.ID+": "+askWords(a))
	}
	s.in(s.ways.between(wayLow, wayHigh), event{kind: evAsk, n: uint64(i)})
	return nil
}

func (s *Site) slot() int {
	for i := range s.asks {
		if s.asks[i].over {
			return i
		}
	}
	s.asks = append(s.asks, ask{})
	return len(s.asks) - 1
}

func askWords(a scenarios.AskRide) string {
	lift := a.Lift
	if a.Open {
		a.To = "a place told later"
	}
	if lift == "" {
		lift = "any lift"
	}
	return fmt.Sprintf("%s, %s%s to %s%s", lift, a.From, doorWord(a.FromDoor), a.To, doorWord(a.ToDoor))
}

func doorWord(side string) string {
	if side == "" {
		return ""
	}
	return " (" + side + ")"
}

// know remembers a ride, and while lean forgets those that are over.
func (s *Site) know(id, robot string) *rideKnown {
	if k := s.known(id); k != nil {
		return k
	}
	fresh := rideKnown{id: id, robot: robot, who: s.robot(robot), lift: -1, waits: -1}
	for i := range s.rides {
		if k := &s.rides[i]; s.set.Lean && k.over {
			*k = fresh
			return k
		}
	}
	s.rides = append(s.rides, fresh)
	return &s.rides[len(s.rides)-1]
}

func (s *Site) known(id string) *rideKnown {
	for i := range s.rides {
		if s.rides[i].id == id {
			return &s.rides[i]
		}
	}
	return nil
}

// askArrives is the moment at which the agent takes the wish.
func (s *Site) askArrives(i int) {
	k := &s.asks[i]
	if k.over {
		return
	}
	if r := s.robot(k.act.Robot); !s.agent.up || r.dead || r.silent() {
		s.askAgain(i)
		return
	}
	r := s.robot(k.act.Robot)
	a := k.act
	s.choosable(a.Lift)
	k.token = s.agent.order(core.CreateRide{
		Request: fsm.Request{ID: a.ID, Robot: a.Robot, Lift: a.Lift, Ready: !a.NotReady, Crossing: r.crossing, Priority: a.Priority},
		From:    a.From, To: a.To, FromDoor: a.FromDoor, ToDoor: a.ToDoor, Any: a.Lift == "", Open: a.Open, Toward: a.Toward,
	})
}

func (s *Site) askAgain(i int) {
	k := &s.asks[i]
	k.tries++
	if k.tries >= askTries {
		k.over = true
		s.say(k.act.Robot, true, "gives up asking for "+k.act.ID+": nobody answers")
		s.over(k.act.ID, "", "")
		return
	}
	s.in(askPause, event{kind: evAsk, n: uint64(i)})
}

// askReplied is the agent's answer to a wish.
func (s *Site) askReplied(token uint64, a core.Answer) {
	for i := range s.asks {
		k := &s.asks[i]
		if k.token != token || k.over || token == 0 {
			continue
		}
		switch {
		case taken(a.Status):
			k.over = true
			r := s.robot(k.act.Robot)
			r.wakeIn(s.ways.between(turnShort, turnLong))
			if s.set.Lean { // that it asks is a sign of life
				r.spoke = s.at()
			}
		case a.Status == core.Unavailable:
			s.know(k.act.ID, k.act.Robot).refused = a.Code
			s.say(k.act.Robot, true, "is told not now: "+a.Code+" "+a.Detail)
			s.askAgain(i)
			return
		default:
			k.over = true
			s.say(k.act.Robot, true, "is refused "+k.act.ID+": "+a.Code+" "+a.Detail)
			s.know(k.act.ID, k.act.Robot).refused = a.Code
			s.over(k.act.ID, "", "")
			return
		}
		s.know(k.act.ID, k.act.Robot).refused = ""
		s.chosen()
		return
	}
}

// resumed compares what is known of the rides with what a new process found in its
// store: the log of the old one may have ended too early.
func (s *Site) resumed() {
	var done, running []fsm.Ride
	s.agent.core.EachRide(func(x *fsm.Ride) {
		if x.State == fsm.Done {
			done = append(done, *x)
		} else {
			running = append(running, *x)
		}
	})
	for i := range done {
		s.over(done[i].ID, done[i].State, done[i].Phase)
	}
	for i := range running {
		k := s.know(running[i].ID, running[i].Robot)
		k.state = running[i].State
		if running[i].State == fsm.FaultLocked {
			s.over(running[i].ID, running[i].State, running[i].Phase)
		}
		s.wanted(running[i].Lift)
	}
	for i := range s.rides {
		id := s.rides[i].id
		known := slices.ContainsFunc(running, func(x fsm.Ride) bool { return x.ID == id })
		if !s.rides[i].over && !known && !s.asked(id) {
			s.over(id, "", "")
		}
	}
	s.poke()
}

// asked reports a wish that is still on its way.
func (s *Site) asked(id string) bool {
	return slices.ContainsFunc(s.asks, func(k ask) bool { return k.act.ID == id && !k.over })
}

// asksLost are the wishes whose answer died with the process.
func (s *Site) asksLost() {
	s.errands = nil
	for i := range s.asks {
		if k := &s.asks[i]; !k.over && k.token != 0 {
			k.token = 0
			s.askAgain(i)
		}
	}
}

// over notes the end of a ride, or that it is locked.
func (s *Site) over(id string, state fsm.State, phase fsm.Phase) {
	k := s.known(id)
	locked := state == fsm.FaultLocked
	if k == nil || k.over || locked && k.locked {
		return
	}
	k.over, k.locked = !locked, locked
	o := Over{Ride: id, Robot: k.robot, State: state, Phase: phase}
	if k.lift >= 0 {
		o.Lift = s.lifts[k.lift].id
	}
	if len(s.overs) < maxOvers {
		s.overs = append(s.overs, o)
	}
}

const maxOvers = 4096
