package ops

import (
	"errors"
	"fmt"
	"testing"
)

// OP-1: groups by three dimensions, apart from the shadow.
func TestMembers(t *testing.T) {
	w := newWorld(t)
	w.enrol("A", "GW-1", "GW-2")
	w.enrol("B", "GW-3")
	w.do(w.desk.Tag("GW-2", Tags{Campus: "Riverside", Building: "A", Kind: "lift-gateway", Hours: Night}, w.now))
	w.enrol("C", "GW-2") // what an operator has set stays
	for _, c := range []struct {
		g     Group
		lifts bool
		want  string
	}{
		{Group{}, false, "[{GW-1 } {GW-2 } {GW-3 }]"},
		{Group{Building: []string{"A"}}, false, "[{GW-1 } {GW-2 }]"},
		{Group{Building: []string{"A"}, Hours: []string{Night}}, false, "[{GW-2 }]"},
		{Group{Hours: []string{Day, AllDay}}, false, "[{GW-1 } {GW-3 }]"},
		{Group{Campus: []string{"Hill"}}, false, "[]"},
		{Group{Kind: []string{"lift-gateway"}, Building: []string{"B"}, Lift: []string{"L2"}}, true, "[{GW-3 L2}]"},
		{Group{Lift: []string{"L9"}}, false, "[]"},
	} {
		w.same(fmt.Sprintf("%+v", c.g), w.desk.Members(c.g, c.lifts), c.want)
	}
}

func (w *world) batch(b Batch) {
	w.t.Helper()
	w.do(w.desk.SetGroup(Group{Name: "some", Building: []string{"A"}}))
	b.By, b.Group = "ops", "some"
	w.do(w.desk.StartBatch(b, w.now))
}

func (w *world) isBatch(id, state, counts string) {
	w.t.Helper()
	b, _, _ := w.desk.Batch(id)
	w.same("batch "+id, b.State+" "+fmt.Sprint(b.Count), state+" "+counts)
}

// OP-1: a batch goes by waves, and who does not follow is on the list.
func TestBatchInWaves(t *testing.T) {
	w := newWorld(t)
	w.enrol("A", "GW-1", "GW-2", "GW-3")
	w.enrol("B", "GW-9")
	w.batch(Batch{ID: "B1", Desired: tree(t, `{"wait_timeout":120}`), Limit: 600, Wave: 2, MaxFailures: 0.5})
	w.isBatch("B1", Running, "map[waiting:1 written:2]")
	w.report("GW-1", `{"wait_timeout":120}`)
	w.isBatch("B1", Running, "map[in_force:1 waiting:1 written:1]")
	w.after(600) // GW-2 says nothing: it is late, and the next wave goes out
	w.isBatch("B1", Running, "map[in_force:1 late:1 written:1]")
	w.same("behind", w.desk.Behind()[0].Member, "{GW-2 }")
	w.report("GW-3", `{"wait_timeout":120}`)
	w.isBatch("B1", Done, "map[in_force:2 late:1]")
	w.report("GW-2", `{"wait_timeout":120}`)
	w.isBatch("B1", Done, "map[in_force:3]")
	w.same("behind", len(w.desk.Behind()), 0)
	if _, there := w.docs[Member{Serial: "GW-9"}]; there {
		t.Error("a batch touched another group")
	}
}

// OP-8, OP-1: too many failures stop a batch; those who had it get back what was last
// stable, those whose turn had not come are spared.
func TestBatchStopsAndGoesBack(t *testing.T) {
	w := newWorld(t)
	w.enrol("A", "GW-1", "GW-2", "GW-3", "GW-4")
	w.desire("GW-1", `{"wait_timeout":90}`)
	w.report("GW-1", `{"wait_timeout":90}`)
	w.desire("GW-2", `{"wait_timeout":80}`) // never followed: 90 is what is in force
	w.report("GW-2", `{"wait_timeout":90}`)
	w.batch(Batch{ID: "B1", Desired: tree(t, `{"wait_timeout":5000}`), Wave: 3, MaxFailures: 0.3})
	w.report("GW-1", `{"wait_timeout":5000}`)
	w.report("GW-2", `{"_ack":{"wait_timeout":{"ac":400,"av":3,"ad":"too long"}}}`)
	w.isBatch("B1", Running, "map[in_force:1 refused:1 waiting:1 written:1]")
	w.report("GW-3", `{"_ack":{"wait_timeout":{"ac":400,"av":1}}}`)
	w.isBatch("B1", Stopped, "map[refused:2 spared:1 undone:1]")
	w.same("GW-1", w.docs[Member{Serial: "GW-1"}].Desired, "map[wait_timeout:90]")
	w.same("GW-2", w.docs[Member{Serial: "GW-2"}].Desired, "map[wait_timeout:90]")
	w.same("GW-3, of which nothing was wished", w.docs[Member{Serial: "GW-3"}].Desired, "map[]")
	w.same("GW-4", w.docs[Member{Serial: "GW-4"}].Version, 0)
	w.same("notices", w.notices[0].Text, "batch B1 stopped: 2 of 4 members did not follow; the last stable values are written back")
}

// An ack of an earlier write of the same field is no answer to this one; a write that
// somebody else made since is not undone.
func TestBatchKeepsToItsOwnWrites(t *testing.T) {
	w := newWorld(t)
	w.enrol("A", "GW-1", "GW-2")
	w.desire("GW-1", `{"retries":9}`)
	w.report("GW-1", `{"_ack":{"retries":{"ac":400,"av":1}}}`)
	w.batch(Batch{ID: "B1", Desired: tree(t, `{"retries":2}`), MaxFailures: 1})
	w.report("GW-1", `{"other":1}`)
	w.isBatch("B1", Running, "map[written:2]")
	w.desire("GW-2", `{"retries":4}`)
	w.isBatch("B1", Running, "map[in_force:1 written:1]") // it is not this batch's to wait for
	w.do(w.desk.StopBatch("B1", "ops", w.now))
	w.same("GW-2", w.docs[Member{Serial: "GW-2"}].Desired, "map[retries:4]")
}

func TestBatchRefused(t *testing.T) {
	w := newWorld(t)
	w.enrol("A", "GW-1")
	w.batch(Batch{ID: "B1", Desired: tree(t, `{"a":1}`), MaxFailures: 1})
	for what, b := range map[string]Batch{
		"no group":     {ID: "B2", Group: "none", Desired: tree(t, `{"a":1}`)},
		"an id again":  {ID: "B1", Group: "some", Desired: tree(t, `{"a":1}`)},
		"no id":        {Group: "some", Desired: tree(t, `{"a":1}`)},
		"no values":    {ID: "B2", Group: "some"},
		"a share of 2": {ID: "B2", Group: "some", Desired: tree(t, `{"a":1}`), MaxFailures: 2},
	} {
		if r, err := w.desk.StartBatch(b, w.now); err == nil || len(r.Writes) > 0 {
			t.Errorf("%s was taken", what)
		}
	}
	if _, err := w.desk.StopBatch("B9", "ops", w.now); !errors.Is(err, ErrUnknown) {
		t.Errorf("stop of none: %v", err)
	}
	w.do(w.desk.Refused(Write{Serial: "GW-1", Batch: "B1"}, 413, w.now), nil)
	w.isBatch("B1", Done, "map[refused:1]")
}
