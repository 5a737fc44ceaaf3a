package real

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	"hoistway/simulator/scenarios"
)

// order carries out an act that is a person's order, by the local API.
func (s *Site) order(a scenarios.Act) error {
	switch a := a.(type) {
	case scenarios.CancelRide:
		return s.aboutRide(http.MethodDelete, a.ID, "", nil)
	case scenarios.ResetRide:
		if a.RobotIs == "removed" {
			s.carryOut(a.ID)
		}
		return s.aboutRide(http.MethodPost, a.ID, "/reset", map[string]string{"robot_is": a.RobotIs, "seen_by": a.By})
	case scenarios.ChangeRide:
		body := map[string]any{"to": a.To}
		if a.ToDoor != "" {
			body["to_door"] = a.ToDoor
		}
		if a.Aboard {
			body["aboard"] = true
		}
		return s.aboutRide(http.MethodPatch, a.ID, "", body)
	case scenarios.Maintain:
		return s.maintain(a)
	case scenarios.Stop:
		body := map[string]any{"on": a.On, "why": "scenario, " + a.By}
		if a.Lift == "" {
			return s.about(http.MethodPost, "/v1/stop", body, s.lifts()...)
		}
		body["lift"] = a.Lift
		return s.about(http.MethodPost, "/v1/stop", body, a.Lift)
	case scenarios.EmptyCar:
		return s.about(http.MethodPost, "/v1/lifts/"+a.Lift+"/car-empty", map[string]string{"seen_by": a.By}, a.Lift)
	case scenarios.Alarm:
		return s.area(a)
	}
	return fmt.Errorf("%T: %w", a, ErrCannot)
}

// carryOut is what a person does who says that the robot was removed.
func (s *Site) carryOut(ride string) {
	s.mu.Lock()
	r := s.rides[ride]
	s.mu.Unlock()
	if r == nil {
		return
	}
	if bot := s.robots[r.robot]; bot != nil {
		bot.Carry(r.from)
	}
}

func (s *Site) maintain(a scenarios.Maintain) error {
	path := "/v1/lifts/" + a.Lift + "/maintenance"
	if !a.On {
		return s.about(http.MethodDelete, path, nil, a.Lift)
	}
	body := map[string]any{"why": "scenario, " + a.By}
	if a.For > 0 {
		body["for_s"] = int(a.For / time.Second)
	}
	return s.about(http.MethodPost, path, body, a.Lift)
}

// area clears the alarms of an area. One is raised by what stands in the building, and
// no such wire is here.
func (s *Site) area(a scenarios.Alarm) error {
	if a.Kind != "" {
		return fmt.Errorf("an alarm that the building raises: %w", ErrCannot)
	}
	name := a.Area
	if name == scenarios.House { // the agent has a name of its own for the whole house
		var l AgentLift
		if err := s.Read("/v1/lifts/"+s.lifts()[0], &l); err != nil {
			return err
		}
		name = l.Area
	}
	return s.about(http.MethodPost, "/v1/areas/"+url.PathEscape(name)+"/alarms/clear", map[string]string{"seen_by": a.By}, s.lifts()...)
}

func (s *Site) lifts() []string {
	var all []string
	for _, car := range s.conf.Cars {
		all = append(all, car.ID)
	}
	return all
}

func (s *Site) aboutRide(method, ride, what string, body any) error {
	id := s.idOf(ride)
	if id == "" {
		return fmt.Errorf("ride %s: the agent has not taken it", ride)
	}
	return s.about(method, "/v1/rides/"+url.PathEscape(id)+what, body, ride)
}

// about makes a call with a person's rights and keeps what it came to. A refusal is no
// fault of the scenario, which may demand it.
func (s *Site) about(method, path string, body any, about ...string) error {
	err := s.call(method, path, s.technician, body, nil)
	word := "accepted"
	var no *refusal
	switch {
	case errors.As(err, &no) && no.Code != "":
		word = no.Code
	case err != nil:
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range about {
		s.answered[id] = word
	}
	return nil
}

func (s *Site) answerOf(id string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.answered[id]
}

// refusal is an answer of the local API that is not a good one.
type refusal struct {
	Code string // E-code, "" when it has none
	text string
}

func (r *refusal) Error() string { return r.text }

func refused(text string, body []byte) error {
	var said struct {
		Code string `json:"code"`
	}
	_ = json.Unmarshal(body, &said) // what is no JSON has no code
	return &refusal{Code: said.Code, text: text}
}
