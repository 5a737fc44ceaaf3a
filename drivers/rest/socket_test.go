package rest

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/fsm/elevator"
)

// DR-3: the whole suite over a WebSocket, in virtual time.
func TestConformanceSocket(t *testing.T) {
	var now func() elevator.Instant
	drivertest.Run(t, drivertest.Harness{
		Virtual: true, Period: 200 * time.Millisecond, Return: 20 * time.Second,
		Now: func() elevator.Instant { return now() },
		Start: func(t *testing.T) (drivertest.Controller, drivers.Opener) {
			now = clock()
			v := newTalker()
			return v, opener(t, drivers.Env{Now: now, Dial: v.dial}, linkSpec(t, "ws://lifts.example?lift=A", "testdata/socket.yaml"))
		},
	})
}

// talker is a lift service over a socket, written by hand from the shape in
// testdata/socket.yaml.
type talker struct {
	far
	came  []string // what was said to it
	push  chan string
	conns int
	// forgot: the next resume of a session is a no.
	forgot bool
}

func newTalker() *talker {
	return &talker{far: far{spoil: map[bool]drivertest.Spoil{}}, push: make(chan string)}
}

func (v *talker) Power(on bool) { v.power(on, v) }

func (v *talker) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c, err := websocket.Accept(w, r, &websocket.AcceptOptions{Subprotocols: []string{"lifts"}})
	if err != nil {
		return
	}
	defer func() { _ = c.CloseNow() }()
	v.mu.Lock()
	v.conns++
	v.mu.Unlock()
	in := make(chan []byte)
	go func() {
		defer close(in)
		for {
			_, b, err := c.Read(r.Context())
			if err != nil {
				return
			}
			in <- b
		}
	}()
	for {
		var out string
		select {
		case b, ok := <-in:
			if !ok {
				return
			}
			out = v.answer(b)
		case out = <-v.push:
		}
		if out == "cut" {
			_ = c.CloseNow()
			for range in {
			}
			return
		}
		if out != "" && c.Write(r.Context(), websocket.MessageText, []byte(out)) != nil {
			for range in {
			}
			return
		}
	}
}

func (v *talker) answer(b []byte) string {
	var q struct {
		ID int64
		Do string
	}
	_ = json.Unmarshal(b, &q)
	v.mu.Lock()
	v.came = append(v.came, q.Do)
	how, face := v.spoil[q.Do == "press"], v.face
	if q.Do == "press" && how != drivertest.Refuse {
		v.press(b)
	}
	v.mu.Unlock()
	say := func(id int64, lift, state string) string {
		motion := map[elevator.Motion]int{elevator.Stopped: 0, elevator.MovingUp: 1, elevator.MovingDown: 2}[face.Motion]
		return fmt.Sprintf(`{"id":%d,"lift":%q,"state":%q,"floor":"%d","motion":%d,"door":%q}`, id, lift, state, face.Floor, motion, face.Door)
	}
	if q.Do == "resume" && v.forgot {
		return say(q.ID, "A", "no")
	}
	if q.Do == "watch" || q.Do == "create" || q.Do == "resume" {
		return say(q.ID, "A", "ok")
	}
	switch how {
	case drivertest.Silent:
		return ""
	case drivertest.Late:
		time.Sleep(900 * time.Millisecond)
	case drivertest.Short:
		return say(q.ID, "A", "ok")[:30]
	case drivertest.Garbled:
		return strings.ReplaceAll(say(q.ID, "A", "ok"), `"`, "2")
	case drivertest.Foreign:
		return say(q.ID, "B", "ok")
	case drivertest.Refuse:
		return fmt.Sprintf(`{"id":%d,"lift":"A","state":"no","error":"LOCKED"}`, q.ID)
	}
	return say(q.ID, "A", "ok")
}
