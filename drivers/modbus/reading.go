package modbus

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"hoistway/drivers/fieldbus"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// reading is one block of the read plan as it is really asked: whole, until the
// device does not know some address of it or does not give so much at once. It is
// then halved, so that the good points are read without the bad ones. A single point
// that is refused is a hole, asked for again ever more seldom. It is for who
// has the line; note alone is guarded by the link's lock.
type reading struct {
	block  profiles.Block
	spans  []profiles.Block // what must not be cut
	pieces []piece
	note   string // what was learned, for people
}

// piece is spans[from:to] in one question.
type piece struct {
	from, to int
	hole     bool
	again    elevator.Instant // a hole is asked for again from then on
	wait     time.Duration
	good     bool // in the round under way
}

// How long a hole is left alone: a device that is starting refuses what it knows.
const (
	holeFirst = 10 * time.Second
	holeMost  = 10 * time.Minute
)

func newReading(b profiles.Block, spans []profiles.Block) *reading {
	if len(spans) == 0 {
		spans = []profiles.Block{b}
	}
	return &reading{block: b, spans: spans, pieces: []piece{{to: len(spans)}}}
}

// ask is the question of a piece. A block that is whole is asked as it was planned.
func (r *reading) ask(p piece) profiles.Block {
	if p.from == 0 && p.to == len(r.spans) {
		return r.block
	}
	first, last := r.spans[p.from], r.spans[p.to-1]
	q := r.block
	q.Addr, q.Count = first.Addr, last.Addr+last.Count-first.Addr
	return q
}

// probe is what to ask after a time-out: a piece that the device knows.
func (r *reading) probe() profiles.Block {
	i := slices.IndexFunc(r.pieces, func(p piece) bool { return !p.hole })
	return r.ask(r.pieces[max(0, i)])
}

// round asks each piece once; halves of one that is refused are left to the next
// round. What came good stays good beside an error. A hole that is known is no error,
// unless nothing else is there to ask.
func (l *link) round(w *fieldbus.Wire, r *reading) error {
	r.unmark()
	var first error
	asked, next := false, make([]piece, 0, len(r.pieces)+1)
	for i, p := range r.pieces {
		if p.hole && !p.again.Reached(l.env.Now()) && (asked || i < len(r.pieces)-1) {
			next = append(next, p)
			continue
		}
		asked = true
		err := l.part(w, r.ask(p))
		switch {
		case err == nil:
			p.hole, p.wait, p.good = false, 0, true
			next = append(next, p)
		case divides(err):
			if !p.hole || len(r.pieces) == 1 {
				first = cmp.Or(first, err)
			}
			next = append(next, p.refused(l.env.Now())...)
		default:
			r.pieces = append(next, r.pieces[i:]...)
			return err
		}
	}
	l.learn(r, next)
	if first == nil {
		r.unmark()
	}
	return first
}

func (l *link) part(w *fieldbus.Wire, q profiles.Block) error {
	words, err := l.speak.read(w, q.Table, q.Addr, q.Count)
	if err != nil {
		return err
	}
	return l.good(q, words, w.SentAt())
}

// divides reports a no that a smaller question may not get: an address that is not
// known, or a quantity.
func divides(err error) bool {
	var no *fieldbus.Refusal
	return errors.As(err, &no) && (no.Code == "0x02" || no.Code == "0x03")
}

// refused halves a piece, and makes a hole of what cannot be halved.
func (p piece) refused(now elevator.Instant) []piece {
	if n := p.to - p.from; n > 1 {
		mid := p.from + n/2
		return []piece{{from: p.from, to: mid}, {from: mid, to: p.to}}
	}
	p.hole, p.wait = true, min(max(holeFirst, 2*p.wait), holeMost)
	p.again = now.Add(p.wait)
	return []piece{p}
}

// learn keeps the pieces of a round. When the last hole has filled, the block is asked
// whole again: what refused was a device that was starting.
func (l *link) learn(r *reading, next []piece) {
	filled := holes(r.pieces) > 0 && holes(next) == 0
	changed := len(next) != len(r.pieces) || holes(next) != holes(r.pieces)
	r.pieces = next
	if !changed {
		return
	}
	if filled {
		r.pieces = []piece{{to: len(r.spans), good: true}}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	r.note = r.words()
	if l.env.Log != nil {
		l.env.Log.Info("the read plan follows what the device knows", "lift", l.lift, "unit", l.to.unit,
			"table", r.block.Table.String(), "address", r.block.Addr, "count", r.block.Count, "learned", r.note)
	}
}

func holes(ps []piece) (n int) {
	for _, p := range ps {
		if p.hole {
			n++
		}
	}
	return n
}

// words tells what was learned, "" for nothing.
func (r *reading) words() string {
	var gone []string
	most := uint16(0)
	for _, p := range r.pieces {
		q := r.ask(p)
		if p.hole {
			gone = append(gone, fmt.Sprintf("%dx%d", q.Addr, q.Count))
			continue
		}
		most = max(most, q.Count)
	}
	switch {
	case len(gone) > 0:
		return fmt.Sprintf("the device does not know %s %s", r.block.Table, strings.Join(gone, ", "))
	case len(r.pieces) > 1:
		return fmt.Sprintf("the device gives %d at once, not %d: limits.max_read", most, r.block.Count)
	}
	return ""
}

// bad are the pieces of the last round that brought nothing.
func (r *reading) bad() (out []profiles.Block) {
	for _, p := range r.pieces {
		if !p.good {
			out = append(out, r.ask(p))
		}
	}
	return out
}

func (r *reading) unmark() {
	for i := range r.pieces {
		r.pieces[i].good = false
	}
}

// holdBudget is the longest that one read may keep a serial line from others.
const holdBudget = 100 * time.Millisecond

// fit cuts a block so that question and answer pass within the budget at so many
// baud (0: not known). What must not be cut may take longer.
func fit(b profiles.Block, spans []profiles.Block, baud int) []profiles.Block {
	if baud == 0 || len(spans) < 2 || wireTime(b, baud) <= holdBudget {
		return []profiles.Block{b}
	}
	var out []profiles.Block
	for _, s := range spans {
		if n := len(out); n > 0 {
			longer := out[n-1]
			longer.Count = s.Addr + s.Count - longer.Addr
			if wireTime(longer, baud) <= holdBudget {
				out[n-1] = longer
				continue
			}
		}
		out = append(out, profiles.Block{Table: b.Table, Addr: s.Addr, Count: s.Count, Every: b.Every})
	}
	return out
}

// wireTime is how long the question of a block and its answer take, with the two
// silences, in characters of eleven bits.
func wireTime(b profiles.Block, baud int) time.Duration {
	data := 2 * int(b.Count)
	if isBits(b.Table) {
		data = (int(b.Count) + 7) / 8
	}
	const question, frame, silences = 8, 5, 7
	return time.Duration(question+frame+silences+data) * 11 * time.Second / time.Duration(baud)
}
