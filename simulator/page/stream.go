package page

import (
	"net/http"
	"time"

	"hoistway/simulator/loopback"
	"hoistway/simulator/picture"
)

const (
	coalesce  = 100 * time.Millisecond // at least, between two frames to a reader
	beatEvery = 10 * time.Second       // a comment, so that both sides notice a dead line
)

// stream tells a reader the header, what went before, and then frames until the
// reader or the page ends. A reader that comes back begins anew.
func (p *Page) stream(w http.ResponseWriter, r *http.Request) {
	if !p.live {
		refuse(w, http.StatusNotFound, "nothing is live here: this page shows recordings")
		return
	}
	rd, went, ok := p.hub.open()
	if !ok {
		w.Header().Set("Retry-After", "5")
		refuse(w, http.StatusServiceUnavailable, "%d readers are open, which is all that there may be", maxReaders)
		return
	}
	defer p.hub.leave(rd)
	out := loopback.NewSink(w)
	if !event(out, "header", p.o.Header) || !event(out, "past", went) {
		return
	}
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	rest := time.NewTimer(0)
	defer rest.Stop()
	ready := rd.ready
	for {
		select {
		case <-r.Context().Done():
			return
		case <-p.ended:
			return
		case <-beat.C:
			if !out.Beat() {
				return
			}
		case <-rest.C:
			ready = rd.ready
		case <-ready:
			f, anew := p.hub.take(rd)
			if anew && !event(out, "header", p.o.Header) || f != nil && !event(out, "frame", f.Whole()) {
				return
			}
			ready = nil // rests
			rest.Reset(coalesce)
		}
	}
}

// event sends one event of a name.
func event(out *loopback.Sink, name string, v any) bool {
	if past, ok := v.([]picture.Frame); ok && past == nil {
		v = []picture.Frame{}
	}
	return out.Event(name, v)
}
