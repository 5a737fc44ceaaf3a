package drivers

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"hoistway/fsm/elevator"
)

// Prober is a link that a technician may question directly, beside the polls and
// through the same queue, so that its line keeps one master.
//
// A question is text in the protocol's own terms: holding:12x4 for Modbus, the
// name of a message or request with its arguments, a node id. The driver's README
// gives the grammar; an error wraps ErrConfig for one that it does not take.
type Prober interface {
	// Peek asks without changing anything.
	Peek(ctx context.Context, question string) (Peeked, error)
	// Preview gives the bytes that Poke would send, without sending any.
	Preview(question string) ([][]byte, error)
	// Poke carries out one write, at most once for its id. In its turn, right before its
	// first byte, it asks [Consent].
	Poke(ctx context.Context, id elevator.CommandID, question string) elevator.Outcome
}

// Peeked is what a raw question brought.
type Peeked struct {
	Words []uint16 // registers, or bits as 0 and 1; nil where the protocol has none
	Text  string   // the answer for people
	At    elevator.Instant
}

// Planned is a link that can tell what it reads, how often and at what cost.
type Planned interface {
	Plan() []PlannedRead
}

// PlannedRead is one question of the read plan.
type PlannedRead struct {
	Question string
	Every    time.Duration
	Wire     time.Duration // how long question and answer take on the line; 0 = not known
	Points   []string      // what it feeds: floor, door.front, …
	Note     string        // what was learned of it: a hole, a cap; "" for nothing
}

// Debtor is a link whose line may still have to take back what a command set: the release
// of a pulse, the drop of an output. Such a debt outlives a lost line.
type Debtor interface {
	// Owes lists what of this lift is still to be written, oldest first; none is an
	// empty list. It waits for whoever has the line, no longer than ctx lasts, and holds
	// nothing up. An error wraps ErrTimeout or ErrClosed: what is owed is then unknown.
	Owes(ctx context.Context) ([]Debt, error)
}

// Debt is one write that a command has left to be made.
type Debt struct {
	Command elevator.CommandID
	Verb    elevator.Verb    // of the command
	Asked   elevator.Instant // when the command was asked for
	Refused int              // so often the device has said no to it
}

// PubSub is a connection to a message broker. Several links may share one; its
// methods may be called from several goroutines.
type PubSub interface {
	// Publish hands one message to the broker, at least once, and returns when the
	// broker has it. An error that wraps ErrLink before a byte left says so by
	// ErrNotSent.
	Publish(ctx context.Context, topic string, payload []byte, retain bool) error
	// Subscribe delivers what comes on a filter, one call at a time, until the
	// returned function is called; it survives reconnects. deliver must not block.
	// up tells of the connection: false at once when it is lost.
	Subscribe(filter string, deliver func(Message), up func(bool)) (stop func(), err error)
	Close() error
}

// Message is one message of a broker.
type Message struct {
	Topic    string
	Payload  []byte
	Retained bool
}

// Receiver is a link whose controller pushes messages by HTTP. Who keeps the messages
// is not the link: it judges, weighs and takes them, and all that it was told lies in
// bytes that somebody else stores.
type Receiver interface {
	// Admit judges a message from its bytes alone, before anything is stored: who
	// sent it, whether it is one to keep, and what is answered. It is pure.
	Admit(Push) Admission
	// Weigh lays a kept message over what pushes have told before, and gives what they
	// have told then. What is older by its event time than what is known changes
	// nothing; late counts it. It is pure.
	Weigh(told []byte, p Push) (now []byte, late int, err error)
	// Take has the link know what a message says, beside what was told before it. It is
	// called once a message is stored, in that order, each one once.
	Take(told []byte, p Push)
	// Recall has the link know what was told before this process began. at and wall are
	// one moment of the two clocks.
	Recall(told []byte, at elevator.Instant, wall time.Time)
	// Pushes tells how the messages come.
	Pushes() PushPlan
}

// Mender makes good what pushes miss. Each method may be slow, and wraps
// ErrNotCapable where the controller has no such thing.
type Mender interface {
	// Missed brings what the service could not deliver.
	Missed(ctx context.Context) (Batch, error)
	// Queued brings what waits in the service's own queue.
	Queued(ctx context.Context) (Batch, error)
	// Pushing asks whether the service pushes, or has suspended it.
	Pushing(ctx context.Context) (bool, error)
	// Enable has it push again.
	Enable(ctx context.Context) error
	// Subscribe makes or renews the n-th subscription, and looks whether it stands.
	Subscribe(ctx context.Context, n int) error
}

// Batch is messages that were asked for. Taken tells the service, once they are kept.
type Batch struct {
	Messages []Push
	Taken    func(context.Context) error
}

// PushPlan is how messages come. Durations are 0 where there is no such thing.
type PushPlan struct {
	Verify        string // sorted_md5, hmac_sha256, token, none
	Unsigned      bool   // the site takes messages without a signature
	Nonces        time.Duration
	Silence       time.Duration // after it the lift counts as gone
	Repair        time.Duration // between two full reads
	Window        time.Duration // for which the service keeps what it could not deliver; 0: it cannot be asked for it
	Queue         time.Duration // between two looks into the queue
	Probe         time.Duration // between two questions whether it still pushes
	SuspendsAfter time.Duration // from its notice
	Renew         []time.Duration
	CanEnable     bool
	Steps         []string // what a person does instead
	Confirmed     []string // what the vendor has confirmed
}

// Push is one message as it came by HTTP.
type Push struct {
	Method  string
	Query   url.Values
	Header  http.Header
	Body    []byte
	At      elevator.Instant
	Wall    time.Time // the gateway's clock, for the time windows of signatures
	Fetched bool      // we asked for it: it needs no proof
}

// Admission is what becomes of a push.
type Admission struct {
	Keep   bool      // false: answered, but not queued
	Fate   string    // kept, check, foreign, other, refused
	Signed bool      // it was proven
	ID     string    // of the message, for dedup; "" when it has none
	Nonce  string    // must not come twice within its window; "" when it has none
	Sent   time.Time // when it was signed; zero where it does not say
	Event  time.Time // the inner time of what it tells
	Status int       // what the sender is answered
	Type   string    // content type of the answer
	Body   []byte
	Why    string // for the log: why it is refused or dropped, "" when it is kept
}

// Rider is a link whose far end carries a whole ride and takes no single command:
// another gateway. What it decides holds; this side mirrors it.
//
// An error wraps one of the kinds; a no of the far end is a [RideRefusal]. Each call
// asks once. All of them may be repeated: the far end knows a ride by its id and a
// signal by its boot and number. Several goroutines may call them.
type Rider interface {
	// Open asks for a ride; the same ID again gives the same ride, wherever it has got to.
	Open(ctx context.Context, s RideSpec) (RideView, error)
	// Signal tells what the robot does, with its true age.
	Signal(ctx context.Context, ride string, s RideSignal) (RideView, error)
	// Cancel ends a ride as soon as that is safe; the view says what happens next.
	Cancel(ctx context.Context, ride string) (RideView, error)
	// Rides lists the rides of a robot that are still kept, for one that has just started.
	Rides(ctx context.Context, robot string) ([]RideView, error)
	// Follow delivers the ride at once and then as it goes on, one call at a time, often
	// enough that a standing permit does not run out unrenewed. While the far end cannot
	// be asked it delivers what was last known as Lost, with no permit. It ends with nil
	// after a ride that is over, with ErrGone for one that is not kept, with ErrClosed,
	// or with ctx's error. deliver must not block.
	Follow(ctx context.Context, ride string, deliver func(RideView)) error
}

// Beater is a Rider that a robot without a ride may tell that it lives.
type Beater interface {
	// Beat tells it and gives the robot's rides that have not ended. Kind and Permit of
	// the signal are left out.
	Beat(ctx context.Context, robot string, s RideSignal) (rides []string, err error)
}
