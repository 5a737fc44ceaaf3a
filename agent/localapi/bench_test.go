package localapi

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hoistway/agent/audit"
	"hoistway/agent/commission"
	"hoistway/agent/core"
	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// askable is a link that takes raw questions.
type askable struct {
	drivers.Link
	poked  []string
	owed   func(context.Context) ([]drivers.Debt, error)
	queued func() // what happens while a write waits for its turn; nil: nothing
}

func (l *askable) Peek(_ context.Context, q string) (drivers.Peeked, error) {
	if q != "holding:1" {
		return drivers.Peeked{}, fmt.Errorf("%w: %s", drivers.ErrConfig, q)
	}
	return drivers.Peeked{Words: []uint16{7}, Text: "7", At: 1}, nil
}
func (l *askable) Owes(ctx context.Context) ([]drivers.Debt, error) { return l.owed(ctx) }

func (l *askable) Preview(q string) ([][]byte, error) { return [][]byte{{1, 6}}, nil }
func (l *askable) Poke(ctx context.Context, id elevator.CommandID, q string) elevator.Outcome {
	if l.queued != nil {
		l.queued()
	}
	if err := drivers.Consent(ctx); err != nil {
		return elevator.Outcome{ID: id, Result: elevator.NotSent, Detail: err.Error()}
	}
	l.poked = append(l.poked, q)
	return elevator.Outcome{ID: id, Result: elevator.Done}
}

// benched is a house with L1 on the bench.
func benched(t *testing.T) (h *house, l *askable, desk *commission.Desk, acts string) {
	t.Helper()
	h = newHouse(t)
	acts = filepath.Join(t.TempDir(), audit.FileName)
	l = &askable{}
	u, err := url.Parse("modbus+tcp://lift:1502?unit=1")
	if err != nil {
		t.Fatal(err)
	}
	desk = commission.NewDesk(&audit.File{Path: acts}, h.clock, time.Now)
	desk.Expect(u)
	desk.Add("L1", u, l)
	h.o.Bench = desk.Bench
	return h, l, desk, acts
}

const benchPath = "/v1/lifts/L1/commissioning/"

// CT-2: raw questions are a technician's alone.
func TestBenchIsForTechnicians(t *testing.T) {
	h, l, _, _ := benched(t)
	for _, what := range []string{"plan", "stats", "frames", "peek?q=holding:1", "preview?q=holding:1=1"} {
		for token, want := range map[string]int{"": 401, robotToken: 403, techToken: 200} {
			if got := h.do(t, request{method: "GET", path: benchPath + what, token: token, body: ""}).status; got != want {
				t.Errorf("%s with %q: %d, want %d", what, token, got, want)
			}
		}
	}
	body := `{"question":"holding:1=1","i_understand":true}`
	for token, want := range map[string]int{"": 401, robotToken: 403} {
		if got := h.do(t, request{method: "POST", path: benchPath + "poke", token: token, body: body}).status; got != want || len(l.poked) != 0 {
			t.Errorf("poke with %q: %d, %v", token, got, l.poked)
		}
	}
}

// CT-2: a write wants to be understood, waits for the ride that holds the lift
// unless it is forced, and stands in the audit with its frames and its author.
func TestPoke(t *testing.T) {
	h, l, _, acts := benched(t)
	poke := func(body string) reply {
		return h.do(t, request{method: "POST", path: benchPath + "poke", token: techToken, body: body})
	}
	if a := poke(`{"question":"holding:1=1","i_understand":false}`); a.status != 400 || !strings.Contains(string(a.body), "E-2112") {
		t.Errorf("not understood: %d %s", a.status, a.body)
	}
	if a := poke(`{"question":"holding:1=1","i_understand":true}`); a.status != 409 || !strings.Contains(string(a.body), "E-2017") || len(l.poked) != 0 {
		t.Errorf("under a ride: %d %s %v", a.status, a.body, l.poked)
	}
	if a := poke(`{"question":"holding:1=1","i_understand":true,"force":true}`); a.status != 200 || !strings.Contains(string(a.body), `"outcome":"done"`) {
		t.Errorf("forced: %d %s", a.status, a.body)
	}
	h.loop.change(func(v *core.View) { v.Lifts[0].Owner = "" })
	if a := poke(`{"question":"holding:1=2","i_understand":true}`); a.status != 200 {
		t.Errorf("free: %d %s", a.status, a.body)
	}
	if fmt.Sprint(l.poked) != "[holding:1=1 holding:1=2]" {
		t.Errorf("poked %v", l.poked)
	}
	raw, err := os.ReadFile(acts)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(raw)), "\n")
	var e audit.Entry
	if len(lines) != 4 || json.Unmarshal([]byte(lines[0]), &e) != nil || !e.Forced || e.Outcome != "asked" || e.Frames[0] != "01 06" || e.By == "" {
		t.Errorf("audit:\n%s", raw)
	}
}

// CT-2: a ride that takes the lift while a write waits for its turn is seen then, unless
// the write is forced: it is refused, and the audit has that nothing was sent.
func TestPokeSeesALateRide(t *testing.T) {
	h, l, _, audit := benched(t)
	h.loop.change(func(v *core.View) { v.Lifts[0].Owner = "" })
	l.queued = func() { h.loop.change(func(v *core.View) { v.Lifts[0].Owner = "R-77" }) }
	a := h.do(t, request{method: "POST", path: benchPath + "poke", token: techToken, body: `{"question":"holding:1=1","i_understand":true}`})
	if a.status != 409 || !strings.Contains(string(a.body), "E-2017") || !strings.Contains(string(a.body), "R-77") || len(l.poked) != 0 {
		t.Errorf("%d %s, poked %v", a.status, a.body, l.poked)
	}
	raw, err := os.ReadFile(audit)
	if err != nil || strings.Count(string(raw), "\n") != 2 || !strings.Contains(string(raw), "not_sent") || !strings.Contains(string(raw), "R-77") {
		t.Errorf("audit: %v\n%s", err, raw)
	}
	a = h.do(t, request{method: "POST", path: benchPath + "poke", token: techToken, body: `{"question":"holding:1=2","i_understand":true,"force":true}`})
	if a.status != 200 || len(l.poked) != 1 {
		t.Errorf("forced: %d %s, poked %v", a.status, a.body, l.poked)
	}
}

// Nothing is sent that the audit does not have.
func TestPokeWithoutAudit(t *testing.T) {
	h, l, _, acts := benched(t)
	if err := os.Mkdir(acts, 0o700); err != nil { // a folder where the file should be
		t.Fatal(err)
	}
	a := h.do(t, request{method: "POST", path: benchPath + "poke", token: techToken, body: `{"question":"holding:1=1","i_understand":true,"force":true}`})
	if a.status != 502 || len(l.poked) != 0 {
		t.Errorf("%d %s, poked %v", a.status, a.body, l.poked)
	}
}

// CT-3: frames come in order, each once, and a reader that is late is told what it missed.
func TestFrames(t *testing.T) {
	h, _, desk, _ := benched(t)
	read := func(query string) (f BenchFrames) {
		a := h.do(t, request{method: "GET", path: benchPath + "frames" + query, token: techToken, body: ""})
		if err := json.Unmarshal(a.body, &f); err != nil {
			t.Fatalf("%d %s", a.status, a.body)
		}
		return f
	}
	for i := range 10_600 {
		desk.Trace(drivers.Frame{Line: "lift:1502", Out: i%2 == 0, At: 1, Data: []byte{byte(i)}})
	}
	desk.Trace(drivers.Frame{Line: "other:1502", Data: []byte{9}})
	f := read("?after=100")
	if f.Missed != 500 || len(f.Frames) != 500 || f.Frames[0].N != 601 || f.Frames[0].Hex != "58" || f.Next != 1100 {
		t.Errorf("missed %d, %d frames from %+v, next %d", f.Missed, len(f.Frames), f.Frames[0], f.Next)
	}
	if f = read("?after=10600"); len(f.Frames) != 0 || f.Next != 10600 {
		t.Errorf("%+v", f)
	}
	go desk.Trace(drivers.Frame{Line: "lift:1502", At: 1, Data: []byte{0xAB}, Note: "late"})
	if f = read("?after=10600&wait_s=10"); len(f.Frames) != 1 || f.Frames[0].Hex != "ab" || f.Frames[0].Note != "late" {
		t.Errorf("%+v", f)
	}
	if a := h.do(t, request{method: "GET", path: benchPath + "frames?wait_s=11", token: techToken, body: ""}); a.status/100 != 4 {
		t.Errorf("%d %s", a.status, a.body)
	}
}

func TestBenchOfALiftThatHasNone(t *testing.T) {
	h, _, _, _ := benched(t)
	if a := h.do(t, request{method: "GET", path: "/v1/lifts/L2/commissioning/plan", token: techToken, body: ""}); a.status != 422 || !strings.Contains(string(a.body), "E-2018") {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := h.do(t, request{method: "GET", path: "/v1/lifts/no/commissioning/plan", token: techToken, body: ""}); a.status != 404 {
		t.Errorf("%d %s", a.status, a.body)
	}
	if a := h.do(t, request{method: "GET", path: benchPath + "peek?q=rubbish", token: techToken, body: ""}); a.status != 422 || !strings.Contains(string(a.body), "E-2115") {
		t.Errorf("%d %s", a.status, a.body)
	}
}
