package ops

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"hoistway/sync/shadow"
)

// night0 is 2024-10-15 00:00:00 UTC, worked out by hand: 20011 days.
const night0 = int64(20011 * 24 * 3600)

// world is a fleet whose documents are the shared library's and whose clock is a number.
type world struct {
	t       *testing.T
	desk    *Desk
	docs    map[Member]shadow.Document
	seen    map[string]Seen
	now     int64
	notices []Notice
	touches []Member
	kept    map[string][]byte
}

func newWorld(t *testing.T) *world {
	w := &world{t: t, docs: map[Member]shadow.Document{}, seen: map[string]Seen{}, now: night0 + 12*3600, kept: map[string][]byte{}}
	w.desk = New(Options{Keep: true}, w)
	return w
}

func (w *world) Document(serial, name string) (shadow.Document, bool) {
	d := w.docs[Member{serial, name}]
	return d, d.Exists()
}

func (w *world) Seen(serial string) Seen { return w.seen[serial] }

// do carries out what a step wants, as the cloud around it does.
func (w *world) do(r Result, err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
	w.notices = append(w.notices, r.Notices...)
	w.touches = append(w.touches, r.Touches...)
	for _, p := range r.Puts {
		if err := p.Check(); err != nil {
			w.t.Fatal(err)
		}
		if p.Value == nil {
			delete(w.kept, p.Key)
		} else {
			w.kept[p.Key] = p.Value
		}
	}
	for _, x := range r.Writes {
		w.write(Member{x.Serial, x.Shadow}, shadow.Update{Desired: x.Desired}, x.By)
	}
}

func (w *world) write(m Member, u shadow.Update, by string) {
	w.t.Helper()
	before := w.docs[m]
	after, err := before.Apply(u, w.now)
	if err != nil {
		w.t.Fatal(err)
	}
	w.docs[m] = after
	w.do(w.desk.Changed(m, before, after, by, w.now), nil)
}

func tree(t *testing.T, text string) shadow.Tree {
	t.Helper()
	out, err := shadow.Decode([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func (w *world) desire(serial, text string) {
	w.t.Helper()
	w.write(Member{Serial: serial}, shadow.Update{Desired: tree(w.t, text)}, "someone")
}

func (w *world) report(serial, text string) {
	w.t.Helper()
	w.write(Member{Serial: serial}, shadow.Update{Reported: tree(w.t, text)}, "")
}

// after lets time pass, with a look each minute.
func (w *world) after(seconds int64) {
	w.t.Helper()
	for end := w.now + seconds; w.now < end; {
		w.now = min(w.now+60, end)
		w.do(w.desk.Tick(w.now), nil)
	}
}

// enrol makes things of a building, which are online and have a shadow.
func (w *world) enrol(building string, serials ...string) {
	w.t.Helper()
	for _, s := range serials {
		w.do(w.desk.Enrol(s, Tags{Campus: "Riverside", Building: building, Kind: "lift-gateway"}, []string{"L1", "L2"}, w.now), nil)
		w.seen[s] = Seen{Online: true, LastSeen: w.now}
	}
}

func (w *world) same(what string, got, want any) {
	w.t.Helper()
	if g, x := fmt.Sprint(got), fmt.Sprint(want); g != x {
		w.t.Errorf("%s: got %s, want %s", what, g, x)
	}
}

// ST-5: what the desk told to keep makes the same desk again, by the grammar of keys.
func TestRestore(t *testing.T) {
	w := newWorld(t)
	w.enrol("A", "GW-1", "GW-2", "GW-3")
	w.do(w.desk.SetGroup(Group{Name: "all"}))
	w.do(w.desk.SetNode(Node{ID: "door/A/3-east", Of: []string{"lift/GW-1/L1"}}))
	w.do(w.desk.StartBatch(Batch{ID: "B1", By: "ops", Group: "all", Desired: tree(t, `{"wait_timeout":120}`), Wave: 2, MaxFailures: 1}, w.now))
	w.report("GW-1", `{"wait_timeout":120}`)
	w.do(w.desk.Heard(Happened{Kind: Alarm, Serial: "GW-1", Shadow: "L1", Code: "DOOR_TIMEOUT"}, w.now), nil)
	w.do(w.desk.Inspect(w.now), nil)
	again := New(Options{Keep: true}, w)
	if err := again.Restore(w.rows()); err != nil {
		t.Fatal(err)
	}
	for what, get := range map[string]func(*Desk) any{
		"things":    func(d *Desk) any { return d.Things() },
		"groups":    func(d *Desk) any { return d.Groups() },
		"batches":   func(d *Desk) any { return d.Batches() },
		"incidents": func(d *Desk) any { return d.Incidents() },
		"topology":  func(d *Desk) any { return d.Topology() },
		"reports":   func(d *Desk) any { return d.Reports() },
		"desired":   func(d *Desk) any { return d.Desired(Query{}) },
		"reported":  func(d *Desk) any { return d.Reported(Query{}) },
	} {
		if a, b := get(w.desk), get(again); !reflect.DeepEqual(a, b) {
			t.Errorf("%s:\n%+v\nagain\n%+v", what, a, b)
		}
	}
	w.desk = again
	w.report("GW-2", `{"wait_timeout":120}`) // the wave goes on where it was
	w.same("GW-3 was written", w.docs[Member{Serial: "GW-3"}].Desired, "map[wait_timeout:120]")
	w.report("GW-3", `{"wait_timeout":120}`)
	b, _, _ := again.Batch("B1")
	w.same("the batch", b.State+fmt.Sprint(b.Count), "donemap[in_force:3]")
}

func (w *world) rows() []shadow.Record {
	var rows []shadow.Record
	for key, value := range w.kept {
		rows = append(rows, shadow.Record{Bucket: Bucket, Key: key, Value: value})
	}
	slices.SortFunc(rows, func(a, b shadow.Record) int { return strings.Compare(a.Key, b.Key) })
	return rows
}

// A row that cannot be read costs itself and no other.
func TestRestoreDamaged(t *testing.T) {
	w := newWorld(t)
	w.do(w.desk.SetGroup(Group{Name: "one"}))
	w.do(w.desk.SetGroup(Group{Name: "two"}))
	w.kept["ops:group:000000000000:row"] = []byte("no JSON")
	again := New(Options{}, w)
	if err := again.Restore(w.rows()); err == nil || !strings.Contains(err.Error(), "ops:group:000000000000:row") {
		t.Errorf("error %v", err)
	}
	w.same("groups", len(again.Groups()), 1)
}
