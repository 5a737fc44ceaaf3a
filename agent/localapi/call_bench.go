package localapi

import (
	"context"
	"encoding/hex"
	"errors"
	"reflect"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"hoistway/agent/commission"
	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// framesWithin is the longest that a call for frames waits for some.
const framesWithin = 10 * time.Second

type benchQuestion struct {
	Lift     string `path:"lift"`
	Question string `query:"q" required:"true" maxLength:"400" doc:"in the words of the link's protocol: holding:12x4"`
}

type benchFrames struct {
	Lift  string `path:"lift"`
	After uint64 `query:"after" doc:"the number of the last frame that is known"`
	WaitS int    `query:"wait_s" minimum:"0" maximum:"10" doc:"how long to wait for a frame where there is none"`
}

// benchCalls are a technician's questions to a controller, beside the polls and
// through the line's own queue.
func (s *Server) benchCalls(api huma.API) {
	at := func(method, what, summary string) op {
		return op{method: method, path: "/v1/lifts/{lift}/commissioning/" + what, id: "commissioning-" + what, summary: summary, need: technician}
	}
	call(api, at("GET", "plan", "What is read of the controller, how often, at what cost"), s.benchPlan)
	call(api, at("GET", "stats", "What passed on the lift's line since the agent started"), s.benchStats)
	call(api, at("GET", "frames", "The last frames on the lift's line; waits for news"), s.benchFrames)
	call(api, at("GET", "peek", "A raw question that changes nothing"), s.benchPeek)
	call(api, at("GET", "preview", "The bytes that poke would send"), s.benchPreview)
	poke := at("POST", "poke", "A raw write, once; refused while a ride holds the lift, unless forced")
	poke.body = reflect.TypeFor[NewPoke]()
	call(api, poke, s.benchPoke)
}

func (s *Server) bench(lift string) (*commission.Bench, *Problem) {
	if s.o.Bench != nil {
		if b, ok := s.o.Bench(lift); ok {
			return b, nil
		}
	}
	if findLift(s.view(), lift) == nil {
		return nil, refuse(asNoLift, "this gateway has no lift %q", lift)
	}
	return nil, refuse(asNoBench, "lift %q", lift)
}

func (s *Server) benchPlan(_ context.Context, _ caller, in *liftPath) (*out[BenchPlan], *Problem) {
	b, p := s.bench(in.Lift)
	if p != nil {
		return nil, p
	}
	return ok(BenchPlan{Lift: in.Lift, Reads: b.Plan()}), nil
}

func (s *Server) benchStats(_ context.Context, _ caller, in *liftPath) (*out[BenchStats], *Problem) {
	b, p := s.bench(in.Lift)
	if p != nil {
		return nil, p
	}
	seen := b.Stats()
	t := seen.Tally
	ms := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	timeouts := uint64(0)
	for _, n := range seen.Stats.Timeouts {
		timeouts += n
	}
	return ok(BenchStats{
		Occupancy: seen.Stats.Occupancy, WaitP50Ms: ms(seen.Stats.QueueWaitP50), WaitP99Ms: ms(seen.Stats.QueueWaitP99),
		Late: seen.Stats.Late, Spoilt: seen.Stats.Spoilt, Refused: seen.Stats.Refused, Timeouts: timeouts, Reopened: seen.Stats.Reopened,
		Diagnosis: seen.Diagnosis,
		Lift:      in.Lift, Link: seen.Link, Line: seen.Line, Now: seen.Now, Next: seen.Next, Questions: t.Questions, Answers: t.Answers, BytesOut: t.BytesOut, BytesIn: t.BytesIn,
		Dropped: t.Dropped, LastDropped: t.LastDropped, SlowestMs: ms(t.SlowestAnswer),
		SpanMs: t.Last.Sub(t.First).Milliseconds(),
	}), nil
}

func (s *Server) benchFrames(ctx context.Context, _ caller, in *benchFrames) (*out[BenchFrames], *Problem) {
	b, p := s.bench(in.Lift)
	if p != nil {
		return nil, p
	}
	ctx, cancel := context.WithTimeout(ctx, min(time.Duration(in.WaitS)*time.Second, framesWithin))
	defer cancel()
	go func() { // ends with ctx, at the latest when this call returns
		select {
		case <-s.ended:
			cancel()
		case <-ctx.Done():
		}
	}()
	seen := b.Traffic(ctx, in.After)
	answer := BenchFrames{Lift: in.Lift, Link: seen.Link, Line: seen.Line, Now: seen.Now, Next: seen.Next, Missed: seen.Missed, Frames: []BenchFrame{}}
	for _, f := range seen.Frames {
		x := f.Frame()
		answer.Frames = append(answer.Frames, BenchFrame{N: f.N, At: f.At, Out: x.Out, Hex: hex.EncodeToString(x.Data), Note: x.Note})
	}
	return ok(answer), nil
}

func (s *Server) benchPeek(ctx context.Context, c caller, in *benchQuestion) (*out[BenchPeek], *Problem) {
	b, p := s.bench(in.Lift)
	if p != nil {
		return nil, p
	}
	s.notePeek(in.Lift, c.name, in.Question)
	got, err := b.Peek(ctx, in.Question)
	if err != nil {
		return nil, benchProblem(err)
	}
	answer := BenchPeek{Lift: in.Lift, Question: in.Question, Words: got.Words, Text: got.Text, AgeMs: s.o.Now().Sub(got.At).Milliseconds()}
	return ok(answer), nil
}

// notePeek writes a question down, but not each of a row of the same.
func (s *Server) notePeek(lift, by, question string) {
	row := lift + "\x00" + by + "\x00" + question
	if last := s.peeked.Swap(&row); last == nil || *last != row {
		s.o.Log.Info("asked by hand", "lift", lift, "by", by, "question", question)
	}
}

func (s *Server) benchPreview(_ context.Context, _ caller, in *benchQuestion) (*out[BenchPreview], *Problem) {
	b, p := s.bench(in.Lift)
	if p != nil {
		return nil, p
	}
	frames, err := b.Preview(in.Question)
	if err != nil {
		return nil, benchProblem(err)
	}
	return ok(BenchPreview{Lift: in.Lift, Question: in.Question, Frames: commission.Hex(frames)}), nil
}

type pokePath struct {
	Lift string `path:"lift"`
}

func (s *Server) benchPoke(ctx context.Context, c caller, in *pokePath) (*out[BenchPoke], *Problem) {
	body, p := bodyOf[NewPoke](ctx)
	if p != nil {
		return nil, p
	}
	b, p := s.bench(in.Lift)
	if p != nil {
		return nil, p
	}
	if p := s.mayPoke(in.Lift, &body); p != nil {
		return nil, p
	}
	var late atomic.Pointer[Problem] // a ride that came while the write waited for its turn
	ctx = drivers.AskFirst(context.WithoutCancel(ctx), func() error {
		if p := s.rideHolds(in.Lift, body.Force); p != nil {
			late.Store(p)
			return errors.New(p.Detail)
		}
		return nil
	})
	o, err := b.Poke(ctx, c.name, body.Question, body.Force)
	if err != nil && o.ID.Ride == "" {
		return nil, benchProblem(err)
	}
	s.o.Log.Warn("written by hand", "lift", in.Lift, "by", c.name, "question", body.Question, "forced", body.Force,
		"outcome", o.Result.String(), "code", o.Code, "detail", o.Detail, "audit", err)
	if p := late.Load(); p != nil && o.Result == elevator.NotSent {
		return nil, p
	}
	return ok(BenchPoke{Lift: in.Lift, Question: body.Question, Outcome: o.Result.String(), Code: o.Code, Detail: o.Detail}), nil
}

// mayPoke refuses a write that nobody has thought about, and one under a ride.
func (s *Server) mayPoke(lift string, body *NewPoke) *Problem {
	if len(body.Question) == 0 || len(body.Question) > 400 {
		return refuse(asBadValue, "1 to 400 letters").at("question")
	}
	if !body.IUnderstand {
		return refuse(asBadValue, "true says that you know what this moves").at("i_understand")
	}
	return s.rideHolds(lift, body.Force)
}

// rideHolds is asked twice of a write: when it is ordered, and in its turn on the line.
// The view knows of a ride before the first of its commands is on its way, and those wait
// behind the write that is asked about: nothing by hand leaves after one of them.
func (s *Server) rideHolds(lift string, forced bool) *Problem {
	if l := findLift(s.view(), lift); l != nil && l.Owner != "" && !forced {
		return refuse(asInUse, "ride %s holds lift %s; force says that you stand beside it", l.Owner, lift)
	}
	return nil
}

// benchProblem tells a question that cannot be from a controller that did not
// answer it.
func benchProblem(err error) *Problem {
	switch {
	case errors.Is(err, commission.ErrNoBench):
		return refuse(asNoBench, "%v", err)
	case errors.Is(err, drivers.ErrNotSent), errors.Is(err, drivers.ErrTimeout), errors.Is(err, drivers.ErrLink):
		return refuse(asNoController, "%v", err)
	case errors.Is(err, drivers.ErrConfig), errors.Is(err, drivers.ErrNotCapable):
		return refuse(asImpossible, "%v", err)
	}
	return refuse(asNoController, "%v", err)
}
