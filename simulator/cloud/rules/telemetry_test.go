package rules

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// OP-10: samples have a store of their own by series, in the order of their times, with
// retention and a query; no document changes and nothing is answered.
func TestTelemetry(t *testing.T) {
	g := newStage(t, Options{})
	g.say(0, "telemetry", `{"epoch":1,"at":1700000000,"samples":[["L1.floor",1700000000,3],["L1.floor",1699999990,2],["loop.ms",1700000000,0.5],["L1.floor",5,4],["L1.door",1700000000,"open"]]}`)
	g.gives("")
	floor := func(from, to int64, most int) string {
		return fmt.Sprint(g.s.Samples("GW-1", "L1.floor", now+from, now+to, most))
	}
	for query, want := range map[[3]int64]string{
		{-3600, 3600, 100}: "[{1699999990 2} {1700000000 3} {1700000000 4}]", // a clock of 1970 counts as now
		{-10, 0, 100}:      "[{1699999990 2}]",
		{-3600, 3600, 1}:   "[{1700000000 4}]",
		{1, 3600, 100}:     "[]",
		{5, -5, 100}:       "[]",
		{-3600, 3600, -1}:  "[]",
	} {
		if got := floor(query[0], query[1], int(query[2])); got != want {
			t.Errorf("%v: %s, want %s", query, got, want)
		}
	}
	if got := g.s.Series("GW-1"); !slices.Equal(got, []string{"L1.door", "L1.floor", "loop.ms"}) {
		t.Errorf("series %v", got)
	}
	if got := fmt.Sprint(g.s.Samples("GW-1", "L1.door", 0, now+1, 9)); got != "[{1700000000 open}]" {
		t.Errorf("a door's word: %s", got)
	}
	if _, ok := g.s.Document("GW-1", ""); ok {
		t.Error("a document came of it")
	}
	g.tick(sampleLife)
	if got := floor(-3600, 3600, 9); got != "[{1700000000 3} {1700000000 4}]" {
		t.Errorf("after a day %s", got)
	}
	g.tick(sampleLife + 1)
	if got := g.s.Series("GW-1"); len(got) != 0 || g.s.sampled != 0 {
		t.Errorf("after more than a day %v, %d samples counted", got, g.s.sampled)
	}
}

// Neither a flood nor nonsense fills the memory.
func TestTelemetryIsBounded(t *testing.T) {
	g := newStage(t, Options{})
	for i := range maxSamples + 100 {
		g.say(int64(i), "telemetry", fmt.Sprintf(`{"samples":[["a",%d,%d]]}`, now+i, i))
	}
	for i := range maxSeries + 10 {
		g.say(2000, "telemetry", fmt.Sprintf(`{"samples":[["s%d",1700002000,1]]}`, i))
	}
	kept := g.s.Samples("GW-1", "a", 0, now+9999, 9999)
	if len(kept) != maxSamples || kept[0].Value != 100.0 || len(g.s.Series("GW-1")) != maxSeries || g.s.sampled != maxSamples+maxSeries-1 {
		t.Errorf("%d samples from %v, %d series, %d counted", len(kept), kept[0], len(g.s.Series("GW-1")), g.s.sampled)
	}
	for _, bad := range []string{``, `{}`, `{"samples":7}`, `{"samples":[7,[],["a"],["a",1,"` + strings.Repeat("x", 33) + `"],["a",1,null],["",1700000000,1],[1,1700000000,1],["a",1700000000,1e399],["a",1,2,3]]}`} {
		g.say(2001, "telemetry", bad)
	}
	if g.s.sampled != maxSamples+maxSeries-1 {
		t.Errorf("%d samples after nonsense", g.s.sampled)
	}
}
