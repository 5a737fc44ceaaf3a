package localapi

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"hoistway/agent/core"
	"hoistway/fsm"
)

const (
	seenWithin = time.Second // a ride that was just made is in the view by then
	seenEvery  = 10 * time.Millisecond
)

func (s *Server) rideCalls(api huma.API) {
	call(api, op{method: "GET", path: "/v1/rides", id: "rides", summary: "Rides, running ones first", need: viewer}, s.ridesOf)
	call(api, op{method: "GET", path: "/v1/rides/{ride}", id: "ride", summary: "One ride: what to do, and the permit or why there is none", need: viewer}, s.rideOf)
	call(api, op{
		method: "POST", path: "/v1/rides", id: "create-ride", summary: "Ask for a ride; the same ride_id again gives the same ride",
		need: robot, status: http.StatusCreated, body: reflect.TypeFor[NewRide](),
	}, s.createRide)
	call(api, op{
		method: "PATCH", path: "/v1/rides/{ride}", id: "change-ride", summary: "Another destination: free before boarding, with the robot in the car only where aboard says so",
		need: robot, body: reflect.TypeFor[Change](),
	}, s.changeRide)
	call(api, op{
		method: "DELETE", path: "/v1/rides/{ride}", id: "cancel-ride", summary: "End a ride as soon as that is safe",
		need: robot, status: http.StatusAccepted,
	}, s.cancelRide)
	call(api, op{
		method: "POST", path: "/v1/rides/{ride}/signals", id: "signal", summary: "A robot's whole, dated signal; applied once by (boot, seq)",
		need: robot, body: reflect.TypeFor[Signal](),
	}, s.signalRide)
	call(api, op{
		method: "POST", path: "/v1/rides/{ride}/reset", id: "reset-ride", summary: "A person's word about where the robot is",
		need: technician, body: reflect.TypeFor[Reset](),
	}, s.resetRide)
}

func (s *Server) createRide(ctx context.Context, c caller, _ *struct{}) (*out[Ride], *Problem) {
	body, p := bodyOf[NewRide](ctx)
	if p != nil {
		return nil, p
	}
	order, p := s.orderOf(c, &body)
	if p != nil {
		return nil, p
	}
	a, p := s.ask(ctx, order)
	if a.Status == core.Existing || p != nil && p.Code == asOtherWish.code {
		if other := s.repeated(c, &body); other != nil {
			return nil, other
		}
	}
	if p != nil {
		return nil, p
	}
	id := a.Ride
	if id == "" {
		id = order.Request.ID
	}
	status, where := http.StatusCreated, "/v1/rides/"+id
	r, seen := s.madeRide(ctx, id)
	switch {
	case a.Status == core.Existing && !seen:
		return nil, refuse(asNoRide, "the ride %q has ended and is no longer kept", id)
	case a.Status == core.Existing:
		status = http.StatusOK
	case !seen:
		r = newborn(id, order)
	}
	return &out[Ride]{Status: status, Location: where, Body: r}, nil
}

// madeRide waits for the view that has the ride. False: it did not come.
func (s *Server) madeRide(ctx context.Context, id string) (Ride, bool) {
	ctx, cancel := context.WithTimeout(ctx, seenWithin)
	defer cancel()
	again := time.NewTicker(seenEvery)
	defer again.Stop()
	for {
		if r := findRide(s.view(), id); r != nil {
			return s.showRide(r, s.o.Now()), true
		}
		select {
		case <-again.C:
		case <-ctx.Done():
			return Ride{}, false
		}
	}
}

// newborn is a ride as every one starts, for an answer that the view lags behind.
func newborn(id string, o core.CreateRide) Ride {
	return Ride{
		ID: id, Task: o.Request.Task, Robot: o.Request.Robot, Lift: o.Request.Lift, From: o.From, To: o.To,
		State: string(fsm.Idle), Phase: string(fsm.Queued), Where: string(fsm.Unknown), Withheld: []Unmet{}, Marks: []Transition{},
		Do: Do{Action: string(fsm.DoWait), Why: "the ride was just made"},
	}
}

func (s *Server) cancelRide(ctx context.Context, c caller, in *ridePath) (*out[Ride], *Problem) {
	if _, p := s.ride(c, in.Ride); p != nil {
		return nil, p
	}
	s.o.Log.Info("cancel", "ride", in.Ride, "by", c.name)
	return s.told(ctx, c, in.Ride, core.CancelRide{Ride: in.Ride, By: c.name}, http.StatusAccepted)
}

func (s *Server) resetRide(ctx context.Context, c caller, in *ridePath) (*out[Ride], *Problem) {
	if _, p := s.ride(c, in.Ride); p != nil {
		return nil, p
	}
	body, p := bodyOf[Reset](ctx)
	if p != nil {
		return nil, p
	}
	is := fsm.Whereabouts(body.RobotIs)
	switch {
	case is == "":
		return nil, missing("robot_is")
	case is != fsm.RobotOutside && is != fsm.RobotRemoved && is != fsm.RobotInside:
		return nil, badValue("robot_is", "outside, removed or inside")
	case !text(body.SeenBy, 64):
		return nil, badValue("seen_by", "at most 64 printable characters")
	}
	by := c.name
	if body.SeenBy != "" {
		by += " (seen by " + body.SeenBy + ")"
	}
	s.o.Log.Info("reset", "ride", in.Ride, "robot_is", is, "by", by)
	return s.told(ctx, c, in.Ride, core.ResetRide{Ride: in.Ride, RobotIs: is, By: by}, http.StatusOK)
}

// told brings an order for one ride and answers with the ride as it then is.
func (s *Server) told(ctx context.Context, c caller, id string, o core.Order, status int) (*out[Ride], *Problem) {
	if _, p := s.ask(ctx, o); p != nil {
		return nil, p
	}
	r, p := s.ride(c, id)
	if p != nil {
		return nil, p
	}
	return &out[Ride]{Status: status, Body: s.showRide(r, s.o.Now())}, nil
}
