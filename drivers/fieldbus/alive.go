package fieldbus

import (
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"hoistway/drivers"
)

// restful is how long a connection may stand idle before it is looked at anew.
const restful = time.Second

// rested reports whether the peer may have closed the connection unnoticed.
func (l *line) rested(now time.Time) bool {
	return l.spec.Network == TCP && l.spec.Cut == nil && now.Sub(l.active) >= restful
}

// freshen opens a connection anew that the peer has closed while nothing was asked.
// Many devices do that after a few seconds: no byte of the question has left, so
// that it is nobody's fault and no news.
func (l *line) freshen(w *Wire, now time.Time) error {
	if !l.rested(now) {
		return nil
	}
	err := l.fill(time.Now().Add(time.Millisecond))
	if err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	l.hangUp()
	if l.conn, err = l.dial(l.ctx); err != nil {
		l.conn = nil
		return w.failed(fmt.Errorf("open %s: %w", l.spec.Address, err))
	}
	l.active, l.mute = time.Now(), true
	l.meter.opened(true)
	return nil
}

// heldHint adds to the loss of a connection on which nothing was ever answered what a
// technician may look for: many devices serve one client, and let another one in only to
// hang up on it, or to let it wait.
func (l *line) heldHint(w *Wire, err error) error {
	switch {
	case l.spec.Network != TCP || !l.mute:
		return err
	case w.broken:
		return fmt.Errorf("%w; it hung up before it answered anything: another client may have its only place", err)
	case errors.Is(err, drivers.ErrTimeout):
		return fmt.Errorf("%w; it took the connection and answered nothing: another client may have its only place, or it is another unit id", err)
	}
	return err
}

// refusedHint says of a refused connection the same.
func refusedHint(err error) error {
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return err
	}
	return fmt.Errorf("%w; no program listens on this port, or another client has its only place", err)
}

// kept reports whether a TCP connection outlives a question that was not answered:
// when answers carry a number, so that a late one is known, and another unit has
// answered since the last time-out, so that it is the unit and not the connection.
func (l *line) kept(unit uint8, err error) bool {
	other := l.spoke && l.voice != unit
	l.spoke = false
	return other && !l.spec.Blind && len(l.in) == 0 && errors.Is(err, drivers.ErrTimeout)
}

// lingerMost bounds how long a connection that is given up is listened to.
const lingerMost = 500 * time.Millisecond

// linger listens on, at the second time-out in a row and each doubling after it,
// whether an answer comes late: a time-out that is too short looks like a dead
// device otherwise. What comes is dropped.
func (l *line) linger(row int, err error) {
	if l.conn == nil || row < 2 || row&(row-1) != 0 || !errors.Is(err, drivers.ErrTimeout) {
		return
	}
	if l.fill(time.Now().Add(lingerMost)) == nil {
		l.meter.late()
		l.cut(len(l.in), "came late")
	}
}
