package localapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"
)

// op describes one call for the router and for readers of the OpenAPI page.
type op struct {
	method, path, id, summary string
	need                      role
	status                    int          // of the usual answer; 0: 200
	body                      reflect.Type // of the request, nil for none
}

// out is an answer with a status of its own.
type out[T any] struct {
	Status   int
	Location string `header:"Location"`
	Body     T
}

func ok[T any](body T) *out[T] { return &out[T]{Status: http.StatusOK, Body: body} }

// call registers one call. The handler is asked only by callers whose role is
// large enough, and answers either a value or a problem.
func call[I, T any](api huma.API, o op, handle func(context.Context, caller, *I) (*out[T], *Problem)) {
	spec := huma.Operation{
		Method: o.method, Path: o.path, OperationID: o.id, Summary: o.summary, DefaultStatus: o.status,
		Responses: map[string]*huma.Response{"default": problemResponse(api)},
	}
	if o.need > viewer {
		spec.Security = []map[string][]string{{"token": {}}}
	}
	huma.Register(api, spec, func(ctx context.Context, in *I) (*out[T], error) {
		c := callerOf(ctx)
		if p := permit(c, o.need); p != nil {
			return nil, withChallenge(p)
		}
		answer, p := handle(ctx, c, in)
		if p != nil {
			return nil, p
		}
		return answer, nil
	})
	if o.body != nil {
		describeBody(api, o)
	}
}

func withChallenge(p *Problem) error {
	h := make(http.Header)
	askForToken(h.Set, p)
	return huma.ErrorWithHeaders(p, h)
}

func problemResponse(api huma.API) *huma.Response {
	return &huma.Response{
		Description: "A refusal, as a problem document with a stable code",
		Content: map[string]*huma.MediaType{
			problemType: {Schema: api.OpenAPI().Components.Schemas.Schema(reflect.TypeFor[Problem](), true, "Problem")},
		},
	}
}

// describeBody writes the request's shape into the page afterwards: the body is
// read and judged here (strictly, and bounded), not by huma.
func describeBody(api huma.API, o op) {
	item := api.OpenAPI().Paths[o.path]
	item.Post.RequestBody = &huma.RequestBody{
		Required: true,
		Content: map[string]*huma.MediaType{
			"application/json": {Schema: api.OpenAPI().Components.Schemas.Schema(o.body, true, o.body.Name())},
		},
	}
}

// describe renders the OpenAPI page once.
func describe(api huma.API) ([]byte, error) {
	doc := api.OpenAPI()
	delete(doc.Components.Schemas.Map(), "ErrorModel") // huma's own; never answered
	doc.AddOperation(eventsOperation(api))
	spec, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("write the OpenAPI page: %w", err)
	}
	return spec, nil
}

func eventsOperation(api huma.API) *huma.Operation {
	text := func(name, in, about string) *huma.Param {
		return &huma.Param{Name: name, In: in, Description: about, Schema: &huma.Schema{Type: "string"}}
	}
	return &huma.Operation{
		Method: http.MethodGet, Path: "/v1/events", OperationID: "events",
		Summary:     "What changes, as server-sent events",
		Description: "Events hello, lift, ride, gone and shadow; their data are the shapes Hello, Lift, Ride, Gone and Shadow. A snapshot comes first, or what changed since Last-Event-ID.",
		Parameters: []*huma.Param{
			text("lift", "query", "only this lift and its rides"), text("ride", "query", "only this ride"),
			text("Last-Event-ID", "header", "the id of the last event that was read"),
		},
		Responses: map[string]*huma.Response{
			"200":     {Description: "A stream that ends only when either side ends it", Content: map[string]*huma.MediaType{"text/event-stream": {Schema: &huma.Schema{Type: "string"}}}},
			"default": problemResponse(api),
		},
	}
}
