package fieldbus

import (
	"errors"
	"fmt"
	"os"
	"time"

	"hoistway/drivers"
	"hoistway/fsm/elevator"
)

// babble bounds how long the line is waited for to become silent.
const babble = time.Second

// hush waits until the line has been silent for its gap, and throws away what
// nobody asked for. A line whose answers are numbered keeps what came: its Hear
// finds the frames' ends and skips them.
func (l *line) hush() error {
	gap := l.spec.gap()
	if gap == 0 {
		return nil
	}
	l.stray("came unasked")
	for end := time.Now().Add(babble); time.Now().Before(end); {
		by := l.active.Add(gap)
		if soon := time.Now().Add(gap / 2); by.Before(soon) {
			by = soon
		}
		err := l.fill(by)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		if err != nil {
			return err
		}
		l.stray("came unasked")
	}
	return fmt.Errorf("%w: the line is never silent", drivers.ErrProtocol)
}

// drain throws away what comes until t, or until something is to be replied to.
func (l *line) drain(t elevator.Instant) error {
	defer l.meter.occupied(time.Now())
	by := time.Now().Add(t.Until(l.now()))
	for {
		l.stray("came late")
		if len(l.unasked) > 0 {
			return nil
		}
		err := l.fill(by)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			l.cut(len(l.in), "came late")
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// stray throws away what nobody asked for, once nobody wanted to overhear it.
func (l *line) stray(note string) {
	if len(l.in) == 0 {
		return
	}
	if l.spec.Cut != nil {
		l.overhear(note)
		return
	}
	l.nobodys()
	l.cut(len(l.in), note)
}

// fill reads what is there, waiting for it until by. A datagram stands for itself:
// what is left of the one before is no begin of it.
func (l *line) fill(by time.Time) error {
	n, err := l.conn.Read(l.buf, by)
	if n > 0 {
		if l.spec.Network == UDP && len(l.in) > 0 {
			l.meter.skipped(1)
			l.cut(len(l.in), "half a message")
		}
		l.heardAt(l.buf[:n])
		return nil
	}
	if err == nil && l.spec.Network != UDP { // where a datagram may be empty
		return os.ErrDeadlineExceeded
	}
	return err
}

// cut takes the first n bytes off what came. A note says why they are no answer.
func (l *line) cut(n int, note string) {
	if n == 0 {
		return
	}
	l.trace(false, l.in[:n], note)
	l.in = append(l.in[:0], l.in[n:]...)
}

func (l *line) trace(out bool, data []byte, note string) {
	if l.env.Trace == nil {
		return
	}
	l.env.Trace(drivers.Frame{
		Line: l.spec.Address, Out: out, At: l.now(), Data: append([]byte(nil), data...), Note: note,
	})
}
