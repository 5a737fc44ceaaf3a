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
	maxReaders  = 256
	forRobots   = 32                     // places that only robots may take
	ofOneRobot  = 4                      // places of one robot
	keptGone    = 256                    // rides remembered as gone
	agesEvery   = 500 * time.Millisecond // looks for values that grew stale
	shadowEvery = 250 * time.Millisecond
	agesFresh   = time.Second            // a lift that is heard but does not change is told this often
	numbers     = 200 * time.Millisecond // between two looks at what only counts on: a position, a load
	passRest    = 20 * time.Millisecond  // between two passes
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
	saw    sight // what of the view it was drawn from, and when
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
	counted elevator.Instant // when numbers were last looked at
	holds   bool             // a number has changed since
	packer  packer
	batches map[need][]byte // what readers lack at this seq, made once for all who lack the same
}

func newHub(s *Server) *hub {
	return &hub{
		s: s, boot: strings.ToLower(rand.Text()[:8]),
		entries: make(map[string]*entry), readers: make(map[*reader]struct{}), batches: make(map[need][]byte),
	}
}

// pass looks at a view and tells the readers what is new in it. With no reader
// it does nothing; opening a reader makes it up. It returns how long what can
// wait has still to wait, 0 when nothing does.
func (h *hub) pass(v *core.View) time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.readers) == 0 {
		h.holds = false
		return 0
	}
	h.look(v, false)
	return h.together()
}

// together wakes those for whom it is time, at the same moments, so that one batch
// serves all who want the same pace.
func (h *hub) together() (rest time.Duration) {
	now := h.s.o.Now()
	sooner := func(d time.Duration) {
		if rest == 0 || d < rest {
			rest = d
		}
	}
	if h.holds {
		sooner(until(h.counted, now, h.pace()))
	}
	for r := range h.readers {
		if r.waits == same {
			continue
		}
		if d := until(r.told, now, r.paceOf(r.waits)); d > 0 {
			sooner(d)
			continue
		}
		r.waits, r.told = same, now
		poke(r.news)
	}
	return rest
}

// until is the time to the next moment of a pace after the one in which last lies: the
// moments are the same for everybody, whenever they came. 0: it is past.
func until(last, now elevator.Instant, pace time.Duration) time.Duration {
	next := (last/elevator.Instant(pace) + 1) * elevator.Instant(pace)
	if last == 0 || now >= next {
		return 0
	}
	return next.Sub(now)
}

// pace is that of the reader who wants numbers most often.
func (h *hub) pace() time.Duration {
	least := time.Duration(0)
	for r := range h.readers {
		if p := r.paceOf(counting); least == 0 || p < least {
			least = p
		}
	}
	return max(least, numbers)
}

// look compares a view with what was told. With all, even what did not change is
// encoded again, so that its ages are right.
func (h *hub) look(v *core.View, all bool) {
	now := h.s.o.Now()
	due := all || until(h.counted, now, h.pace()) == 0
	if due {
		h.counted, h.holds = now, false
	}
	for i := range v.Lifts {
		h.lift(v, &v.Lifts[i], all, due, now)
	}
	kept := make(map[string]bool, len(v.Rides))
	for i := range v.Rides {
		kept["ride/"+v.Rides[i].Ride.ID] = true
		h.ride(&v.Rides[i], all, now)
	}
	h.bury(kept, now)
	h.shadow(v, all, now)
}

// shadow looks at documents, which may be many, not at every pass: nobody acts on them.
func (h *hub) shadow(v *core.View, all bool, now elevator.Instant) {
	e := h.entry(subject{event: "shadow"})
	all = all && now.Sub(e.sent) >= coalesce
	if e.saw.at != 0 && now.Sub(e.saw.at) < shadowEvery && !all {
		return
	}
	e.saw.at = now
	d := h.s.showShadow(v)
	h.tell(e, d.ageless(), "", d, all, now)
}

// lift looks at one lift; where it only counts on, not before numbers are due.
func (h *hub) lift(v *core.View, seen *core.LiftView, all, due bool, now elevator.Instant) {
	e := h.entry(subject{event: "lift", id: seen.ID, lift: seen.ID})
	e.heard = lastHeard(&seen.Car)
	all = all && now.Sub(e.sent) >= coalesce // what is younger is right as it is
	news := e.saw.lift(v, seen, now)
	switch {
	case all:
	case news == counting && !due:
		h.holds = true
		return
	case news == same, news == aged && now.Sub(e.sent) < agesFresh:
		return
	}
	e.saw.drew(v, seen, now)
	l := h.s.showLift(v, seen, now)
	if news == counting && !all {
		h.counts(e, l, now)
		return
	}
	h.tell(e, l.ageless(), l.urgent(), l, all, now)
}

func (h *hub) ride(seen *core.RideView, all bool, now elevator.Instant) {
	h.unbury(seen.Ride.ID)
	e := h.entry(subject{event: "ride", id: seen.Ride.ID, lift: seen.Ride.Lift, robot: seen.Ride.Robot})
	all = all && now.Sub(e.sent) >= coalesce
	if same := e.saw.ride(seen, now); same && !all {
		return
	}
	r := h.s.showRide(seen, now).undated()
	h.tell(e, r.ageless(), r.urgent(), r, all, now)
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
		h.wake(e, other, urgent != e.urgent)
	}
	e.body, e.urgent, e.sent = body, urgent, now
	e.frame = h.frame(e, encode(full))
	clear(h.batches)
}

// counts makes the event of a lift of which numbers are known to be new, and nothing else.
func (h *hub) counts(e *entry, l Lift, now elevator.Instant) {
	h.seq++
	e.seq, e.body, e.sent = h.seq, nil, now
	h.wake(e, counting, false)
	e.frame = h.frame(e, encode(l))
	clear(h.batches)
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
		h.tell(grave, Gone{Ride: e.id}, "", Gone{Ride: e.id, At: h.s.wall()}, false, now)
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
	return fmt.Appendf(nil, "id: %s-%d\nevent: %s\ndata: %s\n\n", h.boot, e.seq, e.event, data)
}

func (h *hub) wake(e *entry, news change, urgent bool) {
	for r := range h.readers {
		switch {
		case !r.wants(e):
		case urgent:
			poke(r.news)
		default:
			r.waits = max(r.waits, news)
		}
	}
}

func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// need is what one reader lacks: readers with the same need get the same bytes.
type need struct {
	only
	seen   uint64
	fresh  bool
	packed bool
}

// take gives the frames that a reader lacks, oldest first. They are shared: nobody writes to them.
func (h *hub) take(r *reader) []byte {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := need{r.only, r.seen, r.fresh, r.packed}
	frames, made := h.batches[n]
	if !made {
		frames = h.batch(n)
		h.batches[n] = frames
	}
	r.seen, r.fresh, r.waits = h.seq, false, same
	return frames
}

func (h *hub) batch(n need) []byte {
	var due []*entry
	size := 0
	for _, e := range h.entries {
		if e.seq > n.seen && n.wants(e) && (!n.fresh || e.event != "gone") {
			due = append(due, e)
			size += len(e.frame)
		}
	}
	slices.SortFunc(due, func(a, b *entry) int {
		if a.seq < b.seq {
			return -1
		}
		return 1
	})
	frames := make([]byte, 0, size)
	for _, e := range due {
		frames = append(frames, e.frame...)
	}
	if n.packed && len(frames) > 0 {
		return h.packer.pack(frames)
	}
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
