package commission

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/drivers/profiles"
)

// CT-1, CT-4: a stack that knows nothing of us, on a pair of pseudo terminals: found
// by unit, named by its identification, its cap and base learned, told apart from a
// wrong unit.
func TestForeignControllerOnASerialLine(t *testing.T) {
	near := foreign(t)
	s := Search{Link: link(t, "modbus+rtu://"+near+"?baud=9600"), Units: []byte{1, 2, 3}, Listen: 50 * time.Millisecond, Wait: time.Second, Profile: bench(t)}
	own, err := ModeOf(s.Link)
	must(t, err)
	s.Settings = Settings(own, false)[:1]
	var w World
	f, err := w.Scan(t.Context(), s)
	if err != nil || f.Unit != 3 || f.Answer != "answer" || f.Setting != "9600 8N1" {
		t.Fatalf("%+v, %v", f, err)
	}
	at := link(t, f.Link)
	e := &Expect{At: profiles.Block{Table: profiles.InputRegisters, Addr: 8, Count: 1}, Value: 4000}
	l, err := w.Learn(t.Context(), at, s.Profile, profiles.Library{}, e, time.Second)
	if err != nil || strings.Join(l.Identity, ", ") != "vendor Bench, product B2, version 1.4" || !strings.Contains(l.Base, "counts from 1") || !slices.ContainsFunc(l.Fits, func(f Fit) bool { return f.Profile == "bench/modbus-lift" && f.Known == 14 }) {
		t.Errorf("%+v, %v", l, err)
	}
	if got := w.Examine(t.Context(), at, s.Profile); len(got) != 0 {
		t.Errorf("a sound line: %+v", got)
	}
	if got := w.Examine(t.Context(), link(t, strings.Replace(f.Link, "unit=3", "unit=7", 1)), s.Profile); codes(got) != "E-6016" || !strings.Contains(got[0].What, "unit 3 answers") {
		t.Errorf("the wrong unit: %+v", got)
	}
}

// foreign starts pymodbus on one end of a pair and gives the other.
func foreign(t *testing.T) string {
	t.Helper()
	const python = "/usr/bin/python3"
	needs(t, exec.Command(python, "-c", "import pymodbus.client, serial").Run() == nil, "python3-pymodbus, python3-serial-asyncio")
	socat, err := exec.LookPath("socat")
	needs(t, err == nil, "socat")
	dir := t.TempDir()
	far, near := filepath.Join(dir, "far"), filepath.Join(dir, "near")
	started(t, exec.Command(socat, "pty,raw,echo=0,link="+far, "pty,raw,echo=0,link="+near))
	for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		_, err1 := os.Stat(far)
		_, err2 := os.Stat(near)
		if err1 == nil && err2 == nil {
			break
		}
		if time.Now().After(end) {
			t.Fatal("no pair of terminals")
		}
	}
	server := exec.Command(python, filepath.Join("testdata", "pymodbus_rtu.py"), far)
	out, err := server.StdoutPipe()
	must(t, err)
	started(t, server)
	if !bufio.NewScanner(out).Scan() {
		t.Fatal("pymodbus does not start")
	}
	ready(t, near)
	return near
}

// ready waits until the server answers its unit: it says so before it listens.
func ready(t *testing.T, near string) {
	t.Helper()
	var w World
	m, err := ModeOf(link(t, "modbus+rtu:///x?baud=9600"))
	must(t, err)
	raw, err := w.rawSerial(near, m, nil)
	must(t, err)
	defer func() { _ = raw.Close() }()
	for end := time.Now().Add(time.Minute); time.Now().Before(end); {
		rep, err := raw.Ask(t.Context(), 3, firstRead(nil), 300*time.Millisecond)
		must(t, err)
		if len(rep.PDU) > 0 {
			return
		}
	}
	t.Fatal("pymodbus does not answer")
}

func started(t *testing.T, c *exec.Cmd) {
	t.Helper()
	must(t, c.Start())
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	})
}

func needs(t *testing.T, there bool, debian string) {
	t.Helper()
	switch {
	case there:
	case os.Getenv("HOISTWAY_REQUIRE") == "all":
		t.Fatalf("%s is not installed (apt-get install %s)", debian, debian)
	default:
		t.Skipf("%s is not installed (apt-get install %s): the foreign controller is not tried", debian, debian)
	}
}
