package view

import (
	"testing"
	"time"
)

// DR-10, WH-4: what a clock that is ahead says is as old as the newest that it has said
// is newer; once it was set right it is believed again after a while.
func TestLead(t *testing.T) {
	var l Lead
	t0 := time.Unix(1_800_000_000, 0)
	for i, c := range []struct {
		now, event time.Duration // since t0
		want       time.Duration
	}{
		{0, -2 * time.Second, 2 * time.Second},
		{1 * time.Second, 6 * time.Second, 0},                // five seconds ahead
		{2 * time.Second, 4 * time.Second, 3 * time.Second},  // so this was under way for three
		{3 * time.Second, 3 * time.Second, 5 * time.Second},  // and this for five
		{4 * time.Second, 10 * time.Second, 0},               // six ahead, after all
		{5 * time.Second, 10 * time.Second, 1 * time.Second}, //
		{11 * time.Minute, 11 * time.Minute, 6 * time.Second},
		{22 * time.Minute, 22 * time.Minute, 0},               // set right long ago
		{22 * time.Minute, 21 * time.Minute, 1 * time.Minute}, // and simply late
		{23 * time.Minute, 30 * time.Minute, 0},               // no time at all
		{24 * time.Minute, 24 * time.Minute, 0},               // and nothing is made of it
		{60 * time.Minute, 60 * time.Minute, 0},
	} {
		if got := l.Age(t0.Add(c.event), t0.Add(c.now)); got != c.want {
			t.Errorf("%d: %s, want %s", i, got, c.want)
		}
	}
}
