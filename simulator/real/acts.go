package real

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/cloud"
	"hoistway/simulator/robots"
	"hoistway/simulator/scenarios"
	"hoistway/sync/shadow"
)

// ErrCannot says that an act is only possible in virtual time.
var ErrCannot = errors.New("not possible with the real agent")

// Do carries out one act of a scenario. What takes its time (a robot that asks, an
// agent that stops) goes on by itself.
func (s *Site) Do(a scenarios.Act) error {
	switch a := a.(type) {
	case scenarios.AskRide:
		return s.ask(a)
	case scenarios.Say:
		bot := s.robots[a.Robot]
		if bot == nil {
			return fmt.Errorf("no robot %q here", a.Robot)
		}
		return bot.Say(a.Kind)
	case scenarios.Inject:
		return s.Inject(a.Fault)
	case scenarios.Clear:
		return s.Clear(a.Target, a.Kind)
	case scenarios.Press:
		return s.press(a)
	case scenarios.Crowd:
		return s.crowd(a)
	case scenarios.Desire:
		return s.desire(a)
	}
	return s.order(a)
}

// rideOf is a ride of a scenario: its robot gives it an id of its own.
type rideOf struct {
	robot, from string
	id          string // "" until the agent has taken it
	refused     string
	last        AgentRide // as last read
	faults      []string
}

func (s *Site) ask(a scenarios.AskRide) error {
	bot := s.robots[a.Robot]
	if bot == nil {
		return fmt.Errorf("no robot %q here", a.Robot)
	}
	if a.Open {
		return fmt.Errorf("a ride whose destination is told later: %w", ErrCannot)
	}
	r := &rideOf{robot: a.Robot, from: a.From}
	s.mu.Lock()
	s.rides[a.ID] = r
	s.mu.Unlock()
	s.wg.Go(func() {
		id, err := bot.Ask(s.ctx, robots.Ride{
			Lift: a.Lift, From: a.From, To: a.To, FromDoor: a.FromDoor, ToDoor: a.ToDoor, Standby: a.NotReady, OnWord: a.NotReady, Priority: a.Priority,
		})
		s.mu.Lock()
		defer s.mu.Unlock()
		r.id = id
		var no *robots.Refusal
		var later *robots.NotNow
		switch {
		case errors.As(err, &no):
			r.refused = no.Code
		case errors.As(err, &later):
			r.refused = later.No.Code
		case err != nil:
			r.refused = "unheard"
		}
	})
	return nil
}

func (s *Site) idOf(ride string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.rides[ride]; r != nil {
		return r.id
	}
	return ""
}

// press is a person at a button. A call that the lift refuses is no fault of the
// scenario.
func (s *Site) press(a scenarios.Press) (err error) {
	s.world.Do(func(b *building.Building) {
		floor := b.Table(a.Lift).ByLabel(a.Floor)
		if a.Direction == elevator.DirectionUnknown {
			err = b.CarCall(a.Lift, floor)
		} else {
			err = b.LandingCall(a.Lift, floor, a.Direction)
		}
	})
	if errors.Is(err, building.ErrBusy) || errors.Is(err, building.ErrLocked) {
		return nil
	}
	return err
}

func (s *Site) crowd(a scenarios.Crowd) error {
	traffic, err := building.TrafficOf(a.Mix, a.PerFiveMinute, "", s.o.Seed)
	if err != nil {
		return err
	}
	var mine int
	s.world.Do(func(b *building.Building) {
		if err = b.Populate(traffic); err == nil {
			s.crowds++
			mine = s.crowds
		}
	})
	if err == nil && a.For > 0 {
		s.later(a.For, func() {
			s.world.Do(func(b *building.Building) {
				if s.crowds == mine { // else another has replaced it
					_ = b.Populate(building.Traffic{}) // a rate of 0 is never refused
				}
			})
		})
	}
	return err
}

func (s *Site) desire(a scenarios.Desire) error {
	if s.cloud == nil {
		return errors.New("this site has no cloud")
	}
	var v any
	if err := json.Unmarshal([]byte(a.Value), &v); err != nil {
		return fmt.Errorf("desired %s: %w", a.Path, err)
	}
	name, field := a.Place()
	if a.Expires == 0 {
		return s.cloud.Desire(Serial, name, shadow.Tree{field: v})
	}
	return s.cloud.Desire(Serial, name, shadow.Tree{field: v}, cloud.Intent{ID: fmt.Sprintf("i-%d", s.Since().Milliseconds()), TTL: a.Expires, By: "operator"})
}

// patience bounds one call to the agent.
const patience = 5 * time.Second
