package localapi

import (
	"context"
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
		Responses: refusalsOf(api, o), Security: securityOf(o.need),
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
