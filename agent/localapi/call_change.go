package localapi

import (
	"context"
	"net/http"

	"hoistway/agent/core"
	"hoistway/fsm/elevator"
)

// changeRide gives a ride another destination.
func (s *Server) changeRide(ctx context.Context, c caller, in *ridePath) (*out[Ride], *Problem) {
	r, p := s.ride(c, in.Ride)
	if p != nil {
		return nil, p
	}
	body, p := bodyOf[Change](ctx)
	if p != nil {
		return nil, p
	}
	if p := s.reachable(r, &body); p != nil {
		return nil, p
	}
	s.o.Log.Info("another destination", "ride", in.Ride, "to", body.To, "aboard", body.Aboard, "by", c.name)
	o := core.PatchRide{Ride: in.Ride, To: body.To, ToDoor: body.ToDoor, Aboard: body.Aboard, By: c.name}
	return s.told(ctx, c, in.Ride, o, http.StatusOK)
}

// reachable refuses a destination at which the robot could never leave this ride's lift.
// Where the ride came from may be one: a robot that has not left it comes out again.
func (s *Server) reachable(r *core.RideView, b *Change) *Problem {
	if b.To == "" {
		return missing("to")
	}
	_, side, p := place(r.Floors, b.To, b.ToDoor, "to")
	if p != nil {
		return p
	}
	car := s.carOf(r.Ride.Lift)
	if car == nil {
		return nil
	}
	if p := car.open(r.Ride.Lift, b.To, "to"); p != nil {
		return p
	}
	return s.fits(car, r.Ride.Lift, r.Ride.Robot, []elevator.Side{side})
}
