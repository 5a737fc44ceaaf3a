package picture

import (
	"bytes"
	"errors"
	"io"
	"os"
	"reflect"
	"strings"
	"testing"
)

func one(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("testdata/one.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// SM-7: a recording written by hand is read, and written again as it was.
func TestReadAndWrite(t *testing.T) {
	src := one(t)
	h, frames, err := Read(strings.NewReader(src))
	if err != nil {
		t.Fatal(err)
	}
	if len(frames) != 2 || h.Seed != 7 || !h.Virtual || h.Floors[1] != (Floor{"G", 3300}) || !reflect.DeepEqual(h.Lifts[0].Doors["G"], []string{"front", "rear"}) {
		t.Errorf("read %+v and %d frames", h, len(frames))
	}
	car := frames[1].Cars[0]
	if car.PositionMM != 120 || car.SpeedMMS != 400 || car.Floor != "" || car.SeenDoors["front"] != "closed" || !car.Blocked || car.Error != 3 {
		t.Errorf("car %+v", car)
	}
	if w := frames[1].Wires[0]; w != (Wire{"L1", true, 9, 8, 1, 2, "car call G"}) {
		t.Errorf("wire %+v", w)
	}
	var out bytes.Buffer
	if err := Write(&out, h, frames); err != nil {
		t.Fatal(err)
	}
	if out.String() != src {
		t.Errorf("written as\n%s\nread from\n%s", out.String(), src)
	}
}

// SM-7: every way in which a recording can be wrong, with its line and its reason.
func TestReadIsStrict(t *testing.T) {
	src := one(t)
	for _, c := range []struct {
		name, old, now string
		want           string
	}{
		{"nothing", src, "", "line 1: there is no header"},
		{"no JSON", `{"hoistway`, `hoistway`, "line 1: not a recording"},
		{"another format", `picture":1`, `picture":2`, "line 1: not a recording of this format: hoistway_picture is 2, want 1"},
		{"unknown key of the header", `"seed":7`, `"sead":7`, `line 1: json: unknown field "sead"`},
		{"no floors", `"floors":[{"label":"B1","height_mm":0},{"label":"G","height_mm":3300}]`, `"floors":[]`, "line 1: 0 floors"},
		{"floors upside down", `3300`, `0`, `line 1: floor "G" at 0 mm is not above`},
		{"a floor twice", `"label":"G"`, `"label":"B1"`, `line 1: floor "B1" twice`},
		{"a side that is none", `"front","rear"`, `"front","roof"`, `line 1: lift "L1": a door at the side "roof"`},
		{"a recall to nowhere", `"recall":"G"`, `"recall":"Z"`, `line 1: lift "L1": recall to floor "Z"`},
		{"unknown key of a frame", `"position_mm":0`, `"position":0`, `line 2: json: unknown field "position"`},
		{"null for a number", `"position_mm":0`, `"position_mm":null`, "line 2: null"},
		{"null for a door", `"front":0.5`, `"front":null`, "line 2: null"},
		{"a door too far open", `"front":0.5`, `"front":1.5`, `line 2: car 1: door "front" open by 1.5`},
		{"a floor that is not there", `"floor":"B1","motion"`, `"floor":"9","motion"`, `line 2: car 1: at floor "9"`},
		{"time runs back", `"at_ms":0,`, `"at_ms":200,`, "line 3: at_ms 100 comes after 200"},
		{"time before the start", `"at_ms":0,`, `"at_ms":-1,`, "line 2: at_ms -1 comes after 0"},
		{"no car", `"at_ms":0,"cars":[{`, `"at_ms":0,"cars":[],"x":[{`, `line 2: json: unknown field "x"`},
		{"a lamp that is not there", `"up":["B1"]`, `"up":["9"]`, `line 3: car 1: a call at floor "9"`},
		{"a wire of no lift", `"wires":[{"lift":"L1"`, `"wires":[{"lift":"L9"`, `line 3: a wire of lift "L9"`},
		{"fewer than nobody", `"down":2`, `"down":-2`, `line 3: waiting at "G": up 0, down -2`},
		{"a wait before the call", `[1500]`, `[-1]`, "line 3: a waiting time of -1 ms"},
		{"two values in a line", "}\n{\"at_ms\":100", "} {\"at_ms\":100", "line 2: more than one JSON value"},
		{"a torn end", "\"ride_waits_ms\":[9000]}\n", `"ride_wai`, "line 3: unexpected EOF"},
		{"a line without its end", "[9000]}\n", "[9000]}", "line 3: unexpected EOF"},
		{"an empty line", "\n{\"at_ms\":100", "\n\n{\"at_ms\":100", "line 3: EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if !strings.Contains(src, c.old) {
				t.Fatalf("the recording has no %s", c.old)
			}
			_, frames, err := Read(strings.NewReader(strings.Replace(src, c.old, c.now, 1)))
			if err == nil || !strings.HasPrefix(err.Error(), c.want) {
				t.Errorf("said %v, want %s", err, c.want)
			}
			if strings.HasPrefix(c.want, "line 3") && len(frames) != 1 {
				t.Errorf("%d frames came with the error, want the one before it", len(frames))
			}
		})
	}
}

// endless gives the same line for ever.
type endless struct {
	line []byte
	at   int
}

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, e.line[e.at:])
	e.at = (e.at + n) % len(e.line)
	return n, nil
}

// SM-7: a recording without an end does not fill the memory.
func TestReadIsBounded(t *testing.T) {
	_, _, err := Read(&endless{line: []byte("aaaa")})
	if !errors.Is(err, ErrTooLong) {
		t.Errorf("an endless line: %v", err)
	}
	lines := strings.SplitAfter(one(t), "\n")
	frame := `{"at_ms":0,"cars":[{}],"cloud":{}}` + "\n"
	_, frames, err := Read(io.MultiReader(strings.NewReader(lines[0]), &endless{line: []byte(frame)}))
	if !errors.Is(err, ErrTooLong) || len(frames) != MaxFrames {
		t.Errorf("endless frames: %d, %v", len(frames), err)
	}
}

// SM-7: what is recorded can be read; what could not be is refused, and leaves no trace.
func TestRecorderWritesWhatCanBeRead(t *testing.T) {
	var out bytes.Buffer
	bad := Header{Picture: Format, Floors: []Floor{{"G", 0}}}
	if _, err := NewRecorder(&out, bad); err == nil || out.Len() > 0 {
		t.Errorf("a header without lifts: %v, wrote %q", err, out.String())
	}
	h := Header{Picture: Format, Floors: []Floor{{"G", 0}}, Lifts: []Lift{{ID: "L1", Doors: map[string][]string{"G": nil}}}}
	r, err := NewRecorder(&out, h)
	if err != nil {
		t.Fatal(err)
	}
	f := Frame{AtMS: 5, Cars: make([]Car, 1)}
	for _, step := range []struct {
		f  Frame
		ok bool
	}{{f, true}, {Frame{AtMS: 6}, false}, {Frame{AtMS: 4, Cars: f.Cars}, false}, {Frame{AtMS: 5, Cars: f.Cars}, true}} {
		if err := r.Frame(step.f); (err == nil) != step.ok {
			t.Errorf("frame %+v: %v", step.f, err)
		}
	}
	got, frames, err := Read(&out)
	if err != nil || len(frames) != 2 || len(got.Lifts) != 1 {
		t.Errorf("read %+v, %d frames, %v", got, len(frames), err)
	}
	if f.Cars[0].Doors != nil {
		t.Error("the recorder wrote into the caller's frame")
	}
}

// counting is how much was read of an endless recording.
type counting struct {
	io.Reader
	n int
}

func (c *counting) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += n
	return n, err
}

// SM-7: whether there is something to show costs the first frame, not hours of them.
func TestEachStopsWhenTold(t *testing.T) {
	src := one(t)
	last := strings.SplitAfter(src, "\n")[2]
	e := &counting{Reader: io.MultiReader(strings.NewReader(src), &endless{line: []byte(last)})}
	frames := 0
	h, err := Each(e, func(Frame) bool { frames++; return frames < 2 })
	if err != nil || frames != 2 || h.Seed != 7 {
		t.Errorf("%d frames, header %+v, %v", frames, h, err)
	}
	if e.n > 256<<10 {
		t.Errorf("read %d bytes for two frames", e.n)
	}
}
