package localapi

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"hoistway/fsm/elevator"
)

const (
	coalesce    = 100 * time.Millisecond // between two writes to the readers, but for what is urgent
	beatEvery   = 10 * time.Second       // a comment, so that both sides notice a dead line
	slowest     = 10 * time.Second       // pace that a reader may ask for
	eventWithin = 5 * time.Second        // for one write; a reader that takes longer is cut
	comeBack    = time.Second            // told to readers whose line broke
)

// only narrows a stream. "" does not.
type only struct {
	lift, ride string
	robot      string // that of a caller that sees rides of its own only, or the one asked for
	asked      bool   // for one robot: then neither lifts nor the shadow come
}

// wants reports whether an event is for such a reader.
func (o only) wants(e *entry) bool {
	switch e.event {
	case "shadow":
		return o.lift == "" && o.ride == "" && !o.asked
	case "lift":
		return o.ride == "" && (o.lift == "" || o.lift == e.lift) && !o.asked
	}
	own := o.robot == "" || o.robot == e.robot
	return own && (o.ride == "" || o.ride == e.id) && (o.lift == "" || o.lift == e.lift)
}

// reader is one open stream. The hub's lock guards all but what it is narrowed to.
type reader struct {
	only
	by     caller
	packed bool          // it takes gzip
	every  time.Duration // the pace that it asked for; 0: as it comes
	seen   uint64        // sequence of the last event taken
	fresh  bool          // it knows nothing yet, so nothing can be gone for it
	waits  change        // how much there is for it that can wait
	told   elevator.Instant
	news   chan struct{} // it is to take what there is
}

// paceOf is how long at least lies between two times that it is told of such news.
func (r *reader) paceOf(c change) time.Duration {
	switch {
	case r.every > 0:
		return r.every
	case c == counting:
		return numbers
	}
	return coalesce
}

// open adds a reader that knows everything up to seen, and brings every event
// up to date. False: there are too many.
func (h *hub) open(r *reader, last string) (resumed, opened bool) {
	v := h.s.view()
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.room(r.by) {
		return false, false
	}
	h.look(v, true)
	r.seen, resumed = h.since(last)
	r.fresh = !resumed
	h.readers[r] = struct{}{}
	return resumed, true
}

// room keeps some places for robots, and no robot from another's.
func (h *hub) room(by caller) bool {
	if by.role != robot {
		return len(h.readers) < maxReaders-forRobots
	}
	own := 0
	for r := range h.readers {
		if r.by == by {
			own++
		}
	}
	return own < ofOneRobot && len(h.readers) < maxReaders
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
	w.Header().Set("Vary", "Accept-Encoding")
	if r.Method == http.MethodHead {
		return
	}
	resumed, opened := s.hub.open(rd, r.Header.Get("Last-Event-ID"))
	if !opened {
		w.Header().Set("Retry-After", "5")
		writeProblem(w, r, refuse(asReaders, "%d readers are open, %d of one robot at most", s.hub.count(), ofOneRobot))
		return
	}
	defer s.hub.leave(rd)
	out := &stream{w: w, rc: http.NewResponseController(w)}
	_ = out.rc.SetReadDeadline(time.Time{}) // the request is read; the stream has no end
	if out.send(s.opening(w.Header(), rd, s.hello(resumed))) {
		s.follow(r.Context(), rd, out)
	}
	if out.cut {
		s.metrics.cut.Inc()
		s.o.Log.Info("cut a reader of events that does not read", "from", hostOf(r.RemoteAddr))
	}
}

func (s *Server) readerFor(r *http.Request) (*reader, *Problem) {
	c, q := callerOf(r.Context()), r.URL.Query()
	rd := &reader{by: c, news: make(chan struct{}, 1), packed: takesGzip(r.Header), only: only{lift: q.Get("lift"), ride: q.Get("ride"), robot: q.Get("robot")}}
	rd.asked = rd.robot != ""
	if word := q.Get("every"); word != "" {
		every, err := time.ParseDuration(word)
		if err != nil || every < coalesce || every > slowest {
			return nil, badValue("every", "100ms to 10s").param("every")
		}
		rd.every = every
	}
	if p := s.mayFollow(c, rd.robot); p != nil {
		return nil, p.param("robot")
	}
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

// mayFollow lets a robot follow itself only, and nobody one that is not there.
func (s *Server) mayFollow(c caller, id string) *Problem {
	if id == "" || c.role == robot && id == c.name {
		return nil
	}
	if c.role == robot {
		return refuse(asNotAllowed, "a robot sees its own rides only")
	}
	if _, known := s.keys.robots[id]; !known {
		return refuse(asNoRobot, "the configuration has no robot %q", id)
	}
	return nil
}

func (s *Server) hello(resumed bool) []byte {
	h := Hello{
		Version: s.o.Version, Resumed: resumed, Now: s.o.Wall().UTC().Format(stamp),
		Robots: append([]string{}, s.keys.order...),
	}
	return fmt.Appendf(nil, "retry: %d\nevent: hello\ndata: %s\n\n", comeBack.Milliseconds(), encode(h))
}

// opening is how a stream begins.
func (s *Server) opening(h http.Header, rd *reader, hello []byte) []byte {
	if !rd.packed {
		return hello
	}
	h.Set("Content-Encoding", "gzip")
	return slices.Concat(gzipHead, s.hub.packer.pack(hello))
}

// follow writes until the reader, the program or the line ends.
func (s *Server) follow(ctx context.Context, rd *reader, out *stream) {
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	comment := []byte(": beat\n\n")
	if rd.packed {
		comment = s.hub.packer.pack(comment)
	}
	for {
		if frames := s.hub.take(rd); len(frames) > 0 && !out.send(frames) {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-s.ended:
			return
		case <-beat.C:
			if !out.send(comment) {
				return
			}
		case <-rd.news:
		}
	}
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
