package localapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"hoistway/agent/core"
	"hoistway/agent/explain"
)

const problemType = "application/problem+json"

// Error makes a Problem an error that huma answers with as it is.
func (p *Problem) Error() string { return p.Code + ": " + p.Title }

// GetStatus is the HTTP status.
func (p *Problem) GetStatus() int { return p.Status }

// ContentType names the media type of a problem.
func (p *Problem) ContentType(string) string { return problemType }

// refuse makes a problem. Its title is that of the code in the dictionary.
func refuse(as refusal, format string, args ...any) *Problem {
	p := &Problem{Status: as.status, Detail: fmt.Sprintf(format, args...)}
	return p.coded(as.code)
}

func (p *Problem) coded(code string) *Problem {
	p.Code, p.Type, p.Title = code, "urn:hoistway:problem:"+code, http.StatusText(p.Status)
	if e, known := explain.Lookup(code); known {
		p.Title = e.Title
	}
	return p
}

// at names the field at fault as a JSON pointer.
func (p *Problem) at(field string) *Problem {
	if field != "" && !strings.HasPrefix(field, "/") {
		field = "/" + field
	}
	p.Field = field
	return p
}

// param names the parameter at fault.
func (p *Problem) param(name string) *Problem {
	p.Field = name
	return p
}

// writeProblem answers a plain handler's request.
func writeProblem(w http.ResponseWriter, r *http.Request, p *Problem) {
	told := *p
	told.Instance = r.URL.Path
	w.Header().Set("Content-Type", problemType)
	w.WriteHeader(told.Status)
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(told) // a reader that went away needs no answer
}

// asProblem turns what huma itself would say into a Problem and names the
// instance of ours, so that every refusal has one shape.
func asProblem(ctx huma.Context, _ string, v any) (any, error) {
	u := ctx.URL()
	switch e := v.(type) {
	case *Problem:
		told := *e
		told.Instance = u.Path
		return &told, nil
	case *huma.ErrorModel:
		as := asInternal
		if e.Status < http.StatusInternalServerError {
			as = asMalformed
		}
		p := refuse(refusal{as.code, e.Status}, "%s", e.Detail)
		p.Instance = u.Path
		return p, nil
	}
	return v, nil
}

// refusalOf is the problem of an order that the ride loop did not take, or nil.
func refusalOf(a core.Answer) *Problem {
	as := asInternal
	switch a.Status {
	case core.Accepted, core.Created, core.Existing:
		return nil
	case core.Conflict:
		as = asConflict
	case core.NotFound:
		as = asNoRide
	case core.Impossible:
		as = asImpossible
	case core.Unavailable:
		as = asStopping
	}
	p := refuse(as, "%s", a.Detail).at(a.Field)
	if a.Code != "" {
		p.coded(a.Code)
	}
	return p
}
