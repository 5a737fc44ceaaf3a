package virtual

import (
	"time"

	"hoistway/agent/core"
	"hoistway/fsm"
)

// told is what the agent's local API answers a robot that asks for its rides: it
// keeps to the one that is being served, else takes the first that runs.
func (s *Site) told(r *robot) told {
	if !s.set.Lean {
		return s.toldByView(r)
	}
	s.showRides()
	if x := s.agent.core.Ride(r.serving); x != nil && x.Robot == r.id && x.State != fsm.Done {
		return s.tell(x)
	}
	out := told{}
	s.agent.core.EachRide(func(x *fsm.Ride) {
		if x.Robot != r.id || x.State == fsm.Done {
			return
		}
		if out.ride == "" {
			out = s.tell(x)
		}
	})
	return out
}

// toldByView is that of what readers see, where it may lie behind what the core knows.
func (s *Site) toldByView(r *robot) told {
	var first *fsm.Ride
	rides := s.agent.look().Rides
	for i := range rides {
		switch x := &rides[i].Ride; {
		case x.Robot != r.id || x.State == fsm.Done:
		case x.ID == r.serving:
			return s.tell(x)
		case first == nil:
			first = x
		}
	}
	if first == nil {
		return told{}
	}
	return s.tell(first)
}

func (s *Site) tell(x *fsm.Ride) told {
	now := s.agent.now()
	advice := fsm.Advise(x, now)
	t := told{
		ride: x.ID, state: x.State, phase: x.Phase, where: x.Where, do: advice.Do, why: advice.Why,
		from: x.From, to: x.To, fromSide: x.FromSide, toSide: x.ToSide,
	}
	if l := s.lift(x.Lift); l != nil {
		t.lift = l.n
	}
	end := x.Permit.Start
	if x.Where == fsm.Crossing {
		end = x.Permit.Through
	}
	if x.Permit.N != 0 && !end.Reached(now) && (!s.set.Lean || s.agent.kept()) {
		t.permit, t.permitID = x.Permit, x.Permit.ID(x.ID)
		t.start, t.through = millis(x.Permit.Start.Until(now)), millis(x.Permit.Through.Until(now))
	}
	if p, given := fsm.Pass(x, now); given {
		t.pass, t.passFor = p, millis(p.NotAfter.Until(now))
	}
	return t
}

// millis is what is left of a time told in whole milliseconds.
func millis(d time.Duration) time.Duration { return d.Truncate(time.Millisecond) }

// replied brings the answer of an order to whoever gave it.
func (s *Site) replied(token uint64, a core.Answer) {
	for _, r := range s.robots {
		if c := &r.call; c.token == token && token != 0 {
			c.token = 0
			c.any = true
			c.ok, c.no = taken(a.Status), a.Code
			if !c.ok && a.Status == core.Unavailable { // of its own trouble: it may pass
				c.no = ""
			}
			r.answerIn()
			return
		}
	}
	if !s.errandReplied(token, a) {
		s.askReplied(token, a)
	}
}

func taken(st core.AnswerStatus) bool {
	return st == core.Accepted || st == core.Created || st == core.Existing
}

// rideOf is a ride as the agent has it.
func (s *Site) rideOf(id string) (*core.RideView, bool) {
	v := s.agent.view
	if s.agent.up {
		v = s.agent.look()
	}
	if v == nil {
		return nil, false
	}
	for i := range v.Rides {
		if v.Rides[i].Ride.ID == id {
			return &v.Rides[i], true
		}
	}
	return nil, false
}
