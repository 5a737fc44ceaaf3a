package virtual

import (
	"errors"
	"fmt"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/simulator/scenarios"
)

// errand is an order of a person, a fleet or an area that waits for its answer.
type errand struct {
	token uint64
	who   string
	about []string // the ride, or the lifts
}

// errandsKept bounds the orders that nobody has answered.
const errandsKept = 64

// orderAct carries out an act that is an order to the agent.
func (s *Site) orderAct(a scenarios.Act) error {
	switch a := a.(type) {
	case scenarios.ChangeRide:
		o := core.PatchRide{Ride: a.ID, To: a.To, ToDoor: a.ToDoor, Aboard: a.Aboard, By: by(a.By)}
		return s.errand(a.By, "gives another destination, "+a.To+doorWord(a.ToDoor)+", to "+a.ID, o, a.ID)
	case scenarios.Claim:
		o := core.ClaimRide{Ride: a.ID, Says: fsm.SignalKind(a.Says), By: a.By}
		return s.errand(a.By, "claims "+a.Says+" of "+a.ID, o, a.ID)
	case scenarios.Maintain:
		o := core.MaintainLift{Lift: a.Lift, On: a.On, For: a.For, By: by(a.By), Why: "scenario"}
		return s.errand(a.By, pickWord(a.On, "begins", "ends")+" maintenance of "+a.Lift+lasting(a.For), o, a.Lift)
	case scenarios.Stop:
		o := core.StopAll{Lift: a.Lift, On: a.On, By: by(a.By), Why: "scenario"}
		if a.Lift == "" {
			return s.errand(a.By, pickWord(a.On, "stops", "ends the stop of")+" all lifts", o, s.ids()...)
		}
		return s.errand(a.By, pickWord(a.On, "stops ", "ends the stop of ")+a.Lift, o, a.Lift)
	case scenarios.EmptyCar:
		return s.errand(a.By, "says that no robot is in "+a.Lift, core.AttestEmpty{Lift: a.Lift, By: by(a.By)}, a.Lift)
	case scenarios.Alarm:
		return s.areaAct(a)
	}
	return errors.New("this act is not known here")
}

func (s *Site) areaAct(a scenarios.Alarm) error {
	lifts := s.inArea(a.Area)
	if len(lifts) == 0 {
		return fmt.Errorf("no lift is in the area %q", a.Area)
	}
	if a.Kind == "" {
		return s.errand(a.By, "clears the alarms of "+a.Area, core.ClearArea{Area: a.Area, By: by(a.By)}, lifts...)
	}
	o := core.RaiseArea{Area: a.Area, Kind: core.AreaKind(a.Kind), Drill: a.Drill, Source: a.By}
	return s.errand(a.By, "raises "+a.Kind+pickWord(a.Drill, " (a drill)", "")+" in "+a.Area, o, lifts...)
}

func lasting(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return " for " + d.String()
}

func (s *Site) ids() []string {
	var all []string
	for _, l := range s.lifts {
		all = append(all, l.id)
	}
	return all
}

// inArea lists the lifts of an area.
func (s *Site) inArea(area string) []string {
	var all []string
	for _, l := range s.lifts {
		if l.area == area {
			all = append(all, l.id)
		}
	}
	return all
}

// errand gives an order to the agent and keeps what it is about until it is answered.
func (s *Site) errand(name, what string, o core.Order, about ...string) error {
	if !s.agent.up {
		for _, id := range about {
			s.setAnswer(id, "unheard")
		}
		return errDown
	}
	s.say(by(name), false, what)
	for _, id := range about {
		s.wanted(id)
		s.setAnswer(id, "")
	}
	token := s.agent.order(o)
	s.errands = append(s.errands, errand{token: token, who: by(name), about: about})
	if len(s.errands) > errandsKept {
		s.errands = append(s.errands[:0], s.errands[1:]...)
	}
	return nil
}

// errandReplied takes the answer to an order; false when it is to something else.
func (s *Site) errandReplied(token uint64, a core.Answer) bool {
	for i := range s.errands {
		e := s.errands[i]
		if e.token != token {
			continue
		}
		s.errands = append(s.errands[:i], s.errands[i+1:]...)
		word := a.Code
		if taken(a.Status) {
			word = "accepted"
		}
		if word != "accepted" || a.Detail != "" {
			s.say(e.who, word != "accepted", "is told: "+word+" "+a.Detail)
		}
		for _, id := range e.about {
			s.setAnswer(id, word)
		}
		return true
	}
	return false
}

// setAnswer keeps what the last order about a ride or a lift came to.
func (s *Site) setAnswer(id, word string) {
	if l := s.lift(id); l != nil {
		l.answered = word
	}
	if k := s.known(id); k != nil {
		k.answered = word
	}
}
