package elevator

import "fmt"

// Verb is one of the closed set of things that may be asked of a controller:
// no more than what a person at the buttons could ask.
type Verb uint8

const (
	VerbUnknown Verb = iota
	LandingCall      // press the button at Floor for Direction
	CarCall          // press the button Floor in the car
	Journey          // one call from Floor to To
	CancelCall       // take back the call of the same leg
	Hold             // hold the door of Side at Floor until Until
	Lapse            // end the hold now; may close the door
	Notify           // tell the controller what the robot did (Notice)
	Claim            // ask for the car
	GiveBack         // return the car; may close the door
)

// Notice is what a controller is told about the robot.
type Notice uint8

const (
	NoticeUnknown Notice = iota
	Entered
	HasLeft
	GaveUpEntering
	GaveUpLeaving
)

var (
	verbNames   = []string{"unknown", "landing_call", "car_call", "journey", "cancel_call", "hold", "lapse", "notify", "claim", "give_back"}
	noticeNames = []string{"unknown", "entered", "left", "gave_up_entering", "gave_up_leaving"}
	resultNames = []string{"unknown", "done", "refused", "not_sent"}
)

func (v Verb) String() string   { return name(verbNames, uint8(v)) }
func (n Notice) String() string { return name(noticeNames, uint8(n)) }
func (r Result) String() string { return name(resultNames, uint8(r)) }

// ParseVerb reads the words that String writes.
func ParseVerb(s string) (Verb, bool) { return parse[Verb](verbNames, s) }

// CommandID names one command for ever: the ride that asked and a number that
// the ride counts and stores. The same id acts at most once.
type CommandID struct {
	Ride string
	N    uint32
}

func (id CommandID) String() string { return fmt.Sprintf("%s/%d", id.Ride, id.N) }

// Command is one thing asked of one lift. Comparable.
type Command struct {
	ID        CommandID
	Verb      Verb
	Floor     Floor
	To        Floor // Journey only
	Side      Side
	ToSide    Side      // Journey only
	Direction Direction // LandingCall and CancelCall of one
	Notice    Notice    // Notify only
	Car       bool      // CancelCall: the car call rather than the landing call
	Reason    string    // for people and for the audit
	// Until is the end of the command's life. It is never sent at or after it. For
	// Hold it is also the instant at which the hold ends unless a new Hold comes.
	Until Instant
	// MayClose marks a command that can start a door closing.
	MayClose bool
}

// Result is what became of a command.
type Result uint8

const (
	ResultUnknown Result = iota // bytes left, no proof either way: read before asking again
	Done                        // the controller took it
	Refused                     // the controller said no
	NotSent                     // no byte left
)

// Advice is what a controller's error means for a ride, by the profile.
type Advice uint8

const (
	AdviceNone   Advice = iota
	AdviceRetry         // try again
	AdviceWait          // wait for the cause to go
	AdviceConfig        // will never work as it is set up
)

// Outcome answers a command.
type Outcome struct {
	ID     CommandID
	Result Result
	Code   string // the controller's own code as it came, "" for none
	Advice Advice
	Detail string
	At     Instant
}
