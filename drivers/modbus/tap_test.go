package modbus

import (
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

func raw(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.ReplaceAll(s, " ", ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func told(ps []Passed) string {
	var out []string
	for _, p := range ps {
		s := fmt.Sprintf("%d %s:%dx%d", p.Unit, p.Block.Table, p.Block.Addr, p.Block.Count)
		switch {
		case p.Silent:
			s += " silent"
		case p.Code != 0:
			s += fmt.Sprintf(" exception %d", p.Code)
		case p.Wrote != nil:
			s += fmt.Sprintf(" wrote %d", p.Wrote.Values)
		default:
			s += fmt.Sprint(" ", p.Words)
		}
		out = append(out, s)
	}
	return strings.Join(out, "; ")
}

// CT-3: a recording is put together from frames as manuals and analysers print
// them. The checksums were computed by another program.
func TestTap(t *testing.T) {
	for _, c := range []struct{ name, frames, want string }{
		{"ours", "> 01 03 00 10 00 01 85 CF\n< 01 03 02 01 20 B8 0C", "1 holding:16x1 [288]"},
		{"in pieces", "> 01 03 00 10 00 01 85 CF\n< 01 03\n< 02 01 20 B8 0C", "1 holding:16x1 [288]"},
		{"exception", "> 01 03 00 00 00 20 44 12\n< 01 83 02 C0 F1", "1 holding:0x32 exception 2"},
		{"a write", "> 01 06 00 64 00 03 88 14\n< 01 06 00 64 00 03 88 14", "1 holding:100x1 wrote [3]"},
		{"nobody answers", "> 01 03 00 00 00 01 84 0A\n> 01 03 00 10 00 01 85 CF\n< 01 03 02 01 20 B8 0C", "1 holding:0x1 silent; 1 holding:16x1 [288]"},
		{"a late answer of another length is none", "> 01 03 00 00 00 10 44 06\n< 01 03 02 00 05 78 47", ""},
		{"another master, overheard", "< 01 03 00 10 00 01 85 CF 01 03 02 01 20 B8 0C", "1 holding:16x1 [288]"},
		{"noise in front", "< FF 00 FF 01 03 00 10 00 01 85 CF 01 03 02 01 20 B8 0C" + strings.Repeat(" 55", 300), "1 holding:16x1 [288]"},
		{"by numbers", "> 00 07 00 00 00 06 01 04 00 00 00 01\n> 00 08 00 00 00 06 01 04 00 02 00 01\n< 00 08 00 00 00 05 01 04 02 00 03\n< 00 07 00 00 00 05 01 04 02 00 09", "1 input:2x1 [3]; 1 input:0x1 [9]"},
	} {
		tap, got := Tap{TCP: c.name == "by numbers"}, []Passed{}
		for i, line := range strings.Split(c.frames, "\n") {
			f := drivers.Frame{Out: line[0] == '>', Data: raw(t, line[2:]), At: elevator.Instant(i)}
			got = append(got, tap.Feed(f)...)
		}
		if s := told(got); s != c.want {
			t.Errorf("%s: %q, want %q", c.name, s, c.want)
		}
	}
}

// CT-3: whatever is in a recording, reading it ends.
func FuzzTap(f *testing.F) {
	f.Add(false, []byte("\x01\x03\x00\x10\x00\x01\x85\xcf"), []byte("\x01\x03\x02\x01\x20\xb8\x0c"))
	f.Add(true, []byte("\x00\x07\x00\x00\x00\x06\x01\x04\x00\x00\x00\x01"), []byte("\x00\x07\x00\x00\x00\x05\x01\x04\x02\x00\x09"))
	f.Fuzz(func(t *testing.T, tcp bool, ask, answer []byte) {
		tap := Tap{TCP: tcp}
		for _, fr := range []drivers.Frame{{Out: true, Data: ask}, {Data: answer}, {Data: answer}, {Out: true, Data: ask}} {
			for _, p := range tap.Feed(fr) {
				if p.Words != nil && len(p.Words) != int(p.Block.Count) {
					t.Fatalf("%d words of %d", len(p.Words), p.Block.Count)
				}
			}
		}
		if len(tap.heard) > 4*(maxPDU+rtuExtra)+len(answer) || len(tap.pending) > maxPending {
			t.Fatal("it grows")
		}
	})
}
