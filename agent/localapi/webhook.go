package localapi

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"hoistway/agent/hooks"
	"hoistway/drivers"
)

// Pushes is what stands behind the door for messages that lift services push. All
// methods are safe for concurrent use.
type Pushes interface {
	// Receive answers a message; it may wait for the disk, a few seconds at most.
	Receive(ctx context.Context, lift string, p drivers.Push) hooks.Answer
	// Turned counts one that could not even be read.
	Turned(lift string, status int)
	Status(lift string) (hooks.Status, bool)
	Enable(ctx context.Context, lift string) error
	Notice(lift, text string) error
}

// webhookPath is the door of services. Who they are is proven by the message itself.
const webhookPath = "/v1/webhooks/{lift}"

// hooksAtOnce bounds the messages under way: they have places of their own, so that a
// flood of them takes none from robots.
const hooksAtOnce = 32

// isWebhook reports whether a path is a service's door and nothing below it.
func isWebhook(path string) bool {
	lift, is := strings.CutPrefix(path, strings.TrimSuffix(webhookPath, "{lift}"))
	return is && lift != "" && !strings.Contains(lift, "/")
}

func (s *Server) webhookRoutes(calls *http.ServeMux, api huma.API) {
	if s.o.Pushes == nil {
		return
	}
	calls.HandleFunc("GET "+webhookPath, s.webhook)
	calls.HandleFunc("POST "+webhookPath, s.webhook)
	call(api, op{method: "POST", path: webhookPath + "/enable", id: "enable-webhook", summary: "Have a service push again after it suspended that", need: technician, status: http.StatusAccepted},
		s.enablePush)
	call(api, op{method: "POST", path: webhookPath + "/notices", id: "notice", summary: "What a vendor tells people of its pushes, as an alarm", need: technician, status: http.StatusAccepted, body: reflect.TypeFor[Notice]()},
		s.vendorNotice)
}

// webhook takes one message, whole and bounded, before anything looks at it.
func (s *Server) webhook(w http.ResponseWriter, r *http.Request) {
	select {
	case s.pushing <- struct{}{}:
		defer func() { <-s.pushing }()
	default:
		s.turn(w, r, refuse(asBusy, "%d messages are under way", hooksAtOnce))
		return
	}
	body, p := wholeMessage(w, r)
	if p != nil {
		s.turn(w, r, p)
		return
	}
	a := s.o.Pushes.Receive(r.Context(), r.PathValue("lift"), drivers.Push{Method: r.Method, Query: r.URL.Query(), Header: r.Header, Body: body})
	if a.Type != "" {
		w.Header().Set("Content-Type", a.Type)
	}
	if a.After > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(max(1, int(a.After.Seconds()))))
	}
	w.WriteHeader(a.Status)
	_, _ = w.Write(a.Body) // a sender that went away needs no answer
}

// turn refuses a message that was not even read, and counts it as the sender does.
func (s *Server) turn(w http.ResponseWriter, r *http.Request, p *Problem) {
	s.o.Pushes.Turned(r.PathValue("lift"), p.Status)
	w.Header().Set("Connection", "close")
	if p.Status == http.StatusServiceUnavailable {
		w.Header().Set("Retry-After", "1")
	}
	writeProblem(w, r, p)
}

// enableWithin bounds the service's answer.
const enableWithin = 10 * time.Second

func (s *Server) enablePush(ctx context.Context, _ caller, in *liftPath) (*out[Push], *Problem) {
	ctx, cancel := context.WithTimeout(ctx, enableWithin)
	defer cancel()
	err := s.o.Pushes.Enable(ctx, in.Lift)
	push := s.showPush(in.Lift)
	switch {
	case push == nil || errors.Is(err, hooks.ErrNoPush):
		return nil, refuse(asNoPush, "lift %q", in.Lift)
	case errors.Is(err, drivers.ErrNotCapable):
		return nil, refuse(asByHand, "%s", strings.Join(append([]string{"by hand"}, push.Steps...), "; "))
	case err != nil:
		return nil, refuse(asVendor, "%v", err)
	}
	return &out[Push]{Status: http.StatusAccepted, Body: *push}, nil
}

func (s *Server) vendorNotice(ctx context.Context, _ caller, in *liftPath) (*out[Push], *Problem) {
	n, p := bodyOf[Notice](ctx)
	if p != nil {
		return nil, p
	}
	if strings.TrimSpace(n.Text) == "" {
		return nil, refuse(asBadValue, "the words of the notice").at("text")
	}
	if err := s.o.Pushes.Notice(in.Lift, n.Text); err != nil {
		return nil, refuse(asNoPush, "lift %q", in.Lift)
	}
	return &out[Push]{Status: http.StatusAccepted, Body: *s.showPush(in.Lift)}, nil
}

// showPush draws how messages come for a lift; nil where none do.
func (s *Server) showPush(lift string) *Push {
	if s.o.Pushes == nil {
		return nil
	}
	st, ok := s.o.Pushes.Status(lift)
	if !ok {
		return nil
	}
	now := s.o.Wall()
	p := &Push{
		Verify: st.Verify, Unsigned: st.Unsigned || st.Verify == "none", HeardMs: since(st.Heard, now), RepairedMs: since(st.Repaired, now),
		State: st.Pushing, Queue: st.Queue, Failing: st.Failures, CanEnable: st.CanEnable,
		Steps: append([]string{}, st.Steps...), Confirmed: append([]string{}, st.Confirmed...),
		Counts: PushCounts{st.Taken, st.Duplicates, st.Foreign, st.Other, st.Refused, st.Checks, st.Late, st.Turned},
		Alarms: []Alarm{}, silence: st.Silence,
	}
	if !st.SuspendsAt.IsZero() {
		ms := max(0, st.SuspendsAt.Sub(now)).Milliseconds()
		p.SuspendsInMs = &ms
	}
	for _, a := range st.Alarms {
		p.Alarms = append(p.Alarms, Alarm{Code: a.Code, Detail: a.Detail})
	}
	return p
}

func since(at, now time.Time) *int64 {
	if at.IsZero() {
		return nil
	}
	ms := max(0, now.Sub(at)).Milliseconds()
	return &ms
}

// silenceOf is how long a lift may say nothing before it is shown as offline.
func (p *Push) silenceOf() time.Duration {
	if p == nil {
		return offlineFor
	}
	return max(offlineFor, p.silence)
}

// ageless is the push without what changes by time alone, or by each message.
func (p *Push) ageless() *Push {
	if p == nil {
		return nil
	}
	out := *p
	out.HeardMs, out.RepairedMs, out.SuspendsInMs, out.Queue = nil, nil, nil, 0
	out.Counts, out.Failing = PushCounts{}, 0
	return &out
}
