package cli

import (
	"bytes"
	"os"
	"regexp"
	"strings"
	"testing"

	"hoistway/agent/commission"
	"hoistway/simulator/building"
	"hoistway/simulator/devices"
)

// The page for technicians is executed as it stands: its files are written, its
// commands run in order, against a board on a pseudo terminal. CT-1, CT-2, CT-3, CT-4, CT-5
func TestAnAfternoonWithAnUnknownBoard(t *testing.T) {
	page, err := os.ReadFile("COMMISSIONING.md")
	if err != nil {
		t.Fatal(err)
	}
	tty := boardOnATerminal(t)
	t.Chdir(t.TempDir())
	state := t.TempDir()
	text := strings.ReplaceAll(string(page), "/dev/serial/by-id/usb-FTDI_FT232R_A1-if00-port0", tty)
	ran := 0
	for _, b := range regexp.MustCompile("(?s)```(sh|yaml) ?(\\S*)\n(.*?)```").FindAllStringSubmatch(text, -1) {
		if b[1] == "yaml" {
			if err := os.WriteFile(b[2], []byte(b[3]), 0o600); err != nil {
				t.Fatal(err)
			}
			continue
		}
		for line := range strings.Lines(b[3]) {
			ran++
			runLine(t, strings.TrimSpace(line), state)
		}
	}
	if ran < 18 {
		t.Errorf("only %d commands found on the page", ran)
	}
	for file, want := range map[string]string{
		"l1-handover.md":                      "car_call floor=B1 | .* | done",
		"cases/standing/case.txt":             "read input 0 at",
		"done.jsonl":                          `"by":"M. Weber"`,
		state + "/hoistway/audit.jsonl":       `"question":"holding:2=3".*"outcome":"done"`,
		state + "/hoistway/commissioning.key": "PRIVATE KEY",
	} {
		raw, err := os.ReadFile(file)
		if err != nil || !regexp.MustCompile(want).Match(raw) {
			t.Errorf("%s: %v\n%s", file, err, raw)
		}
	}
}

// expected is what else than success a command of the page ends with, and what the
// others must say.
var expected = map[string]struct {
	exit int
	says string
}{
	"probe ":         {0, `found +unit 1`},
	"probe --at":     {0, `7600 stands where it was expected`},
	"read ":          {0, `input:7 +0x1DB0 +7600`},
	"watch ":         {0, `(?s)input:0 .*input:0 `},
	"try ":           {0, `floor +1 .*good`},
	"profile ":       {0, `floor +yes`},
	"record ":        {0, `[0-9]+ frames`},
	"replay ":        {0, ``},
	"doctor ":        {0, `looked at`},
	"write ":         {0, `01 06 00 02 00 03 [0-9a-f]{2} [0-9a-f]{2}`},
	"report ":        {1, `not proven`},
	"report verify ": {0, `lift L1`},
	"bundle ":        {0, `nothing written`},
	"check ":         {0, `fine`},
	"ports":          {0, ``},
}

func runLine(t *testing.T, line, state string) {
	t.Helper()
	args := shellWords(strings.TrimPrefix(line, "hoistway "))
	want, best := expected["none"], ""
	for name, w := range expected {
		head, part, _ := strings.Cut(name, "--")
		if strings.HasPrefix(strings.Join(args, " ")+" ", head) && strings.Contains(line, part) && len(name) > len(best) {
			want, best = w, name
		}
	}
	if best == "" {
		t.Fatalf("nothing is expected of %q", line)
	}
	var out, errs bytes.Buffer
	a := &app{
		in: strings.NewReader(""), out: &out, err: &errs, load: loadConfig, run: runDaemon, exit: func(int) {}, world: commission.World{},
		env: func(k string) string { return map[string]string{"XDG_STATE_HOME": state}[k] },
	}
	if exit := a.main(args); exit != want.exit || !regexp.MustCompile(want.says).MatchString(out.String()) {
		t.Errorf("%s\nexit %d, want %d and %q\n%s%s", line, exit, want.exit, want.says, &out, &errs)
	}
}

// shellWords splits as a shell does, as far as the page needs it.
func shellWords(s string) (out []string) {
	for i, part := range strings.Split(s, `"`) {
		if i%2 == 1 {
			out = append(out, part)
			continue
		}
		out = append(out, strings.Fields(part)...)
	}
	return out
}

// boardOnATerminal is the bench lift, standing at 1, 7.6 m up.
func boardOnATerminal(t *testing.T) string {
	t.Helper()
	conf := building.Bench()
	conf.Cars[0].Start = "1"
	b, err := building.New(conf)
	if err != nil {
		t.Fatal(err)
	}
	r, err := devices.ServePTY(devices.NewRealWorld(b), devices.Seat{Car: "L1", Unit: 1})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r.Path()
}
