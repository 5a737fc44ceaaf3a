package cli

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"hoistway/agent/audit"
	"hoistway/agent/commission"
)

// CT-2: a person on a terminal sees the bytes and is asked; no is no, and what the
// lift did is kept in the person's words.
func TestAskedOnATerminal(t *testing.T) {
	board := "modbus+rtu://" + boardOnATerminal(t) + "?unit=1"
	dir := t.TempDir()
	log := filepath.Join(dir, "done.jsonl")
	for _, c := range []struct {
		args    []string
		answers string
		exit    int
		out     string
	}{
		{[]string{"write", board, "holding:2=1"}, "n\n", 1, `01 06 00 02 00 01 E9 CA|01 06 00 02 00 01 e9 ca`},
		{[]string{"write", board, "holding:2=1"}, "\n", 1, ``},
		{[]string{"write", board, "holding:2=1"}, "y\n", 0, `outcome +done`},
		{[]string{"profile", "test", "bench/modbus-lift", "--against", board, "--command", "car_call floor=#5", "--log", log}, "y\ny\n", 0, `car_call floor=#5 +done +y`},
		{[]string{"profile", "test", "bench/modbus-lift", "--against", board, "--command", "car_call floor=#4", "--log", log}, "n\n", 1, `car_call floor=#4: holding:2=4`},
	} {
		master, tty, err := pty.Open()
		if err != nil {
			t.Fatal(err)
		}
		go func() { // each answer once its question stands there
			for a := range strings.Lines(c.answers) {
				time.Sleep(50 * time.Millisecond)
				_, _ = master.WriteString(a)
			}
		}()
		var out, errs bytes.Buffer
		a := &app{
			in: tty, out: &out, err: &errs, load: loadConfig, run: runDaemon, exit: func(int) {}, world: commission.World{},
			env: func(k string) string { return map[string]string{"XDG_STATE_HOME": dir}[k] },
		}
		if exit := a.main(c.args); exit != c.exit || !regexp.MustCompile(c.out).MatchString(out.String()) || !strings.Contains(errs.String(), "Send it? [y/N]") {
			t.Errorf("%v answered %q: exit %d, want %d\n%s%s", c.args[:2], c.answers, exit, c.exit, &out, &errs)
		}
		_, _ = master.Close(), tty.Close()
	}
	raw, err := os.ReadFile(filepath.Join(dir, "hoistway", audit.FileName))
	if err != nil || strings.Count(string(raw), "\n") != 2 { // asked and done, of the one yes
		t.Errorf("audit: %v\n%s", err, raw)
	}
	f, err := os.Open(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	done, err := commission.ReadRehearsals(f)
	if err != nil || len(done) != 1 || !done[0].Confirmed() {
		t.Errorf("%+v, %v", done, err)
	}
}
