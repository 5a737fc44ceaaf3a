package peer

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/peer/wire"
)

// deaf is how long a stream may be silent; the other side sends a comment each 10 s.
const deaf = 25 * time.Second

// longestID bounds what is said back as Last-Event-ID.
const longestID = 128

// errDeaf ends a stream on which nothing comes.
var errDeaf = errors.New("the stream of events is silent")

// listen keeps the stream of events open as long as the link lives. Without it rides
// and lift are asked for by the period alone.
func (l *link) listen(ctx context.Context) {
	var wait backoff
	last := ""
	for ctx.Err() == nil {
		opened, err := l.stream(ctx, &last)
		if opened {
			wait = backoff{}
		}
		pause(ctx, wait.after(err), nil)
	}
}

// stream reads events until the stream ends, which it always does with an error.
func (l *link) stream(ctx context.Context, last *string) (opened bool, err error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	dog := time.AfterFunc(deaf, func() { cancel(errDeaf) })
	defer dog.Stop()
	res, err := l.ask.events(ctx, *last)
	if err != nil {
		return false, err
	}
	defer func() { _ = res.Close() }() // it is read to its end or not wanted
	r := bufio.NewReader(&heard{res, func() { dog.Reset(deaf) }})
	for {
		e, err := next(r)
		if err != nil {
			return opened, fmt.Errorf("%w: events: %w", drivers.ErrLink, err)
		}
		opened = true
		if e.id != "" && len(e.id) <= longestID {
			*last = e.id
		}
		l.told(e)
	}
}

// told takes an event as a reason to ask. What cannot be read is a reason to ask all, and
// so is hello: something may have been lost with the stream before.
func (l *link) told(e event) {
	var ride wire.Gone // every event of a ride names it so
	switch {
	case e.name == "lift":
		nudge(l.news)
	case (e.name == "ride" || e.name == "gone") && json.Unmarshal(e.data, &ride) == nil && ride.Ride != "":
		l.wake(ride.Ride)
	case e.name != "shadow":
		l.wakeAll()
	}
}

// heard tells of each piece that comes.
type heard struct {
	io.Reader
	tell func()
}

func (h *heard) Read(b []byte) (int, error) {
	n, err := h.Reader.Read(b)
	if n > 0 {
		h.tell()
	}
	return n, err
}

// events opens the stream of this lift and its rides.
func (c *client) events(ctx context.Context, last string) (io.ReadCloser, error) {
	path := "/v1/events?" + url.Values{"lift": {c.to.lift}}.Encode()
	req, _, err := c.request(ctx, http.MethodGet, path, nil)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", drivers.ErrConfig, err)
	}
	req.Header.Set("Accept", "text/event-stream")
	if last != "" {
		req.Header.Set("Last-Event-ID", last)
	}
	res, err := c.http.Do(req)
	if err != nil {
		return nil, broken(err, true)
	}
	if res.StatusCode == http.StatusOK {
		return res.Body, nil
	}
	defer func() { _ = res.Body.Close() }()
	a := answer{kind: res.Header.Get("Content-Type"), after: retryAfter(res.Header)}
	a.body, _ = io.ReadAll(io.LimitReader(res.Body, maxTrace)) // a problem that is cut short is none
	return nil, refusal(res.StatusCode, a)
}
