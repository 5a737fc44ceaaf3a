package core

import (
	"time"

	"hoistway/fsm"
	"hoistway/fsm/dispatch"
	"hoistway/fsm/elevator"
	"hoistway/sync/shadow"
)

// Config is what the core must know. Cloud nil works without one.
type Config struct {
	Site  dispatch.Config
	Cloud *shadow.Config
	// Boot says which boot of the machine this process runs in and how long after
	// the boot its clock's zero lies, so that stored deadlines go on over a restart.
	Boot Boot
	// Facts are the classic shadow's reported values that do not change while the
	// program runs (kind, firmware, protocol).
	Facts shadow.Tree
	// LongestHold is the most that one hold may ask of every lift's device; 0 = not known.
	LongestHold time.Duration
}

// Boot places the process's clock.
type Boot struct {
	ID    string
	Zero  int64 // nanoseconds from boot to this process's instant 0
	Wall0 int64 // epoch milliseconds at instant 0, for stores of another boot
}

// Time is the moment of one step: the process's own clock and, for people and
// for the cloud, epoch milliseconds.
type Time struct {
	Now  elevator.Instant
	Wall int64
	Zone int // seconds that the site's clocks are east of UTC
}

// Input is what can happen to the agent. The set is closed.
type Input interface{ input() }

// Seen is a new reading of one lift. It is large: it comes by pointer, and is not kept.
type Seen struct {
	Lift string
	Car  elevator.Snapshot
}

// Ordered is an order whose answer goes back under Token.
type Ordered struct {
	Token uint64
	Order Order
}

// Answered is what became of a command.
type Answered struct{ Outcome elevator.Outcome }

// LinkUp, LinkDown, Incoming and Sent are the uplink's.
type LinkUp struct{ Session uint64 }

// LinkDown says that the connection to the cloud is lost.
type LinkDown struct{}

// Incoming is a message from the cloud.
type Incoming struct{ Message shadow.Message }

// Sent tells what became of a message.
type Sent struct {
	Token string
	Err   error
}

// Stored tells what became of a batch.
type Stored struct{ Err error }

// Tick says that time has passed.
type Tick struct{}

// Stopping says that the program is about to end.
type Stopping struct{}

func (*Seen) input()    {}
func (Ordered) input()  {}
func (Answered) input() {}
func (LinkUp) input()   {}
func (LinkDown) input() {}
func (Incoming) input() {}
func (Sent) input()     {}
func (Stored) input()   {}
func (Tick) input()     {}
func (Stopping) input() {}

// Result is what one step wants done. Urgent effects are carried out at once;
// the others only when the batch, and each batch before it, has been committed.
type Result struct {
	Batch  []shadow.Record
	Urgent []Effect
	After  []Effect
	Moves  []Move // in their order
	// Changed says that readers would see something new.
	Changed bool
}

// Move is one transition of a ride, as the step brought it.
type Move struct {
	Lift, Ride string
	Mark
}

// Effect is one thing to carry out. The set is closed.
type Effect interface{ effect() }

// Command asks for a command on a lift.
type Command struct {
	Lift    string
	Command elevator.Command
}

// Send publishes one message.
type Send struct{ Publish shadow.Publish }

// Reply answers an order.
type Reply struct {
	Token  uint64
	Answer Answer
	Lasts  bool // what it promises must outlast the process: true only when it is stored
}

// Line is a line for the log.
type Line struct {
	Level string // info, warn
	Msg   string
	Lift  string
	Ride  string
	Attrs []string // key, value, …
	Moved bool     // it tells one of [Result.Moves]
}

func (Command) effect() {}
func (Send) effect()    {}
func (Reply) effect()   {}
func (Line) effect()    {}

// Core owns a site and a session. One goroutine owns it.
type Core struct {
	site       *dispatch.Site
	session    *shadow.Session
	boot       Boot
	facts      shadow.Tree
	file       Settings // as the configuration file has them
	settings   Settings // in force
	accepted   accepted // of the cloud, in force over the file's
	lastGood   accepted // those that were in force before them
	fellBack   string   // why lastGood or the file is in force and not what was stored, "" when it is
	longest    time.Duration
	windowAt   elevator.Instant // when the windows are looked at again, 0 = there are none
	inWindow   bool
	cloudWas   dispatch.Orders   // the cloud's orders after the last change of what stands
	finished   []FinishTask      // latest last, at most maxFinished
	asked      *dispatch.Reply   // where the answer to an order of the cloud goes
	sheets     map[string]*sheet // by ride
	latest     *sheet            // the one that was asked for last, nil for none
	storeFault string
	connected  bool
	seq        uint64
	curves     []curve // as last told, one of each lift
	wallDrift  Drift
	links      []linkMode // as last seen, one of each lift
	// touched lists the lifts whose report may have changed in this step, in order.
	touched []string
	gates   gates
	outs    []dispatch.Output // room for those of one step of the site
	// Room for what goes out.
	effects slab[Effect]
	records slab[shadow.Record]
	bodies  slab[storedRide]
}

type linkMode struct {
	lift string
	link elevator.LinkState
	mode elevator.Mode
}

// New makes a core with nothing loaded.
func New(c Config) *Core {
	k := &Core{
		site: dispatch.New(c.Site), boot: c.Boot, facts: c.Facts, longest: c.LongestHold,
		file: Settings{Params: c.Site.Params}, settings: Settings{Params: c.Site.Params}, sheets: map[string]*sheet{}, gates: newGates(c.Site),
	}
	if c.Cloud != nil {
		cloud := *c.Cloud
		cloud.Rules = Rules()
		k.session = shadow.New(cloud)
	}
	return k
}

// Ride is one ride as it is now, nil for an unknown one. It is to be read, not
// written to, and only before the next Step.
func (k *Core) Ride(id string) *fsm.Ride { return k.site.Ride(id) }

// NextWake is the earliest instant at which a Tick can change something.
func (k *Core) NextWake() elevator.Instant {
	next := k.site.NextWake()
	if k.session != nil {
		if w := elevator.Instant(k.session.NextWake()); w != 0 && (next == 0 || w < next) {
			next = w
		}
	}
	if k.windowAt != 0 && (next == 0 || k.windowAt < next) {
		next = k.windowAt
	}
	return next
}

// Topics lists what the uplink must subscribe.
func (k *Core) Topics() []string {
	if k.session == nil {
		return nil
	}
	return k.session.Topics()
}
