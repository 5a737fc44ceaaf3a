package devices

import (
	"context"
	"net"
	"os/exec"
	"regexp"
	"strings"
	"testing"
	"time"

	"hoistway/fsm/elevator"
)

// SM-2, DR-1: mbpoll, which knows nothing of us, sends the car from B1 to 3 and
// reads its position twice on the way, as a 32-bit number with the high word first.
// Half way of the flight is 7600 mm; one second later, at 2.5 m/s, 10100 mm.
func TestForeignClientOverTCP(t *testing.T) {
	mbpoll := tool(t, "mbpoll")
	noLeak(t)
	clock := new(hand)
	_, d := tcpBench(t, clock.now)
	host, port, err := net.SplitHostPort(d.Addr())
	if err != nil {
		t.Fatal(err)
	}
	inFlight(t, clock, mbpoll, "-m", "tcp", "-p", port, host)
}

// SM-2, DR-1: the same through a pty.
func TestForeignClientOverRTU(t *testing.T) {
	mbpoll := tool(t, "mbpoll")
	noLeak(t)
	clock := new(hand)
	_, d := rtuBench(t, clock.now)
	inFlight(t, clock, mbpoll, "-m", "rtu", "-b", "9600", "-P", "none", d.Path())
}

func inFlight(t *testing.T, clock *hand, mbpoll string, line ...string) {
	ask := func(args ...string) string {
		where, wire := line[:len(line)-1], line[len(line)-1]
		all := append(append([]string{"-0", "-1", "-a", "1", "-o", "10"}, where...), args...)
		return runs(t, mbpoll, insert(all, wire)...)
	}
	if out := ask("-t", "4", "-r", "2", "<wire>", "5"); !strings.Contains(out, "Written 1 references") {
		t.Fatalf("the car call:\n%s", out)
	}
	for _, c := range []struct {
		at   elevator.Instant
		want string
	}{{5147142900, "7600"}, {6147142900, "10100"}} {
		clock.move(time.Duration(c.at))
		out := ask("-t", "3:int", "-B", "-r", "6", "-c", "1", "<wire>")
		if got := value(out); got != c.want {
			t.Errorf("position at %v: %q, want %s in\n%s", time.Duration(c.at), got, c.want, out)
		}
	}
	if out := ask("-t", "3", "-r", "1", "-c", "1", "<wire>"); value(out) != "1" {
		t.Errorf("motion is not up:\n%s", out)
	}
}

func insert(args []string, wire string) []string {
	for i, a := range args {
		if a == "<wire>" {
			args[i] = wire
		}
	}
	return args
}

var shown = regexp.MustCompile(`(?m)^\[\d+\]:\s+(-?\d+)`)

func value(out string) string {
	m := shown.FindStringSubmatch(out)
	if m == nil {
		return ""
	}
	return m[1]
}

func runs(t *testing.T, name string, args ...string) string {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 60*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}
