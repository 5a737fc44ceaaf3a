package commission

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// framesOf reads frames as analysers print them: milliseconds, direction, bytes,
// and in brackets why a piece was dropped.
func framesOf(t *testing.T, text string) []drivers.Frame {
	t.Helper()
	var out []drivers.Frame
	for line := range strings.Lines(text) {
		line, note, _ := strings.Cut(strings.TrimSpace(line), " (")
		at, rest, _ := strings.Cut(line, " ")
		ms, err := time.ParseDuration(at + "ms")
		must(t, err)
		data, err := hex.DecodeString(strings.ReplaceAll(rest[2:], " ", ""))
		must(t, err)
		out = append(out, drivers.Frame{Out: rest[0] == '>', At: elevator.Instant(ms) + 1, Data: data, Note: strings.TrimSuffix(note, ")")})
	}
	return out
}

// CT-4: what passed on a line tells its faults. Frames and sums as in manuals.
func TestJudgeFrames(t *testing.T) {
	good := "0 > 01 03 00 10 00 01 85 CF\n20 < 01 03 02 01 20 B8 0C\n"
	for _, c := range []struct{ name, frames, want, says string }{
		{"all is well", good + good + good, "", ""},
		{"echo", "0 > 01 03 00 10 00 01 85 CF\n5 < 01 03 00 10 00 01 85 CF (our own question came back: turn off the adapter's echo)", "E-6013", ""},
		{"another master", good + "900 < 02 03 00 00 00 01 84 39 (came unasked)\n" + good, "E-6014", "units [2]"},
		{"too impatient", "0 > 01 03 00 10 00 01 85 CF\n640 < 01 03 02 01 20 B8 0C (came late)\n1000 > 01 03 00 10 00 01 85 CF\n1610 < 01 03 02 01 20 B8 0C (came late)", "E-6015", "timeout=1300ms"},
		{"no licence", good + "100 > 01 05 00 00 FF 00 8C 3A\n120 < 01 85 01 83 50", "E-6018", "licence"},
		{"a licence", good + "100 > 01 06 00 64 00 03 88 14\n120 < 01 06 00 64 00 03 88 14", "", ""},
		{"noise", strings.Repeat("0 > 01 03 00 10 00 01 85 CF\n20 < 11 83 02 01 21 B8 0C (no frame)\n", 4) + good, "E-6003", ""},
		{"nobody", strings.Repeat("0 > 01 03 00 10 00 01 85 CF\n", 5), "E-6002", ""},
	} {
		got := JudgeFrames(link(t, "modbus+rtu:///dev/ttyX?unit=1"), framesOf(t, c.frames))
		if codes(got) != c.want {
			t.Errorf("%s: %+v", c.name, got)
		}
		for _, f := range got {
			if f.Do == "" || f.Where == "" || !strings.Contains(f.What+f.Do, c.says) {
				t.Errorf("%s: %+v", c.name, f)
			}
		}
	}
}

// CT-4: each fault of a line is told as what it is, with nothing written.
func TestExamine(t *testing.T) {
	const right = "modbus+rtu:///dev/ttyX?baud=19200&parity=even&unit=3"
	for _, c := range []struct {
		name, link string
		edit       func(*board)
		want, says string
	}{
		{"all is well", right, nil, "", ""},
		{"wrong unit", strings.ReplaceAll(right, "unit=3", "unit=5"), nil, "E-6016", "unit 3 answers"},
		{"wrong parity", strings.ReplaceAll(right, "even", "none"), nil, "E-6017", "parity=even"},
		{"wrong baud", strings.ReplaceAll(right, "19200", "9600"), nil, "E-6002", "hoistway probe"},
		{"echo", right, func(b *board) { b.echo = true }, "E-6013", ""},
		{"two of one id", right, func(b *board) { b.twin = true }, "E-6019", ""},
		{"another master", right, func(b *board) { b.chat = summed([]byte{7, 3, 0, 16, 0, 1}) }, "E-6014", "units [7]"},
		{"slow", right, func(b *board) { b.slow = 700 * time.Millisecond }, "E-6015", "timeout=1"},
		{"another model", right, func(b *board) { b.most = 3 }, "E-6005", "exception 3"},
	} {
		synctest.Test(t, func(t *testing.T) {
			b := newBoard()
			if c.edit != nil {
				c.edit(b)
			}
			got := b.world().Examine(t.Context(), link(t, c.link), bench(t))
			if codes(got) != c.want {
				t.Errorf("%s: %+v", c.name, got)
			}
			for _, f := range got {
				if !strings.Contains(f.What+f.Do, c.says) {
					t.Errorf("%s: %+v", c.name, f)
				}
			}
		})
	}
}

// CT-4: rights, a port that is held, a name that may change, without a byte sent.
func TestExamineThePortFirst(t *testing.T) {
	root := machine(t)
	w := World{Root: root}
	if got := w.Examine(t.Context(), link(t, "modbus+rtu:///dev/ttyUSB0?unit=1"), nil); codes(got) != "E-6009 E-6020" || !strings.Contains(got[0].What, "modpoll") {
		t.Errorf("%+v", got)
	}
	must(t, os.RemoveAll(filepath.Join(root, "proc/41")))
	if got := w.Examine(t.Context(), link(t, "modbus+rtu:///dev/ttyNONE9?unit=1"), nil); codes(got) != "E-6001" {
		t.Errorf("%+v", got)
	}
}

func TestMachine(t *testing.T) {
	old := World{Wall: func() time.Time { return time.Unix(0, 0) }}
	got := old.Machine(filepath.Join(t.TempDir(), "not", "made", "yet"))
	if len(got) == 0 || got[0].Code != "E-6024" || got[0].Hint || !strings.Contains(got[0].What, "1970-01-01") {
		t.Errorf("%+v", got)
	}
	for _, f := range got[1:] {
		if f.Code != "E-6025" {
			t.Errorf("of a folder that is not made yet: %+v", f)
		}
	}
}
