package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hoistway/agent/config"
	"hoistway/agent/daemon"
)

const patience = 20 * time.Second // only a hang takes this long

func runArgs(t *testing.T) []string { return []string{"run", "-c", emptyFile(t)} }

func terminate(t *testing.T) {
	t.Helper()
	if err := syscall.Kill(os.Getpid(), syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

// CT-7
func TestRunHandsOverAndEndsFineOnSIGTERM(t *testing.T) {
	defer goleak.VerifyNone(t)
	whole := &config.Config{Device: config.Device{Serial: "GW-1"}}
	a, out, errs := loaded(whole, nil)
	a.run = func(ctx context.Context, c *config.Config, d daemon.Deps) error {
		if c != whole || d.Log == nil || d.Notify == nil || d.Version == "" {
			t.Errorf("handed over %v, %+v", c, d)
		}
		terminate(t)
		return outlast(ctx)
	}
	if exit := a.main(runArgs(t)); exit != 0 || out.Len() != 0 {
		t.Errorf("exit %d, stdout %q", exit, out)
	}
	if !strings.Contains(errs.String(), `"msg":"told to stop","signal":"terminated"`) {
		t.Errorf("the log is no JSON or lacks the signal: %s", errs)
	}
}

func outlast(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(patience):
		return errors.New("nobody told the agent to stop")
	}
}

// CT-7: the first signal lets a robot out of the doorway, the second does not wait.
func TestASecondSignalEndsAtOnce(t *testing.T) {
	defer goleak.VerifyNone(t)
	a, _, errs := loaded(&config.Config{}, nil)
	exited := make(chan int, 1)
	a.exit = func(status int) { exited <- status }
	a.run = func(ctx context.Context, _ *config.Config, _ daemon.Deps) error {
		terminate(t)
		if err := outlast(ctx); !errors.Is(err, context.Canceled) {
			return err
		}
		terminate(t)
		select {
		case status := <-exited:
			if status != exitFinding {
				t.Errorf("ended with %d", status)
			}
			return nil
		case <-time.After(patience):
			return errors.New("the second signal did nothing")
		}
	}
	if exit := a.main(runArgs(t)); exit != 0 {
		t.Errorf("exit %d: %s", exit, errs)
	}
}

func TestHowTheAgentEndsIsHowTheCommandEnds(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		exit int
		line string
	}{
		{"coded", errors.New("E-4004: store: damaged"), 1, "hoistway: E-4004: store: damaged"},
		{"reach", errors.New("E-3004: local API: listen tcp: address already in use"), 3, "hoistway: E-3004: local API: listen tcp: address already in use"},
		{"rights", fmt.Errorf("lift L1: %w", &os.PathError{Op: "open", Path: "/dev/ttyS0", Err: syscall.EACCES}), 1, "hoistway: E-1203: lift L1: open /dev/ttyS0: permission denied"},
		{"two", errors.Join(errors.New("one"), errors.New("two")), 1, "hoistway: E-1201: one; two"},
		{"cancelled by nobody", context.Canceled, 1, "hoistway: E-1201: context canceled"},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer goleak.VerifyNone(t)
			a, _, errs := loaded(&config.Config{}, nil)
			a.run = func(context.Context, *config.Config, daemon.Deps) error { return c.err }
			if exit := a.main(runArgs(t)); exit != c.exit || errs.String() != c.line+"\n" {
				t.Errorf("exit %d, %s", exit, errs)
			}
		})
	}
}

// CT-7
func TestTheServiceManagerIsTold(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "notify")
	conn, err := net.ListenUnixgram("unixgram", &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	t.Setenv("NOTIFY_SOCKET", socket)
	t.Setenv("WATCHDOG_USEC", "3000000")
	t.Setenv("WATCHDOG_PID", fmt.Sprint(os.Getpid()))

	a, _, errs := loaded(&config.Config{}, nil)
	a.run = func(_ context.Context, _ *config.Config, d daemon.Deps) error {
		if d.WatchdogEvery != 3*time.Second {
			t.Errorf("watchdog every %s, want 3s", d.WatchdogEvery)
		}
		d.Notify("READY=1")
		return nil
	}
	if exit := a.main(runArgs(t)); exit != 0 {
		t.Fatalf("exit %d: %s", exit, errs)
	}
	if err := conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 64)
	if n, err := conn.Read(b); err != nil || string(b[:n]) != "READY=1" {
		t.Errorf("the service manager got %q, %v", b[:n], err)
	}
}

// A dead socket is told once, not with every beat of the watchdog.
func TestADeadServiceManagerIsToldOnce(t *testing.T) {
	t.Setenv("NOTIFY_SOCKET", filepath.Join(t.TempDir(), "nobody"))
	a, _, errs := loaded(&config.Config{}, nil)
	a.run = func(_ context.Context, _ *config.Config, d daemon.Deps) error {
		d.Notify("READY=1")
		d.Notify("WATCHDOG=1")
		return nil
	}
	a.main(runArgs(t))
	if n := strings.Count(errs.String(), "the service manager cannot be told"); n != 1 {
		t.Errorf("told %d times: %s", n, errs)
	}
}

func TestLogFormatAndLevel(t *testing.T) {
	a, _, errs := loaded(&config.Config{}, nil)
	a.run = func(_ context.Context, _ *config.Config, d daemon.Deps) error {
		d.Log.Info("hidden")
		d.Log.Warn("seen", "lift", "L1")
		return nil
	}
	a.main(append(runArgs(t), "--log-format", "text", "--log-level", "warn"))
	if s := errs.String(); strings.Contains(s, "hidden") || !strings.Contains(s, "level=WARN msg=seen lift=L1") {
		t.Errorf("logged %s", s)
	}
}
