package fieldbus

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"time"

	"hoistway/drivers"
	"hoistway/drivers/fieldbus/schedule"
	"hoistway/fsm/elevator"
)

// Networks of a Spec.
const (
	TCP    = "tcp"
	UDP    = "udp" // a datagram is one message: what a Hear wants more of is dropped
	Serial = "serial"
)

// Spec names a line and how it is spoken. All users of a line must agree on it.
type Spec struct {
	Network string             // TCP, UDP or Serial
	Address string             // host:port, or the path of the device
	Mode    drivers.SerialMode // Serial only
	Speech  string             // the framing, as modbus-rtu
	Blind   bool               // answers carry no number of their question
	// Listen is the own address of UDP, as :52000; Group is a multicast group to
	// join. With either the line opens a socket of its own, past Env.Dial.
	Listen, Group string
	// Cut finds the frames in what comes unasked: More to wait, Skip for noise, Take
	// for a frame, Spoilt for what cannot be trusted. With it the line is heard all
	// the time, and the begin of a frame may stand before an answer; nil: what comes
	// unasked is thrown away.
	Cut func(in []byte) Heard
}

// key tells lines apart. A line that has two names would have two masters, so the
// loopback has one.
func (s Spec) key() string {
	if port, ok := strings.CutPrefix(s.Address, "localhost:"); ok {
		return s.Network + ":127.0.0.1:" + port
	}
	return s.Network + ":" + s.Address
}

// spoken is what users of a line must agree on. Their Cut belongs to the Speech.
type spoken struct {
	network, address, speech, listen, group string
	mode                                    drivers.SerialMode
	blind, heard                            bool
}

func (s Spec) spoken() spoken {
	return spoken{s.Network, s.Address, s.Speech, s.Listen, s.Group, s.Mode, s.Blind, s.Cut != nil}
}

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
	// Line is told what becomes of the line, with the cause. It is called by who has
	// the line, as Ask is, and must not block.
	Line func(s LineState, err error)
	// Overhear is shown what came unasked: while the line is idle, before a sending,
	// in the silence after a time-out, and what a question did not want. at is when
	// it came. What it returns is sent as soon as the line is free, and not answered.
	// It is called by who has the line, in order of joining until one says mine, and
	// must not block.
	Overhear func(frame []byte, at elevator.Instant) (reply []byte, mine bool)
	// Feed is the device's watchdog, nil for none.
	Feed *Feed
}

// Feed is what a device must hear by a period. It is written from the unit's first
// answer on, before everything but releases and wishes to end something.
type Feed struct {
	Every time.Duration
	Ask   func(w *Wire) error
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

// Level is what a write holds; see package schedule. The owed write right after it
// is its drop: due when the level ends.
type Level = schedule.Level

// Write is one write of a command.
type Write struct {
	Ask      func(w *Wire) error
	Pause    time.Duration // silence on the unit afterwards
	Owed     bool          // must follow once a write before it may have left
	MayClose bool          // an owed one is left to a command of its own: it may start a door closing
	Level    Level         // it holds something and is written again
	// Until looks, after the write, whether the device has done it: by reading alone.
	// Done with a Refusal is a no for good; not done, with whatever error, is looked
	// at again each Every (0: 100 ms) until Within (0: two seconds) has passed. Then
	// the command is unknown.
	Until  func(w *Wire) (done bool, err error)
	Within time.Duration
	Every  time.Duration
}

// lookWithin is how long a proof is waited for when the write does not say.
const lookWithin = 2 * time.Second

func (w Write) stage() schedule.Stage {
	s := schedule.Stage{Pause: w.Pause, Owed: w.Owed, MayClose: w.MayClose, Level: w.Level}
	if w.Until != nil {
		s.Proof = schedule.Proof{Within: cmp.Or(w.Within, lookWithin), Every: w.Every}
	}
	return s
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

// ErrNoAnswer is returned by an Ask whose device never answers: what was said has
// left, and there is no proof that it was done.
var ErrNoAnswer = errors.New("the device never answers this")

// errNotYet is of a look that found its write not done.
var errNotYet = errors.New("not done yet")

// outcome translates how a question went.
func outcome(err error, sent bool) schedule.Outcome {
	if err == nil {
		return schedule.Good
	}
	var r *Refusal
	switch {
	case errors.Is(err, errNotYet):
		return schedule.NotYet
	case errors.Is(err, ErrNoAnswer) && sent:
		return schedule.Told
	case errors.As(err, &r) && r.Unclear:
		return schedule.Unclear
	case r != nil:
		return schedule.Refused
	case !sent:
		return schedule.Unsent
	}
	return schedule.Silent
}
