package devices

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"hoistway/simulator/building"
)

// SM-2, DR-1: pymodbus, which knows nothing of us, sends the car from B1 to 3 and
// reads all of it half way of the flight, on a socket and on a pty.
func TestPymodbus(t *testing.T) {
	python := pythonWithPymodbus(t)
	for _, wire := range []string{"tcp", "rtu"} {
		t.Run(wire, func(t *testing.T) {
			noLeak(t)
			clock := new(hand)
			p := pymodbus(t, python, served(t, world(t, clock.now), wire))
			p.says(t, "write 2 5", "ok")
			p.says(t, "write 2 9", "exception 3")
			clock.move(5147142900)
			p.says(t, "read 0 14", "3 1 1 1 1 0 0 7600 0 0 0 0 16 0")
			clock.move(6147142900)
			p.says(t, "read 6 2", "0 10100")
			p.says(t, "read 13 2", "exception 2")
		})
	}
}

// SM-2: the same client in real time, from the call to the open door.
func TestPymodbusInMidFlight(t *testing.T) {
	python := pythonWithPymodbus(t)
	for _, wire := range []string{"tcp", "rtu"} {
		t.Run(wire, func(t *testing.T) {
			noLeak(t)
			p := pymodbus(t, python, served(t, quickWorld(t), wire))
			p.says(t, "write 2 5", "ok")
			watchFlight(t, func() []int { return p.numbers(t, "read 0 14") })
		})
	}
}

// SM-2: mbpoll in real time, by a new process and a new connection for each look.
func TestMbpollInMidFlight(t *testing.T) {
	mbpoll := tool(t, "mbpoll")
	for _, wire := range []string{"tcp", "rtu"} {
		t.Run(wire, func(t *testing.T) {
			noLeak(t)
			at := strings.Fields(served(t, quickWorld(t), wire))
			line := []string{"-0", "-1", "-a", "1", "-o", "10", "-m", "rtu", "-b", "9600", "-P", "none", at[1]}
			if wire == "tcp" {
				line = []string{"-0", "-1", "-a", "1", "-o", "10", "-m", "tcp", "-p", at[2], at[1]}
			}
			args := func(more ...string) []string {
				return append(append(line[:len(line)-1:len(line)-1], more...), line[len(line)-1])
			}
			runs(t, mbpoll, append(args("-t", "4", "-r", "2"), "5")...)
			watchFlight(t, func() (all []int) {
				for _, m := range shown.FindAllStringSubmatch(runs(t, mbpoll, args("-t", "3", "-r", "0", "-c", "14")...), -1) {
					n, _ := strconv.Atoi(m[1])
					all = append(all, n)
				}
				return all
			})
		})
	}
}

// quickWorld has a car that flies fast, so that a test does not last.
func quickWorld(t *testing.T) *World {
	t.Helper()
	conf := building.Bench()
	conf.Cars[0].Limits = building.Limits{Speed: 6, Accel: 3, Jerk: 10}
	conf.Cars[0].StartDelay, conf.Cars[0].Levelling = 0, 100*time.Millisecond
	b, err := building.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	return NewRealWorld(b)
}

// served is the wire on which L1 answers, in the client's words.
func served(t *testing.T, w *World, wire string) string {
	t.Helper()
	if wire == "rtu" {
		r, err := ServePTY(w, Seat{Car: "L1", Unit: 1})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { closed(t, r) })
		return "rtu " + r.Path()
	}
	d, err := socket(w, "L1", 1)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { closed(t, d) })
	host, port, err := net.SplitHostPort(d.Addr())
	if err != nil {
		t.Fatal(err)
	}
	return "tcp " + host + " " + port
}

// watchFlight looks at a car that was called from B1 to 3 until it stands there: it
// only ever rises, its landing is the one nearest to its place, and
// its door is closed while it moves.
func watchFlight(t *testing.T, look func() []int) {
	t.Helper()
	before, flying := 0, 0
	for end := time.Now().Add(2 * time.Minute); ; {
		now := look()
		if len(now) != inputs {
			t.Fatalf("%d registers: %v", len(now), now)
		}
		place, floor, moves, door := now[6]<<16|now[7], now[0], now[1] == 1, now[2]
		if place < before {
			t.Fatalf("from %d down to %d mm", before, place)
		}
		before = place
		if off := place - 3800*(floor-1); off < -1900 || off > 1900 {
			t.Fatalf("landing %d at %d mm", floor, place)
		}
		if moves {
			flying++
			if door != 1 {
				t.Fatalf("door %d in mid-flight", door)
			}
		}
		if place == 15200 && !moves {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("it does not come: %v", now)
		}
	}
	if flying == 0 {
		t.Error("it was never seen in flight")
	}
}

// python is a running client.
type python struct {
	in  io.Writer
	out *bufio.Scanner
}

// pymodbus starts the client and connects it.
func pymodbus(t *testing.T, interpreter, wire string) *python {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	t.Cleanup(cancel)
	cmd := exec.CommandContext(ctx, interpreter, "testdata/pymodbus_client.py")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the client: %v", err)
		}
	})
	p := &python{in: in, out: bufio.NewScanner(out)}
	p.says(t, wire, "ok")
	return p
}

func (p *python) ask(t *testing.T, line string) string {
	t.Helper()
	if _, err := fmt.Fprintln(p.in, line); err != nil {
		t.Fatal(err)
	}
	if !p.out.Scan() {
		t.Fatalf("%s: the client ended: %v", line, p.out.Err())
	}
	return p.out.Text()
}

func (p *python) says(t *testing.T, line, want string) {
	t.Helper()
	if got := p.ask(t, line); got != want {
		t.Fatalf("%s: %q, want %q", line, got, want)
	}
}

func (p *python) numbers(t *testing.T, line string) (all []int) {
	t.Helper()
	answer := p.ask(t, line)
	for _, w := range strings.Fields(answer) {
		n, err := strconv.Atoi(w)
		if err != nil {
			t.Fatalf("%s: %s", line, answer)
		}
		all = append(all, n)
	}
	return all
}

// pythonWithPymodbus finds an interpreter whose pymodbus can be used, or skips; under
// HOISTWAY_REQUIRE=all its absence is a failure.
func pythonWithPymodbus(t *testing.T) string {
	t.Helper()
	for _, path := range []string{"/usr/bin/python3", "python3"} { // Debian's own first
		if exec.Command(path, "-c", "import pymodbus.client, serial").Run() == nil {
			return path
		}
	}
	const absent = "pymodbus is not there (apt-get install python3-pymodbus python3-serial-asyncio)"
	if os.Getenv("HOISTWAY_REQUIRE") == "all" {
		t.Fatal(absent)
	}
	t.Skip(absent + ": the foreign client is not tried")
	return ""
}
