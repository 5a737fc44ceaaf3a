package localapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// routes lays out every path. Calls are huma's; what streams, and what tools of
// other people read in their own way, is a plain handler.
func (s *Server) routes() (http.Handler, error) {
	calls := http.NewServeMux()
	_, spec, err := s.described(calls)
	if err != nil {
		return nil, err
	}
	calls.HandleFunc("GET /openapi.json", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/openapi+json")
		_, _ = w.Write(spec)
	})
	calls.HandleFunc("GET /v1/events", s.needs(viewer, s.events))
	calls.HandleFunc("GET /healthz", s.healthz)
	calls.HandleFunc("GET /readyz", s.readyz)
	metrics := promhttp.HandlerFor(s.o.Metrics, promhttp.HandlerOpts{MaxRequestsInFlight: 4})
	calls.HandleFunc("GET /metrics", s.needs(viewer, metrics.ServeHTTP))
	if err := pageRoutes(calls); err != nil {
		return nil, err
	}
	return s.guard(s.dispatch(calls)), nil
}

// described registers the calls that are described by their own types, and the page of all.
func (s *Server) described(calls *http.ServeMux) (huma.API, []byte, error) {
	api := humago.New(calls, apiConfig(s.o.Version))
	s.liftCalls(api)
	s.outputCalls(api)
	s.rideCalls(api)
	s.actCalls(api)
	s.robotCalls(api)
	s.shadowCall(api)
	s.callerCall(api)
	s.benchCalls(api)
	s.recordCalls(api)
	s.webhookRoutes(calls, api)
	s.rmfRoutes(calls, api)
	spec, err := s.describe(api)
	return api, spec, err
}

// dispatch answers for unknown paths and methods in our own words, and reads
// the body of a call that has one: only of those who may change anything, and
// before the call takes its slot, since a body may come as slowly as it likes.
func (s *Server) dispatch(calls *http.ServeMux) http.Handler {
	withBody := s.needs(robot, readBody(s.audited(calls, s.limitCalls(calls))).ServeHTTP)
	plain := s.limitCalls(calls)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, pattern := calls.Handler(r)
		noteRoute(r.Context(), pattern)
		switch {
		case pattern == "", detour(r.URL):
			s.unknown(w, r, h)
		case strings.HasSuffix(pattern, " /v1/events"), strings.HasSuffix(pattern, " "+webhookPath):
			calls.ServeHTTP(w, r)
		case reads(r.Method):
			plain.ServeHTTP(w, r)
		default:
			withBody.ServeHTTP(w, r)
		}
	})
}

// detour reports a path that the mux would redirect to another: no call is meant by it.
func detour(u *url.URL) bool { return path.Clean(u.EscapedPath()) != u.EscapedPath() }

// unknown asks the mux's own answer whether the path or the method is at fault.
func (s *Server) unknown(w http.ResponseWriter, r *http.Request, h http.Handler) {
	said := &verdict{header: make(http.Header)}
	h.ServeHTTP(said, r)
	if said.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", said.header.Get("Allow"))
		writeProblem(w, r, refuse(asMethod, "allowed: %s", said.header.Get("Allow")))
		return
	}
	writeProblem(w, r, refuse(asNoCall, "the calls are listed at /openapi.json"))
}

// verdict keeps only the status and the header of an answer.
type verdict struct {
	header http.Header
	status int
}

func (v *verdict) Header() http.Header         { return v.header }
func (v *verdict) Write(b []byte) (int, error) { return len(b), nil }
func (v *verdict) WriteHeader(status int)      { v.status = status }

// needs lets only callers of at least this role through to a plain handler.
func (s *Server) needs(least role, h http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if p := permit(callerOf(r.Context()), least); p != nil {
			askForToken(w.Header().Set, p)
			if !reads(r.Method) {
				w.Header().Set("Connection", "close") // its body is not wanted
			}
			writeProblem(w, r, p)
			return
		}
		h(w, r)
	}
}

// permit is the refusal of a caller whose role is too small, or nil.
func permit(c caller, least role) *Problem {
	switch {
	case c.role >= least:
		return nil
	case c.role <= viewer:
		return refuse(asNoToken, "send Authorization: Bearer with the token of a robot or a technician")
	}
	return refuse(asNotAllowed, "only a technician may do that")
}

func askForToken(set func(string, string), p *Problem) {
	if p.Status == http.StatusUnauthorized {
		set("WWW-Authenticate", `Bearer realm="hoistway"`)
	}
}

func (s *Server) healthz(w http.ResponseWriter, r *http.Request) {
	if s.o.Live != nil {
		if err := s.o.Live(); err != nil {
			writeProblem(w, r, refuse(asNoAnswer, "%v", err))
			return
		}
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintln(w, "ok")
}

func (s *Server) readyz(w http.ResponseWriter, _ *http.Request) {
	answer := Ready{Ready: true, Reasons: []string{}}
	if s.o.Ready != nil {
		ok, reasons := s.o.Ready()
		answer.Ready = ok
		answer.Reasons = append(answer.Reasons, reasons...)
	}
	w.Header().Set("Content-Type", "application/json")
	if !answer.Ready {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_ = json.NewEncoder(w).Encode(answer)
}

func apiConfig(version string) huma.Config {
	c := huma.DefaultConfig("hoistway local API", version)
	c.OpenAPIPath, c.DocsPath, c.SchemasPath = "", "", ""
	c.CreateHooks = nil                                                                                            // no $schema in answers
	c.Formats = map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat} // +json too
	c.Transformers = []huma.Transformer{asProblem}
	c.Components.SecuritySchemes = map[string]*huma.SecurityScheme{
		"token": {Type: "http", Scheme: "bearer", Description: "The token of a robot or of a technician."},
	}
	return c
}
