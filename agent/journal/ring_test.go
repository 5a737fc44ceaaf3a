package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/fsm"
)

func wall() time.Time { return time.UnixMilli(1_750_000_000_000) }

func open(t testing.TB, dir string, budget int64) *ring {
	t.Helper()
	r, err := openRing(dir, budget, wall, slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.close)
	return r
}

// note writes one entry of about n bytes.
func note(t testing.TB, r *ring, to *tape, text string) {
	t.Helper()
	add(t, r, to, entry{T: 1, W: 1, Note: &notePart{Kind: "note", Text: text}})
}

func state(t testing.TB, r *ring, to *tape, s fsm.State) {
	t.Helper()
	add(t, r, to, entry{T: 1, W: 1, State: &statePart{To: s, Phase: "p"}})
}

func add(t testing.TB, r *ring, to *tape, e entry) {
	t.Helper()
	body, err := bodyOf(e)
	if err != nil {
		t.Fatal(err)
	}
	framed, err := appendRecord(nil, body)
	if err != nil {
		t.Fatal(err)
	}
	var s fsm.State
	if e.State != nil {
		s = e.State.To
	}
	if err := r.put(to, framed, s); err != nil {
		t.Fatal(err)
	}
}

func texts(t testing.TB, r *ring, ride string) (list, damage []string) {
	t.Helper()
	c, err := r.read(ride)
	if err != nil {
		t.Fatal(err)
	}
	d := draw(ride, c, "v", "s", wall())
	for _, n := range d.Lanes.Notes {
		list = append(list, n.Text)
	}
	return list, d.Damage
}

// usedOn is what the files of a folder really take.
func usedOn(t testing.TB, dir string) (sum int64) {
	t.Helper()
	files, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		info, err := f.Info()
		if err != nil {
			t.Fatal(err)
		}
		sum += info.Size()
	}
	return sum
}

// The frame of a record as computed by hand: the sum is that of the public test vector
// "123456789" with its length before it, by a bitwise CRC-32C of another language.
func TestRecordOnTheDisk(t *testing.T) {
	framed, err := appendRecord(nil, []byte("123456789"))
	if err != nil {
		t.Fatal(err)
	}
	want := []byte{9, 0, 0, 0, 0, 0, 0, 0, '1', '2', '3', '4', '5', '6', '7', '8', '9'}
	copy(want[4:], []byte{0x78, 0xd2, 0x17, 0x57})
	if !bytes.Equal(framed, want) {
		t.Errorf("% x, want % x", framed, want)
	}
	for _, bad := range [][]byte{nil, make([]byte, maxRecord+1)} {
		if _, err := appendRecord(nil, bad); err == nil {
			t.Errorf("a body of %d bytes was taken", len(bad))
		}
	}
	if _, _, err := nextRecord(make([]byte, 64)); err == nil {
		t.Error("zeroes pass for a record")
	}
}

// RB-4: power goes at any byte: only what follows the last whole record is lost, the
// record goes on behind it, and the loss is said.
func TestCutAtAnyByte(t *testing.T) {
	src := t.TempDir()
	r := open(t, src, Budget)
	tape := r.take("r1", "R1", false)
	ends := []int64{tape.bytes()}
	for i := range 5 {
		note(t, r, tape, fmt.Sprint("entry ", i))
		ends = append(ends, tape.bytes())
	}
	r.close()
	whole, err := os.ReadFile(filepath.Join(src, nameOf(1)))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, err := nextRecord(whole)
	if err != nil {
		t.Fatal(err)
	}
	ends[0] = int64(len(whole) - len(rest)) // of the segment's head
	for cut := range whole {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, nameOf(1)), whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		r := open(t, dir, Budget)
		kept := 0
		for _, e := range ends[1:] {
			if int64(cut) >= e {
				kept++
			}
		}
		if !r.begun("r1") { // the head itself was cut
			if int64(cut) >= ends[0] {
				t.Fatalf("cut at %d: the record is gone", cut)
			}
			if used := usedOn(t, dir); used != int64(cut) {
				t.Fatalf("cut at %d: %d bytes are left of what was put aside", cut, used)
			}
			continue
		}
		after := r.take("r1", "R1", false)
		note(t, r, after, "goes on")
		list, damage := texts(t, r, "r1")
		if len(list) != kept+1 || list[kept] != "goes on" || kept > 0 && list[kept-1] != fmt.Sprint("entry ", kept-1) {
			t.Fatalf("cut at %d: %v, want %d entries of before", cut, list, kept)
		}
		if torn := !slices.Contains(ends, int64(cut)); torn != (len(damage) > 0) {
			t.Fatalf("cut at %d: damage %v", cut, damage)
		}
		r.close()
		if again, damage := texts(t, open(t, dir, Budget), "r1"); len(again) != kept+1 || len(damage) != 0 {
			t.Fatalf("cut at %d, second opening: %v %v", cut, again, damage)
		}
	}
}

// A byte that has changed in the middle costs what follows it and is said; the file
// stays as it is, and the record goes on in another.
func TestDamageInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir, Budget)
	tape := r.take("r1", "R1", false)
	for i := range 100 {
		note(t, r, tape, fmt.Sprintf("entry %d %s", i, strings.Repeat("x", 800)))
	}
	r.close()
	path := filepath.Join(dir, nameOf(1))
	data, _ := os.ReadFile(path)
	at := bytes.Index(data, []byte("entry 40 "))
	data[at] ^= 1
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	r = open(t, dir, Budget)
	note(t, r, r.take("r1", "R1", false), "goes on")
	list, damage := texts(t, r, "r1")
	if len(list) != 41 || list[40] != "goes on" || len(damage) != 1 || !strings.Contains(damage[0], nameOf(1)) {
		t.Errorf("%d entries, damage %v", len(list), damage)
	}
	if now, _ := os.ReadFile(path); !bytes.Equal(now, data) {
		t.Error("the damaged segment was changed")
	}
}

// What is none of ours, or of another version, is put aside, counted, and goes first.
func TestForeignSegmentsArePutAside(t *testing.T) {
	dir := t.TempDir()
	other, _ := json.Marshal(segmentHead{Format: 99, Ride: "r", Part: 1})
	framed, _ := appendRecord(nil, other)
	files := map[string][]byte{
		nameOf(3): bytes.Repeat([]byte("rubbish "), 100), nameOf(4): framed, nameOf(5): nil, "12.seg": []byte("x"),
		nameOf(6): make([]byte, 3*maxSegment), "readme": []byte("not ours, left alone"),
	}
	for name, data := range files {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(filepath.Join(dir, nameOf(7)), 0o700); err != nil {
		t.Fatal(err)
	}
	r := open(t, dir, 1<<20)
	bad, _ := filepath.Glob(filepath.Join(dir, "*"+aside))
	good, _ := filepath.Glob(filepath.Join(dir, "*"+ending))
	if len(bad) != 6 || len(good) != 0 {
		t.Errorf("aside %v, left %v", bad, good)
	}
	tape := r.take("r1", "R1", false)
	for range 600 {
		note(t, r, tape, strings.Repeat("x", 1000))
	}
	if r.newest["r1"] == nil || r.total > 1<<20 {
		t.Errorf("%d bytes", r.total)
	}
	for range 600 {
		note(t, r, tape, strings.Repeat("x", 1000))
	}
	if left, _ := filepath.Glob(filepath.Join(dir, "*"+aside)); len(left) > 1 { // the folder cannot be removed by us alone
		t.Errorf("still aside: %v", left)
	}
	if _, err := os.Stat(filepath.Join(dir, "readme")); err != nil {
		t.Error("a file of somebody else is gone")
	}
}

// RB-4: the budget is kept under a flood, the oldest go first, those with a fault last,
// and of one that went it is known that it did.
func TestBudgetAndWhoOutlivesWhom(t *testing.T) {
	dir := t.TempDir()
	const budget = 200 << 10
	r := open(t, dir, budget)
	for i := range 300 {
		ride := fmt.Sprint("r", i)
		tape := r.take(ride, "R1", false)
		for range 10 {
			note(t, r, tape, strings.Repeat("x", 500))
		}
		if i%20 == 5 {
			state(t, r, tape, fsm.Fault)
		}
		state(t, r, tape, fsm.Done)
		r.finish(tape)
		if used := usedOn(t, dir); used > budget {
			t.Fatalf("%d bytes after ride %d", used, i)
		}
	}
	has := func(i int) bool { return r.begun(fmt.Sprint("r", i)) }
	for i := 5; i < 300; i += 20 {
		if !has(i) {
			t.Errorf("the faulted ride %d is gone", i)
		}
	}
	if has(0) || has(200) || !has(299) || !has(290) {
		t.Errorf("kept: 0 %v, 200 %v, 290 %v, 299 %v", has(0), has(200), has(290), has(299))
	}
	var gone *Dropped
	if _, err := r.read("r200"); !errors.As(err, &gone) || gone.Robot != "R1" {
		t.Errorf("r200: %v", err)
	}
	if _, err := r.read("never"); !errors.Is(err, ErrNone) {
		t.Errorf("never: %v", err)
	}
	r.close()
	r = open(t, dir, budget)
	if _, err := r.read("r200"); !errors.As(err, &gone) {
		t.Errorf("r200 after a restart: %v", err)
	}
	for i := 5; i < 300; i += 20 {
		if tape := r.newest[fmt.Sprint("r", i)]; tape == nil || !tape.faulted {
			t.Errorf("the faulted ride %d is no longer known as such", i)
		}
	}
}

// RB-4: what is kept is listed by ride, the newest first and also after a restart; of a ride
// whose record was begun anew, the new one.
func TestList(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir, 1<<20)
	for _, ride := range []string{"r1", "r2", "r1", "r3"} {
		tape := r.take(ride, "R1", true)
		note(t, r, tape, "x")
		if ride == "r2" {
			state(t, r, tape, fsm.Fault)
		}
		if ride != "r3" {
			r.finish(tape)
		}
	}
	names := func(n int) string {
		s := ""
		for _, k := range r.list(n) {
			s += fmt.Sprintf("%s %s %v %v, ", k.Ride, k.Robot, k.Faulted, k.Running)
			if k.Bytes <= 0 {
				t.Errorf("%s has %d bytes", k.Ride, k.Bytes)
			}
		}
		return s
	}
	if got, want := names(9), "r3 R1 false true, r1 R1 false false, r2 R1 true false, "; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got, want := names(1), "r3 R1 false true, "; got != want {
		t.Errorf("one: %q, want %q", got, want)
	}
	r.close()
	r = open(t, dir, 1<<20)
	if got, want := names(9), "r3 R1 false false, r1 R1 false false, r2 R1 true false, "; got != want {
		t.Errorf("after a restart: %q, want %q", got, want)
	}
}

// Faults alone never take the whole budget.
func TestFaultsLeaveRoom(t *testing.T) {
	r := open(t, t.TempDir(), 200<<10)
	for i := range 200 {
		tape := r.take(fmt.Sprint("f", i), "R1", false)
		note(t, r, tape, strings.Repeat("x", 3000))
		state(t, r, tape, fsm.FaultLocked)
		r.finish(tape)
	}
	tape := r.take("clean", "R1", false)
	note(t, r, tape, strings.Repeat("x", 3000))
	r.finish(tape)
	for i := range 5 {
		tape := r.take(fmt.Sprint("g", i), "R1", false)
		note(t, r, tape, strings.Repeat("x", 3000))
		state(t, r, tape, fsm.Fault)
		r.finish(tape)
	}
	if !r.begun("clean") {
		t.Error("a ride of this minute had to go for faults of before")
	}
}

// A ride that goes on for ever keeps its beginning and its end.
func TestLongRideLosesItsMiddle(t *testing.T) {
	r := open(t, t.TempDir(), Budget)
	tape := r.take("r1", "R1", false)
	for i := range 4000 {
		note(t, r, tape, fmt.Sprintf("entry %d %s", i, strings.Repeat("x", 800)))
	}
	if tape.bytes() > maxTape+maxSegment {
		t.Errorf("%d bytes", tape.bytes())
	}
	list, damage := texts(t, r, "r1")
	if !strings.HasPrefix(list[0], "entry 0 ") || !strings.HasPrefix(list[len(list)-1], "entry 3999 ") || len(damage) != 1 || !strings.Contains(damage[0], "parts 2 to") {
		t.Errorf("%.20s … %.20s, damage %v", list[0], list[len(list)-1], damage)
	}
}

// An id that is used again has a record of its own.
func TestSameIDAgain(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir, Budget)
	tape := r.take("r1", "R1", false)
	note(t, r, tape, "first")
	r.finish(tape)
	tape = r.take("r1", "R2", true)
	note(t, r, tape, "second")
	r.close()
	r = open(t, dir, Budget)
	if list, _ := texts(t, r, "r1"); len(list) != 1 || list[0] != "second" || len(r.tapes) != 2 {
		t.Errorf("%v, %d tapes", list, len(r.tapes))
	}
}

// A disk that takes nothing costs the entry and nothing that was there before.
func TestDiskThatRefuses(t *testing.T) {
	dir := t.TempDir()
	r := open(t, dir, Budget)
	tape := r.take("r1", "R1", false)
	note(t, r, tape, "before")
	_ = tape.file.Close() // whatever is written now fails
	framed, _ := appendRecord(nil, []byte(`{"t":1}`))
	if err := r.put(tape, framed, ""); err == nil {
		t.Fatal("a closed file took an entry")
	}
	tape.file = nil
	note(t, r, tape, "after")
	if list, damage := texts(t, r, "r1"); fmt.Sprint(list) != "[before after]" || len(damage) != 0 {
		t.Errorf("%v %v", list, damage)
	}
}

// SE-3: any bytes as a segment.
func FuzzSegment(f *testing.F) {
	head, _ := json.Marshal(segmentHead{Format: format, Ride: "r1", Robot: "R1", Part: 1})
	good, _ := appendRecord(nil, head)
	f.Add(good)
	body, _ := bodyOf(entry{T: 5, W: 7, State: &statePart{To: fsm.Fault}})
	more, _ := appendRecord(good, body)
	f.Add(more)
	f.Add(more[:len(more)-3])
	f.Fuzz(func(t *testing.T, data []byte) {
		n := sound(data, func(body []byte) {
			if len(body) == 0 || len(body) > maxRecord {
				t.Fatalf("a body of %d bytes", len(body))
			}
		})
		if n < 0 || n > len(data) {
			t.Fatalf("%d of %d bytes are sound", n, len(data))
		}
		c := copied{parts: []part{{1, "x", data}, {3, "y", data}}}
		d := draw("r1", c, "v", "s", wall())
		if _, err := json.Marshal(d); err != nil {
			t.Fatal(err)
		}
		for i := 1; i < len(d.Lanes.State); i++ {
			if d.Lanes.State[i].TMs < d.Lanes.State[i-1].TMs {
				t.Fatal("time runs backwards")
			}
		}
	})
}

// What looking through a full folder costs at the start of the program.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	r := open(b, dir, Budget)
	for i := 0; r.total < Budget-(64<<10); i++ {
		tape := r.take(fmt.Sprint("r", i), "R1", false)
		for range 60 {
			note(b, r, tape, strings.Repeat("x", 250))
		}
		state(b, r, tape, fsm.Done)
		tape.dirty = false
		r.finish(tape)
	}
	b.SetBytes(r.total)
	for b.Loop() {
		if _, err := openRing(dir, Budget, wall, slog.New(slog.DiscardHandler)); err != nil {
			b.Fatal(err)
		}
	}
}
