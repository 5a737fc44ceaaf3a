// Package drivers is the seam between the agent and any elevator controller.
//
// A [Factory] checks a [Spec] without touching a wire; the [Opener] it returns
// starts the link; a [Link] reads, does, and closes. What a link can do beyond
// that it shows by optional interfaces, asked for with [As], which sees through
// wrappers.
package drivers

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/url"
	"time"

	"hoistway/fsm/elevator"
)

// Link is an open connection to the controller of one lift. All methods may be
// called from several goroutines; the link serialises what its wire cannot take
// at once.
type Link interface {
	// Read takes a fresh reading of every point now. It may be repeated. An error
	// wraps one of the kinds below; the snapshot is then what was known before,
	// with the failed parts marked.
	Read(ctx context.Context) (elevator.Snapshot, error)
	// Do carries out one command, at most once. It never repeats a command by
	// itself. Cancelling ctx before the first byte left gives NotSent; after that
	// the outcome stays unknown unless the controller answers.
	Do(ctx context.Context, c elevator.Command) elevator.Outcome
	// Close ends the link. What is owed on the line (a pulse's release) is paid
	// first where the line answers. No method is called after it.
	Close() error
}

// Watcher is a link that polls by itself.
type Watcher interface {
	// Watch calls deliver, one call at a time, with each new snapshot and with each
	// change of the link's state, until ctx ends. deliver must not block.
	Watch(ctx context.Context, deliver func(elevator.Snapshot)) error
}

// Unwrapper is a wrapper around a link.
type Unwrapper interface{ Unwrap() Link }

// As finds the power T in a link or in what it wraps.
func As[T any](l Link) (T, bool) {
	for l != nil {
		if t, ok := l.(T); ok {
			return t, true
		}
		u, ok := l.(Unwrapper)
		if !ok {
			break
		}
		l = u.Unwrap()
	}
	var zero T
	return zero, false
}

// Spec is everything that a driver needs to know of one lift.
type Spec struct {
	Lift        string
	URL         *url.URL // modbus+tcp://host:port?unit=1, …
	ProfileName string
	Profile     []byte // the profile's YAML
	Floors      elevator.Table
}

// Opener is a checked but not yet started link. Open does not fail because the
// controller is absent: the link then is Offline and comes up when it does.
type Opener interface {
	Open(ctx context.Context) (Link, error)
}

// Factory makes openers for one URL scheme. New parses and checks; it does no I/O.
type Factory struct {
	Scheme string
	New    func(Spec) (Opener, error)
}

// Env is what drivers get from the program around them.
type Env struct {
	Now        func() elevator.Instant
	Dial       func(ctx context.Context, network, address string) (net.Conn, error)
	OpenSerial func(path string, mode SerialMode) (io.ReadWriteCloser, error) // nil: the real port
	PubSub     func(ctx context.Context, broker *url.URL) (PubSub, error)     // nil: this program has no broker
	Trace      func(Frame)                                                    // never blocks; nil: none
	Log        *slog.Logger
}

// SerialMode is the setting of a serial line.
type SerialMode struct {
	Baud     int
	DataBits int
	Parity   string // none, even, odd
	StopBits int
}

// Frame is what passed on a wire, for the record.
type Frame struct {
	Line string
	Out  bool
	At   elevator.Instant
	Data []byte
	Note string // why it was dropped, "" when it was good
}

// Kinds of errors. Test with errors.Is.
var (
	ErrTimeout    = errors.New("no answer in time")
	ErrLink       = errors.New("line lost")
	ErrProtocol   = errors.New("answer does not fit the question")
	ErrBusy       = errors.New("controller busy, later")
	ErrConfig     = errors.New("controller does not know this, as it is set up")
	ErrDevice     = errors.New("controller reports a failure of its own")
	ErrNotCapable = errors.New("not possible with this controller")
	ErrClosed     = errors.New("link closed")
	ErrNotSent    = errors.New("nothing was sent")
	ErrConflict   = errors.New("not possible as things stand")
	ErrGone       = errors.New("no such ride is kept")
)

// FastPoll is the default period of the fast points.
const FastPoll = 200 * time.Millisecond
