package face

import (
	"fmt"
	"net/http"
	"time"

	"hoistway/simulator/cloud"
	"hoistway/simulator/cloud/ops"
	"hoistway/simulator/loopback"
)

const beatEvery = 10 * time.Second

func (f *Face) faultRoutes() map[string]act {
	return map[string]act{
		"GET /v1/faults": func(asked) (int, any, error) {
			return http.StatusOK, map[string]any{"names": cloud.FaultNames(), "on": list(f.cloud.Troubles())}, nil
		},
		"POST /v1/faults": func(a asked) (int, any, error) {
			var fault cloud.Fault
			if err := body(a, &fault); err != nil {
				return 0, nil, err
			}
			if err := f.cloud.Trouble(fault); err != nil {
				return 0, nil, &problem{Status: http.StatusUnprocessableEntity, Detail: err.Error()}
			}
			return http.StatusCreated, fault, nil
		},
		"DELETE /v1/faults": func(asked) (int, any, error) {
			f.cloud.Calm()
			return http.StatusNoContent, nil, nil
		},
	}
}

// feed tells documents whole first, then differences and notices as they come, of all
// things or of ?serial=. A reader who falls behind gets the documents whole again, from
// the authority, and goes on from there. It ends with its session, the face or the cloud.
func (f *Face) feed(a asked) (int, any, error) {
	select {
	case f.seats <- struct{}{}:
		defer func() { <-f.seats }()
	default:
		a.w.Header().Set("Retry-After", "5")
		return 0, nil, &problem{Status: http.StatusServiceUnavailable, Detail: fmt.Sprintf("%d readers follow the feed, which is all that there may be", maxReaders)}
	}
	serial := a.r.URL.Query().Get("serial")
	out := loopback.NewSink(a.w)
	for there := true; there; {
		there = f.follow(a, out, serial)
	}
	return 0, nil, nil
}

// follow goes on until the reader fell behind (true) or left.
func (f *Face) follow(a asked, out *loopback.Sink, serial string) bool {
	events, stop := f.cloud.Changes()
	defer stop()
	if !f.whole(out, serial) {
		return false
	}
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		select {
		case <-a.r.Context().Done():
			return false
		case <-f.ended:
			return false
		case <-beat.C:
			if !f.lives(a) || !out.Beat() {
				return false
			}
		case e, open := <-events:
			if !open {
				return f.open()
			}
			if !tell(out, e, serial) {
				return false
			}
		}
	}
}

// open: the cloud goes on, so that a closed channel was a reader's fault.
func (f *Face) open() bool {
	select {
	case <-f.ended:
		return false
	case <-time.After(time.Second): // nobody is served faster by asking at once
		return true
	}
}

func (f *Face) lives(a asked) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, err := f.sessions.Check(a.secret, time.Now().Unix())
	return err == nil
}

func tell(out *loopback.Sink, e cloud.Event, serial string) bool {
	switch {
	case e.Notice != nil:
		return out.Event("notice", e.Notice)
	case serial != "" && serial != e.Change.Serial:
		return true
	}
	return out.Event("change", cloud.Told(e.Change))
}

// whole sends the documents as they are.
func (f *Face) whole(out *loopback.Sink, serial string) bool {
	var all []ops.Member
	f.cloud.Look(func(d cloud.Desk) {
		for _, t := range d.Ops.Things() {
			if serial != "" && serial != t.Serial {
				continue
			}
			for _, name := range t.Shadows {
				all = append(all, ops.Member{Serial: t.Serial, Shadow: name})
			}
		}
	})
	for _, m := range all {
		if doc, ok := f.cloud.Document(m.Serial, m.Shadow); ok && !out.Event("document", viewShadow(m, doc)) {
			return false
		}
	}
	return out.Beat()
}
