package daemon

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"hoistway/agent/config"
	"hoistway/agent/localapi"
	"hoistway/simulator/robots"
	"hoistway/sync/shadow"
)

// onboard is the real agent on a robot, before the rig's gateway.
type onboard struct {
	*rig               // the gateway and the building
	own    string      // address of the robot's own API
	net    sockets     // its way to the gateway
	link   string      // "" for the rig's
	extra  string      // lines of the configuration
	dirs   string      // store and secrets
	token  string      // for the gateway
	halt   func()      // ends the robot's agent
	killed atomic.Bool // nothing reaches the disk any more
	port   string      // of the robot's own API, kept over its lives
	at     string      // the gateway's address, kept over its lives
	quit   func()      // ends the walker
	log    *slog.Logger
}

func newOnboard(t *testing.T) *onboard {
	t.Helper()
	o := &onboard{rig: newRig(t), dirs: t.TempDir(), token: "robot", at: "127.0.0.1:0", port: "127.0.0.1:0", log: slog.New(slog.DiscardHandler)}
	o.deps.Listen = func(network, _ string) (net.Listener, error) {
		ln, err := net.Listen(network, o.at)
		if err == nil {
			o.at = ln.Addr().String() // the next life has the same
		}
		return ln, err
	}
	return o
}

func (o *onboard) file() string {
	secrets := filepath.Join(o.dirs, "gateway.secret")
	if err := os.WriteFile(secrets, []byte("token="+o.token+"\n"), 0o600); err != nil {
		o.t.Fatal(err)
	}
	link := o.link
	if link == "" {
		link = "hoistway+http://" + o.at + "?lift=L1"
	}
	return fmt.Sprintf(`device: {serial: R1-box, kind: robot}
lifts:
  - id: hall
    link: "%s&secrets=%s"
    floors:
      - {label: B1, doors: [front]}
      - {label: G, doors: [front, rear]}
      - {label: "1", doors: [front]}
      - {label: "2", doors: [front]}
      - {label: "3", doors: [front]}
robots: [{id: R1, token_sha256: %q, crossing: 4s}]
api: {listen: %q, technicians: [{name: t, token_sha256: %q}]}
store: {dir: %q}
%s`, link, secrets, sha("own"), o.port, sha("tech"), filepath.Join(o.dirs, "store"), o.extra)
}

// board starts the robot's agent.
func (o *onboard) board() {
	o.t.Helper()
	c, faults := config.Parse("robot.yaml", []byte(o.file()), nil)
	if len(faults) > 0 {
		o.t.Fatal(faults)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- Run(ctx, c, Deps{
			Log: o.log, Version: "test", Seed: 1, Dial: o.dial, Ready: func(a string) { ready <- a },
			Store: func(s Store) Store { return &mortal{s, &o.killed} },
		})
	}()
	once := false
	o.halt = func() {
		if once {
			return
		}
		once = true
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				o.t.Errorf("the robot's agent ended with %v", err)
			}
		case <-time.After(patience):
			o.t.Error("the robot's agent does not end")
		}
	}
	o.t.Cleanup(o.halt)
	select {
	case a := <-ready:
		o.own, o.port = "http://"+a, a
	case err := <-ended:
		o.t.Fatalf("the robot's agent does not start: %v", err)
	}
}

// mortal is a store of a program that may be killed: from then on nothing is written.
type mortal struct {
	Store
	killed *atomic.Bool
}

func (m *mortal) Commit(records []shadow.Record) error {
	if m.killed.Load() {
		return errors.New("killed")
	}
	return m.Store.Commit(records)
}

// dial cuts only the way to the gateway.
func (o *onboard) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if address != o.at {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
	return o.net.dial(ctx, network, address)
}

// kill ends the robot's agent with nothing written at the end, and starts another.
func (o *onboard) kill() {
	o.killed.Store(true)
	o.halt()
	time.Sleep(300 * time.Millisecond)
	o.killed.Store(false)
	o.board()
}

// say makes one call of the robot's software to its own agent.
func (o *onboard) say(method, path string, body, into any) int {
	o.t.Helper()
	raw, _ := json.Marshal(body)
	req, _ := http.NewRequest(method, o.own+path, strings.NewReader(string(raw)))
	req.Header.Set("Authorization", "Bearer own")
	req.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: 15 * time.Second}
	res, err := client.Do(req)
	if err != nil {
		return 0
	}
	defer res.Body.Close()
	got, _ := io.ReadAll(res.Body)
	if into != nil {
		_ = json.Unmarshal(got, into)
	}
	return res.StatusCode
}

// mine is the ride as the robot's own agent shows it to anybody on the robot.
func (o *onboard) mine(id string) (r localapi.Ride) {
	client := http.Client{Timeout: 10 * time.Second}
	res, err := client.Get(o.own + "/v1/rides/" + id)
	if err != nil {
		return r
	}
	defer res.Body.Close()
	_ = json.NewDecoder(res.Body).Decode(&r)
	return r
}

func (o *onboard) shows(what, id string, ok func(localapi.Ride) bool) localapi.Ride {
	o.t.Helper()
	var r localapi.Ride
	o.until(what, func() bool { r = o.mine(id); return ok(r) }, func() any { return r })
	return r
}

// bothOnline waits until the robot's agent has heard of the lift.
func (o *onboard) bothOnline() {
	o.t.Helper()
	o.online()
	var l localapi.Lift
	o.until("the lift online on the robot", func() bool { o.say("GET", "/v1/lifts/hall", nil, &l); return l.Link == "online" }, func() any { return l })
}

// walker is a pretend robot before its own agent.
func (o *onboard) walker(m robots.Manner) *robots.Robot {
	o.t.Helper()
	bot := robots.New(robots.Options{ID: "R1", BaseURL: o.own, Token: "own", Crossing: 500 * time.Millisecond, Seed: 1, Manner: m})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		_ = bot.Run(ctx)
		close(done)
	}()
	o.quit = func() {
		cancel()
		<-done
	}
	o.t.Cleanup(o.quit)
	return bot
}

var wish = map[string]any{"ride_id": "r1", "task_id": "T-7", "robot": "R1", "lift": "hall", "from": "G", "to": "1", "from_door": "front", "crossing_s": 4}

// follow reads the events of the robot's own API until it has seen a ride end, and gives
// the states in their order.
func (o *onboard) follow(ctx context.Context) <-chan []string {
	out := make(chan []string, 1)
	req, _ := http.NewRequestWithContext(ctx, http.MethodGet, o.own+"/v1/events", nil)
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		o.t.Fatal(err)
	}
	go func() {
		defer res.Body.Close()
		var states []string
		lines := bufio.NewScanner(res.Body)
		lines.Buffer(nil, 1<<20)
		for lines.Scan() {
			var r localapi.Ride
			data, ok := strings.CutPrefix(lines.Text(), "data: ")
			if !ok || json.Unmarshal([]byte(data), &r) != nil || r.ID == "" {
				continue
			}
			if r.Permit != nil && (r.Permit.StartWithinMs != 0 || r.Permit.ThroughWithinMs != 0) {
				states = append(states, "a permit with times")
			}
			if k := len(states); k == 0 || states[k-1] != r.State {
				states = append(states, r.State)
			}
			if r.State == "DONE" {
				break
			}
		}
		out <- states
	}()
	return out
}

// RD-1, RD-16, RB-1: a robot's software rides by its own agent as it would by a gateway;
// the gateway's machine is the authority, and each call is pressed once.
func TestRideOnARobot(t *testing.T) {
	t.Parallel()
	o := newOnboard(t)
	o.start()
	o.board()
	o.bothOnline()
	o.walker(robots.Manner{})
	events, stop := context.WithCancel(context.Background())
	defer stop()
	seen := o.follow(events)
	var made localapi.Ride
	if code := o.say("POST", "/v1/rides", wish, &made); code != http.StatusCreated || made.Lift != "hall" || made.From != "G" || made.ID != "r1" {
		t.Fatalf("%d %+v", code, made)
	}
	if code := o.say("POST", "/v1/rides", wish, nil); code != http.StatusOK {
		t.Errorf("the same again: %d", code)
	}
	other := map[string]any{"ride_id": "r1", "robot": "R1", "lift": "hall", "from": "G", "to": "3"}
	if code := o.say("POST", "/v1/rides", other, nil); code != http.StatusConflict {
		t.Errorf("the same id for another ride: %d", code)
	}
	r := o.shows("the end of the ride", "r1", func(r localapi.Ride) bool { return r.State == "DONE" })
	if r.Phase != "arrived" || r.Task != "T-7" {
		t.Errorf("%+v", r)
	}
	var way []string
	for _, m := range r.Marks {
		way = append(way, m.To)
	}
	if want := []string{"WAITING", "MOVING", "EXITING", "DONE"}; !inOrder(way, want) {
		t.Errorf("went %v", way)
	}
	time.AfterFunc(10*time.Second, stop)
	if got := <-seen; !inOrder(got, []string{"WAITING", "MOVING", "EXITING", "DONE"}) {
		t.Errorf("events told of %v", got)
	}
	if g := o.ride("r1"); g.State != "DONE" || g.Phase != "arrived" || g.Robot != "R1" {
		t.Errorf("at the gateway %+v", g)
	}
	if n := o.presses(0, 2) + o.presses(1, 2); n != 1 {
		t.Errorf("%d landing calls at G", n)
	}
}

// RB-1: the other calls of a robot's software and of a technician, by the robot's own agent.
func TestCallsOnARobot(t *testing.T) {
	t.Parallel()
	o := newOnboard(t)
	o.start()
	o.board()
	o.bothOnline()
	var no localapi.Problem
	for _, c := range []struct {
		method, path string
		body         any
		code         int
		why          string
	}{
		{"POST", "/v1/rides", map[string]any{"ride_id": "x", "lift": "hall", "from": "G", "to": "9"}, 422, "E-2101"},
		{"POST", "/v1/rides", map[string]any{"ride_id": "x", "lift": "L1", "from": "G", "to": "1"}, 422, "E-2103"},
		{"POST", "/v1/rides", map[string]any{"ride_id": "x", "robot": "R2", "lift": "hall", "from": "G", "to": "1"}, 403, "E-2004"},
		{"POST", "/v1/rides", map[string]any{"ride_id": "x", "lift": "hall", "from": "G", "to": "1", "crossing_s": 59}, 422, "E-2114"}, // the gateway's own no
		{"DELETE", "/v1/rides/x", nil, 404, "E-2006"},
		{"POST", "/v1/rides/x/signals", map[string]any{"kind": "ready", "boot": "b", "seq": 1, "age_ms": 0, "where": "landing"}, 404, "E-2006"},
		{"GET", "/v1/rides/x/record", nil, 404, ""},
		{"POST", "/v1/robots/R1/heartbeat", map[string]any{"boot": "b", "seq": 2, "age_ms": 0, "where": "landing", "floor": "G", "battery": 50}, 200, ""},
		{"POST", "/v1/rides", map[string]any{"ride_id": "x", "lift": "any", "from": "G", "to": "1", "ready": false}, 201, ""},
		{"DELETE", "/v1/rides/x", nil, 202, ""},
	} {
		no = localapi.Problem{}
		if code := o.say(c.method, c.path, c.body, &no); code != c.code || no.Code != c.why && c.why != "" {
			t.Errorf("%s %s %v: %d %+v", c.method, c.path, c.body, code, no)
		}
	}
	o.shows("the cancel", "x", func(r localapi.Ride) bool { return r.State == "DONE" && r.Phase == "cancelled" })
	if g := o.ride("x"); g.Phase != "cancelled" {
		t.Errorf("at the gateway %+v", g)
	}
	o.rig.base, o.own = o.own, o.rig.base
	if code, said := o.post("/v1/rides/x/reset", `{"robot_is": "outside"}`); code != http.StatusConflict || !strings.Contains(said, "E-2111") {
		t.Errorf("a reset on the robot: %d %s", code, said)
	}
}

// RB-1: the example that knows nothing but the public page rides by the robot's own agent.
func TestExampleOnARobot(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("HOISTWAY_REQUIRE") == "all" {
			t.Fatal(err)
		}
		t.Skip("python3 is not there")
	}
	t.Parallel()
	o := newOnboard(t)
	o.start()
	o.board()
	o.bothOnline()
	ctx, cancel := context.WithTimeout(t.Context(), 2*patience)
	defer cancel()
	bot := exec.CommandContext(ctx, python, "-W", "error", "../localapi/examples/robot.py", "R1", "G", "2")
	bot.Env = append(os.Environ(), "HOISTWAY_API="+o.own, "HOISTWAY_TOKEN=own")
	if out, err := bot.CombinedOutput(); err != nil || !strings.Contains(string(out), "arrived at 2") {
		t.Fatalf("%v:\n%s", err, out)
	}
}

func inOrder(got, want []string) bool {
	i := 0
	for _, s := range got {
		if i < len(want) && s == want[i] {
			i++
		}
	}
	return i == len(want)
}
