package fieldbus

import (
	"errors"
	"fmt"
	"os"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// Verdict is what a Hear makes of the bytes that came.
type Verdict uint8

const (
	More   Verdict = iota // not enough to judge
	Skip                  // the first N bytes are none of ours: throw them away, wait on
	Take                  // the first N bytes are the answer
	Spoilt                // nothing that follows can be trusted
)

// Heard is a verdict. Note says why bytes were not taken.
type Heard struct {
	Verdict Verdict
	N       int
	Note    string
}

// Hear judges the bytes that have come and were not yet thrown away.
type Hear func(in []byte) Heard

// maxStray bounds what one question listens to.
const maxStray = 4096

// stream moves bytes with deadlines. Only who has the line calls it, but for the two
// channels.
type stream interface {
	Read(b []byte, by time.Time) (int, error) // os.ErrDeadlineExceeded when nothing came
	Write(b []byte, by time.Time) (int, error)
	Dead() <-chan struct{} // closed when it broke by itself; nil = it cannot tell
	News() <-chan struct{} // something may have come; nil = it cannot tell
	Came() []byte          // what came and was not read; nil = nothing
	Close() error
}

// Wire is the open line in the hand of one question. It is valid during the call
// that it is given to.
type Wire struct {
	l        *line
	unit     uint8
	timeout  time.Duration
	notAfter elevator.Instant
	sent     bool // bytes may have left
	broken   bool // the stream failed
	at       elevator.Instant
	left     time.Time // when the last question had left, as far as the system took it
}

// SentAt is when the last question began to leave.
func (w *Wire) SentAt() elevator.Instant { return w.at }

// Number is the number of the question that comes next, counted over all users
// of the line.
func (w *Wire) Number() uint16 {
	w.l.count++
	return w.l.count
}

// Exchange sends ask and returns the answer that hear takes. The answer is the
// caller's. expect is the usual length of an answer; on a serial line it
// stretches the deadline by the time that the bytes take. Errors wrap ErrTimeout,
// ErrProtocol or ErrLink.
func (w *Wire) Exchange(ask []byte, expect int, hear Hear) ([]byte, error) {
	if err := w.Say(ask); err != nil {
		return nil, err
	}
	by := w.left.Add(w.timeout + w.l.spec.wireTime(len(ask)+expect))
	answer, err := w.listen(by, hear)
	if err == nil {
		w.l.meter.answer(w.unit, time.Since(w.left))
	}
	return answer, err
}

// Say sends and does not listen. A question that the device never answers returns
// ErrNoAnswer after it. Errors wrap ErrProtocol or ErrLink.
func (w *Wire) Say(ask []byte) error {
	if err := w.l.hush(); err != nil {
		return w.failed(err)
	}
	now := w.l.now()
	if w.notAfter.Reached(now) {
		return ErrExpired
	}
	w.at = now
	if err := w.send(ask); err != nil {
		return w.failed(err)
	}
	return nil
}

func (w *Wire) send(ask []byte) error {
	n, err := w.l.conn.Write(ask, time.Now().Add(writeGuard))
	w.sent = w.sent || n > 0 || errors.Is(err, errStuck)
	w.left = time.Now()
	w.l.active = w.left.Add(w.l.spec.wireTime(n))
	w.l.trace(true, ask, errText(err))
	return err
}

func (w *Wire) listen(by time.Time, hear Hear) ([]byte, error) {
	for stray := 0; ; {
		h := hear(w.l.in)
		switch {
		case h.Verdict == Take && h.N > 0 && h.N <= len(w.l.in):
			answer := append([]byte(nil), w.l.in[:h.N]...)
			w.l.cut(h.N, "")
			if w.l.spec.Network == UDP {
				w.l.cut(len(w.l.in), "behind the answer")
			}
			return answer, nil
		case h.Verdict == Skip && h.N > 0 && h.N <= len(w.l.in) && stray < maxStray:
			if !w.l.skip(h.N, h.Note) {
				stray += h.N
			}
		case h.Verdict == More && len(w.l.in) < maxStray:
			if err := w.more(by); err != nil {
				return nil, err
			}
		default:
			w.l.cut(len(w.l.in), h.Note)
			return nil, fmt.Errorf("%w: %s", drivers.ErrProtocol, h.Note)
		}
	}
}

// more reads on until by.
func (w *Wire) more(by time.Time) error {
	err := w.l.fill(by)
	if errors.Is(err, os.ErrDeadlineExceeded) {
		if len(w.l.in) > 0 {
			return fmt.Errorf("%w: %d bytes of an answer came", drivers.ErrTimeout, len(w.l.in))
		}
		return drivers.ErrTimeout
	}
	return w.failed(err)
}

func (w *Wire) failed(err error) error {
	if err == nil || errors.Is(err, drivers.ErrProtocol) {
		return err
	}
	w.broken = true
	return fmt.Errorf("%w: %w", drivers.ErrLink, err)
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
