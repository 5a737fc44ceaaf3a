package peer

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/peer/wire"
	"hoistway/fsm/elevator"
)

// Events as they are cut on the wire, with what else may be in such a stream.
func TestNextEvent(t *testing.T) {
	const stream = ": beat\n\nretry: 1000\nevent: hello\ndata: {}\n\nid: a-1\r\nevent:lift\r\ndata: {\"a\":\ndata:1}\n\r\n\n" +
		"unheard: of\n\nevent: gone\nid: a-2\n\nevent: cut"
	r := bufio.NewReaderSize(strings.NewReader(stream), 16)
	for _, want := range []event{{name: "hello", data: []byte("{}")}, {"a-1", "lift", []byte("{\"a\":\n1}")}, {id: "a-2", name: "gone"}} {
		got, err := next(r)
		if err != nil || got.id != want.id || got.name != want.name || !bytes.Equal(got.data, want.data) {
			t.Errorf("%q %q %q, %v; want %q", got.id, got.name, got.data, err, want)
		}
	}
	if e, err := next(r); !errors.Is(err, io.ErrUnexpectedEOF) || e.name != "" {
		t.Errorf("an event that is cut off: %+v, %v", e, err)
	}
	for what, endless := range map[string]string{"a line": strings.Repeat("x", maxEvent+1), "data": strings.Repeat("data: "+strings.Repeat("y", 9999)+"\n", 110)} {
		if _, err := next(bufio.NewReader(strings.NewReader(endless))); !errors.Is(err, errEvent) {
			t.Errorf("%s without an end: %v", what, err)
		}
	}
}

// FuzzEvents: no stream makes the reader panic, hang or give more than it was given.
func FuzzEvents(f *testing.F) {
	for _, seed := range []string{"event: lift\ndata: {}\n\n", ": beat\n\n", "id\n\n", "data:\n\n", "\r\n\r\n", "event: x\r\ndata"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stream []byte) {
		r := bufio.NewReaderSize(bytes.NewReader(stream), 16)
		total := 0
		for {
			e, err := next(r)
			if err != nil {
				break
			}
			total += len(e.data) + len(e.name) + len(e.id)
		}
		if total > len(stream) {
			t.Errorf("%d bytes came out of %d", total, len(stream))
		}
	})
}

// FuzzAnswers: whatever is answered, no value is fresher than the question, no permit
// longer than it says, none for a place that is not known.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(liftText("L7", standing, true, 5)), 200)
	f.Add([]byte(waiting), 200)
	f.Add([]byte(`{"code":"E-2006"}`), 404)
	f.Add([]byte(`{"floor":{"value":"G","age_ms":-9223372036854775808,"quality":"good"}}`), 200)
	f.Add([]byte(`{"permit":{"id":"x","kind":"enter","floor":"G","side":"front","start_within_ms":9223372036854775807}}`), 200)
	f.Fuzz(func(t *testing.T, body []byte, status int) {
		const asked = elevator.Instant(10 * time.Second)
		for _, kind := range []string{"application/json", "application/problem+json"} {
			a := answer{kind: kind, body: body}
			var l wire.Lift
			if a.decode(status, &l) == nil {
				var s elevator.Snapshot
				reading{asked, table}.snapshot(&l, &s)
				for _, at := range []elevator.Instant{s.Floor.At, s.Motion.At, s.Doors[elevator.Front].At, s.Mode.At, s.CarCalls.At} {
					if at >= asked {
						t.Fatalf("a value of %d for a question of %d", at, asked)
					}
				}
			}
			var r wire.Ride
			if a.decode(status, &r) == nil {
				judge(t, mirror{asked, table}.ride(&r), &r)
			}
		}
	})
}

func judge(t *testing.T, v drivers.RideView, r *wire.Ride) {
	p := v.Permit
	if p == (drivers.RidePermit{}) {
		return
	}
	if r.Permit == nil || p.Floor == 0 || p.Side == elevator.SideUnknown || p.StartBy.Sub(v.At).Milliseconds() > max(r.Permit.StartWithinMs, 0) {
		raw, _ := json.Marshal(r)
		t.Fatalf("a permit %+v from %s", p, raw)
	}
}
