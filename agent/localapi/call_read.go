package localapi

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"hoistway/agent/core"
)

type liftPath struct {
	Lift string `path:"lift"`
}

type ridePath struct {
	Ride string `path:"ride"`
}

func (s *Server) liftCalls(api huma.API) {
	call(api, op{method: "GET", path: "/v1/lifts", id: "lifts", summary: "Every lift with each value's age and quality", need: viewer},
		func(_ context.Context, _ caller, _ *struct{}) (*out[[]Lift], *Problem) { return ok(s.lifts()), nil })
	call(api, op{method: "GET", path: "/v1/lifts/{lift}", id: "lift", summary: "One lift", need: viewer},
		func(_ context.Context, _ caller, in *liftPath) (*out[Lift], *Problem) {
			v := s.view()
			l := findLift(v, in.Lift)
			if l == nil {
				return nil, refuse(asNoLift, "this gateway has no lift %q", in.Lift)
			}
			return ok(s.showLift(v, l, s.o.Now())), nil
		})
}

func (s *Server) outputCalls(api huma.API) {
	call(api, op{method: "GET", path: "/v1/lifts/{lift}/outputs", id: "outputs", summary: "What is asked of a lift, by which ride, and what is still owed", need: viewer}, s.outputs)
}

func (s *Server) lifts() []Lift {
	v, now := s.view(), s.o.Now()
	out := make([]Lift, len(v.Lifts))
	for i := range v.Lifts {
		out[i] = s.showLift(v, &v.Lifts[i], now)
	}
	return out
}

func (s *Server) shadowCall(api huma.API) {
	call(api, op{method: "GET", path: "/v1/shadow", id: "shadow", summary: "The shadows with delta, versions and sync state", need: viewer},
		func(context.Context, caller, *struct{}) (*out[Shadow], *Problem) {
			return ok(s.showShadow(s.view())), nil
		})
}

func (s *Server) callerCall(api huma.API) {
	call(api, op{method: "GET", path: "/v1/caller", id: "caller", summary: "Who the caller is taken for, by its token", need: viewer},
		func(_ context.Context, c caller, _ *struct{}) (*out[Caller], *Problem) {
			return ok(Caller{Role: c.role.String(), Name: c.name}), nil
		})
}

type ridesQuery struct {
	Robot string `query:"robot" doc:"only the rides of this robot"`
}

// ridesOf lists rides in the order of the view. A robot sees its own only.
func (s *Server) ridesOf(_ context.Context, c caller, in *ridesQuery) (*out[[]Ride], *Problem) {
	if c.role == robot && in.Robot != "" && in.Robot != c.name {
		return nil, refuse(asNotAllowed, "a robot sees its own rides only").param("robot")
	}
	v, now := s.view(), s.o.Now()
	list := []Ride{}
	for i := range v.Rides {
		r := &v.Rides[i]
		if c.sees(r.Ride.Robot) && (in.Robot == "" || r.Ride.Robot == in.Robot) {
			list = append(list, s.showRide(r, now))
		}
	}
	return ok(list), nil
}

func (s *Server) rideOf(_ context.Context, c caller, in *ridePath) (*out[Ride], *Problem) {
	r, p := s.ride(c, in.Ride)
	if p != nil {
		return nil, p
	}
	return ok(s.showRide(r, s.o.Now())), nil
}

// ride finds a ride that the caller may know of. To a robot the ride of another
// one does not exist.
func (s *Server) ride(c caller, id string) (*core.RideView, *Problem) {
	r := findRide(s.view(), id)
	if r == nil || !c.sees(r.Ride.Robot) {
		return nil, refuse(asNoRide, "no ride %q is kept here", id)
	}
	return r, nil
}

func findLift(v *core.View, id string) *core.LiftView {
	for i := range v.Lifts {
		if v.Lifts[i].ID == id {
			return &v.Lifts[i]
		}
	}
	return nil
}

func findRide(v *core.View, id string) *core.RideView {
	for i := range v.Rides {
		if v.Rides[i].Ride.ID == id {
			return &v.Rides[i]
		}
	}
	return nil
}
