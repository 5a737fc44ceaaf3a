package shadow

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// Sent 1, 2, 2, 4: received 1, 2, 4 with a gap of 1; one duplicate and one gap. The
// same when the receiver starts anew, or moves, at any place in between. // DD-1 DD-2 DD-3
func TestWindowOfOneTwoTwoFour(t *testing.T) {
	sent := []uint64{1, 2, 2, 4}
	for restart := range len(sent) + 1 {
		var w Window
		var received []uint64
		var jumped uint64
		for i, seq := range sent {
			if i == restart {
				w = stored(t, w)
			}
			seen, gap := w.Take(Order{Epoch: 3, Seq: seq})
			if seen == SeenNew {
				received = append(received, seq)
			}
			jumped += gap
		}
		if fmt.Sprint(received) != "[1 2 4]" || jumped != 1 || w.Duplicates != 1 || w.Gaps != 1 || w.Upto() != 2 || w.Last != 4 {
			t.Errorf("restart before %d: received %v, jumped over %d: %+v", restart, received, jumped, w)
		}
	}
}

func stored(t *testing.T, w Window) (back Window) {
	t.Helper()
	raw, err := json.Marshal(w)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &back); err != nil {
		t.Fatal(err)
	}
	return back
}

// DD-2: the first message is no gap, a late one is taken once and moves nothing back.
func TestWindow(t *testing.T) {
	var w Window
	for i, c := range []struct {
		epoch, seq uint64
		seen       Seen
		gap, upto  uint64
	}{
		{1, 2, SeenNew, 0, 0}, // the first; the one before it may come yet
		{1, 1, SeenLate, 0, 2},
		{1, 7, SeenNew, 4, 2},
		{1, 4, SeenLate, 0, 2},
		{1, 3, SeenLate, 0, 4},
		{1, 6, SeenLate, 0, 4},
		{1, 5, SeenLate, 0, 7},
		{1, 8, SeenNew, 0, 8},
		{1, 12, SeenNew, 3, 8},
		{1, 10, SeenLate, 0, 8},
		{1, 10, SeenDuplicate, 0, 8},
		{1, 9, SeenLate, 0, 10},
		{1, 11, SeenLate, 0, 12},
		{1, 3, SeenDuplicate, 0, 12},
		{1, 0, SeenUnknown, 0, 12},
		{2, 1, SeenNew, 0, 1}, // the device lost its store
		{1, 13, SeenStale, 0, 1},
		{2, 4, SeenNew, 2, 1},
	} {
		seen, gap := w.Take(Order{c.epoch, c.seq})
		if seen != c.seen || gap != c.gap || w.Upto() != c.upto {
			t.Errorf("%d: %d/%d is %d with gap %d, upto %d", i, c.epoch, c.seq, seen, gap, w.Upto())
		}
	}
	w.Skip(1, Span{2, 3}) // of another epoch
	if w.Upto() != 1 {
		t.Error("another epoch's loss was taken")
	}
	w.Skip(2, Span{2, 9}) // lost: what was missed, and what would have come next
	if w.Upto() != 9 {
		t.Errorf("after what was lost: %+v", w)
	}
	if seen, gap := w.Take(Order{2, 10}); seen != SeenNew || gap != 0 {
		t.Errorf("the next is %d with gap %d", seen, gap)
	}
}

// In any order, with duplicates: each number is taken once, and the rest is missing.
func TestWindowTakesEachOnce(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		var w Window
		first := uint64(rapid.IntRange(1, 5).Draw(r, "first"))
		w.Take(Order{1, first})
		taken := map[uint64]bool{first: true}
		for _, n := range rapid.SliceOfN(rapid.IntRange(1, 60), 0, 80).Draw(r, "sent") {
			seq := uint64(n)
			seen, _ := w.Take(Order{1, seq})
			took := seen == SeenNew || seen == SeenLate
			if took == taken[seq] {
				r.Fatalf("%d was taken: %v", seq, took)
			}
			taken[seq] = true
		}
		for seq := uint64(1); seq <= w.Last; seq++ {
			missing := slices.ContainsFunc(w.Missing, func(s Span) bool { return s.From <= seq && seq <= s.To })
			if missing == taken[seq] {
				r.Fatalf("%d: missing %v, taken %v", seq, missing, taken[seq])
			}
		}
	})
}

func TestWindowIsBounded(t *testing.T) {
	var w Window
	for i := range uint64(1000) {
		w.Take(Order{1, 1 + 2*i})
	}
	if len(w.Missing) != maxSpans || w.Gaps != 999 {
		t.Errorf("%d holes kept, %d counted", len(w.Missing), w.Gaps)
	}
	if seen, _ := w.Take(Order{1, 2}); seen != SeenDuplicate {
		t.Errorf("a hole that was given up: %d", seen)
	}
}
