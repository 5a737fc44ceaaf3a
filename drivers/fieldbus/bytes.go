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
	l.cut(len(l.in), "came unasked")
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
		l.cut(len(l.in), "came unasked")
	}
	return fmt.Errorf("%w: the line is never silent", drivers.ErrProtocol)
}

// drain throws away what comes until t.
func (l *line) drain(t elevator.Instant) error {
	by := time.Now().Add(t.Until(l.now()))
	for {
		l.cut(len(l.in), "came late")
		err := l.fill(by)
		if errors.Is(err, os.ErrDeadlineExceeded) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// fill reads what is there, waiting for it until by.
func (l *line) fill(by time.Time) error {
	var b [512]byte
	n, err := l.conn.Read(b[:], by)
	if n > 0 {
		l.active = time.Now()
		l.in = append(l.in, b[:n]...)
		return nil
	}
	if err == nil {
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
