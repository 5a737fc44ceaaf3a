package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/creack/pty"

	"hoistway/agent/localapi"
)

func ms(n int64) *int64 { return &n }

func good(v any) localapi.Value { return localapi.Value{Value: v, AgeMs: ms(200), Quality: "good"} }

// afternoon is a building of two lifts with three rides.
func afternoon() sight {
	lift := func(id, floor, robot string, queue ...string) localapi.Lift {
		l := localapi.Lift{
			ID: id, Link: "online", LinkAgeMs: ms(60000), Floor: good(floor), Motion: good("stopped"), Mode: good("normal"),
			Doors: map[string]localapi.Value{"front": good("open"), "rear": good("closed")}, Queue: queue, Accepting: true,
		}
		if robot != "" {
			l.Owner = &localapi.Owner{Ride: "r1", Robot: robot}
		}
		return l
	}
	silent := lift("L2", "B1", "")
	silent.Link, silent.LinkAgeMs, silent.HeardMs = "offline", ms(5000), ms(14400000)
	silent.Floor = localapi.Value{Value: "B1", AgeMs: ms(14400000), Quality: "stale"}
	return sight{
		ready: localapi.Ready{Ready: true}, shadow: localapi.Shadow{Configured: true, Connected: true, Session: 4},
		lifts: []localapi.Lift{lift("L1", "G", "R1", "r2"), silent},
		rides: []localapi.Ride{
			{ID: "r1", Robot: "R1", Lift: "L1", From: "G", To: "3", State: "WAITING", Phase: "boarding", Where: "outside", Do: localapi.Do{Action: "enter", Why: "the door is open and held"}},
			{ID: "r2", Robot: "R2", Lift: "L1", From: "3", To: "G", State: "IDLE", Phase: "queued", Place: 1, Where: "outside", Do: localapi.Do{Action: "wait", Why: "in the queue for the car"}},
			{ID: "r3", Robot: "R3", Lift: "L2", From: "B1", To: "G", State: "FAULT", Phase: "recovering", Where: "unknown", Do: localapi.Do{Action: "clear_door"}, Fault: &localapi.Fault{Code: "LINK_LOST", AgeMs: 12000, Help: "E-5011"}},
		},
	}
}

func drawn(w *watching, columns, height int, now time.Time) string {
	var b strings.Builder
	for _, l := range w.frame(columns, height, now) {
		b.WriteString(strings.TrimRight(l.text, " ") + "\n")
	}
	return b.String()
}

// RB-5: the whole building on the smallest screen, told by hand here.
func TestWatchFrame(t *testing.T) {
	noon := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	w := &watching{c: &client{base: mustURL(t, "http://127.0.0.1:8732")}, last: afternoon()}
	w.last.at = noon
	want := `hoistway  127.0.0.1:8732  ·  ready  ·  cloud connected, session 4       12:00:00
LIFT  LINK     FLOOR  MOTION   MODE    HELD BY  QUEUE  SEEN   DOORS
L1    online   G      stopped  normal  R1       1      0.2 s  F:open R:closed
L2    offline  ?B1    stopped  normal  -        -      4 h    F:open R:closed

FAULTS  LIFT  RIDE  ROBOT  SINCE  WHAT
E-5011  L2    r3    R3     12 s   the line to the controller is gone
E-6001  L2    -     -      4 h    the controller cannot be reached

RIDE  ROBOT  LIFT  WAY   PLACE  STATE             ROBOT IS  TOLD
r1    R1     L1    G→3   -      WAITING boarding  outside   enter: the door is o
r2    R2     L1    3→G   1      IDLE queued       outside   wait: in the queue f
r3    R3     L2    B1→G  -      FAULT recovering  -         clear door










q ends · a ? marks what is not of now · hoistway help CODE explains a fault
`
	if got := drawn(w, 80, 24, noon); got != want {
		t.Errorf("drawn\n%s\nwant\n%s", got, want)
	}

	// Without an answer all of it is of before: ages grow, and nothing stands as of now.
	w.lost = errors.New("E-3001: cannot reach the agent")
	got := drawn(w, 80, 24, noon.Add(time.Minute))
	for _, must := range []string{
		"no answer since 60 s: E-3001: cannot reach the agent; what follows is old",
		"L1    ?online   ?G     ?stopped  ?normal  R1       1      60 s  F:?open R:?close",
		"E-5011  L2    r3    R3     72 s", "?WAITING boarding",
	} {
		if !strings.Contains(got, must) {
			t.Errorf("%q is not in\n%s", must, got)
		}
	}
}

// RB-5: no screen is too small, none is left over, and what does not fit is counted.
func TestWatchFrameFitsAnyScreen(t *testing.T) {
	w := &watching{c: &client{base: mustURL(t, "http://127.0.0.1:8732")}, last: afternoon()}
	for i := range 40 {
		l := w.last.lifts[0]
		l.ID = fmt.Sprintf("电梯%d", i)
		w.last.lifts = append(w.last.lifts, l)
	}
	for _, size := range [][2]int{{80, 24}, {200, 60}, {40, 12}, {20, 8}, {10, 5}} {
		lines := w.frame(size[0], size[1], time.Now())
		if len(lines) != size[1] {
			t.Errorf("%v: %d lines", size, len(lines))
		}
		for _, l := range lines {
			if width(l.text) > size[0] {
				t.Errorf("%v: %d columns: %s", size, width(l.text), l.text)
			}
		}
	}
	got := drawn(w, 80, 24, time.Now())
	for _, must := range []string{"… ", " more", "FAULTS", "RIDE  ROBOT"} { // each part keeps its place
		if !strings.Contains(got, must) {
			t.Errorf("%q is not in\n%s", must, got)
		}
	}
}

// lateAgent is the canned building at one address, which comes and goes.
type lateAgent struct {
	mu     sync.Mutex
	server *http.Server
	addr   string
}

func (a *lateAgent) come(t *testing.T) {
	t.Helper()
	addr := a.addr
	if addr == "" {
		addr = "127.0.0.1:0"
	}
	ln, err := net.Listen("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	s := afternoon()
	mux := http.NewServeMux()
	for path, v := range map[string]any{
		"/readyz": localapi.Ready{Ready: true, Reasons: []string{}}, "/v1/lifts": s.lifts, "/v1/rides": s.rides,
		"/v1/shadow": localapi.Shadow{Shadows: []localapi.ShadowDocument{}}, "/v1/lifts/L1": s.lifts[0],
	} {
		mux.HandleFunc("GET "+path, func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(v) })
	}
	mux.HandleFunc("GET /", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"title": "no such lift", "status": 404, "code": "E-2005"}`)
	})
	a.mu.Lock()
	defer a.mu.Unlock()
	a.addr, a.server = ln.Addr().String(), &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute}
	go func(s *http.Server) { _ = s.Serve(ln) }(a.server)
}

func (a *lateAgent) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	_ = a.server.Close()
}

// watchOnTerminal runs the command on a terminal of 80 columns and 24 lines.
func watchOnTerminal(t *testing.T, api string, args ...string) (keys io.Writer, until func(string), exit chan int) {
	t.Helper()
	master, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = master.Close(), tty.Close() })
	if err := pty.Setsize(master, &pty.Winsize{Rows: 24, Cols: 80}); err != nil {
		t.Fatal(err)
	}
	var errs bytes.Buffer
	env := map[string]string{envAPI: api, "TERM": "xterm"}
	a := &app{in: tty, out: tty, err: &errs, env: func(k string) string { return env[k] }, load: loadConfig, run: runDaemon, exit: func(int) {}}
	exit = make(chan int, 1)
	go func() { exit <- a.main(append([]string{"watch", "--every", "100ms"}, args...)) }()
	shown := make(chan []byte, 1024)
	go func() {
		for {
			b := make([]byte, 4096)
			n, err := master.Read(b)
			if err != nil {
				close(shown)
				return
			}
			shown <- b[:n]
		}
	}()
	var since bytes.Buffer
	return master, func(want string) {
		t.Helper()
		for late := time.After(30 * time.Second); !bytes.Contains(since.Bytes(), []byte(want)); {
			select {
			case b, open := <-shown:
				if !open {
					t.Fatalf("the terminal ended without %q", want)
				}
				since.Write(b)
			case <-late:
				t.Fatalf("no %q in\n%q%s", want, since.String(), errs.String())
			}
		}
		since.Reset()
	}, exit
}

// RB-5: on a terminal: a screen, an agent that goes and comes back, and q gives the
// terminal back.
func TestWatchOnATerminal(t *testing.T) {
	var agent lateAgent
	agent.come(t)
	keys, until, exit := watchOnTerminal(t, "http://"+agent.addr)
	until(enterScreen)
	until("E-5011")
	agent.leave()
	until("no answer since")
	until("?online")
	agent.come(t)
	t.Cleanup(agent.leave)
	until("online  ")
	if _, err := io.WriteString(keys, "xq"); err != nil { // x is no key
		t.Fatal(err)
	}
	until(leaveScreen)
	if code := <-exit; code != exitFine {
		t.Errorf("exit %d", code)
	}
}

// RB-5: what no agent ever answered is an error, and so is a lift that does not exist.
func TestWatchRefuses(t *testing.T) {
	var agent lateAgent
	agent.come(t)
	t.Cleanup(agent.leave)
	for _, c := range []struct {
		api, lift string
		exit      int
	}{{"http://127.0.0.1:1", "L1", exitReach}, {"http://" + agent.addr, "L9", exitFinding}} {
		_, _, exit := watchOnTerminal(t, c.api, c.lift)
		if code := <-exit; code != c.exit {
			t.Errorf("%v: exit %d", c, code)
		}
	}
}
