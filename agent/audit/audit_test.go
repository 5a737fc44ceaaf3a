package audit

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"hoistway/agent/core"
	"hoistway/fsm/elevator"
)

func file(t *testing.T) *File { return &File{Path: filepath.Join(t.TempDir(), "sub", FileName)} }

func act(what string) Entry {
	return Entry{At: time.UnixMilli(0).UTC(), By: "t", What: what, Outcome: "asked"}
}

func numbers(list []Entry) (out []uint64) {
	for _, e := range list {
		out = append(out, e.N)
	}
	return out
}

// SE-7: entries are numbered, survive a restart, and are only appended.
func TestAppendOnly(t *testing.T) {
	f := file(t)
	for i := range 3 {
		if err := f.Write(act(fmt.Sprint("act ", i))); err != nil {
			t.Fatal(err)
		}
	}
	before, _ := os.ReadFile(f.Path)
	again := &File{Path: f.Path}
	if err := again.Write(act("after the restart")); err != nil {
		t.Fatal(err)
	}
	after, _ := os.ReadFile(f.Path)
	list, err := again.Last(10)
	if err != nil || fmt.Sprint(numbers(list)) != "[1 2 3 4]" || !bytes.HasPrefix(after, before) {
		t.Errorf("%v %v", list, err)
	}
	if list, _ := again.Last(2); len(list) != 2 || list[1].What != "after the restart" {
		t.Errorf("the last two: %+v", list)
	}
}

// SE-7: power goes at any byte of the last line: the lines before it stay, the next one
// stands by itself, and its number tells whether one is missing.
func TestTornLine(t *testing.T) {
	f := file(t)
	for range 3 {
		if err := f.Write(act("act")); err != nil {
			t.Fatal(err)
		}
	}
	whole, _ := os.ReadFile(f.Path)
	two := bytes.LastIndexByte(whole[:len(whole)-1], '\n') + 1
	for cut := two; cut <= len(whole); cut++ {
		x := file(t)
		if err := os.MkdirAll(filepath.Dir(x.Path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(x.Path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		if err := x.Write(act("next")); err != nil {
			t.Fatal(err)
		}
		want := "[1 2 3]"
		if cut == len(whole) {
			want = "[1 2 3 4]"
		}
		if list, _ := x.Last(10); fmt.Sprint(numbers(list)) != want || list[len(list)-1].What != "next" {
			t.Errorf("cut at %d: %+v", cut, list)
		}
	}
}

// SE-7: bounded, and the newest stay.
func TestBounded(t *testing.T) {
	f := file(t)
	f.Max = 10 << 10
	for range 400 {
		if err := f.Write(Entry{What: strings.Repeat("x", 200), Outcome: "done"}); err != nil {
			t.Fatal(err)
		}
	}
	var sum int64
	files, _ := os.ReadDir(filepath.Dir(f.Path))
	for _, x := range files {
		info, _ := x.Info()
		sum += info.Size()
	}
	list, _ := f.Last(1000)
	if sum > 3*f.Max || len(files) != 2 || list[len(list)-1].N != 400 || len(list) < 30 {
		t.Errorf("%d bytes in %d files, %d entries to %d", sum, len(files), len(list), list[len(list)-1].N)
	}
	if !slices.IsSortedFunc(list, func(a, b Entry) int { return int(a.N) - int(b.N) }) {
		t.Error("out of order")
	}
	if err := f.Write(Entry{What: strings.Repeat("x", lineMax), Outcome: "done"}); err == nil {
		t.Error("an entry without end was taken")
	}
	if err := f.Write(act("after it")); err != nil {
		t.Error(err)
	}
}

// Writers at once: each entry whole, each number once.
func TestAtOnce(t *testing.T) {
	f := file(t)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				if err := f.Write(act("act")); err != nil {
					t.Error(err)
				}
				if _, err := f.Last(5); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	list, _ := f.Last(1000)
	for i, n := range numbers(list) {
		if n != uint64(i+1) {
			t.Fatalf("number %d at place %d", n, i)
		}
	}
	if len(list) != 160 {
		t.Errorf("%d entries", len(list))
	}
}

// SE-7: commands whose outcome never comes take no more room than a bounded list; what still comes of
// one that was forgotten is noted.
func TestUnansweredCommandsAreBounded(t *testing.T) {
	w := &Witness{Log: New(t.TempDir(), slog.New(slog.DiscardHandler))}
	id := func(n uint32) elevator.CommandID { return elevator.CommandID{Ride: "r1", N: n} }
	for n := range uint32(maxAsked + 2) {
		w.Given(core.Command{Lift: "L1", Command: elevator.Command{ID: id(n + 1), Verb: elevator.Hold}}, true, core.Time{})
	}
	if len(w.asked) != maxAsked || w.asked[0].ID != "r1/3" {
		t.Errorf("%d are remembered, from %s", len(w.asked), w.asked[0].ID)
	}
	w.Stepped(core.Answered{Outcome: elevator.Outcome{ID: id(1)}}, nil, nil, core.Time{})
	w.Stepped(core.Answered{Outcome: elevator.Outcome{ID: id(4)}}, nil, nil, core.Time{})
	if len(w.asked) != maxAsked-1 || w.asked[0].ID != "r1/3" || w.asked[1].ID != "r1/5" {
		t.Errorf("%d are remembered, from %s, %s", len(w.asked), w.asked[0].ID, w.asked[1].ID)
	}
}

// SE-7: a command stands in the audit before and after, with who, what, why and what came
// of it, in the words of the building.
func TestCommands(t *testing.T) {
	l := New(t.TempDir(), slog.New(slog.DiscardHandler))
	w := &Witness{Log: l, Tables: map[string]elevator.Table{"L1": {{Label: "B1"}, {Label: "G"}}}}
	id := elevator.CommandID{Ride: "r1", N: 3}
	at := core.Time{Now: 5, Wall: 1_750_000_000_000}
	w.Given(core.Command{Lift: "L1", Command: elevator.Command{
		ID: id, Verb: elevator.LandingCall, Floor: 2, Side: elevator.Front, Direction: elevator.Up, Reason: "a robot waits",
	}}, false, at)
	w.Stepped(core.Tick{}, nil, nil, at)
	w.Stepped(core.Answered{Outcome: elevator.Outcome{ID: id, Result: elevator.Refused, Code: "7", Detail: "out of order"}}, nil, nil, at)
	w.Stepped(core.Answered{Outcome: elevator.Outcome{ID: elevator.CommandID{Ride: "r0", N: 1}}}, nil, nil, at) // of before a restart
	ctx, end := context.WithCancel(t.Context())
	end()
	if err := l.Run(ctx); err != nil {
		t.Fatal(err)
	}
	list, err := l.Last(true, 10)
	if err != nil || len(list) != 3 {
		t.Fatalf("%+v %v", list, err)
	}
	asked := Entry{
		N: 1, At: time.UnixMilli(1_750_000_000_000).UTC(), By: "ride r1", What: "landing_call", Lift: "L1", Ride: "r1", ID: "r1/3",
		Why: "a robot waits", Outcome: "asked", Detail: "G front up",
	}
	came := asked
	came.N, came.Outcome, came.Code, came.Detail = 2, "refused", "7", "out of order"
	if fmt.Sprint(list[0]) != fmt.Sprint(asked) || fmt.Sprint(list[1]) != fmt.Sprint(came) || list[2].Outcome != "unknown" || list[2].ID != "r0/1" {
		t.Errorf("%+v", list)
	}
	if len(w.asked) != 0 {
		t.Errorf("still waited for: %v", w.asked)
	}
	if acts, _ := l.Last(false, 10); len(acts) != 0 {
		t.Errorf("a command among the acts of people: %+v", acts)
	}
}

// SE-7: a flood of commands, or a disk that takes none, never blocks; what is missing is
// counted and said once it works again.
func TestLostIsSaid(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		blocked := filepath.Join(dir, outputsName)
		if err := os.Mkdir(blocked, 0o700); err != nil {
			t.Fatal(err)
		}
		l := New(dir, slog.New(slog.DiscardHandler))
		for range maxQueue + 10 {
			l.Output(act("hold"))
		}
		ctx, end := context.WithCancel(t.Context())
		done := make(chan error, 1)
		go func() { done <- l.Run(ctx) }()
		time.Sleep(time.Minute) // each failed try costs a batch, and a rest
		if err := os.Remove(blocked); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		l.Output(act("again"))
		time.Sleep(time.Second)
		end()
		if err := <-done; err != nil {
			t.Error(err)
		}
		list, err := l.Last(true, 10_000)
		if err != nil || list[0].What != "gap" && list[0].What != "again" {
			t.Fatalf("%+v %v", list[0], err)
		}
		lost := uint64(0)
		for _, e := range list {
			lost += e.Lost
		}
		if said := lost + uint64(len(list)) - 1; lost == 0 || said != maxQueue+10+1 {
			t.Errorf("%d entries and %d lost of %d", len(list)-1, lost, maxQueue+11)
		}
	})
}

// SE-3: any bytes as the file.
func FuzzFile(f *testing.F) {
	f.Add([]byte(`{"n":3,"outcome":"done"}` + "\n"))
	f.Add([]byte("\n\n{"))
	f.Fuzz(func(t *testing.T, data []byte) {
		x := &File{Path: filepath.Join(t.TempDir(), "f")}
		if err := os.WriteFile(x.Path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		before := parse(data)
		if err := x.append(false, act("next")); err != nil {
			t.Fatal(err)
		}
		list, err := x.Last(1 << 20)
		if err != nil || len(list) == 0 || list[len(list)-1].What != "next" {
			t.Fatalf("%v %v", list, err)
		}
		if whole := bytes.HasSuffix(data, []byte("\n")); whole && len(list) != len(before)+1 {
			t.Fatalf("%d entries before, %d after", len(before), len(list))
		}
	})
}
