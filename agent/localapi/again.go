package localapi

import (
	"fmt"
	"strings"

	"hoistway/agent/core"
)

// otherWish refuses a ride id that asked for something else before, and says what differs.
// A repeat that names no door, lift or crossing differs in none of them.
func otherWish(n *NewRide, r *core.RideView) *Problem {
	var all []string
	field := "ride_id"
	differs := func(name, was, is string) {
		if was == is {
			return
		}
		if len(all) == 0 {
			field = name
		}
		all = append(all, fmt.Sprintf("%s was %q, is %q", name, was, is))
	}
	given := func(name, was, is string) {
		if is != "" {
			differs(name, was, is)
		}
	}
	was := &r.Ride
	differs("robot", was.Robot, n.Robot)
	if n.Lift != anyLift {
		given("lift", was.Lift, n.Lift)
	}
	differs("from", r.Floors.Label(was.From), n.From)
	differs("to", r.Floors.Label(was.To), n.To)
	given("from_door", was.FromSide.String(), n.FromDoor)
	given("to_door", was.ToSide.String(), n.ToDoor)
	differs("task_id", was.Task, n.Task)
	differs("priority", fmt.Sprint(was.Priority), fmt.Sprint(n.Priority))
	if n.Crossing != nil {
		differs("crossing_s", fmt.Sprint(was.Crossing.Seconds()), fmt.Sprint(*n.Crossing))
	}
	if len(all) == 0 {
		return nil
	}
	return refuse(asOtherWish, "ride %s: %s", was.ID, strings.Join(all, "; ")).at(field)
}

// repeated judges a request whose id is known, by the ride of that id as far as the caller
// may know of it.
func (s *Server) repeated(c caller, n *NewRide) *Problem {
	r := findRide(s.view(), n.ID)
	if n.ID == "" || r == nil || !c.sees(r.Ride.Robot) {
		return nil
	}
	return otherWish(n, r)
}
