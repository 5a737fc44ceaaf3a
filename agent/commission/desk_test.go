package commission

import (
	"context"
	"net/url"
	"strings"
	"testing"
	"time"

	"hoistway/agent/audit"
	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

func deskOf(t *testing.T, link string) (*Desk, *kept) {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	d := NewDesk(&audit.File{}, func() elevator.Instant { return 1 }, time.Now)
	d.Expect(u)
	return d, d.lines[LineOf(u)]
}

// CT-2: what is kept of a line is bounded in frames and in bytes, and the newest stay
// with their numbers.
func TestDeskForgets(t *testing.T) {
	done, end := context.WithCancel(t.Context())
	end()
	d, k := deskOf(t, "http://lifts.example/api")
	page := make([]byte, 16<<10)
	for i := range 1000 {
		page = append([]byte(nil), page...)
		page[0] = byte(i)
		d.Trace(drivers.Frame{Line: "lifts.example:80", At: 1, Data: page})
	}
	s := k.since(done, 1)
	if k.bytes != maxKeptBytes || len(s.Frames) != 256 || s.Missed != 1000-256-1 || s.Next != 1000 {
		t.Errorf("pages: %d bytes, %d frames, %d missed, next %d", k.bytes, len(s.Frames), s.Missed, s.Next)
	}
	if f := s.Frames[0]; f.N != 745 || f.Frame().Data[0] != byte(744%256) {
		t.Errorf("the oldest is number %d with %d", f.N, f.Frame().Data[0])
	}
	d, k = deskOf(t, "modbus+tcp://10.0.0.5")
	for i := range maxKept + 7 {
		d.Trace(drivers.Frame{Line: "10.0.0.5:502", At: 1, Data: []byte{byte(i), byte(i >> 8)}})
	}
	s = k.since(done, maxKept+2)
	if len(s.Frames) != 5 || s.Missed != 0 || s.Frames[4].N != maxKept+7 || k.bytes != 2*maxKept {
		t.Errorf("small ones: %d frames, %d missed, %d bytes", len(s.Frames), s.Missed, k.bytes)
	}
	if s = k.since(done, 3); s.Missed != 4 || s.Frames[0].N != 8 {
		t.Errorf("small ones from the start: %d missed, first %d", s.Missed, s.Frames[0].N)
	}
}

// No error shows what stands in the link of a recording.
func TestReplayHidesTheLink(t *testing.T) {
	src, ok := profiles.Lookup("bench/modbus-lift")
	if !ok {
		t.Fatal("no bench profile")
	}
	to, err := Target{}.WithProfile("bench/modbus-lift", src)
	if err != nil {
		t.Fatal(err)
	}
	for _, link := range []string{"http://u:hush-hush@lifts/?token=hush-hush", "http://hush-hush\x7f"} {
		if _, err := Replay(Recording{Head: Head{Link: link}}, to); err == nil || strings.Contains(err.Error(), "hush") {
			t.Errorf("%q: %v", link, err)
		}
	}
}

// CT-2: one line has one name, whichever way a link says it: two masters would spoil
// each other's answers.
func TestSameLine(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"modbus+tcp://127.0.0.1:1502?unit=1", "modbus+tcp://localhost:1502?unit=2", true},
		{"modbus+tcp://LocalHost:1502", "modbus+rtu+tcp://localhost:1502", true},
		{"modbus+tcp://127.0.0.1", "modbus+tcp://127.0.0.1:502", true},
		{"modbus+tcp://[::ffff:127.0.0.1]:1502", "modbus+tcp://127.0.0.1:1502", true},
		{"modbus+tcp://127.0.0.1:1502", "modbus+tcp://localhost:1503", false},
		{"modbus+tcp://127.0.0.1:1502", "modbus+tcp://127.0.0.2:1502", false},
		{"ws://lifts.example", "http://lifts.example:80", true},
		{"modbus+rtu:///dev/ttyS0", "modbus+tcp://127.0.0.1:1502", false},
	} {
		a, _ := url.Parse(c.a)
		b, _ := url.Parse(c.b)
		if got := (World{}).SameLine(a, b); got != c.same {
			t.Errorf("%s and %s: %v", c.a, c.b, got)
		}
	}
}
