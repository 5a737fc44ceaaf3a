package schedule

import (
	"time"

	"hoistway/fsm/elevator"
)

// Key names a poll or a command. The caller makes each key once.
type Key uint64

// Owner names a user of the line: one lift.
type Owner uint64

// Class orders commands.
type Class uint8

const (
	Stop Class = iota // ends something that runs; supersedes queued holds and ends the levels of its group
	Hold              // keeps a door open
	Call              // anything else
)

// Poll is one read that is wanted again and again.
type Poll struct {
	Key   Key
	Every time.Duration // from start to start
	Fast  bool
}

// Stage is one write of a command.
type Stage struct {
	Pause time.Duration // silence on the unit afterwards
	Owed  bool          // must follow, sooner or later, once a stage before it may have left
	// MayClose takes the promise of Owed back: what may start a door closing is
	// never sent by itself, only by a command of its own.
	MayClose bool
	Level    Level
	Proof    Proof
}

// Level says that a write holds something that the device drops when it hears
// nothing more. The owed stage right after it is its drop.
type Level struct {
	Key   uint32        // what is held, among the owner's; 0 = the write holds nothing
	Every time.Duration // from write to write; 0 = the write takes the key over and holds nothing
	For   time.Duration // since the last command that wrote it; 0 = no end of its own
}

// Proof says that a write is done when the device shows it, as by clearing the
// trigger that was written.
type Proof struct {
	Within time.Duration // of its answer; 0 = the answer is proof enough
	Every  time.Duration // from look to look; 0 = 100 ms
}

// Command is a series of writes that is carried out at most once.
type Command struct {
	Key    Key
	Owner  Owner
	Class  Class
	Group  uint32           // a Stop ends the queued Holds of the same owner and group
	Until  elevator.Instant // never sent at or after it; never = no end
	Stages []Stage
}

// Settings say what kind of line it is.
type Settings struct {
	Blind bool   // answers carry no number of their question
	Near  bool   // a port of this machine: trying to open it costs nobody anything
	Seed  uint64 // of the jitter
}

// Bounds of what a line takes.
const (
	MaxQueue  = 64 // commands waiting; the last sixteen places are not for calls
	MaxStages = 16
	MaxOwners = 64
	MaxPolls  = 256 // of one owner
	MaxLevels = 32  // held at once
	MaxDiags  = 8   // waiting
	MaxEchoes = 8   // replies waiting

	roomForCalls = MaxQueue - 16
)

// Kind is the kind of a transaction.
type Kind uint8

const (
	None  Kind = iota
	Read       // the poll Key
	Write      // the stage of the command Key
	Debt       // the same, being owed
	Beat       // the same, holding its level
	Look       // has the stage of the command Key come to pass?
	Feed       // the watchdog Key
	Echo       // the reply Key to what was overheard; it has no answer
	Diag       // the question Key of a technician
)

// Tx is one transaction: one question and its answer.
type Tx struct {
	Kind  Kind
	Unit  uint8
	Key   Key
	Stage int
	// Probe counts the probes since the unit's time-out, 0 for none. Each asks for
	// another quantity than the poll's own and than the probes before it; the
	// answer is no value.
	Probe int
}

// Doing is what to do next.
type Doing uint8

const (
	Wait  Doing = iota // until Until or until something happens
	Open               // the line; then tell Opened
	Send               // Tx; then tell Answered
	Drain              // throw away what comes until Until; then tell Tick
)

// Next is the answer of a step. Ended is valid until the next step.
type Next struct {
	Do    Doing
	Until elevator.Instant // of Wait and Drain; never = until something happens
	Tx    Tx               // of Send
	Ended []Ended
}

// Ended is the end of a command, of one debt, of a level, or of a question.
type Ended struct {
	Key    Key
	Owed   bool // it was a debt: Done = paid, else given up
	Level  bool // a level of it is held no longer
	Result elevator.Result
	Why    string // for people, "" when done
}
