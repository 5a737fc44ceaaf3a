package virtual

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"hoistway/agent/core"
	"hoistway/fsm"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/scenarios"
)

// Do carries out one act now.
func (s *Site) Do(a scenarios.Act) error {
	s.agent.written()
	err := s.do(a)
	s.agent.pump()
	if err != nil {
		return fmt.Errorf("%T: %w", a, err)
	}
	return nil
}

func (s *Site) do(a scenarios.Act) error {
	switch a := a.(type) {
	case scenarios.AskRide:
		return s.askRide(a)
	case scenarios.CancelRide:
		return s.errand(a.By, "cancels the ride "+a.ID, core.CancelRide{Ride: a.ID, By: by(a.By)}, a.ID)
	case scenarios.ResetRide:
		return s.reset(a)
	case scenarios.Say:
		return s.letSay(a)
	case scenarios.Inject:
		return s.inject(a.Fault)
	case scenarios.Clear:
		return s.clear(a)
	case scenarios.Press:
		return s.press(a)
	case scenarios.Crowd:
		return s.crowdComes(a)
	case scenarios.Desire:
		return s.cloud.desire(a)
	}
	return s.orderAct(a)
}

func by(name string) string {
	if name == "" {
		return "technician"
	}
	return name
}

func (s *Site) reset(a scenarios.ResetRide) error {
	if a.RobotIs == string(fsm.RobotRemoved) {
		s.remove(a.ID)
	}
	return s.errand(a.By, "resets, the robot is "+a.RobotIs+": "+a.ID,
		core.ResetRide{Ride: a.ID, RobotIs: fsm.Whereabouts(a.RobotIs), By: by(a.By)}, a.ID)
}

// remove is what a person does who says that the robot was removed.
func (s *Site) remove(ride string) {
	if r, to := s.rider(ride); r != nil && r.place.where != fsm.AtLanding {
		r.carryAway(to)
	}
}

// rider is the robot of a ride and the landing where that begins; nil for none. Who stands
// in the car needs no agent to see the robot there: one whose wish was refused, or whose ride
// is forgotten, is carried out as any other.
func (s *Site) rider(ride string) (*robot, elevator.Floor) {
	if x, ok := s.rideOf(ride); ok {
		return s.robot(x.Ride.Robot), x.Ride.From
	}
	for _, r := range s.robots {
		if r.wish.ID == ride && ride != "" {
			return r, r.table().ByLabel(r.wish.From)
		}
	}
	return nil, 0
}

func (s *Site) letSay(a scenarios.Say) error {
	r := s.robot(a.Robot)
	if r == nil {
		return fmt.Errorf("%s: %w", a.Robot, errNoRobot)
	}
	ride := r.told.ride
	if ride == "" {
		for _, k := range s.rides {
			if k.robot == a.Robot && !k.over {
				ride = k.id
			}
		}
	}
	if ride == "" {
		return fmt.Errorf("%s has none: %w", a.Robot, errNoRide)
	}
	if a.Kind == string(fsm.Ready) {
		r.waitsFor, r.readyFor, r.readyAt = "", ride, s.at()
	}
	r.say(ride, r.signal(fsm.SignalKind(a.Kind), ""))
	r.wakeIn(0)
	return nil
}

func (s *Site) press(a scenarios.Press) error {
	l := s.lift(a.Lift)
	if l == nil {
		return fmt.Errorf("%s: %w", a.Lift, errNoLift)
	}
	f := l.table.ByLabel(a.Floor)
	if f == 0 {
		return fmt.Errorf("lift %s has no landing %q", a.Lift, a.Floor)
	}
	s.b.Advance(s.at())
	what := "presses " + a.Floor + " in " + a.Lift
	err := error(nil)
	if a.Direction == elevator.DirectionUnknown {
		err = s.b.CarCall(a.Lift, f)
	} else {
		what = "presses " + a.Direction.String() + " at " + a.Floor + " for " + a.Lift
		err = s.b.LandingCall(a.Lift, f, a.Direction)
	}
	if errors.Is(err, building.ErrBusy) || errors.Is(err, building.ErrLocked) {
		what += ", and it is refused"
		err = nil
	}
	if err != nil {
		return err
	}
	s.say("somebody", false, what)
	s.moved()
	return nil
}

// crowdComes lets people come for a while.
func (s *Site) crowdComes(a scenarios.Crowd) error {
	traffic, err := building.TrafficOf(a.Mix, a.PerFiveMinute, "", s.set.Seed+s.crowd+1)
	if err != nil {
		return err
	}
	s.b.Advance(s.at())
	if err := s.b.Populate(traffic); err != nil {
		return err
	}
	s.crowd++
	s.say("people", false, fmt.Sprintf("come, %s, %g in five minutes", a.Mix, a.PerFiveMinute))
	if a.For > 0 {
		s.in(a.For, event{kind: evCrowd, n: s.crowd})
	}
	s.moved()
	return nil
}

// crowdGoes ends a crowd that no later one has replaced.
func (s *Site) crowdGoes(n uint64) {
	if n != s.crowd {
		return
	}
	s.b.Advance(s.at())
	_ = s.b.Populate(building.Traffic{}) // a rate of 0 is never refused
	s.say("people", false, "come no more")
	s.moved()
}

// readJSON reads the value of an order as the cloud does.
func readJSON(text string) (any, error) {
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return nil, fmt.Errorf("%q is no JSON: %w", text, err)
	}
	return v, nil
}
