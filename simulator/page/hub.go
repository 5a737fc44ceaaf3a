package page

import (
	"fmt"
	"slices"
	"sync"

	"hoistway/simulator/picture"
)

const (
	maxReaders = 32
	maxEvents  = 500    // that wait for one reader
	maxWaits   = 20_000 // likewise
	pastEvents = 500    // kept for a reader that comes late
	pastWaits  = 20_000
	lateBy     = 1000 // ms that a frame may be older than the one before it
)

// hub keeps the latest frame, and for each reader what it has not had yet.
type hub struct {
	mu      sync.Mutex
	latest  *picture.Frame
	past    past
	readers map[*reader]struct{}
}

// reader is one open stream. The hub's lock guards due and anew.
type reader struct {
	due   *picture.Frame
	anew  bool // another run has begun
	ready chan struct{}
}

func newHub() *hub { return &hub{readers: make(map[*reader]struct{})} }

func (h *hub) show(f picture.Frame) {
	h.mu.Lock()
	defer h.mu.Unlock()
	anew := false
	if h.latest != nil && f.AtMS < h.latest.AtMS {
		if anew = h.latest.AtMS-f.AtMS > lateBy; anew {
			h.past = past{}
		} else { // overtaken: what happened counts, how things stood is over
			late := *h.latest
			late.Events, late.Waits, late.RideWaits = f.Events, f.Waits, f.RideWaits
			f = late
		}
	}
	h.latest = &f
	h.past.add(f)
	for r := range h.readers {
		if r.anew = r.anew || anew; r.due == nil || anew {
			r.due = &f
		} else {
			r.due = merge(r.due, f)
		}
		select {
		case r.ready <- struct{}{}:
		default:
		}
	}
}

// open adds a reader and gives it what went before. False: there are too many.
func (h *hub) open() (*reader, []picture.Frame, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.readers) >= maxReaders {
		return nil, nil, false
	}
	r := &reader{ready: make(chan struct{}, 1)}
	if h.latest != nil {
		f := *h.latest
		f.Events, f.Waits, f.RideWaits = nil, nil, nil // the past has them
		r.due = &f
		r.ready <- struct{}{}
	}
	h.readers[r] = struct{}{}
	return r, slices.Clone(h.past.frames), true
}

func (h *hub) leave(r *reader) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.readers, r)
}

// take gives what a reader has not had yet, or nil, and whether it is of another
// run than what it had.
func (h *hub) take(r *reader) (f *picture.Frame, anew bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	f, anew = r.due, r.anew
	r.due, r.anew = nil, false
	return f, anew
}

// merge is how things stand in f, with what happened since the frame before old.
// It writes into neither: other readers hold them.
func merge(old *picture.Frame, f picture.Frame) *picture.Frame {
	f.Events = slices.Concat(old.Events, f.Events)
	f.Waits = last(slices.Concat(old.Waits, f.Waits), maxWaits)
	f.RideWaits = last(slices.Concat(old.RideWaits, f.RideWaits), maxWaits)
	if gone := len(f.Events) - maxEvents; gone > 0 {
		first := f.Events[gone]
		f.Events = f.Events[gone:]
		f.Events[0] = picture.Event{AtMS: first.AtMS, Who: "page", Text: fmt.Sprintf("%d events or more were too many to show", gone+1)}
	}
	return &f
}

func last[T any](s []T, n int) []T {
	if len(s) > n {
		return s[len(s)-n:]
	}
	return s
}

// past is what happened, in frames that show nothing else, oldest first.
type past struct {
	frames        []picture.Frame
	events, waits int
}

func (p *past) add(f picture.Frame) {
	if len(f.Events)+len(f.Waits)+len(f.RideWaits) == 0 {
		return
	}
	p.frames = append(p.frames, picture.Frame{
		AtMS: f.AtMS, Cars: []picture.Car{}, Events: last(f.Events, pastEvents),
		Waits: last(f.Waits, pastWaits), RideWaits: last(f.RideWaits, pastWaits),
	})
	p.count(len(p.frames)-1, 1)
	drop := 0
	for drop < len(p.frames)-1 && (p.events > pastEvents || p.waits > pastWaits) {
		p.count(drop, -1)
		drop++
	}
	p.frames = slices.Delete(p.frames, 0, drop)
}

func (p *past) count(i, sign int) {
	f := p.frames[i]
	p.events += sign * len(f.Events)
	p.waits += sign * (len(f.Waits) + len(f.RideWaits))
}
