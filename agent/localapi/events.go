package localapi

import (
	"context"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"hoistway/fsm/elevator"
)

const (
	coalesce    = 100 * time.Millisecond // between two writes to a reader, but for what is urgent
	beatEvery   = 10 * time.Second       // a comment, so that both sides notice a dead line
	eventWithin = 5 * time.Second        // for one write; a reader that takes longer is cut
	comeBack    = time.Second            // told to readers whose line broke
)

// reader is one open stream. The hub's lock guards seen and fresh.
type reader struct {
	lift, ride string // "" does not narrow
	robot      string // a robot sees rides of its own only
	seen       uint64 // sequence of the last event taken
	fresh      bool   // it knows nothing yet, so nothing can be gone for it
	now, soon  chan struct{}
}

// wants reports whether an event is for this reader.
func (r *reader) wants(e *entry) bool {
	switch e.event {
	case "shadow":
		return r.lift == "" && r.ride == ""
	case "lift":
		return r.ride == "" && (r.lift == "" || r.lift == e.lift)
	}
	own := r.robot == "" || r.robot == e.robot
	return own && (r.ride == "" || r.ride == e.id) && (r.lift == "" || r.lift == e.lift)
}

// open adds a reader that knows everything up to seen, and brings every event
// up to date. False: there are too many.
func (h *hub) open(r *reader, last string) (resumed, opened bool) {
	v := h.s.view()
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.readers) >= maxReaders {
		return false, false
	}
	h.look(v, true)
	r.seen, resumed = h.since(last)
	r.fresh = !resumed
	h.readers[r] = struct{}{}
	return resumed, true
}

func (h *hub) leave(r *reader) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.readers, r)
}

func (h *hub) count() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.readers)
}

// since reads a Last-Event-ID of this run that is not too old.
func (h *hub) since(last string) (uint64, bool) {
	boot, digits, _ := strings.Cut(last, "-")
	seq, err := strconv.ParseUint(digits, 10, 64)
	if err != nil || boot != h.boot || seq > h.seq || seq < h.forgot {
		return 0, false
	}
	return seq, true
}

// events is GET /v1/events.
func (s *Server) events(w http.ResponseWriter, r *http.Request) {
	rd, p := s.readerFor(r)
	if p != nil {
		writeProblem(w, r, p)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.Header().Set("X-Accel-Buffering", "no")
	if r.Method == http.MethodHead {
		return
	}
	resumed, opened := s.hub.open(rd, r.Header.Get("Last-Event-ID"))
	if !opened {
		w.Header().Set("Retry-After", "5")
		writeProblem(w, r, refuse(asReaders, "%d readers are open", maxReaders))
		return
	}
	defer s.hub.leave(rd)
	out := &stream{w: w, rc: http.NewResponseController(w)}
	_ = out.rc.SetReadDeadline(time.Time{}) // the request is read; the stream has no end
	if out.send(s.hello(resumed)) {
		s.follow(r.Context(), rd, out)
	}
	if out.cut {
		s.metrics.cut.Inc()
		s.o.Log.Info("cut a reader of events that does not read", "from", hostOf(r.RemoteAddr))
	}
}

func (s *Server) readerFor(r *http.Request) (*reader, *Problem) {
	c, q := callerOf(r.Context()), r.URL.Query()
	rd := &reader{lift: q.Get("lift"), ride: q.Get("ride"), now: make(chan struct{}, 1), soon: make(chan struct{}, 1)}
	if c.role == robot {
		rd.robot = c.name
	}
	if rd.lift != "" && findLift(s.view(), rd.lift) == nil {
		return nil, refuse(asNoLift, "this gateway has no lift %q", rd.lift).param("lift")
	}
	if rd.ride != "" {
		if _, p := s.ride(c, rd.ride); p != nil {
			return nil, p.param("ride")
		}
	}
	return rd, nil
}

func (s *Server) hello(resumed bool) []byte {
	h := Hello{
		Version: s.o.Version, Resumed: resumed, Now: s.o.Wall().UTC().Format(stamp),
		Robots: append([]string{}, s.keys.order...),
	}
	return fmt.Appendf(nil, "retry: %d\nevent: hello\ndata: %s\n\n", comeBack.Milliseconds(), encode(h))
}

// follow writes until the reader, the program or the line ends.
func (s *Server) follow(ctx context.Context, rd *reader, out *stream) {
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		sent := s.o.Now()
		if frames := s.hub.take(rd); len(frames) > 0 && !out.send(frames) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-s.ended:
			return
		case <-beat.C:
			if !out.send([]byte(": beat\n\n")) {
				return
			}
		case <-rd.now:
		case <-rd.soon:
			if !s.gather(ctx, rd, sent) {
				return
			}
		}
	}
}

// gather waits for more of what can wait. False: it is over.
func (s *Server) gather(ctx context.Context, rd *reader, since elevator.Instant) bool {
	rest := time.NewTimer(coalesce - s.o.Now().Sub(since))
	defer rest.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-s.ended:
		return false
	case <-rd.now:
	case <-rest.C:
	}
	return true
}

// stream writes with a deadline each time.
type stream struct {
	w   http.ResponseWriter
	rc  *http.ResponseController
	cut bool // a write did not end in time
}

func (o *stream) send(b []byte) bool {
	_ = o.rc.SetWriteDeadline(time.Now().Add(eventWithin))
	if _, err := o.w.Write(b); err != nil {
		o.cut = isTimeout(err)
		return false
	}
	if err := o.rc.Flush(); err != nil {
		o.cut = isTimeout(err)
		return false
	}
	return true
}
