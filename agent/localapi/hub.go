package localapi

import (
	"bytes"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm/elevator"
)

const (
	maxReaders = 32
	keptGone   = 256                    // rides remembered as gone
	agesEvery  = 500 * time.Millisecond // looks for values that grew stale
	agesFresh  = time.Second            // a lift that is heard but does not change is told this often
	passRest   = 20 * time.Millisecond  // between two passes
)

// subject is what one event is about.
type subject struct {
	event string // lift, ride, gone or shadow
	id    string
	lift  string
	robot string
}

// entry is the latest event about one subject.
type entry struct {
	subject
	seq    uint64 // of the event; grows over all subjects
	body   []byte // without ages: what counts as a change
	urgent string // what may not wait
	frame  []byte // as it goes on the wire
	sent   elevator.Instant
	heard  elevator.Instant
}

// hub keeps the latest event of each subject. A reader that comes back is told
// what changed since it left, as it is now: never an old event again, since an
// old event could tell of a permit or an age that is long over.
type hub struct {
	s  *Server
	mu sync.Mutex

	boot    string // in every id, so that ids of another run mean nothing
	seq     uint64
	entries map[string]*entry
	gone    []string // keys of rides that are gone, oldest first
	forgot  uint64   // events up to here cannot be resumed any more
	readers map[*reader]struct{}
}

func newHub(s *Server) *hub {
	return &hub{
		s: s, boot: strings.ToLower(rand.Text()[:8]),
		entries: make(map[string]*entry), readers: make(map[*reader]struct{}),
	}
}

// pass looks at a view and tells the readers what is new in it. With no reader
// it does nothing; opening a reader makes it up.
func (h *hub) pass(v *core.View) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.readers) > 0 {
		h.look(v, false)
	}
}

// look compares a view with what was told. With all, even what did not change is
// encoded again, so that its ages are right.
func (h *hub) look(v *core.View, all bool) {
	now := h.s.o.Now()
	for i := range v.Lifts {
		l := h.s.showLift(v, &v.Lifts[i], now)
		e := h.entry(subject{event: "lift", id: l.ID, lift: l.ID})
		e.heard = lastHeard(&v.Lifts[i].Car)
		h.tell(e, l.ageless(), l.urgent(), l, all, now)
	}
	kept := make(map[string]bool, len(v.Rides))
	for i := range v.Rides {
		r := h.s.showRide(&v.Rides[i], now).undated()
		kept["ride/"+r.ID] = true
		h.unbury(r.ID)
		e := h.entry(subject{event: "ride", id: r.ID, lift: r.Lift, robot: r.Robot})
		h.tell(e, r.ageless(), r.urgent(), r, all, now)
	}
	h.bury(kept, now)
	d := showShadow(v)
	h.tell(h.entry(subject{event: "shadow"}), d, "", d, all, now)
}

// entry finds or makes the entry of a subject. A ride's lift may change.
func (h *hub) entry(s subject) *entry {
	key := s.event + "/" + s.id
	e := h.entries[key]
	if e == nil {
		e = &entry{}
		h.entries[key] = e
	}
	e.subject = s
	return e
}

// tell makes an event where the ageless body is new, or where it is time to
// show that a lift is still heard.
func (h *hub) tell(e *entry, ageless any, urgent string, full any, all bool, now elevator.Instant) {
	body := encode(ageless)
	changed := !bytes.Equal(body, e.body)
	alive := e.heard > e.sent && now.Sub(e.sent) >= agesFresh
	if !changed && !alive && !all {
		return
	}
	if changed || alive {
		h.seq++
		e.seq = h.seq
		h.wake(e, urgent != e.urgent)
	}
	e.body, e.urgent, e.sent = body, urgent, now
	e.frame = h.frame(e, encode(full))
}

// bury turns the rides that are no longer kept into gone.
func (h *hub) bury(kept map[string]bool, now elevator.Instant) {
	for key, e := range h.entries {
		if e.event != "ride" || kept[key] {
			continue
		}
		delete(h.entries, key)
		grave := h.entry(subject{event: "gone", id: e.id, lift: e.lift, robot: e.robot})
		h.gone = append(h.gone, "gone/"+e.id)
		h.tell(grave, Gone{Ride: e.id}, "", Gone{Ride: e.id}, false, now)
	}
	for len(h.gone) > keptGone {
		h.forgot = max(h.forgot, h.entries[h.gone[0]].seq)
		delete(h.entries, h.gone[0])
		h.gone = h.gone[1:]
	}
}

// unbury forgets the end of an earlier ride whose id is in use again: what a
// reader must know of that id is the new ride.
func (h *hub) unbury(ride string) {
	key := "gone/" + ride
	if h.entries[key] == nil {
		return
	}
	delete(h.entries, key)
	h.gone = slices.DeleteFunc(h.gone, func(g string) bool { return g == key })
}

func (h *hub) frame(e *entry, data []byte) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "id: %s-%d\nevent: %s\ndata: %s\n\n", h.boot, e.seq, e.event, data)
	return b.Bytes()
}

func (h *hub) wake(e *entry, urgent bool) {
	for r := range h.readers {
		if !r.wants(e) {
			continue
		}
		c := r.soon
		if urgent {
			c = r.now
		}
		select {
		case c <- struct{}{}:
		default:
		}
	}
}

// take gives the frames that a reader lacks, oldest first.
func (h *hub) take(r *reader) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	var due []*entry
	for _, e := range h.entries {
		if e.seq > r.seen && r.wants(e) && (!r.fresh || e.event != "gone") {
			due = append(due, e)
		}
	}
	slices.SortFunc(due, func(a, b *entry) int {
		if a.seq < b.seq {
			return -1
		}
		return 1
	})
	var frames []byte
	for _, e := range due {
		frames = append(frames, e.frame...)
	}
	r.seen, r.fresh = h.seq, false
	return frames
}

// encode renders a shape. A shape that cannot be rendered is a fault of ours.
func encode(v any) []byte {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Appendf(nil, `{"error":%q}`, err.Error())
	}
	return b
}
