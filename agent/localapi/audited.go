package localapi

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"hoistway/agent/audit"
	"hoistway/agent/commission"
)

// Audit keeps what people did. Safe for concurrent use.
type Audit interface {
	// Act returns once the disk has the entry.
	Act(e audit.Entry) error
	// Last gives the last n entries of people's acts, or of the commands, oldest first.
	Last(outputs bool, n int) ([]audit.Entry, error)
}

// Calls of a technician that the audit treats in a way of their own.
var (
	// selfAudited write entries of their own, with the bytes that they send.
	selfAudited = []string{"POST /v1/lifts/{lift}/commissioning/poke"}
	// noActs say only that somebody is there.
	noActs = []string{"POST /v1/robots/{robot}/heartbeat"}
)

// harmless reports an act that is carried out although the audit cannot be written: it takes
// something out of use or lets it end, and a full disk must not stand in the way of that.
// What gives something back to use is none: the end of a stop, another end of maintenance.
func (s *Server) harmless(pattern string, e *audit.Entry, body []byte) bool {
	switch pattern {
	case "POST /v1/stop":
		var b NewStop
		return json.Unmarshal(body, &b) == nil && b.On
	case "POST /v1/lifts/{lift}/maintenance":
		l := findLift(s.view(), e.Lift)
		return l != nil && l.Maintenance == nil
	}
	return pattern == "DELETE /v1/rides/{ride}"
}

// maxTold is how much of an act's body the audit keeps.
const maxTold = 512

// audited writes each act of a technician down before it is carried out, and what came
// of it afterwards. What cannot be written down is not carried out.
func (s *Server) audited(calls *http.ServeMux, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, pattern := calls.Handler(r)
		c := callerOf(r.Context())
		if s.o.Audit == nil || c.role != technician || slices.Contains(selfAudited, pattern) || slices.Contains(noActs, pattern) {
			next.ServeHTTP(w, r)
			return
		}
		e := s.actOf(c, pattern, r)
		if err := s.o.Audit.Act(e); err != nil {
			s.o.Log.Error("the audit cannot be written", "code", "E-4009", "by", c.name, "act", e.What, "error", err)
			body, _ := r.Context().Value(bodyKey{}).([]byte)
			if !s.harmless(pattern, &e, body) {
				writeProblem(w, r, refuse(asNoAudit, "nothing was done; the log says more"))
				return
			}
		}
		seen := &heard{watched: watched{ResponseWriter: w, status: http.StatusOK}}
		defer func() { s.cameOf(e, seen) }()
		next.ServeHTTP(seen, r)
	})
}

func (s *Server) actOf(c caller, pattern string, r *http.Request) audit.Entry {
	body, _ := r.Context().Value(bodyKey{}).([]byte)
	e := audit.Entry{
		At: s.o.Wall().UTC(), By: c.name, What: r.Method + " " + r.URL.Path, ID: "act-" + rand.Text()[:16], Detail: told(body), Outcome: "asked",
		Why: reasonIn(body),
	}
	e.What = cut(e.What, maxTold)
	ids := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	for i, word := range strings.Split(strings.Trim(strings.TrimPrefix(pattern, r.Method+" "), "/"), "/") {
		switch {
		case i >= len(ids):
		case word == "{ride}":
			e.Ride = cut(ids[i], 128)
		case word == "{lift}":
			e.Lift = cut(ids[i], 128)
		case word == "{robot}":
			e.Robot = cut(ids[i], 128)
		}
	}
	return e
}

// cameOf writes what became of an act. It has happened: a disk that fails now is told.
func (s *Server) cameOf(e audit.Entry, seen *heard) {
	e.At, e.Outcome, e.Code, e.Detail = s.o.Wall().UTC(), "done", "", ""
	if seen.status >= http.StatusBadRequest {
		e.Outcome = "refused"
		var p Problem
		if json.Unmarshal(seen.start.Bytes(), &p) == nil && p.Code != "" {
			e.Code, e.Detail = p.Code, cut(p.Detail, maxTold)
		} else {
			e.Code = strconv.Itoa(seen.status)
		}
	}
	if err := s.o.Audit.Act(e); err != nil {
		s.o.Log.Error("what came of an act could not be written into the audit", "code", "E-4009", "by", e.By, "act", e.What, "outcome", e.Outcome, "error", err)
	}
}

// told is the body as the audit keeps it: without secrets, and cut where it is long.
func told(body []byte) string {
	var flat bytes.Buffer
	if json.Compact(&flat, body) != nil {
		return ""
	}
	return cut(commission.Mask(flat.String()), maxTold)
}

// reasonIn is the why that the person gave, if the act has a place for one.
func reasonIn(body []byte) string {
	var b struct {
		Reason string `json:"reason"`
		Why    string `json:"why"`
	}
	if json.Unmarshal(body, &b) != nil {
		return ""
	}
	if b.Reason == "" {
		b.Reason = b.Why
	}
	return cut(b.Reason, maxTold)
}

func cut(s string, most int) string {
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}

// heard remembers the status and the start of an answer.
type heard struct {
	watched
	start bytes.Buffer
}

func (h *heard) Write(b []byte) (int, error) {
	if room := 4<<10 - h.start.Len(); room > 0 && h.status >= http.StatusBadRequest {
		h.start.Write(b[:min(room, len(b))])
	}
	return h.ResponseWriter.Write(b)
}
