package localapi

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"hoistway/agent/core"
)

const (
	longestMaintenance = 366 * 24 * time.Hour
	maxWhy             = 256 // characters
)

type areaPath struct {
	Area string `path:"area"`
}

func (s *Server) actCalls(api huma.API) {
	call(api, op{
		method: "POST", path: "/v1/lifts/{lift}/maintenance", id: "maintain", need: technician, body: reflect.TypeFor[NewMaintenance](),
		summary: "Take a lift out of use: no new ride gets it, what waits keeps its place, what runs ends",
	}, s.maintain)
	call(api, op{
		method: "DELETE", path: "/v1/lifts/{lift}/maintenance", id: "end-maintenance", need: technician, summary: "Give a lift back to use",
	}, s.endMaintenance)
	call(api, op{
		method: "POST", path: "/v1/lifts/{lift}/car-empty", id: "car-empty", need: technician, body: reflect.TypeFor[Attest](),
		summary: "A person's word on site: no robot is in this car",
	}, s.carEmpty)
	call(api, op{
		method: "POST", path: "/v1/areas/{area}/alarms/clear", id: "clear-area", need: technician, body: reflect.TypeFor[Attest](),
		summary: "Clear the latched fire or seismic alarm of an area, once its lifts are normal again",
	}, s.clearArea)
	call(api, op{
		method: "POST", path: "/v1/stop", id: "stop", need: technician, body: reflect.TypeFor[NewStop](),
		summary: "Stop this gateway at one lift or all: nothing new is asked, who is aboard rides on to where it leaves; or end that",
	}, s.stop)
}

func (s *Server) maintain(ctx context.Context, c caller, in *liftPath) (*out[Lift], *Problem) {
	if p := s.hasLift(in.Lift); p != nil {
		return nil, p
	}
	body, p := bodyOf[NewMaintenance](ctx)
	if p != nil {
		return nil, p
	}
	lasts, p := s.lasting(&body)
	switch {
	case p != nil:
		return nil, p
	case !text(body.Why, maxWhy):
		return nil, badValue("why", "at most 256 printable characters")
	}
	s.o.Log.Info("maintenance", "lift", in.Lift, "for", lasts, "by", c.name)
	return s.toldLift(ctx, in.Lift, core.MaintainLift{Lift: in.Lift, On: true, For: lasts, By: c.name, Why: body.Why})
}

// lasting is how long maintenance lasts; 0: until a person ends it.
func (s *Server) lasting(b *NewMaintenance) (time.Duration, *Problem) {
	switch {
	case b.Until != "" && b.ForS != nil:
		return 0, badValue("until", "absent where for_s is given")
	case b.ForS != nil && (*b.ForS < 1 || *b.ForS > int(longestMaintenance.Seconds())):
		return 0, badValue("for_s", "1 to 31622400 seconds")
	case b.ForS != nil:
		return time.Duration(*b.ForS) * time.Second, nil
	case b.Until == "":
		return 0, nil
	}
	until, err := time.Parse(time.RFC3339, b.Until)
	lasts := until.Sub(s.o.Wall())
	if err != nil || lasts <= 0 || lasts > longestMaintenance {
		return 0, badValue("until", "a time to come, as 2026-03-04T06:00:00Z, within a year")
	}
	return lasts, nil
}

func (s *Server) endMaintenance(ctx context.Context, c caller, in *liftPath) (*out[Lift], *Problem) {
	if p := s.hasLift(in.Lift); p != nil {
		return nil, p
	}
	s.o.Log.Info("end of maintenance", "lift", in.Lift, "by", c.name)
	return s.toldLift(ctx, in.Lift, core.MaintainLift{Lift: in.Lift, By: c.name})
}

func (s *Server) carEmpty(ctx context.Context, c caller, in *liftPath) (*out[Lift], *Problem) {
	if p := s.hasLift(in.Lift); p != nil {
		return nil, p
	}
	by, p := seenBy(ctx, c)
	if p != nil {
		return nil, p
	}
	s.o.Log.Info("the car is empty", "lift", in.Lift, "by", by)
	return s.toldLift(ctx, in.Lift, core.AttestEmpty{Lift: in.Lift, By: by})
}

func (s *Server) clearArea(ctx context.Context, c caller, in *areaPath) (*out[Cleared], *Problem) {
	if findArea(s.view(), in.Area) == nil {
		return nil, refuse(asNoArea, "no lift is in an area %q", in.Area)
	}
	by, p := seenBy(ctx, c)
	if p != nil {
		return nil, p
	}
	s.o.Log.Info("clear the alarms of an area", "area", in.Area, "by", by)
	if _, p := s.ask(ctx, core.ClearArea{Area: in.Area, By: by}); p != nil {
		return nil, p
	}
	cleared := Cleared{Area: in.Area, Lifts: []string{}}
	if a := findArea(s.view(), in.Area); a != nil {
		cleared.Lifts = append(cleared.Lifts, a.Lifts...)
	}
	return ok(cleared), nil
}

func (s *Server) stop(ctx context.Context, c caller, _ *struct{}) (*out[[]Lift], *Problem) {
	body, p := bodyOf[NewStop](ctx)
	switch {
	case p != nil:
		return nil, p
	case body.Lift != "" && findLift(s.view(), body.Lift) == nil:
		return nil, refuse(asUnknownLift, "this gateway has no lift %q", body.Lift).at("lift")
	case !text(body.Why, maxWhy):
		return nil, badValue("why", "at most 256 printable characters")
	}
	s.o.Log.Info("stop", "on", body.On, "lift", body.Lift, "by", c.name)
	if _, p := s.ask(ctx, core.StopAll{Lift: body.Lift, On: body.On, By: c.name, Why: body.Why}); p != nil {
		return nil, p
	}
	return &out[[]Lift]{Status: http.StatusOK, Body: s.lifts()}, nil
}

// seenBy reads who has looked, and words by whom the act is.
func seenBy(ctx context.Context, c caller) (string, *Problem) {
	body, p := bodyOf[Attest](ctx)
	switch {
	case p != nil:
		return "", p
	case body.SeenBy == "":
		return "", missing("seen_by")
	case !text(body.SeenBy, 64):
		return "", badValue("seen_by", "at most 64 printable characters")
	}
	return c.name + " (seen by " + body.SeenBy + ")", nil
}

// toldLift brings an order for one lift and answers with the lift as it then is.
func (s *Server) toldLift(ctx context.Context, id string, o core.Order) (*out[Lift], *Problem) {
	if _, p := s.ask(ctx, o); p != nil {
		return nil, p
	}
	v := s.view()
	l := findLift(v, id)
	if l == nil {
		return nil, refuse(asNoLift, "this gateway has no lift %q", id)
	}
	return ok(s.showLift(v, l, s.o.Now())), nil
}

func (s *Server) hasLift(id string) *Problem {
	if findLift(s.view(), id) == nil {
		return refuse(asNoLift, "this gateway has no lift %q", id)
	}
	return nil
}

func findArea(v *core.View, name string) *core.AreaView {
	for i := range v.Areas {
		if v.Areas[i].Area == name {
			return &v.Areas[i]
		}
	}
	return nil
}
