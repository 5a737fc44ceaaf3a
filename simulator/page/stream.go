package page

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"hoistway/simulator/picture"
)

const (
	coalesce    = 100 * time.Millisecond // at least, between two frames to a reader
	beatEvery   = 10 * time.Second       // a comment, so that both sides notice a dead line
	writeSlowly = 5 * time.Second        // for one write; a reader that takes longer is cut
	comeBack    = time.Second            // told to readers whose line broke
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
	w.Header().Set("Content-Type", "text/event-stream")
	out := &sink{w: w, rc: http.NewResponseController(w)}
	if !out.event("header", p.o.Header) || !out.event("past", went) {
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
			if !out.send([]byte(": beat\n\n")) {
				return
			}
		case <-rest.C:
			ready = rd.ready
		case <-ready:
			f, anew := p.hub.take(rd)
			if anew && !out.event("header", p.o.Header) || f != nil && !out.event("frame", f.Whole()) {
				return
			}
			ready = nil // rests
			rest.Reset(coalesce)
		}
	}
}

// sink writes events, each with a deadline of its own.
type sink struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

func (o *sink) event(name string, v any) bool {
	if past, ok := v.([]picture.Frame); ok && past == nil {
		v = []picture.Frame{}
	}
	data, err := json.Marshal(v)
	if err != nil { // a number that JSON has no word for
		name, data = "broken", []byte(`"a frame that cannot be written"`)
	}
	return o.send(fmt.Appendf(nil, "retry: %d\nevent: %s\ndata: %s\n\n", comeBack.Milliseconds(), name, data))
}

func (o *sink) send(b []byte) bool {
	if o.rc.SetWriteDeadline(time.Now().Add(writeSlowly)) != nil {
		return false
	}
	if _, err := o.w.Write(b); err != nil {
		return false
	}
	return o.rc.Flush() == nil
}
