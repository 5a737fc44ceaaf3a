package daemon

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"hoistway/agent/config"
	"hoistway/agent/localapi"
	"hoistway/fsm/elevator"
	"hoistway/simulator/building"
	"hoistway/simulator/devices"
	"hoistway/simulator/robots"
)

// patience bounds every wait: long, because machines are shared.
const patience = 60 * time.Second

// rig is a pretend building on a real socket with the real agent before it.
type rig struct {
	t       *testing.T
	world   *devices.World
	lift    *devices.TCP
	addr    string
	base    string
	dir     string
	cloud   string    // broker URL, "" for none
	flavour string    // of the cloud, "" for our own
	rides   string    // the section of that name, "" for the defaults
	own     string    // the whole configuration, "" for the bench's
	swap    [2]string // profile and link, "" for the bench on Modbus
	deps    Deps
	stop    func()
	wait    func() error // for an agent that ends by itself
	began   time.Time
}

func newRig(t *testing.T) *rig {
	t.Helper()
	b, err := building.New(building.Bench())
	if err != nil {
		t.Fatal(err)
	}
	r := &rig{t: t, dir: t.TempDir(), began: time.Now()}
	r.world = devices.NewWorld(b, func() elevator.Instant { return elevator.Instant(time.Since(r.began)) + 1 })
	r.serve("127.0.0.1:0")
	t.Cleanup(func() { _ = r.lift.Close() })
	return r
}

func (r *rig) serve(addr string) {
	r.t.Helper()
	lift, err := devices.ServeTCP(r.world, net.Listen, addr, devices.Seat{Car: "L1", Unit: 1})
	if err != nil {
		r.t.Fatal(err)
	}
	r.lift, r.addr = lift, lift.Addr()
}

func sha(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func (r *rig) config() string {
	if r.own != "" {
		return r.own
	}
	s := fmt.Sprintf(`device: {serial: GW-T, kind: lift-gateway, site: {campus: C, building: B}}
lifts:
  - id: L1
    profile: bench/modbus-lift
    link: "modbus+tcp://%s?unit=1"
    floors:
      - {label: B1, wire: 1, doors: [front]}
      - {label: G, wire: 2, doors: [front, rear]}
      - {label: "1", wire: 3, doors: [front]}
      - {label: "2", wire: 4, doors: [front]}
      - {label: "3", wire: 5, doors: [front]}
    recall_floor: G
    safe_floor: G
robots: [{id: R1, token_sha256: %q, crossing: 4s}, {id: R2, token_sha256: %q, crossing: 4s}]
api: {listen: "127.0.0.1:0", technicians: [{name: t, token_sha256: %q}]}
store: {dir: %q}
`, r.addr, sha("robot"), sha("robot-two"), sha("tech"), r.dir)
	if r.swap[0] != "" {
		s = strings.Replace(s, "bench/modbus-lift", r.swap[0], 1)
		s = strings.Replace(s, "modbus+tcp://"+r.addr+"?unit=1", r.swap[1], 1)
	}
	if r.cloud != "" {
		s += fmt.Sprintf("cloud: {broker: %q, flavour: %s, connect_spread: 0s}\n", r.cloud, cmp.Or(r.flavour, "hoistway"))
	}
	if r.rides != "" {
		s += "rides: " + r.rides + "\n"
	}
	return s
}

// start runs the agent until the test or stop ends.
func (r *rig) start() {
	r.t.Helper()
	c, faults := config.Parse("rig.yaml", []byte(r.config()), nil)
	if len(faults) > 0 {
		r.t.Fatal(faults)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		d := r.deps
		d.Log, d.Version, d.Seed = slog.New(slog.DiscardHandler), "test", 1
		d.Ready = func(a string) { ready <- a }
		ended <- Run(ctx, c, d)
	}()
	once := false
	r.stop = func() {
		if once {
			return
		}
		once = true
		cancel()
		select {
		case err := <-ended:
			if err != nil {
				r.t.Errorf("the agent ended with %v", err)
			}
		case <-time.After(patience):
			r.t.Error("the agent does not end")
		}
	}
	r.wait = func() error {
		once = true
		defer cancel()
		select {
		case err := <-ended:
			return err
		case <-time.After(patience):
			return errors.New("the agent does not end")
		}
	}
	r.t.Cleanup(r.stop)
	select {
	case a := <-ready:
		r.base = "http://" + a
	case err := <-ended:
		r.t.Fatalf("the agent does not start: %v", err)
	}
}

// robot starts a pretend robot that lives as long as the test.
func (r *rig) robot(m robots.Manner) *robots.Robot {
	r.t.Helper()
	bot := robots.New(robots.Options{ID: "R1", BaseURL: r.base, Token: "robot", Crossing: 500 * time.Millisecond, Seed: 1, Manner: m})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		_ = bot.Run(ctx)
		close(done)
	}()
	r.t.Cleanup(func() {
		cancel()
		<-done
	})
	return bot
}

func (r *rig) get(path string, into any) error {
	client := http.Client{Timeout: 5 * time.Second}
	resp, err := client.Get(r.base + path)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s %s", path, resp.Status, raw)
	}
	return json.Unmarshal(raw, into)
}

func (r *rig) post(path, body string) (int, string) {
	r.t.Helper()
	return r.ask(http.MethodPost, path, body)
}

// ask sends a body as the technician and gives status and answer.
func (r *rig) ask(method, path, body string) (int, string) {
	r.t.Helper()
	req, _ := http.NewRequest(method, r.base+path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer tech")
	req.Header.Set("Content-Type", "application/json")
	client := http.Client{Timeout: 10 * time.Second}
	resp, err := client.Do(req)
	if err != nil {
		r.t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	return resp.StatusCode, string(raw)
}

func (r *rig) lift1() localapi.Lift {
	var l localapi.Lift
	_ = r.get("/v1/lifts/L1", &l)
	return l
}

func (r *rig) ride(id string) localapi.Ride {
	var v localapi.Ride
	_ = r.get("/v1/rides/"+id, &v)
	return v
}

// until waits for a condition and says what was last seen when it never comes.
func (r *rig) until(what string, ok func() bool, seen func() any) {
	r.t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		if ok() {
			return
		}
	}
	raw, _ := json.Marshal(seen())
	r.t.Fatalf("%s never came; last seen: %s", what, raw)
}

func (r *rig) online() {
	r.t.Helper()
	r.until("the lift online", func() bool { return r.lift1().Link == "online" }, func() any { return r.lift1() })
}

func (r *rig) reaches(ride, state string) {
	r.t.Helper()
	r.until(ride+" in "+state, func() bool { return r.ride(ride).State == state }, func() any { return r.ride(ride) })
}

// presses counts what was written to a command register with that value.
func (r *rig) presses(addr, value uint16) int {
	n := 0
	for _, w := range r.lift.Writes() {
		if w.Addr == addr && w.Value == value {
			n++
		}
	}
	return n
}
