package config

import (
	"bytes"
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"

	"hoistway/drivers"
	"hoistway/drivers/all"
	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles/strict"
)

var update = flag.Bool("update", false, "write the generated parts of README.md")

func TestSampleIsFine(t *testing.T) {
	parse(t, string(Sample()))
	all := string(everything())
	before, rest, ok := strings.Cut(all, "robot:\n  displacement") // of the other kind
	_, after, ok2 := strings.Cut(rest, "\napi:")
	if !ok || !ok2 {
		t.Fatal("the sample shows no robot")
	}
	parse(t, before+"api:"+after)
}

// everything is the sample with its commented settings taken in.
func everything() []byte {
	return regexp.MustCompile(`(?m)^(\s*)#(\S)`).ReplaceAll(Sample(), []byte("$1$2"))
}

// The sample's optional values are the defaults.
func TestSampleEqualsDefaults(t *testing.T) {
	schema := Schema()
	root, _ := strict.Read("sample.yaml", everything(), &schema)
	n := 0
	walk(root, func(v *strict.Value, k strict.Key) {
		given := v.Get(k.Name)
		if k.Default == "" || !given.Given() {
			return
		}
		n++
		of := strict.Keys(k)
		fallback := strict.Defaults(&of).Get(k.Name)
		if given.Text() != fallback.Text() || given.Int() != fallback.Int() || given.Float() != fallback.Float() || given.Bool() != fallback.Bool() {
			t.Errorf("%s differs from its default %s", given.Path(), k.Default)
		}
	})
	if n < 12 {
		t.Errorf("only %d defaults were seen", n)
	}
}

// The sample shows every key that there is.
func TestSampleIsComplete(t *testing.T) {
	schema := Schema()
	root, _ := strict.Read("sample.yaml", everything(), &schema)
	shown := map[string]bool{}
	index := regexp.MustCompile(`\[\d+\]`)
	walk(root, func(v *strict.Value, k strict.Key) {
		if c := v.Get(k.Name); c.Given() {
			shown[index.ReplaceAllString(c.Path(), "[]")] = true
		}
	})
	for row := range strings.Lines(strict.Reference(&schema)) {
		cells := strings.Split(row, "|")
		key := strings.Trim(cells[1], " `")
		taken := !strings.Contains(cells[3], "not taken")
		if key != "key" && key != "---" && taken && !shown[key] {
			t.Errorf("the sample does not show %s", key)
		}
	}
}

func walk(v *strict.Value, visit func(*strict.Value, strict.Key)) {
	if v.Schema() == nil || !v.Given() {
		return
	}
	for _, k := range v.Schema().Keys {
		visit(v, k)
		walk(v.Get(k.Name), visit)
	}
	for _, i := range v.Items() {
		walk(i, visit)
	}
}

// The README's table of keys is written by the schema.
func TestReferenceIsFresh(t *testing.T) {
	schema := Schema()
	spliced(t, "README.md", strict.Reference(&schema))
}

func spliced(t *testing.T, file, table string) {
	t.Helper()
	have, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const start, end = "<!-- generated: go test -update -->\n", "<!-- end -->\n"
	before, rest, ok1 := strings.Cut(string(have), start)
	_, after, ok2 := strings.Cut(rest, end)
	if !ok1 || !ok2 {
		t.Fatalf("%s has no place for the table", file)
	}
	want := []byte(before + start + table + end + after)
	if bytes.Equal(have, want) {
		return
	}
	if !*update {
		t.Fatalf("%s is stale: go test ./agent/config -update", file)
	}
	if err := os.WriteFile(file, want, 0o644); err != nil {
		t.Fatal(err)
	}
}

// A link that passes here is taken by the drivers, with the defaults filled in and
// as it stands; one that the drivers refuse does not pass here.
func TestDriversAgreeOnLinks(t *testing.T) {
	for _, c := range []struct {
		link string
		fine bool
	}{
		{"modbus+tcp://127.0.0.1:1502?unit=1", true},
		{"modbus+tcp://plc.example", true},
		{"modbus+tcp://[::1]:502?unit=255&timeout=2s", true},
		{"modbus+tcp://10.0.0.7?unit=0", true},
		{"modbus+tcp://10.0.0.7/?unit=247", true},
		{"modbus+rtu+tcp://10.0.0.7:4001?unit=3", true},
		{"modbus+rtu:///dev/ttyS0", true},
		{"https://lifts.example/api?lift=7&attach=a&secrets=/etc/hoistway/lifts.secrets&unsigned=accepted", true},
		{"https:///api?lift=7", false},
		{"https://me:secret@lifts.example/api", false},
		{"https://lifts.example/api#7", false},
		{"modbus+rtu:///dev/serial/by-id/usb-FTDI_x-if00-port0?baud=19200&parity=even&stop=2&unit=9", true},
		{"modbus+tcp://:502", false},
		{"modbus+tcp://10.0.0.7:0", false},
		{"modbus+tcp://10.0.0.7?unit=248", false},
		{"modbus+tcp://10.0.0.7?baud=9600", false},
		{"modbus+tcp://10.0.0.7?timeout=1ms", false},
		{"modbus+tcp://10.0.0.7/path", false},
		{"modbus+tcp://me@10.0.0.7", false},
		{"modbus+tcp://10.0.0.7#x", false},
		{"modbus+rtu+tcp://10.0.0.7?unit=0", false},
		{"modbus+rtu://ttyS0", false},
		{"modbus+rtu:///", false},
		{"modbus+rtu:///dev/ttyS0?baud=1", false},
		{"modbus+rtu:///dev/ttyS0?parity=mark", false},
		{"modbus+rtu:///dev/ttyS0?stop=3", false},
		{"serial:///dev/ttyS0?baud=57600&data=7&elevator=3", true},
		{"serial+tcp://10.0.0.7:4001?robot=3", true},
		{"serial+udp://10.0.0.7:52000?listen=:52000", true},
		{"serial://ttyS0", false},
		{"serial+tcp://10.0.0.7", false},
		{"serial+tcp://10.0.0.7:4001?robot=x", false},
		{"serial+udp://10.0.0.7:52000?baud=9600&baud=1", false},
		{"hoistway+https://10.0.0.7:8732", true},
		{"hoistway+http://127.0.0.1?lift=L2", true},
		{"hoistway+https://", false},
	} {
		profile := "bench/modbus-lift"
		switch {
		case strings.HasPrefix(c.link, "serial"):
			profile = "bench/frame-lift"
		case strings.HasPrefix(c.link, "http"):
			profile = "bench/push-lift"
		}
		l := Lift{ID: "L1", Profile: profile, Link: c.link, Floors: []Floor{{Label: "G", Wire: 1, Doors: []string{"front"}}}}
		u := l.URL()
		if (u != nil) != c.fine {
			t.Errorf("%s: taken here: %v", c.link, u != nil)
		}
		if u == nil {
			continue
		}
		conf := Config{Lifts: []Lift{l}}
		name, src := conf.ProfileSource("L1")
		env := drivers.Env{}
		r, err := all.Builtin(fieldbus.NewLines(env), env)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := r.New(drivers.Spec{Lift: "L1", URL: u, ProfileName: name, Profile: src, Floors: l.Table()}); err != nil {
			t.Errorf("%s: the driver says %v", c.link, err)
		}
	}
}

// Each value's place is where it stands, comments and all.
func TestPlaces(t *testing.T) {
	schema := Schema()
	src := everything()
	root, _ := strict.Read("sample.yaml", src, &schema)
	lines := strings.Split(string(src), "\n")
	n := 0
	walk(root, func(v *strict.Value, k strict.Key) {
		c := v.Get(k.Name)
		if !c.Given() || c.Text() == "" {
			return
		}
		n++
		f := c.Fault("", "")
		if at := strings.TrimLeft(lines[f.Line-1][f.Col-1:], `"`); !strings.HasPrefix(at, c.Text()) {
			t.Errorf("%s is told at %d:%d, where %q stands", f.Path, f.Line, f.Col, at)
		}
	})
	if n < 25 {
		t.Errorf("only %d values were seen", n)
	}
}
