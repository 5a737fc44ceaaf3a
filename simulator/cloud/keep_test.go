package cloud

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"hoistway/simulator/cloud/ops"
	"hoistway/simulator/cloud/rules"
	"hoistway/sync/shadow"
)

// ST-5: a cloud that starts again in the same folder knows documents, epochs, commands,
// groups, batches and history; what it had promised is still to be done.
func TestStartsAgain(t *testing.T) {
	dir := t.TempDir()
	c, err := Start(t.Context(), Options{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	d := connect(t, c.URL())
	d.say("register", `{"kind":"lift-gateway","instance":"i","store":"fresh","lifts":["L1"],"static":{"campus":"Riverside","building":"A"}}`, "register/accepted")
	d.say("shadow/update", `{"state":{"reported":{"wait_timeout":90}}}`, "shadow/update/accepted", "shadow/update/documents")
	act(t, c, func(d Desk) (r rules.Result, o ops.Result, err error) {
		o, err = d.Ops.SetGroup(ops.Group{Name: "a", Building: []string{"A"}})
		return r, o, err
	})
	act(t, c, func(d Desk) (r rules.Result, o ops.Result, err error) {
		o, err = d.Ops.StartBatch(ops.Batch{ID: "B1", By: "ops", Group: "a", Desired: shadow.Tree{"wait_timeout": "120"}}, d.Now)
		return r, o, err
	})
	act(t, c, func(d Desk) (r rules.Result, o ops.Result, err error) {
		_, r, err = d.Rules.Issue(rules.Order{Serial: "GW-1", Name: "self-test", By: "ops"}, d.Now)
		return r, o, err
	})
	was, _ := c.Document("GW-1", "")
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}

	c = startCloud(t, Options{Dir: dir})
	is, ok := c.Document("GW-1", "")
	if !ok || string(is.Stored()) != string(was.Stored()) || is.Version != 2 {
		t.Errorf("document\n%s\nwas\n%s", is.Stored(), was.Stored())
	}
	c.Look(func(d Desk) {
		thing, _ := d.Ops.Thing("GW-1")
		b, members, _ := d.Ops.Batch("B1")
		if thing.Tags != (ops.Tags{Campus: "Riverside", Building: "A", Kind: "lift-gateway", Hours: ops.AllDay}) ||
			b.State != ops.Running || len(members) != 1 || members[0].Fate != ops.Written {
			t.Errorf("%+v\n%+v\n%+v", thing, b, members)
		}
		if h := d.Ops.Desired(ops.Query{}); len(h) != 1 || h[0].Batch != "B1" || h[0].By != "ops" {
			t.Errorf("history %+v", h)
		}
		if o := d.Rules.Orders("GW-1"); len(o) != 1 || o[0].Name != "self-test" {
			t.Errorf("commands %+v", o)
		}
	})
	d = connect(t, c.URL())
	got := d.say("register", `{"kind":"lift-gateway","instance":"i","store":"kept"}`, "register/accepted")
	expect(t, got[0], "created=false", "epoch=1")
	d.say("shadow/update", `{"state":{"reported":{"wait_timeout":"120"}}}`)
	eventually(t, "the end of the batch", func() (done bool) {
		c.Look(func(d Desk) {
			b, _, _ := d.Ops.Batch("B1")
			done = b.State == ops.Done
		})
		return done
	})
}

func act(t *testing.T, c *Cloud, f func(Desk) (rules.Result, ops.Result, error)) {
	t.Helper()
	if err := c.Act("ops", f); err != nil {
		t.Fatal(err)
	}
}

// ST-5: a damaged file is set aside and a fresh one begun.
func TestDamagedStore(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "cloud.db"), []byte("no store"), 0o600); err != nil {
		t.Fatal(err)
	}
	c := startCloud(t, Options{Dir: dir})
	if err := c.Desire("GW-1", "", shadow.Tree{"a": 1}); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "cloud.db.bad-*"))
	if err != nil || len(files) != 1 {
		t.Errorf("set aside: %v %v", files, err)
	}
}

// fullDisk keeps rows in memory until it is full.
type fullDisk struct {
	rows []shadow.Record
	full bool
}

var errFull = errors.New("no space left")

func (f *fullDisk) Commit(batch []shadow.Record) error {
	if f.full {
		return errFull
	}
	for _, r := range batch {
		f.rows = slices.DeleteFunc(f.rows, func(o shadow.Record) bool { return o.Bucket == r.Bucket && o.Key == r.Key })
		if r.Value != nil {
			f.rows = append(f.rows, r)
		}
	}
	return nil
}

func (f *fullDisk) Load(bucket string) (out []shadow.Record, err error) {
	for _, r := range f.rows {
		if r.Bucket == bucket {
			out = append(out, r)
		}
	}
	slices.SortFunc(out, func(a, b shadow.Record) int { return strings.Compare(a.Key, b.Key) })
	return out, nil
}

// ST-5: what cannot be kept did not happen: nobody is told, no reader sees it, and the
// version is free for the next write.
func TestWhatIsNotKeptDidNotHappen(t *testing.T) {
	disk := &fullDisk{}
	c := startCloud(t, Options{Store: disk})
	d := connect(t, c.URL())
	d.say("shadow/update", `{"state":{"reported":{"a":1}}}`, "shadow/update/accepted", "shadow/update/documents")
	setFull := func(full bool) {
		c.mu.Lock()
		defer c.mu.Unlock()
		disk.full = full
	}
	setFull(true)
	if err := c.Desire("GW-1", "", shadow.Tree{"b": 2}); !errors.Is(err, errFull) {
		t.Errorf("error %v", err)
	}
	// The two wait together: what cannot be kept leaves the other one its answer.
	c.mu.Lock()
	d.say("shadow/update", `{"state":{"reported":{"a":3}}}`)
	d.say("shadow/get", ``)
	for len(c.inbox) == 0 {
		time.Sleep(time.Millisecond)
	}
	c.mu.Unlock()
	d.hear("shadow/get/accepted") // nothing is kept for it
	if doc, _ := c.Document("GW-1", ""); doc.Version != 1 || len(doc.Desired) > 0 {
		t.Errorf("%+v", doc)
	}
	setFull(false)
	got := d.say("shadow/update", `{"state":{"reported":{"a":4}}}`, "shadow/update/accepted", "shadow/update/documents")
	expect(t, got[0], "version=2")
}

// OP-5: what is wished and not reported is shown once more at the inspection, in the
// version that it has.
func TestInspectionTouches(t *testing.T) {
	c := startCloud(t, Options{})
	d := connect(t, c.URL())
	d.say("shadow/update", `{"state":{"desired":{"a":1}}}`, "shadow/update/accepted", "shadow/update/delta", "shadow/update/documents")
	act(t, c, func(d Desk) (r rules.Result, o ops.Result, err error) { return r, d.Ops.Inspect(d.Now), nil })
	expect(t, d.say("shadow/name/L1/get", ``, "shadow/update/delta", "shadow/name/L1/get/rejected")[0], "version=1", "state.a=1")
}
