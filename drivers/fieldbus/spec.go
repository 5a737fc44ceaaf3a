package fieldbus

import (
	"errors"
	"fmt"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus/schedule"
)

// Networks of a Spec.
const (
	TCP    = "tcp"
	Serial = "serial"
)

// Spec names a line and how it is spoken. All users of a line must agree on it.
type Spec struct {
	Network string             // TCP or Serial
	Address string             // host:port, or the path of the device
	Mode    drivers.SerialMode // Serial only
	Speech  string             // the framing, as modbus-rtu
	Blind   bool               // answers carry no number of their question
}

func (s Spec) key() string { return s.Network + ":" + s.Address }

// wireTime is how long n bytes take on a serial line: start, data, parity and
// stop bits, taken as eleven.
func (s Spec) wireTime(n int) time.Duration {
	if s.Network != Serial || s.Mode.Baud <= 0 {
		return 0
	}
	return time.Duration(n) * 11 * time.Second / time.Duration(s.Mode.Baud)
}

// gap is the silence that must stand before a sending. On a serial line it is
// three and a half characters; above 19200 baud the serial guide fixes it.
// On a blind TCP line it is a short look for stray bytes.
func (s Spec) gap() time.Duration {
	switch {
	case s.Network == Serial && s.Mode.Baud > 19200:
		return 1750 * time.Microsecond
	case s.Network == Serial:
		return s.wireTime(7) / 2
	case s.Blind:
		return time.Millisecond
	}
	return 0
}

// Member is one user of a line.
type Member struct {
	Unit    uint8
	Timeout time.Duration // the unit's longest time to answer
	Polls   []Poll
	// Line is told what becomes of the line, with the cause. It is called on the
	// line's goroutine and must not block.
	Line func(s LineState, err error)
}

// LineState is what became of a line.
type LineState uint8

const (
	LineOpen   LineState = iota + 1 // it was opened; nobody has answered yet
	LineBroken                      // it broke, or was closed after a time-out; an opening follows soon
	LineAbsent                      // it could not be opened
)

// Poll is one question that is asked again and again.
type Poll struct {
	Every time.Duration
	Fast  bool
	// Ask asks it. The n-th probe in a row (0: none) asks for another quantity than
	// the poll itself and the probes before it, and drops the answer.
	Ask func(w *Wire, probe int) error
	// Failed is told when Ask gave an error, and when the unit did not answer a probe.
	Failed func(err error)
}

// Class orders commands; see package schedule.
type Class = schedule.Class

// The classes, by what goes first.
const (
	Stop = schedule.Stop
	Hold = schedule.Hold
	Call = schedule.Call
)

// Write is one write of a command.
type Write struct {
	Ask   func(w *Wire) error
	Pause time.Duration // silence on the unit afterwards
	Owed  bool          // must follow once a write before it may have left
}

// Refusal is a valid answer by which a device says no. Kind is one of the errors
// of package drivers.
type Refusal struct {
	Code    string // as it came: 0x06
	Kind    error
	Unclear bool // it may have been done all the same
	Text    string
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s (%s): %v", r.Text, r.Code, r.Kind) }
func (r *Refusal) Unwrap() error { return r.Kind }

// ErrExpired is of a command whose life ended before a byte of it left.
var ErrExpired = errors.New("its life ended before it could be sent")

// outcome translates how a question went.
func outcome(err error, sent bool) schedule.Outcome {
	var r *Refusal
	switch {
	case err == nil:
		return schedule.Good
	case errors.As(err, &r) && r.Unclear:
		return schedule.Unclear
	case r != nil:
		return schedule.Refused
	case !sent:
		return schedule.Unsent
	}
	return schedule.Silent
}
