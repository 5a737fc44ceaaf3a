package localapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"reflect"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

const aboutAPI = `What robots and people ask of a lift gateway. A robot asks for a ride, looks at it a few times a second, does the one
thing that it is told under "do", crosses a door line only with a live permit, and says what it did by dated signals.

This machine may look without a token (http, loopback). Every change, and every caller from elsewhere (https), needs
"Authorization: Bearer TOKEN" of a robot or a technician. Each refusal is a problem document (RFC 9457) with a code that
"hoistway help CODE" explains offline. Ages and times left are whole milliseconds at the answer; floors are labels; what is
not known is null or "unknown".`

// refusals are what each status means here, whatever the call.
var refusals = map[int]string{
	http.StatusBadRequest:            "The body is wrong by itself: no JSON object, an unknown, doubled or missing key, a value out of its range (E-2001, E-2112)",
	http.StatusUnauthorized:          "No token, or one that nobody has (E-2003)",
	http.StatusForbidden:             "Not for this role, or a host or origin of somebody else (E-2004, E-2009)",
	http.StatusNotFound:              "An id in the path is not known to the caller (E-2005, E-2006, E-2007)",
	http.StatusConflict:              "Not in the present state, or an id that is taken (E-2105, E-2106, E-2111, E-2017)",
	http.StatusRequestEntityTooLarge: "More than 64 KiB (E-2002)",
	http.StatusUnsupportedMediaType:  "Not declared as application/json (E-2011)",
	http.StatusUnprocessableEntity:   "It names what is not there, or can never work (E-2101 to E-2104, E-2007, E-2110, E-2113, E-2114, E-2115)",
	http.StatusTooManyRequests:       "Asked too often (E-2014, E-2012); Retry-After says when again",
	http.StatusServiceUnavailable:    "Busy, stopping, or nothing can be stored (E-2013, E-2014, E-2015, E-2107 to E-2109)",
}

// refusalsOf are the problems that a call may answer with.
func refusalsOf(api huma.API, o op) map[string]*huma.Response {
	of := []int{http.StatusForbidden, http.StatusTooManyRequests, http.StatusServiceUnavailable}
	if o.need > viewer {
		of = append(of, http.StatusUnauthorized)
	}
	if strings.Contains(o.path, "{") {
		of = append(of, http.StatusNotFound)
	}
	if o.body != nil {
		of = append(of, http.StatusBadRequest, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity)
	}
	if !reads(o.method) {
		of = append(of, http.StatusConflict)
	}
	out := map[string]*huma.Response{"default": problemResponse(api, "Another refusal, as a problem document with a stable code")}
	for _, status := range of {
		out[strconv.Itoa(status)] = problemResponse(api, refusals[status])
	}
	return out
}

func problemResponse(api huma.API, about string) *huma.Response {
	return &huma.Response{Description: about, Content: map[string]*huma.MediaType{problemType: {Schema: shapeOn[Problem](api)}}}
}

// shapeOn puts a shape on the page and gives its reference.
func shapeOn[T any](api huma.API) *huma.Schema { return schemaOn(api, reflect.TypeFor[T]()) }

func schemaOn(api huma.API, t reflect.Type) *huma.Schema {
	return api.OpenAPI().Components.Schemas.Schema(t, true, t.Name())
}

// securityOf lets a viewer come without a token.
func securityOf(need role) []map[string][]string {
	token := map[string][]string{"token": {}}
	if need > viewer {
		return []map[string][]string{token}
	}
	return []map[string][]string{{}, token}
}

// describeBody writes the request's shape into the page afterwards: the body is
// read and judged here (strictly, and bounded), not by huma.
func describeBody(api huma.API, o op) {
	operationOf(api.OpenAPI().Paths[o.path], o.method).RequestBody = &huma.RequestBody{
		Required: true, Content: map[string]*huma.MediaType{"application/json": {Schema: schemaOn(api, o.body)}},
	}
}

func operationOf(item *huma.PathItem, method string) *huma.Operation {
	switch method {
	case http.MethodPost:
		return item.Post
	case http.MethodPatch:
		return item.Patch
	case http.MethodDelete:
		return item.Delete
	}
	return item.Get
}

// describe renders the OpenAPI page once.
func (s *Server) describe(api huma.API) ([]byte, error) {
	doc := api.OpenAPI()
	delete(doc.Components.Schemas.Map(), "ErrorModel") // huma's own; never answered
	doc.Info.Description = aboutAPI
	doc.Info.License = &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"}
	for _, o := range s.plainOperations(api) {
		doc.AddOperation(o)
	}
	for path, item := range doc.Paths {
		for _, o := range []*huma.Operation{item.Get, item.Post, item.Patch, item.Delete} {
			if o != nil {
				o.Tags = []string{tagOf(path)}
				illustrate(o)
			}
		}
	}
	spec, err := json.Marshal(doc)
	if err != nil {
		return nil, fmt.Errorf("write the OpenAPI page: %w", err)
	}
	return spec, nil
}

func tagOf(path string) string {
	rest, ours := strings.CutPrefix(path, "/v1/")
	if !ours {
		return "operation"
	}
	if strings.Contains(path, "/commissioning/") {
		return "commissioning"
	}
	tag, _, _ := strings.Cut(rest, "/")
	return tag
}

// plainOperations are the calls that are no JSON of ours, or stream.
func (s *Server) plainOperations(api huma.API) []*huma.Operation {
	plain := func(path, id, summary, media string, shape *huma.Schema, need role) *huma.Operation {
		o := op{method: http.MethodGet, path: path, need: need}
		spec := &huma.Operation{
			Method: o.method, Path: path, OperationID: id, Summary: summary, Responses: refusalsOf(api, o), Security: securityOf(need),
		}
		spec.Responses["200"] = &huma.Response{Description: "OK", Content: map[string]*huma.MediaType{media: {Schema: shape}}}
		return spec
	}
	words := &huma.Schema{Type: "string"}
	ready := plain("/readyz", "ready", "Whether a robot may be sent here, and if not why not", "application/json", shapeOn[Ready](api), nobody)
	ready.Responses["503"] = &huma.Response{Description: "Not ready; the reasons say why", Content: ready.Responses["200"].Content}
	all := []*huma.Operation{
		eventsOperation(api, plain("/v1/events", "events", "What changes, as server-sent events", "text/event-stream", words, viewer)),
		plain("/healthz", "health", "Whether the ride loop turns", "text/plain", words, nobody), ready,
		plain("/metrics", "metrics", "Counts and gauges for Prometheus", "text/plain", words, viewer),
		plain("/openapi.json", "openapi", "This page", "application/openapi+json", &huma.Schema{Type: "object"}, nobody),
	}
	if s.o.Pushes != nil {
		all = append(all, pushOperations(api)...)
	}
	return all
}

func eventsOperation(api huma.API, o *huma.Operation) *huma.Operation {
	text := func(name, in, about string) *huma.Param {
		return &huma.Param{Name: name, In: in, Description: about, Schema: &huma.Schema{Type: "string"}}
	}
	shapeOn[Hello](api)
	shapeOn[Gone](api)
	o.Description = "Events hello, lift, ride, gone and shadow; their data are the shapes Hello, Lift, Ride, Gone and Shadow. A snapshot comes first, " +
		"or what changed since Last-Event-ID. Permits in events have no times: fetch the ride before acting on one."
	o.Parameters = []*huma.Param{
		text("lift", "query", "only this lift and its rides"), text("ride", "query", "only this ride"),
		text("robot", "query", "only the rides of this robot"),
		text("every", "query", "100ms to 10s: at most so often, but for what is urgent"), text("Last-Event-ID", "header", "the id of the last event that was read"),
	}
	o.Responses["200"].Description = "A stream that ends only when either side ends it"
	return o
}

// pushOperations are the door of lift services: both methods, since some check an address by GET.
func pushOperations(api huma.API) []*huma.Operation {
	var out []*huma.Operation
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		o := &huma.Operation{
			Method: method, Path: webhookPath, OperationID: "push-by-" + strings.ToLower(method),
			Summary:    "A lift service's own message; it proves itself, so no token is asked for",
			Parameters: []*huma.Param{{Name: "lift", In: "path", Required: true, Schema: &huma.Schema{Type: "string"}}},
			Responses: map[string]*huma.Response{
				"default": {Description: "As the service's own description has it"}, "503": problemResponse(api, refusals[http.StatusServiceUnavailable]),
				"413": problemResponse(api, refusals[http.StatusRequestEntityTooLarge]),
			},
		}
		if method == http.MethodPost {
			o.RequestBody = &huma.RequestBody{Content: map[string]*huma.MediaType{"*/*": {Schema: &huma.Schema{Type: "string"}}}}
		}
		out = append(out, o)
	}
	return out
}

// illustrate puts the example of a shape wherever the shape is asked for or answered.
func illustrate(o *huma.Operation) {
	put := func(content map[string]*huma.MediaType) {
		for _, m := range content {
			if m.Schema == nil {
				continue
			}
			if m.Example = exampleOf(m.Schema.Ref); m.Example == nil && m.Schema.Items != nil {
				if one := exampleOf(m.Schema.Items.Ref); one != nil {
					m.Example = []any{one}
				}
			}
		}
	}
	for _, r := range o.Responses {
		put(r.Content)
	}
	if o.RequestBody != nil {
		put(o.RequestBody.Content)
	}
}
