package modbus

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// dialogue is a file of frames beside a bundled profile: what a device of that kind is
// asked and answers, what a command sends. The frames are put together by hand from the
// sources that the profile names; another program made the checksums.
type dialogue struct {
	link    string
	floors  elevator.Table
	answers map[string]string
	see     string
	do      []saying
}

type saying struct {
	line string
	sent []string
}

func readTalk(t *testing.T, file string) (k dialogue) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	k.answers = map[string]string{}
	for line := range strings.Lines(string(text)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		switch word {
		case "link":
			k.link = "modbus+rtu:///x?" + rest
		case "floors":
			k.floors = landings(rest)
		case "ask":
			q, a, _ := strings.Cut(rest, " -> ")
			k.answers[q] = a
		case "see":
			k.see = rest
		case "do":
			k.do = append(k.do, saying{line: rest})
		case "sent":
			last := &k.do[len(k.do)-1]
			last.sent = append(last.sent, rest)
		case "none", "#", "":
		default:
			t.Fatalf("%s: no such word %q", file, word)
		}
	}
	return k
}

func landings(text string) (out elevator.Table) {
	for f := range strings.FieldsSeq(text) {
		label, rest, _ := strings.Cut(f, "=")
		num, _, _ := strings.Cut(rest, "/")
		n, _ := strconv.Atoi(num)
		out = append(out, elevator.Landing{Label: label, Wire: n, Doors: []elevator.Side{elevator.Front}})
	}
	return out
}

// Each bundled profile, over the real frames: what it asks is asked so, what is
// answered means that, each command is these bytes and no others.
// DR-4, DR-7
func TestFramesOfTheCatalog(t *testing.T) {
	told := map[string]bool{}
	files, _ := filepath.Glob("testdata/frames/*.txt")
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txt")
		told[name] = true
		t.Run(name, func(t *testing.T) { play(t, name, readTalk(t, file)) })
	}
	for _, id := range profiles.IDs() {
		src, _ := profiles.Lookup(id)
		p, _ := profiles.Parse(id, src)
		if p.Protocol == "modbus" && !p.Draft() && id != "bench/modbus-lift" && !told[strings.ReplaceAll(id, "/", "-")] {
			t.Errorf("%s has no frames, and is not a draft", id)
		}
	}
}

func play(t *testing.T, name string, k dialogue) {
	i := slices.IndexFunc(profiles.IDs(), func(id string) bool { return strings.ReplaceAll(id, "/", "-") == name })
	if i < 0 {
		t.Fatal("no such profile")
	}
	src, _ := profiles.Lookup(profiles.IDs()[i])
	p, faults := profiles.Parse(name, src)
	if p == nil {
		t.Fatal(faults)
	}
	strange := map[string]bool{}
	f := &far{}
	f.answer = func(q string, _ int) (time.Duration, string) {
		a, known := k.answers[q]
		switch {
		case known:
			return 0, a
		case q[3:5] == "05" || q[3:5] == "06":
			return 0, q
		case q[3:5] == "0F" || q[3:5] == "10":
			return 0, crc(q[:17])
		}
		strange[q] = true
		return 0, ""
	}
	fieldWith(t, k.link, f, p, k.floors, func(l *link) {
		time.Sleep(3 * time.Second)
		s := l.snapshot()
		if got := seen(&s, k.floors); got != k.see {
			t.Errorf("seen %s, want %s", got, k.see)
		}
		for n, d := range k.do {
			doing(t, l, f, k.floors, n, d)
		}
	})
	f.mu.Lock()
	defer f.mu.Unlock()
	for q := range strange {
		t.Errorf("asked %s, which no answer stands for", q)
	}
}

// doing gives one command and holds the writes against what is due. Reads that belong
// to a write stand among them; polls do not.
func doing(t *testing.T, l *link, f *far, floors elevator.Table, n int, d saying) {
	t.Helper()
	c := commandOf(d.line, floors)
	c.ID = elevator.CommandID{Ride: "r", N: uint32(n + 1)}
	life := 4 * time.Second
	if _, text, ok := strings.Cut(d.line, "life="); ok {
		life, _ = time.ParseDuration(text)
	}
	c.Until = l.env.Now().Add(life)
	before := len(f.all())
	o := l.Do(context.Background(), c)
	time.Sleep(900 * time.Millisecond)
	var sent []string
	for _, q := range f.all()[before:] {
		_, polled := l.polled(q)
		renewed := slices.Contains(f.all()[:before], q) && !slices.Contains(d.sent, q) // a level of a command before
		if !polled && !renewed {
			sent = append(sent, q)
		}
	}
	if (o.Result == elevator.Done) != (len(d.sent) > 0) || !slices.Equal(sent, d.sent) {
		t.Errorf("%s: %+v\nsent %s\nwant %s", d.line, o, strings.Join(sent, "\n     "), strings.Join(d.sent, "\n     "))
	}
}

// polled reports a question of the read plan.
func (l *link) polled(q string) (profiles.Block, bool) {
	for _, b := range l.blocks {
		fn := map[profiles.Table]int{profiles.Coils: 1, profiles.DiscreteInputs: 2, profiles.HoldingRegisters: 3, profiles.InputRegisters: 4}[b.Table]
		if strings.HasPrefix(q[3:], fmt.Sprintf("%02X %02X %02X %02X %02X", fn, b.Addr>>8, b.Addr&0xFF, b.Count>>8, b.Count&0xFF)) {
			return b, true
		}
	}
	return profiles.Block{}, false
}

func commandOf(line string, floors elevator.Table) (c elevator.Command) {
	fields := strings.Fields(line)
	c.Verb, _ = elevator.ParseVerb(fields[0])
	for _, kv := range fields[1:] {
		switch k, v, _ := strings.Cut(kv, "="); k {
		case "floor":
			c.Floor = floors.ByLabel(v)
		case "direction":
			c.Direction, _ = elevator.ParseDirection(v)
		case "side":
			c.Side, _ = elevator.ParseSide(v)
		case "car":
			c.Car = v == "true"
		case "notice":
			for n := elevator.Entered; n <= elevator.GaveUpLeaving; n++ {
				if n.String() == v {
					c.Notice = n
				}
			}
		}
	}
	return c
}

// seen words what is known of the car.
func seen(s *elevator.Snapshot, floors elevator.Table) string {
	var out []string
	add := func(name string, at elevator.Instant, failed bool, v string) {
		if at != 0 && !failed {
			out = append(out, name+"="+v)
		}
	}
	add("floor", s.Floor.At, s.Floor.Failed, floors.Label(s.Floor.Value))
	add("motion", s.Motion.At, s.Motion.Failed, s.Motion.Value.String())
	add("door", s.Doors[1].At, s.Doors[1].Failed, s.Doors[1].Value.String())
	add("mode", s.Mode.At, s.Mode.Failed, s.Mode.Value.String())
	for _, a := range []struct {
		name string
		v    elevator.Seen[elevator.Tri]
	}{
		{"overload", s.Overload},
		{"obstruction", s.Obstruction},
		{"emergency_stop", s.EmergencyStop},
		{"may_enter", s.MayEnter},
		{"may_leave", s.MayLeave},
		{"claimed", s.Claimed},
	} {
		add(a.name, a.v.At, a.v.Failed, a.v.Value.String())
	}
	if s.CarCalls.At != 0 {
		for i := range floors {
			if s.CarCalls.Value.Has(elevator.Floor(i + 1)) {
				out = append(out, "car_calls="+floors[i].Label)
			}
		}
	}
	add("vendor", s.Vendor.At, s.Vendor.Failed, strconv.Itoa(int(s.Vendor.Value)))
	return strings.Join(out, " ")
}
