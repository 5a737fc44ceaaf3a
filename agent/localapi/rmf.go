package localapi

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"hoistway/agent/rmf"
	"hoistway/agent/rmf/bridge"
)

// RMF is what stands behind the paths of Open-RMF. All methods are safe for concurrent use.
type RMF interface {
	State(lift string) (rmf.LiftState, bool)
	Serving(lift string) (rmf.LiftRequest, bool)
	// Hear waits for what the request orders. An error means that nothing is known of that.
	Hear(ctx context.Context, r rmf.LiftRequest, from rmf.Source) (bridge.Outcome, error)
}

// rmfRoutes are plain handlers: the messages' shapes are another project's.
func (s *Server) rmfRoutes(calls *http.ServeMux, api huma.API) {
	if s.o.RMF == nil {
		return
	}
	describeRMF(api)
	calls.HandleFunc("GET /rmf/lifts/{lift}/state", s.needs(viewer, s.rmfState))
	calls.HandleFunc("GET /rmf/lifts/{lift}/request", s.needs(viewer, s.rmfServing))
	calls.HandleFunc("POST /rmf/lifts/{lift}/request", s.needs(robot, s.rmfHear))
}

// describeRMF writes the paths into the OpenAPI page.
func describeRMF(api huma.API) {
	doc := api.OpenAPI()
	shape := func(t reflect.Type, name string) map[string]*huma.MediaType {
		return map[string]*huma.MediaType{"application/json": {Schema: doc.Components.Schemas.Schema(t, true, name)}}
	}
	state := shape(reflect.TypeFor[rmf.LiftState](), "LiftState")
	asked := shape(reflect.TypeFor[rmf.LiftRequest](), "LiftRequest")
	lift := []*huma.Param{{Name: "lift", In: "path", Required: true, Schema: &huma.Schema{Type: "string"}}}
	for _, o := range []*huma.Operation{
		{Method: http.MethodGet, Path: "/rmf/lifts/{lift}/state", OperationID: "rmf-state", Summary: "A lift as an Open-RMF LiftState", Responses: map[string]*huma.Response{
			"200": {Description: "The state of now", Content: state}, "default": problemResponse(api, "A refusal, as a problem document with a stable code"),
		}},
		{Method: http.MethodGet, Path: "/rmf/lifts/{lift}/request", OperationID: "rmf-serving", Summary: "The LiftRequest that a lift follows", Responses: map[string]*huma.Response{
			"200": {Description: "The last request of the session that has the lift", Content: asked}, "204": {Description: "No session has it"}, "default": problemResponse(api, "A refusal, as a problem document with a stable code"),
		}},
		{Method: http.MethodPost, Path: "/rmf/lifts/{lift}/request", OperationID: "rmf-request", Summary: "Take an Open-RMF LiftRequest; repeats change nothing", Responses: map[string]*huma.Response{
			"202": {Description: "The lift as it then is", Content: state}, "default": problemResponse(api, "A refusal, as a problem document with a stable code"),
		}, RequestBody: &huma.RequestBody{Required: true, Content: asked}, Security: []map[string][]string{{"token": {}}}},
	} {
		o.Parameters, o.Tags = lift, []string{"Open-RMF"}
		doc.AddOperation(o)
	}
}

func (s *Server) rmfState(w http.ResponseWriter, r *http.Request) {
	if state, known := s.o.RMF.State(r.PathValue("lift")); known {
		writeJSON(w, http.StatusOK, state)
		return
	}
	writeProblem(w, r, refuse(asNoLift, "the configuration has no lift %q", r.PathValue("lift")))
}

// rmfServing shows the request that the lift follows; none is an empty answer.
func (s *Server) rmfServing(w http.ResponseWriter, r *http.Request) {
	if _, known := s.o.RMF.State(r.PathValue("lift")); !known {
		writeProblem(w, r, refuse(asNoLift, "the configuration has no lift %q", r.PathValue("lift")))
		return
	}
	if request, is := s.o.RMF.Serving(r.PathValue("lift")); is {
		writeJSON(w, http.StatusOK, request)
		return
	}
	w.WriteHeader(http.StatusNoContent)
}

// rmfHear takes a request and answers with the lift as it then is.
func (s *Server) rmfHear(w http.ResponseWriter, r *http.Request) {
	body, _ := r.Context().Value(bodyKey{}).([]byte)
	request, p := rmfRequest(body, r.PathValue("lift"))
	if p != nil {
		writeProblem(w, r, p)
		return
	}
	from := rmf.Source{Live: true}
	if c := callerOf(r.Context()); c.role == robot {
		from.Robot = c.name
	}
	ctx, cancel := context.WithTimeout(r.Context(), 2*askWithin)
	defer cancel()
	done, err := s.o.RMF.Hear(ctx, request, from)
	switch {
	case err != nil:
		p = refuse(asNoAnswer, "it is not known whether this was taken; say it again")
	case done.Refused != nil:
		p = rmfRefusal(done.Refused)
	case done.Answer != nil:
		p = refusalOf(*done.Answer)
	}
	if p != nil {
		writeProblem(w, r, p)
		return
	}
	state, _ := s.o.RMF.State(request.LiftName)
	writeJSON(w, http.StatusAccepted, state)
}

func rmfRequest(body []byte, lift string) (rmf.LiftRequest, *Problem) {
	request, err := rmf.ParseRequest(body)
	var bad *rmf.BadRequest
	switch {
	case errors.As(err, &bad):
		return request, refuse(asMalformed, "%s", bad.Why).at(bad.Field)
	case err != nil:
		return request, refuse(asMalformed, "%v", err)
	case request.LiftName != lift:
		return request, refuse(asBadValue, "the lift of the path is %q", lift).at("lift_name")
	}
	return request, nil
}

// rmfRefusal gives a refusal the status that the same code has elsewhere.
func rmfRefusal(told *rmf.Refusal) *Problem {
	for _, as := range []refusal{asNoLift, asNotAllowed, asUnknownFloor, asUnknownRobot, asConflict} {
		if as.code == told.Code {
			return refuse(as, "%s", told.Detail).at(told.Field)
		}
	}
	return refuse(asImpossible, "%s", told.Detail).at(told.Field).coded(told.Code)
}

func writeJSON(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // a reader that went away needs no answer
}
