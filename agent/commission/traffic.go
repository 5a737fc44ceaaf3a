package commission

import (
	"sync"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// Traffic counts what passes on a line. Safe for concurrent use.
type Traffic struct {
	mu    sync.Mutex
	sum   Tally
	asked elevator.Instant // when the question under way left; 0 = none is
}

// Tally is what passed so far.
type Tally struct {
	Questions, Answers int
	BytesOut, BytesIn  int
	Dropped            int // frames and pieces that were no answer
	First, Last        elevator.Instant
	Busy               time.Duration // between questions and their answers
	SlowestAnswer      time.Duration
	LastDropped        string // why the last one was dropped
}

func (t *Traffic) note(f drivers.Frame) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sum.First == 0 {
		t.sum.First = f.At
	}
	t.sum.Last = f.At
	switch {
	case f.Out:
		t.sum.Questions++
		t.sum.BytesOut += len(f.Data)
		t.asked = f.At
	case f.Note != "":
		t.sum.Dropped++
		t.sum.BytesIn += len(f.Data)
		t.sum.LastDropped = f.Note
	default:
		t.sum.Answers++
		t.sum.BytesIn += len(f.Data)
		t.answered(f.At)
	}
}

func (t *Traffic) answered(at elevator.Instant) {
	if t.asked == 0 {
		return
	}
	took := at.Sub(t.asked)
	t.asked = 0
	t.sum.Busy += took
	t.sum.SlowestAnswer = max(t.sum.SlowestAnswer, took)
}

// Tally gives the counts.
func (t *Traffic) Tally() Tally {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.sum
}

// Occupancy is the share of the time in which the line was busy: by the bytes on a
// serial line, by waiting for answers elsewhere. 0 for no time at all.
func (t Tally) Occupancy(m *drivers.SerialMode) float64 {
	span := t.Last.Sub(t.First)
	if span <= 0 {
		return 0
	}
	busy := t.Busy
	if m != nil && m.Baud > 0 {
		busy = time.Duration(t.BytesOut+t.BytesIn+7*t.Questions) * 11 * time.Second / time.Duration(m.Baud)
	}
	return min(1, float64(busy)/float64(span))
}
