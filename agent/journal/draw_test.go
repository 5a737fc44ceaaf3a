package journal

import (
	"encoding/json"
	"fmt"
	"testing"

	"hoistway/fsm"
)

// written makes the bytes of a part by hand-written entries.
func written(t *testing.T, no int, entries ...string) part {
	t.Helper()
	data, err := appendRecord(nil, fmt.Appendf(nil, `{"format":1,"ride":"r1","robot":"R1","part":%d}`, no))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !json.Valid([]byte(e)) {
			t.Fatalf("not JSON: %s", e)
		}
		if data, err = appendRecord(data, []byte(e)); err != nil {
			t.Fatal(err)
		}
	}
	return part{no: no, name: nameOf(uint64(no)), data: data}
}

// RB-4: the runs of a program lie on one axis. Times by hand: the first run begins 100 s
// after the boot; the second 160 s after the same boot; the third after a reboot, where
// wall time tells that 30 s have passed; the fourth after one that set the clock back.
func TestOneAxisOverRestarts(t *testing.T) {
	const s, wall0 = 1_000_000_000, 1_750_000_000_000
	run := func(boot string, zero, t, wall int64) string {
		return fmt.Sprintf(`{"t":%d,"w":%d,"run":{"version":"v","serial":"s","boot":%q,"zero":%d,"wall0":%d}}`, t, wall, boot, zero, wall-t/1e6)
	}
	note := func(t, wall int64, text string) string {
		return fmt.Sprintf(`{"t":%d,"w":%d,"note":{"kind":"note","text":%q}}`, t, wall, text)
	}
	d := draw("r1", copied{parts: []part{written(
		t, 1,
		run("b1", 100*s, 10*s, wall0), note(12*s, wall0+2000, "two"),
		run("b1", 160*s, 5*s, wall0+55_000), note(6*s, wall0+56_000, "fifty-six"),
		run("b2", 20*s, 1*s, wall0+86_000), note(2*s, wall0+87_000, "eighty-seven"),
		run("b3", 20*s, 1*s, wall0-9_000_000), note(4*s, wall0-8_997_000, "ninety"),
	)}}, "v", "s", wall())
	want := map[string]float64{"two": 2000, "fifty-six": 56_000, "eighty-seven": 87_000, "ninety": 90_000}
	for _, n := range d.Lanes.Notes {
		if n.Kind == "note" && n.TMs != want[n.Text] {
			t.Errorf("%s at %v ms", n.Text, n.TMs)
		}
	}
	if d.SpanMs != 90_000 || len(d.Lanes.Notes) != 8 || d.StartedAt != stamp(wall0) {
		t.Errorf("span %v, %d notes, began %s", d.SpanMs, len(d.Lanes.Notes), d.StartedAt)
	}
}

// A command without an outcome is pending, an outcome without a command is none; a frame
// from before lies before; a state without a fault's code keeps the code of before.
func TestLanes(t *testing.T) {
	d := draw("r1", copied{robot: "R1", live: true, parts: []part{written(
		t, 1,
		`{"t":1000000000,"w":1750000000000,"run":{"version":"v","serial":"s","zero":0,"wall0":1749999999000}}`,
		`{"t":1000000000,"w":1750000000000,"cmd":{"n":1,"verb":"landing_call","floor":"G","reason":"why"}}`,
		`{"t":900000000,"frame":{"line":"l","o":true,"d":"AQY=","n":300,"cmd":1}}`,
		`{"t":1020000000,"w":1750000000020,"out":{"n":1,"result":"refused","code":"7"}}`,
		`{"t":1030000000,"w":1750000000030,"cmd":{"n":2,"verb":"hold","reason":"why","lives_ms":500}}`,
		`{"t":1040000000,"w":1750000000040,"out":{"n":9,"result":"done"}}`,
		`{"t":1050000000,"w":1750000000050,"state":{"from":"WAITING","to":"FAULT","phase":"recovering","code":"WAIT_TIMEOUT"}}`,
		`{"t":1060000000,"w":1750000000060,"car":{"floor":"G","motion":"stopped","link":"online","mode":"normal","doors":[{"side":"front","door":"open"},{"side":"rear","door":"closed"}]}}`,
		`{"t":1070000000,"w":1750000000070,"car":{"motion":"stopped","link":"offline","mode":"normal","doors":[{"side":"front","door":"closing"},{"side":"rear","door":"closed"}]}}`,
		`{"t":1080000000,"w":1750000000080,"state":{"from":"FAULT","to":"REQUESTING","phase":"calling"}}`,
	)}}, "v", "s", wall())
	c := d.Lanes.Commands
	if len(c) != 2 || c[0].Result != "refused" || c[0].Code != "7" || *c[0].TookMs != 20 || c[1].Result != "pending" || c[1].UntilMs != nil || *c[1].LivesMs != 500 || c[0].LivesMs != nil {
		t.Errorf("commands %+v", c)
	}
	if f := d.Lanes.Frames; len(f) != 1 || f[0].TMs != 0 || f[0].Hex != "0106" || !f[0].Cut || f[0].Bytes != 300 || f[0].At != stamp(1749999999900) {
		t.Errorf("frames %+v", f)
	}
	if c[0].TMs != 100 || d.LastFault != "WAIT_TIMEOUT" || !d.Faulted || !d.Running || d.State != "REQUESTING" {
		t.Errorf("%+v", d)
	}
	l := d.Lanes
	if len(l.Door) != 3 || l.Door[1].UntilMs != nil || *l.Door[0].UntilMs != 170 || l.Door[2].Door != "closing" {
		t.Errorf("doors %+v", l.Door)
	}
	if len(l.Floor) != 2 || l.Floor[1].Floor != "" || len(l.Motion) != 1 || len(l.Lift) != 2 {
		t.Errorf("floor %+v motion %+v lift %+v", l.Floor, l.Motion, l.Lift)
	}
	if raw, _ := json.Marshal(d); !json.Valid(raw) || fsm.State(d.State) != fsm.Requesting {
		t.Error("no JSON")
	}
}
