package loopback

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

const (
	// SlowWrite is the time for one write to a reader; one that takes longer is cut.
	SlowWrite = 5 * time.Second
	comeBack  = time.Second // told to readers whose line broke
)

// Sink writes server-sent events, each with a deadline of its own. Its methods report
// whether the reader is still there.
type Sink struct {
	w  http.ResponseWriter
	rc *http.ResponseController
}

// NewSink begins a stream.
func NewSink(w http.ResponseWriter) *Sink {
	w.Header().Set("Content-Type", "text/event-stream")
	return &Sink{w: w, rc: http.NewResponseController(w)}
}

// Event sends v as JSON.
func (o *Sink) Event(name string, v any) bool {
	data, err := json.Marshal(v)
	if err != nil { // a number that JSON has no word for
		name, data = "broken", []byte(`"an event that cannot be written"`)
	}
	return o.send(fmt.Appendf(nil, "retry: %d\nevent: %s\ndata: %s\n\n", comeBack.Milliseconds(), name, data))
}

// Beat sends a comment, so that both sides notice a dead line.
func (o *Sink) Beat() bool { return o.send([]byte(": beat\n\n")) }

func (o *Sink) send(b []byte) bool {
	if o.rc.SetWriteDeadline(time.Now().Add(SlowWrite)) != nil {
		return false
	}
	if _, err := o.w.Write(b); err != nil {
		return false
	}
	return o.rc.Flush() == nil
}
