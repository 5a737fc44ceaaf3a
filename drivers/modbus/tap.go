package modbus

import (
	"encoding/binary"

	"hoistway/drivers"
	"hoistway/drivers/profiles"
	"hoistway/fsm/elevator"
)

// Passed is one exchange that a Tap has put together. At is when the question
// left, or was heard.
type Passed struct {
	Unit   byte
	At     elevator.Instant
	Block  profiles.Block  // of a read; Every is not known
	Words  []uint16        // of a read that was answered; nil otherwise
	Wrote  *profiles.Write // of a write that was acknowledged
	Writes bool            // the question was a write, whatever became of it
	Code   byte            // of an exception
	Silent bool            // the next question came first
}

// Tap puts questions and answers together from the frames of one line as they
// were recorded: those of our own, or of another master that was overheard. The
// zero value is of a line with checksums. Not safe for concurrent use.
type Tap struct {
	TCP bool

	heard   []byte
	pending []pending
}

type pending struct {
	q    question
	unit byte
	tid  uint16
	at   elevator.Instant
}

// maxPending bounds the questions that wait for an answer, on a line with numbers.
const maxPending = 32

// Feed takes the next frame and gives what it completes.
func (t *Tap) Feed(f drivers.Frame) []Passed {
	if f.Out {
		t.heard = t.heard[:0]
		return t.ours(f)
	}
	t.heard = append(t.heard, f.Data...)
	if t.TCP {
		return t.numbered(f.At)
	}
	return t.summed(f.At)
}

// ours takes a question of our own, whole.
func (t *Tap) ours(f drivers.Frame) []Passed {
	p := pending{at: f.At}
	var pdu []byte
	switch {
	case t.TCP && wholeTCP(f.Data) == len(f.Data) && len(f.Data) > 0:
		p.unit, p.tid, pdu = f.Data[6], binary.BigEndian.Uint16(f.Data), f.Data[headerSize:]
	case !t.TCP && len(f.Data) > 4 && sumFits(f.Data):
		p.unit, pdu = f.Data[0], f.Data[1:len(f.Data)-2]
	default:
		return nil
	}
	q, ok := asked(pdu)
	if !ok {
		return nil
	}
	p.q = q
	return t.wait(p)
}

// wait notes a question. A line without numbers carries one at a time.
func (t *Tap) wait(p pending) []Passed {
	var out []Passed
	for len(t.pending) > 0 && (!t.TCP || len(t.pending) >= maxPending) {
		old := t.pending[0]
		out = append(out, Passed{Unit: old.unit, At: old.at, Block: old.block(), Writes: old.q.write != nil, Silent: true})
		t.pending = t.pending[1:]
	}
	t.pending = append(t.pending, p)
	return out
}

func (t *Tap) numbered(at elevator.Instant) (out []Passed) {
	for {
		n := wholeTCP(t.heard)
		if n == 0 {
			t.bound()
			return out
		}
		tid, unit, pdu := binary.BigEndian.Uint16(t.heard), t.heard[6], t.heard[headerSize:n]
		for i, p := range t.pending {
			if p.tid == tid && p.unit == unit {
				t.pending = append(t.pending[:i:i], t.pending[i+1:]...)
				out = append(out, p.answered(pdu)...)
				break
			}
		}
		t.heard = append(t.heard[:0], t.heard[n:]...)
	}
}

func (t *Tap) summed(at elevator.Instant) (out []Passed) {
	for len(t.heard) >= 4 {
		n := t.next()
		if n == 0 {
			t.bound()
			return out
		}
		unit, pdu := t.heard[0], append([]byte(nil), t.heard[1:n-2]...)
		t.heard = append(t.heard[:0], t.heard[n:]...)
		if len(t.pending) > 0 && t.pending[0].unit == unit && t.pending[0].fits(pdu) {
			p := t.pending[0]
			t.pending = t.pending[:0]
			out = append(out, p.answered(pdu)...)
			continue
		}
		if q, ok := asked(pdu); ok { // of another master
			out = append(out, t.wait(pending{q: q, unit: unit, at: at})...)
		}
	}
	return out
}

// next is the length of the frame that stands next; what cannot start one is
// thrown away. The length of the answer that is due is tried first.
func (t *Tap) next() int {
	for len(t.heard) >= 4 {
		if len(t.pending) > 0 {
			w, err := wanted(t.pending[0].unit, t.pending[0].q.pdu())
			if n := w.size + rtuExtra; err == nil && n <= len(t.heard) && t.heard[0] == t.pending[0].unit && sumFits(t.heard[:n]) {
				return n
			}
		}
		if n := spoken(t.heard); n > 0 {
			return n
		}
		if len(t.heard) < maxPDU+rtuExtra {
			return 0 // it may be the start of one
		}
		t.heard = t.heard[1:]
	}
	return 0
}

func (t *Tap) bound() {
	if len(t.heard) > 2*(maxPDU+rtuExtra) {
		t.heard = t.heard[:0]
	}
}

func (p pending) block() profiles.Block {
	return profiles.Block{Table: p.q.table, Addr: p.q.addr, Count: p.q.count}
}

func (p pending) fits(pdu []byte) bool {
	w, err := wanted(p.unit, p.q.pdu())
	return err == nil && w.misfit(pdu) == ""
}

func (p pending) answered(pdu []byte) []Passed {
	out := Passed{Unit: p.unit, At: p.at, Block: p.block(), Writes: p.q.write != nil}
	switch {
	case !p.fits(pdu):
		return nil
	case pdu[0] >= 0x80:
		out.Code = pdu[1]
	case p.q.write != nil:
		w := p.q.asWrite()
		out.Wrote = &w
	default:
		words, err := Words(out.Block, pdu)
		if err != nil {
			return nil
		}
		out.Words = words
	}
	return []Passed{out}
}

// asked reads a question's function and data; ok is false for what is none that
// is known here.
func asked(pdu []byte) (q question, ok bool) {
	if len(pdu) < 5 {
		return q, false
	}
	q.addr, q.count = binary.BigEndian.Uint16(pdu[1:]), binary.BigEndian.Uint16(pdu[3:])
	switch fn := pdu[0]; {
	case fn >= 1 && fn <= 4 && len(pdu) == 5:
		q.table = profiles.Table(fn) // the four tables stand in the order of their functions
		return q, q.bounds() == ""
	case (fn == 5 || fn == 6) && len(pdu) == 5:
		return q.single(fn)
	case (fn == 15 || fn == 16) && len(pdu) > 6 && int(pdu[5]) == len(pdu)-6:
		return q.several(fn, pdu[6:])
	}
	return q, false
}

func (q question) single(fn byte) (question, bool) {
	v := q.count
	q.table, q.count = profiles.HoldingRegisters, 1
	if fn == 5 {
		q.table = profiles.Coils
		if v != 0 && v != 0xFF00 {
			return q, false
		}
		v = min(v, 1)
	}
	q.write = []uint16{v}
	return q, true
}

func (q question) several(fn byte, data []byte) (question, bool) {
	q.multi, q.table = true, profiles.HoldingRegisters
	if fn == 15 {
		q.table = profiles.Coils
	}
	words, err := unpack(data, fn == 15, int(q.count))
	q.write = words
	return q, err == nil && checkWrite(q.asWrite()) == nil
}
