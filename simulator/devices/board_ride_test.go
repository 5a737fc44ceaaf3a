package devices

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"hoistway/agent/config"
	"hoistway/agent/daemon"
	"hoistway/simulator/robots"
)

// patience bounds every wait: long, because machines are shared.
const patience = 90 * time.Second

// rider is the real agent before a board, with a robot and a technician.
type rider struct {
	t    *testing.T
	base string
}

func digest(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

func newRider(t *testing.T, profile, link string) *rider {
	t.Helper()
	text := fmt.Sprintf(`device: {serial: GW-T, kind: lift-gateway, site: {campus: C, building: B}}
lifts:
  - id: L1
    profile: %s
    link: %q
    floors:
      - {label: B1, wire: 1, doors: [front]}
      - {label: G, wire: 2, doors: [front]}
      - {label: "1", wire: 3, doors: [front]}
      - {label: "2", wire: 4, doors: [front]}
      - {label: "3", wire: 5, doors: [front]}
    accept_no_end: bench, nobody lives here
    recall_floor: G
    safe_floor: G
robots: [{id: R1, token_sha256: %q, crossing: 4s}]
api: {listen: "127.0.0.1:0", technicians: [{name: t, token_sha256: %q}]}
store: {dir: %q}
`, profile, link, digest("robot"), digest("tech"), t.TempDir())
	c, wrong := config.Parse("rider.yaml", []byte(text), nil)
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, ended := make(chan string, 1), make(chan error, 1)
	go func() {
		ended <- daemon.Run(ctx, c, daemon.Deps{Log: slog.New(slog.DiscardHandler), Version: "test", Seed: 1, Ready: func(a string) { ready <- a }})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the agent ended with %v", err)
		}
	})
	select {
	case a := <-ready:
		return &rider{t, "http://" + a}
	case err := <-ended:
		ended <- nil
		t.Fatalf("the agent does not start: %v", err)
	}
	return nil
}

func (r *rider) robot() {
	bot := robots.New(robots.Options{ID: "R1", BaseURL: r.base, Token: "robot", Crossing: 500 * time.Millisecond, Seed: 1})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() {
		_ = bot.Run(ctx)
		close(done)
	}()
	r.t.Cleanup(func() { cancel(); <-done })
}

// ask speaks to the local API as the technician.
func (r *rider) ask(method, path, body string) (out map[string]any) {
	req, _ := http.NewRequest(method, r.base+path, strings.NewReader(body))
	req.Header.Set("Authorization", "Bearer tech")
	req.Header.Set("Content-Type", "application/json")
	resp, err := (&http.Client{Timeout: 10 * time.Second}).Do(req)
	if err != nil {
		return map[string]any{"error": err.Error()}
	}
	defer resp.Body.Close()
	raw, _ := io.ReadAll(resp.Body)
	_ = json.NewDecoder(bytes.NewReader(raw)).Decode(&out)
	return out
}

func (r *rider) until(path, key, want string) {
	r.t.Helper()
	var last map[string]any
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		if last = r.ask(http.MethodGet, path, ""); last[key] == want {
			return
		}
		if last[key] == "FAULT" {
			break
		}
	}
	raw, _ := json.Marshal(last)
	r.t.Fatalf("%s %s never became %s: %s", path, key, want, raw)
}

func (r *rider) rides(from, to string) {
	r.t.Helper()
	r.robot()
	r.until("/v1/lifts/L1", "link", "online")
	r.ask(http.MethodPost, "/v1/rides", fmt.Sprintf(`{"ride_id":"r1","robot":"R1","lift":"L1","from":%q,"to":%q}`, from, to))
	r.until("/v1/rides/r1", "state", "DONE")
	if ride := r.ask(http.MethodGet, "/v1/rides/r1", ""); ride["phase"] != "arrived" {
		r.t.Errorf("ended %v", ride)
	}
}

func did(b *Board, what string) (n int) {
	for _, d := range b.Deeds() {
		if strings.HasPrefix(d.String(), what) {
			n++
		}
	}
	return n
}

// DR-2, SM-2: a ride through the real agent over a pseudo terminal, on a serial board that a
// robot has to take, with arrivals that are acknowledged.
func TestRideOnASerialBoard(t *testing.T) {
	t.Parallel()
	w := world(t, since(time.Now()))
	b, err := ServeBoardPTY(w, STXBoard, Seat{Car: "L1", Unit: 7})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, b)
	r := newRider(t, "bench/frame-lift", "serial://"+b.Where()+"?baud=57600&elevator=7&robot=3")
	r.rides("G", "1")
	for end := time.Now().Add(patience); did(b, "robot 3 gives") == 0 && time.Now().Before(end); {
		time.Sleep(50 * time.Millisecond) // the lift is given back when the ride is over
	}
	for what, n := range map[string]int{"robot 3 takes": 1, "robot 3 gives": 1, "check in at G": 1, "check in at 1": 1} {
		if did(b, what) != n {
			t.Errorf("%s: %d times, want %d; it did %v", what, did(b, what), n, b.Deeds())
		}
	}
	if did(b, "the arrival is acknowledged") < 1 || did(b, "hold the door") < 1 {
		t.Errorf("it did %v", b.Deeds())
	}
}

// DR-2, SM-2: the same on a lift PLC over TCP, whose door opens when it is told to.
func TestRideOnAPLC(t *testing.T) {
	t.Parallel()
	w := world(t, since(time.Now()))
	b, err := ServeBoardTCP(w, MC1E, net.Listen, "127.0.0.1:0", Seat{Car: "L1"})
	if err != nil {
		t.Fatal(err)
	}
	defer closed(t, b)
	r := newRider(t, "mitsubishi/fx-lift-mc1e", "serial+tcp://"+b.Where())
	r.rides("G", "1")
	if did(b, "go to G") != 1 || did(b, "go to 1") != 1 {
		t.Errorf("it did %v", b.Deeds())
	}
}
