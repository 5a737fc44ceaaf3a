package devices

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/coder/websocket"
)

// talk serves one socket: says answers what comes, and tick tells what has changed.
// Both give messages to send.
func (s *Web) talk(w http.ResponseWriter, r *http.Request, protocol string, says func([]byte) []any, tick func() []any) {
	opts := &websocket.AcceptOptions{}
	if protocol != "" {
		opts.Subprotocols = []string{protocol}
	}
	c, err := websocket.Accept(w, r, opts)
	if err != nil {
		return // it has been answered
	}
	defer func() { _ = c.CloseNow() }()
	ctx, cancel := s.socketContext(r)
	defer cancel()
	in := make(chan []byte)
	s.wg.Go(func() {
		defer close(in)
		for {
			_, b, err := c.Read(ctx)
			if err != nil {
				return
			}
			select {
			case in <- b:
			case <-ctx.Done():
				return
			}
		}
	})
	t := time.NewTicker(100 * time.Millisecond)
	defer t.Stop()
	for {
		var out []any
		select {
		case b, ok := <-in:
			if !ok {
				return
			}
			out = says(b)
		case <-t.C:
			out = tick()
		}
		if !s.hand(ctx, c, out) {
			return
		}
	}
}

// cutOff is an answer that is the end of the connection.
type cutOff struct{}

func (s *Web) hand(ctx context.Context, c *websocket.Conn, out []any) bool {
	for _, m := range out {
		if _, cut := m.(cutOff); cut {
			return false
		}
		b, err := json.Marshal(m)
		if err != nil || !pause(s.has().AnswerDelay, s.end) {
			return false
		}
		within, cancel := context.WithTimeout(ctx, writeLimit)
		err = c.Write(within, websocket.MessageText, b)
		cancel()
		if err != nil {
			return false
		}
	}
	return true
}
