package cli

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"hoistway/simulator/devices"
)

// heard is what a running command has printed so far.
type heard struct {
	mu   sync.Mutex
	text strings.Builder
	said chan struct{} // has room for one
}

func newHeard() *heard { return &heard{said: make(chan struct{}, 1)} }

func (h *heard) Write(p []byte) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	select {
	case h.said <- struct{}{}:
	default:
	}
	return h.text.Write(p)
}

func (h *heard) String() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.text.String()
}

func (h *heard) until(t *testing.T, part string) {
	t.Helper()
	over := time.After(time.Minute)
	for !strings.Contains(h.String(), part) {
		select {
		case <-h.said:
		case <-over:
			t.Fatalf("%q was not said in\n%s", part, h.String())
		}
	}
}

// SM-1: a demo whose picture has no port says so with the mend, and goes on: agent,
// lifts, robots and cloud are there.
func TestADemoWithoutItsPicture(t *testing.T) {
	at := takenPort(t)
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	out, errOut := newHeard(), newHeard()
	f := demoFlags{idle: true, listen: "127.0.0.1:0", page: at, store: t.TempDir(), patience: time.Minute}
	ended := make(chan error, 1)
	go func() { ended <- runDemo(ctx, f, out, errOut, slog.New(slog.DiscardHandler)) }()
	out.until(t, "robots R1 token")
	stop()
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"E-3004: page: ", "another program has this port", "goes on without its picture"} {
		if !strings.Contains(errOut.String(), want) {
			t.Errorf("%q is not in\n%s", want, errOut.String())
		}
	}
	if said := out.String(); strings.Contains(said, "page   ") || !strings.Contains(said, "agent  http://127.0.0.1:") {
		t.Errorf("printed\n%s", said)
	}
}

// SM-1: what cannot be without its address ends with its code, cause and mend.
func TestATakenAddressHasAMend(t *testing.T) {
	at := takenPort(t)
	dir := t.TempDir()
	film := filepath.Join(dir, "ride.jsonl")
	if got := Main([]string{"run", "plain-ride", "--record", film}, nil, io.Discard, io.Discard); got != exitFine {
		t.Fatalf("ended with %d", got)
	}
	for _, args := range [][]string{
		{"demo", "--listen", at, "--store", filepath.Join(dir, "store")},
		{"replay", film, "--listen", at},
		{"run", "plain-ride", "--page", "--listen", at},
		{"cloud", "--listen", at},
	} {
		var out, told strings.Builder
		got := Main(args, nil, &out, &told)
		if got != exitReach || !strings.Contains(told.String(), "E-3004: ") || !strings.Contains(told.String(), "\n    another program has this port") {
			t.Errorf("%v ended with %d: %s", args, got, told.String())
		}
		if out.Len() > 0 { // run has not played for nothing
			t.Errorf("%v printed %s", args, out.String())
		}
	}
}

// SM-2: a pseudo terminal that is refused is said with its lift, cause and mend, and the
// rest is served.
func TestARefusedTerminalIsSaidAndTheRestServed(t *testing.T) {
	plan, wrong := readBuilding("b.yaml", []byte("lifts:\n"+
		"  - {id: L1, serve: \"modbus+rtu://\", also: [\"modbus+tcp://127.0.0.1:0\"], "+twoFloors+"}\n"+
		"  - {id: L2, serve: \"modbus+rtu://?unit=3\", "+twoFloors+"}\n"))
	if len(wrong) > 0 {
		t.Fatal(wrong)
	}
	refuse := func(*devices.World, ...devices.Seat) (*devices.RTU, error) {
		return nil, errors.Join(errors.New("open /dev/ptmx"), syscall.ENOSPC)
	}
	var out, errOut strings.Builder
	r := raise(devices.NewRealWorld(plan.b), plan.lifts, refuse, &out, &errOut)
	for _, c := range r.closers {
		defer c.Close()
	}
	if len(r.lifts) != 1 || r.lifts[0].lift != "L1" || !strings.HasPrefix(out.String(), "L1 modbus+tcp://127.0.0.1:") {
		t.Errorf("%d lifts are served: %s", len(r.lifts), out.String())
	}
	for _, want := range []string{"E-3004: lift L1 on modbus+rtu://: ", "E-3004: lift L2 on modbus+rtu://?unit=3: ", "no space left", "serve this lift on modbus+tcp://127.0.0.1:0"} {
		if !strings.Contains(errOut.String(), want) {
			t.Errorf("%q is not in\n%s", want, errOut.String())
		}
	}
}
