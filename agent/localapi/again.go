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
	to, toDoor := firstWish(r)
	differs("from", r.Floors.Label(was.From), n.From)
	differs("to", to, n.To)
	given("from_door", was.FromSide.String(), n.FromDoor)
	given("to_door", toDoor, n.ToDoor)
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

// firstWish is where a ride was to go when it was first asked for: it may have been given
// another destination since, and its first request again is the same ride all the same.
func firstWish(r *core.RideView) (to, door string) {
	if r.Asked.From == "" || r.Asked.To == r.Floors.Label(r.Ride.To) && r.Asked.ToDoor == "" {
		return r.Floors.Label(r.Ride.To), r.Ride.ToSide.String()
	}
	door = r.Asked.ToDoor
	if door == "" {
		if _, side, p := place(r.Floors, r.Asked.To, "", "to"); p == nil {
			door = side.String()
		}
	}
	return r.Asked.To, door
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
