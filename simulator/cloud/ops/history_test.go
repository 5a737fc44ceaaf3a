package ops

import (
	"encoding/json"
	"testing"

	"hoistway/sync/shadow"
)

// ST-5: who wished what, what it was before, and in which batch; and what was reported.
func TestHistory(t *testing.T) {
	w := newWorld(t)
	w.desire("GW-1", `{"wait_timeout":90}`)
	w.now += 10
	w.desire("GW-1", `{"wait_timeout":120,"_intents":{"i-1":{"fields":["wait_timeout"],"batch":"B1","by":"anna"}}}`)
	w.report("GW-1", `{"wait_timeout":120,"_ack":{}}`)
	w.write(Member{"GW-2", "L1"}, shadow.Update{Desired: tree(t, `{"maintenance":{"on":true}}`)}, "ben")
	w.desire("GW-1", `{"wait_timeout":null}`)
	line := func(e Entry) string {
		b, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	m := Member{Serial: "GW-1"}
	w.same("the version that took it away", w.desk.DesiredVersion(m), 4)
	w.report("GW-1", `{"x":1}`)
	w.write(m, shadow.Update{Desired: tree(t, `{"_intents":{"i-1":null}}`)}, "")
	w.same("after the intent was consumed", w.desk.DesiredVersion(m), 4)
	all := w.desk.Desired(Query{})
	w.same("entries", len(all), 4)
	w.same("removed", line(all[0]), `{"at":1728993610,"serial":"GW-1","shadow":"","version":4,"old":{"wait_timeout":120},"new":{"wait_timeout":null},"by":"someone"}`)
	w.same("by intent", line(all[2]), `{"at":1728993610,"serial":"GW-1","shadow":"","version":2,"old":{"wait_timeout":90},"new":{"wait_timeout":120},"by":"anna","id":"i-1","batch":"B1"}`)
	w.same("reported", line(w.desk.Reported(Query{Path: "wait_timeout"})[0]), `{"at":1728993610,"serial":"GW-1","shadow":"","version":3,"old":{"wait_timeout":null},"new":{"wait_timeout":120}}`)
	classic := ""
	for what, c := range map[string]struct {
		q    Query
		want int
	}{
		"serial": {Query{Serial: "GW-2"}, 1},
		"shadow": {Query{Shadow: &classic}, 3},
		"path":   {Query{Path: "maintenance"}, 1},
		"batch":  {Query{Batch: "B1"}, 1},
		"since":  {Query{Since: w.now}, 3},
		"until":  {Query{Until: w.now}, 1},
		"limit":  {Query{Limit: 2}, 2},
	} {
		w.same(what, len(w.desk.Desired(c.q)), c.want)
	}
}

// The history is bounded: the oldest makes room, in the store too.
func TestHistoryIsBounded(t *testing.T) {
	log := ledger{keep: true, rows: map[string]speller{}}
	h := history{table: newTable[Entry]("desired", 3, &log)}
	for i := range int64(5) {
		h.add(Entry{Version: i})
	}
	if got := h.query(Query{}); len(got) != 3 || got[0].Version != 4 || got[2].Version != 2 {
		t.Errorf("%+v", got)
	}
	puts := log.close()
	if len(puts) != 5 || puts[0].Value != nil || puts[1].Value != nil || puts[4].Value == nil {
		t.Errorf("%+v", puts)
	}
}
