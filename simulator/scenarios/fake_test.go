package scenarios

import (
	"errors"
	"maps"
	"slices"
	"time"

	"hoistway/fsm/elevator"
)

// tale is a hand-written stage: what is there from an instant on, and what was done.
type tale struct {
	now    elevator.Instant
	turns  []turn
	rides  map[string]Ride
	lifts  map[string]Lift
	robots map[string]Robot
	cloud  Cloud
	acts   []Act
	refuse bool
}

type turn struct {
	at   time.Duration
	then func(*tale)
}

func newTale(turns ...turn) *tale {
	return &tale{
		turns: turns, rides: map[string]Ride{}, robots: map[string]Robot{},
		lifts: map[string]Lift{"L1": {Floor: "B1", Motion: "stopped", Asked: map[string]int{}}, "L2": {Asked: map[string]int{}}},
	}
}

func (s *tale) Now() elevator.Instant { return s.now }

func (s *tale) Next() elevator.Instant {
	if len(s.turns) == 0 {
		return 0
	}
	return elevator.Instant(s.turns[0].at)
}

func (s *tale) Advance(to elevator.Instant) {
	for len(s.turns) > 0 && elevator.Instant(s.turns[0].at) <= to {
		s.turns[0].then(s)
		s.turns = s.turns[1:]
	}
	s.now = to
}

func (s *tale) Do(a Act) error {
	if s.refuse {
		return errors.New("this stage has no such thing")
	}
	s.acts = append(s.acts, a)
	return nil
}

func (s *tale) Ride(id string) (Ride, bool)   { r, ok := s.rides[id]; return r, ok }
func (s *tale) Lift(id string) (Lift, bool)   { l, ok := s.lifts[id]; return l, ok }
func (s *tale) Robot(id string) (Robot, bool) { r, ok := s.robots[id]; return r, ok }
func (s *tale) Cloud() Cloud                  { return s.cloud }

// ride moves a ride on to a state.
func ride(at time.Duration, id, state string, more func(*Ride)) turn {
	return turn{at, func(s *tale) {
		r := s.rides[id]
		r.State, r.Been = state, append(slices.Clone(r.Been), state)
		if more != nil {
			more(&r)
		}
		s.rides[id] = r
	}}
}

// lift changes what is there of a lift.
func lift(at time.Duration, id string, change func(*Lift)) turn {
	return turn{at, func(s *tale) {
		l := s.lifts[id]
		l.Asked = maps.Clone(l.Asked)
		change(&l)
		s.lifts[id] = l
	}}
}
