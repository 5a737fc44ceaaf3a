package daemon

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/agent/config"
	"hoistway/agent/localapi"
	"hoistway/simulator/robots"
)

// onboard is the real agent on a robot, before the rig's gateway.
type onboard struct {
	*rig            // the gateway and the building
	own     string  // address of the robot's own API
	net     sockets // its way to the gateway
	link    string  // "" for the rig's
	extra   string  // lines of the configuration
	dirs    string  // store and secrets
	token   string  // for the gateway
	halt    func()  // ends the robot's agent
	dropped bool    // the next end is a kill: nothing is saved at the end
	at      string  // the gateway's address, kept over its lives
	log     *slog.Logger
}

func newOnboard(t *testing.T) *onboard {
	t.Helper()
	o := &onboard{rig: newRig(t), dirs: t.TempDir(), token: "robot", at: "127.0.0.1:0", log: slog.New(slog.DiscardHandler)}
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
api: {listen: "127.0.0.1:0", technicians: [{name: t, token_sha256: %q}]}
store: {dir: %q}
%s`, link, secrets, sha("own"), sha("tech"), filepath.Join(o.dirs, "store"), o.extra)
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
		ended <- Run(ctx, c, Deps{Log: o.log, Version: "test", Seed: 1, Dial: o.net.dial, Ready: func(a string) { ready <- a }})
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
		o.own = "http://" + a
	case err := <-ended:
		o.t.Fatalf("the robot's agent does not start: %v", err)
	}
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

// mine is the ride as the robot's own agent shows it.
func (o *onboard) mine(id string) (r localapi.Ride) {
	o.say("GET", "/v1/rides/"+id, nil, &r)
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
	o.t.Cleanup(func() {
		cancel()
		<-done
	})
	return bot
}

var wish = map[string]any{"ride_id": "r1", "task_id": "T-7", "robot": "R1", "lift": "hall", "from": "G", "to": "1", "from_door": "front", "crossing_s": 4}

// RD-1, RD-16, RB-1: a robot's software rides by its own agent as it would by a gateway;
// the gateway's machine is the authority, and each call is pressed once.
func TestRideOnARobot(t *testing.T) {
	t.Parallel()
	o := newOnboard(t)
	o.start()
	o.board()
	o.bothOnline()
	o.walker(robots.Manner{})
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
	if g := o.ride("r1"); g.State != "DONE" || g.Phase != "arrived" || g.Robot != "R1" {
		t.Errorf("at the gateway %+v", g)
	}
	if n := o.presses(0, 2) + o.presses(1, 2); n != 1 {
		t.Errorf("%d landing calls at G", n)
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

var (
	_ = errors.Is
	_ = slices.Contains[[]string]
)
