package serial

import (
	"context"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hoistway/drivers"
	"hoistway/drivers/drivertest"
	"hoistway/drivers/fieldbus"
	"hoistway/fsm/elevator"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var floors = elevator.Table{
	{Label: "G", Wire: 1, Doors: []elevator.Side{elevator.Front}},
	{Label: "1", Wire: 2, Doors: []elevator.Side{elevator.Front}},
	{Label: "2", Wire: 3, Doors: []elevator.Side{elevator.Front}},
}

// clock starts at an instant that is not never.
func clock() func() elevator.Instant {
	start := time.Now()
	return func() elevator.Instant { return elevator.Instant(time.Since(start)) + 1 }
}

func open(t *testing.T, env drivers.Env, link, profile string) drivers.Opener {
	t.Helper()
	u, err := url.Parse(link)
	if err != nil {
		t.Fatal(err)
	}
	src, err := os.ReadFile("testdata/" + profile + ".yaml")
	if err != nil {
		t.Fatal(err)
	}
	by := map[string]func(*fieldbus.Lines, drivers.Env) drivers.Factory{Scheme: Line, SchemeTCP: TCP, SchemeUDP: UDP}[u.Scheme]
	o, err := by(fieldbus.NewLines(env), env).New(drivers.Spec{Lift: "A", URL: u, ProfileName: "test/" + profile, Profile: src, Floors: floors})
	if err != nil {
		t.Fatal(err)
	}
	return o
}

func harness(start func(*testing.T, drivers.Env) (drivertest.Controller, drivers.Opener)) drivertest.Harness {
	now := clock()
	return drivertest.Harness{
		Virtual: true, Period: 200 * time.Millisecond, Return: 30 * time.Second,
		Now:   func() elevator.Instant { return now() },
		Pulse: elevator.Command{Verb: elevator.CarCall, Floor: 2, Side: elevator.Front},
		Start: func(t *testing.T) (drivertest.Controller, drivers.Opener) {
			now = clock() // each bubble begins its own time
			return start(t, drivers.Env{Now: now})
		},
	}
}

// DR-2: over a serial line, answers without a number.
func TestConformanceSerial(t *testing.T) {
	drivertest.Run(t, harness(func(t *testing.T, env drivers.Env) (drivertest.Controller, drivers.Opener) {
		p := &cabled{board: newBoard(false)}
		p.late = 700 * time.Millisecond
		env.OpenSerial = p.open
		return p, open(t, env, "serial:///dev/ttyS9?baud=19200", "blind")
	}))
}

// DR-2: the same with numbers.
func TestConformanceSerialNumbered(t *testing.T) {
	drivertest.Run(t, harness(func(t *testing.T, env drivers.Env) (drivertest.Controller, drivers.Opener) {
		p := &cabled{board: newBoard(true)}
		p.late = 700 * time.Millisecond
		env.OpenSerial = p.open
		return p, open(t, env, "serial:///dev/ttyS9?baud=19200", "numbered")
	}))
}

// DR-2: over TCP.
func TestConformanceTCP(t *testing.T) {
	for _, profile := range []string{"blind", "numbered"} {
		t.Run(profile, func(t *testing.T) {
			drivertest.Run(t, harness(func(t *testing.T, env drivers.Env) (drivertest.Controller, drivers.Opener) {
				o := &outlet{board: newBoard(profile == "numbered")}
				env.Dial = func(context.Context, string, string) (net.Conn, error) { return o.dial() }
				return o, open(t, env, "serial+tcp://board:4001", profile)
			}))
		})
	}
}

// DR-2: over datagrams.
func TestConformanceUDP(t *testing.T) {
	drivertest.Run(t, harness(func(t *testing.T, env drivers.Env) (drivertest.Controller, drivers.Opener) {
		o := &outlet{board: newBoard(true)}
		env.Dial = func(context.Context, string, string) (net.Conn, error) { return o.dial() }
		return o, open(t, env, "serial+udp://board:52000", "numbered")
	}))
}

// DR-2: through the kernel and the serial library, with a board that is really
// unplugged.
func TestConformancePTY(t *testing.T) {
	t.Parallel()
	h := harness(nil)
	h.Virtual, h.Parallel = false, true
	now := clock()
	h.Now = now
	h.Start = func(t *testing.T) (drivertest.Controller, drivers.Opener) {
		p := &adapter{board: newBoard(false), path: filepath.Join(t.TempDir(), "by-id")}
		p.late = 600 * time.Millisecond
		return p, open(t, drivers.Env{Now: now}, "serial://"+p.path+"?baud=19200&parity=even&timeout=400ms", "blind")
	}
	drivertest.Run(t, h)
}
