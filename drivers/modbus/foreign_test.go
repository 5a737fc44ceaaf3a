package modbus

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// needs finds a program of Debian's; without it the test is skipped, or fails where all
// must be there.
func needs(t *testing.T, program, pkg string) string {
	t.Helper()
	if path, err := exec.LookPath(program); err == nil {
		return path
	}
	if os.Getenv("HOISTWAY_REQUIRE") == "all" {
		t.Fatalf("%s is not installed (apt-get install %s)", program, pkg)
	}
	t.Skipf("%s is not installed (apt-get install %s)", program, pkg)
	return ""
}

func needsPymodbus(t *testing.T) string {
	t.Helper()
	for _, path := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(path, "-c", "import pymodbus.client, serial").Run() == nil {
			return path
		}
	}
	return needs(t, "python3-with-pymodbus", "python3-pymodbus")
}

// started runs a program until the test ends.
func started(t *testing.T, c *exec.Cmd) {
	t.Helper()
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill() // it may have ended by itself
		_ = c.Wait()
	})
}

// nullModem is two serial devices that are one cable, by socat.
func nullModem(t *testing.T) (a, b string) {
	t.Helper()
	socat := needs(t, "socat", "socat")
	dir := t.TempDir()
	a, b = filepath.Join(dir, "a"), filepath.Join(dir, "b")
	started(t, exec.Command(socat, "pty,raw,echo=0,link="+a, "pty,raw,echo=0,link="+b))
	for range 200 {
		_, errA := os.Stat(a)
		if _, errB := os.Stat(b); errA == nil && errB == nil {
			return a, b
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("socat makes no devices")
	return
}

// slaveByPymodbus serves registers on a device; ask gives one of them.
func slaveByPymodbus(t *testing.T, dev string, values ...string) (ask func(n int) string) {
	t.Helper()
	c := exec.Command(needsPymodbus(t), append([]string{"testdata/slave.py", dev}, values...)...)
	in, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	started(t, c)
	lines := bufio.NewScanner(out)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("pymodbus says %q", lines.Text())
	}
	return func(n int) string {
		fmt.Fprintf(in, "get %d\n", n)
		lines.Scan()
		return lines.Text()
	}
}

// byProfile opens a link by a bundled profile.
func byProfile(t *testing.T, id, to string, table elevator.Table) (drivers.Link, func() elevator.Instant) {
	t.Helper()
	src, _ := profiles.Lookup(id)
	p, faults := profiles.Parse(id, src)
	if p == nil {
		t.Fatal(faults)
	}
	env := drivers.Env{Now: clock()}
	lines := fieldbus.NewLines(env)
	l := linkWith(t, lines, env, to, p, table)
	t.Cleanup(func() { _ = lines.CloseAll() })
	return l, env.Now
}

// eventually reads until what is read fits: a program that has just started may be slow.
func eventually(t *testing.T, l drivers.Link, fits func(elevator.Snapshot) bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for {
		s, err := l.Read(ctx)
		if err == nil && fits(s) {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("read %+v, %v", s, err)
		}
		time.Sleep(50 * time.Millisecond)
	}
}

// pymodbus as an RTU slave on a cable by socat: it reads our frames, and we its.
// DR-1
func TestPymodbusSlave(t *testing.T) {
	ours, theirs := nullModem(t)
	ask := slaveByPymodbus(t, theirs, "0", "2", "0", "4", "0", "0", "0", "1", "0", "0")
	table := landings("1=1/front 2=2/front")
	l, now := byProfile(t, "seer/generic", "modbus+rtu://"+ours+"?baud=9600&timeout=2s", table)
	eventually(t, l, func(s elevator.Snapshot) bool {
		return s.Floor.Value == 2 && s.Motion.Value == elevator.Stopped && s.Door(elevator.Front).Value == elevator.DoorOpen
	})
	call := elevator.Command{ID: elevator.CommandID{Ride: "r", N: 1}, Verb: elevator.CarCall, Floor: 1, Until: now().Add(time.Minute)}
	if o := l.Do(t.Context(), call); o.Result != elevator.Done || ask(5) != "1" {
		t.Errorf("%+v, register 5 is %s", o, ask(5))
	}
	hold := elevator.Command{ID: elevator.CommandID{Ride: "r", N: 2}, Verb: elevator.Hold, Floor: 2, Side: elevator.Front, Until: now().Add(9500 * time.Millisecond)}
	eventually(t, l, func(s elevator.Snapshot) bool { return s.Floor.Fresh(now(), time.Second) })
	if o := l.Do(t.Context(), hold); o.Result != elevator.Done || ask(7) != "0" || ask(6) == "0" {
		t.Errorf("%+v, registers 6 and 7 are %s and %s", o, ask(6), ask(7))
	}
}

// ser2net between us and a pymodbus slave: RTU frames through a serial server. A second
// client is turned away with a line of text, or turns the first one away: neither makes
// a value, and the link is back by itself.
// DR-1, DR-11
func TestSer2net(t *testing.T) {
	program := needs(t, "ser2net", "ser2net")
	ours, theirs := nullModem(t)
	slaveByPymodbus(t, theirs, "0", "2", "0", "4", "0", "0", "0", "1", "0", "0")
	for _, kick := range []string{"false", "true"} {
		t.Run("kick="+kick, func(t *testing.T) {
			free, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			at := free.Addr().String()
			free.Close()
			port := at[strings.LastIndex(at, ":")+1:]
			conf := filepath.Join(t.TempDir(), "ser2net.yaml")
			text := fmt.Sprintf("connection: &a\n  accepter: tcp,127.0.0.1,%s\n  enable: on\n  connector: serialdev,%s,9600n81,local\n  options:\n    kickolduser: %s\n", port, ours, kick)
			if err := os.WriteFile(conf, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			started(t, exec.Command(program, "-n", "-c", conf))
			table := landings("1=1/front 2=2/front")
			l, _ := byProfile(t, "seer/generic", "modbus+rtu+tcp://"+at+"?timeout=2s", table)
			right := func(s elevator.Snapshot) bool { return s.Floor.Value == 2 && !s.Floor.Failed }
			eventually(t, l, right)
			second, err := net.Dial("tcp", at)
			if err != nil {
				t.Fatal(err)
			}
			if err := second.SetReadDeadline(time.Now().Add(500 * time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			said, _ := io.ReadAll(second)
			if kick == "false" && !strings.Contains(string(said), "Port already in use") {
				t.Errorf("ser2net says %q", said)
			}
			second.Close()
			for range 10 {
				s, err := l.Read(t.Context())
				if err == nil && s.Floor.Value != 2 {
					t.Errorf("read floor %v", s.Floor.Value)
				}
				time.Sleep(20 * time.Millisecond)
			}
			eventually(t, l, right)
		})
	}
}

// The text of a serial server that is taken is no frame, however it comes.
// DR-11
func TestFieldPortInUse(t *testing.T) {
	p := book(block(0, 1))
	text := fmt.Sprintf("%x", "Port already in use\r\n")
	f := &far{answer: func(q string, n int) (time.Duration, string) {
		if n%3 == 1 {
			return 0, text
		}
		return 0, registers(q, func(int) int { return 5 })
	}}
	field(t, "modbus+rtu+tcp://x:4001?timeout=500ms", f, p, func(*link) { time.Sleep(30 * time.Second) })
	for _, v := range p.values() {
		if v != "0:[5]" {
			t.Errorf("read %s", v)
		}
	}
	if p.fails(0) == 0 || len(p.values()) == 0 {
		t.Errorf("failed %d times, read %d times", p.fails(0), len(p.values()))
	}
}
