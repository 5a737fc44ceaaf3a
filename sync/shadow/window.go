package shadow

import "slices"

// Window is what the receiver of a numbered stream remembers of its sender, so that
// each message counts once and what is missing is known. It is a record: stored in the
// batch of the effect of a message, it survives a restart without forgetting or
// inventing a gap. Each number up to Last was had, but for those in Missing, so the
// memory reaches back to the first number at a fixed cost. The zero Window has seen
// nothing. One goroutine owns it; [Window.Clone] makes another's.
type Window struct {
	Epoch      uint64 `json:"epoch"`             // of the sender; a later one begins anew
	Last       uint64 `json:"last"`              // highest number had, 0 = none
	Missing    []Span `json:"missing,omitempty"` // in order, at most 64
	Duplicates uint64 `json:"duplicates"`        // counted since the beginning, over all epochs
	Gaps       uint64 `json:"gaps"`              // jumps, not the numbers that were jumped over
}

// Span is the numbers from From to To, both included.
type Span struct {
	From uint64 `json:"from"`
	To   uint64 `json:"to"`
}

// Seen is what a number is to a receiver.
type Seen uint8

const (
	SeenUnknown   Seen = iota // no number of a stream: 0
	SeenNew                   // above all before: take it
	SeenLate                  // fills a hole: take it, it is not the newest
	SeenDuplicate             // had before: drop it
	SeenStale                 // of an older epoch: drop it
)

const maxSpans = 64

// Take counts a message in. gap is how many numbers it jumps over: the receiver takes
// the message and asks for what is missing. A late one never moves Last back. The first of
// an epoch jumps over nothing, yet what is before it is missing until its sender says that
// it is lost: it may be on its way.
func (w *Window) Take(o Order) (seen Seen, gap uint64) {
	switch {
	case o.Seq == 0:
		return SeenUnknown, 0
	case o.Epoch < w.Epoch:
		return SeenStale, 0
	}
	w.begin(o.Epoch)
	if o.Seq > w.Last {
		return SeenNew, w.advance(o.Seq)
	}
	if w.fill(Span{o.Seq, o.Seq}) {
		return SeenLate, 0
	}
	w.Duplicates++
	return SeenDuplicate, 0
}

func (w *Window) begin(epoch uint64) {
	if epoch > w.Epoch {
		w.Epoch, w.Last, w.Missing = epoch, 0, nil
	}
}

func (w *Window) advance(seq uint64) (gap uint64) {
	if seq > w.Last+1 {
		w.Missing = append(w.Missing, Span{w.Last + 1, seq - 1})
		w.Missing = w.Missing[max(0, len(w.Missing)-maxSpans):] // the oldest are given up
		if w.Last > 0 {
			gap = seq - w.Last - 1
			w.Gaps++
		}
	}
	w.Last = seq
	return gap
}

// Skip takes in the sender's word that the numbers of s will never come. To be told
// before the message that says so is counted in: then they are no gap.
func (w *Window) Skip(epoch uint64, s Span) {
	if epoch < w.Epoch || s.From == 0 || s.To < s.From {
		return
	}
	w.begin(epoch)
	w.fill(s)
	if s.To > w.Last && s.From <= w.Last+1 {
		w.Last = s.To
	}
}

// fill takes the numbers of s out of what is missing, and tells whether any was in it.
func (w *Window) fill(s Span) (was bool) {
	var left []Span
	for _, m := range w.Missing {
		if s.To < m.From || s.From > m.To {
			left = append(left, m)
			continue
		}
		was = true
		if m.From < s.From {
			left = append(left, Span{m.From, s.From - 1})
		}
		if m.To > s.To {
			left = append(left, Span{s.To + 1, m.To})
		}
	}
	w.Missing = left[max(0, len(left)-maxSpans):]
	return was
}

// Upto is the number up to which everything was had: what X/events/accepted tells.
func (w *Window) Upto() uint64 {
	if len(w.Missing) > 0 {
		return w.Missing[0].From - 1
	}
	return w.Last
}

// Clone is a window of the same past.
func (w *Window) Clone() Window {
	c := *w
	c.Missing = slices.Clone(w.Missing)
	return c
}
