package localapi

import (
	"context"
	"errors"

	"github.com/danielgtaylor/huma/v2"

	"hoistway/agent/audit"
	"hoistway/agent/journal"
)

// Records gives flight records. Safe for concurrent use.
type Records interface {
	Record(ctx context.Context, ride string) (*journal.Record, error)
	List(ctx context.Context, n int) ([]journal.Kept, error)
}

// maxListed is how many records one answer names at most.
const maxListed = 1000

// maxAudited is how many entries of the audit one answer has at most.
const maxAudited = 1000

func (s *Server) recordCalls(api huma.API) {
	call(api, op{
		method: "GET", path: "/v1/rides/{ride}/record", id: "record", summary: "The flight record of a ride, by lanes on one time line", need: robot,
	}, s.recordOf)
	call(api, op{
		method: "GET", path: "/v1/records", id: "records", summary: "The flight records that are kept, also of rides long over; newest first", need: technician,
	}, s.records)
	call(api, op{
		method: "GET", path: "/v1/audit", id: "audit", summary: "Who did what, when, why, and what came of it; oldest first", need: technician,
	}, s.auditOf)
}

// recordOf answers also for rides that the loop no longer keeps. To a robot the record of
// another one does not exist.
func (s *Server) recordOf(ctx context.Context, c caller, in *ridePath) (*out[journal.Record], *Problem) {
	if s.o.Records == nil {
		return nil, refuse(asNoRecord, "this gateway keeps no records")
	}
	r, err := s.o.Records.Record(ctx, in.Ride)
	var dropped *journal.Dropped
	switch {
	case err == nil && c.sees(r.Ride.Robot):
		return ok(*r), nil
	case errors.As(err, &dropped) && c.sees(dropped.Robot):
		return nil, refuse(asNoRecord, "%v", dropped)
	case err == nil, errors.Is(err, journal.ErrNone), dropped != nil:
		return nil, refuse(asNoRecord, "there is no record of a ride %q", in.Ride)
	}
	s.o.Log.Warn("a flight record could not be read", "ride", in.Ride, "error", err)
	return nil, refuse(asNoAnswer, "the record could not be read; the log says more")
}

type recordsQuery struct {
	Limit int `query:"limit" default:"100" minimum:"1" maximum:"1000" doc:"so many at most, the newest first"`
}

func (s *Server) records(ctx context.Context, _ caller, in *recordsQuery) (*out[[]journal.Kept], *Problem) {
	if s.o.Records == nil {
		return nil, refuse(asNoRecord, "this gateway keeps no records")
	}
	list, err := s.o.Records.List(ctx, min(in.Limit, maxListed))
	switch {
	case errors.Is(err, journal.ErrNone):
		return nil, refuse(asNoRecord, "this gateway keeps no records")
	case err != nil:
		return nil, refuse(asNoAnswer, "the records are still being looked through")
	}
	return ok(list), nil
}

type auditQuery struct {
	Of    string `query:"of" enum:"acts,outputs" default:"acts" doc:"acts of people, or outputs: the commands that lifts were given"`
	Limit int    `query:"limit" minimum:"1" maximum:"1000" default:"200" doc:"the last so many"`
}

func (s *Server) auditOf(_ context.Context, _ caller, in *auditQuery) (*out[[]audit.Entry], *Problem) {
	if s.o.Audit == nil {
		return nil, refuse(asNoRecord, "this gateway keeps no audit")
	}
	list, err := s.o.Audit.Last(in.Of == "outputs", min(in.Limit, maxAudited))
	if err != nil {
		s.o.Log.Warn("the audit could not be read", "error", err)
		return nil, refuse(asNoAudit, "it could not be read; the log says more")
	}
	if list == nil {
		list = []audit.Entry{}
	}
	return ok(list), nil
}
