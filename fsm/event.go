package fsm

import (
	"time"

	"hoistway/fsm/elevator"
)

// Event is what can happen to a ride. The set is closed.
type Event interface{ event() }

// Tick says only that time has passed.
type Tick struct{}

// Seen is a new reading of the car that the ride has leased or waits for. A reading is
// large: it comes by pointer, and is not kept.
type Seen struct{ Car elevator.Snapshot }

// Leased grants the car. Epoch is greater than of any lease of this car before. It comes by
// pointer as [Seen] does.
type Leased struct {
	Lift   string
	Epoch  uint32
	Plan   Plan
	Params Params
	Car    elevator.Snapshot
	// Carry says that a ride which holds another car of the same group goes over to this
	// one: the landing call is the group's and stands ([Ride.MayMove]). Why is for people.
	Carry bool
	Why   string
}

// Signaled is a signal of the robot, judged against the lift as it was when the
// signal's content was true. It comes by pointer as [Seen] does.
type Signaled struct {
	Signal
	Then elevator.Snapshot
}

// Answered is what became of a command of this ride.
type Answered struct{ elevator.Outcome }

// Cancel ends the ride as soon as that is safe.
type Cancel struct{ By string }

// Reset is a person's word about where the robot is.
type Reset struct {
	RobotIs Whereabouts
	By      string
}

// Recover is the cloud's plan for one fault of this ride.
type Recover struct {
	FaultNo int
	Plan    string // retry, other_lift, hold or lock
	Delay   time.Duration
}

// Resumed follows a restart of the program: the ride comes from the store.
type Resumed struct{}

// Stopping says that the program is about to end.
type Stopping struct{}

// Retarget gives the ride another destination, or an open ride its first. Before
// boarding it is free; with the robot in the car, or maybe in it, only with Aboard.
// [Ride.MayRetarget] says beforehand whether it is taken.
type Retarget struct {
	To     elevator.Floor
	ToSide elevator.Side
	Aboard bool
	By     string
}

// Claims is somebody's word about the robot who cannot see it, such as the manager of a
// fleet: entered, left or gave_up_entering. It counts only once the lift bears it out.
// Said again it changes nothing.
type Claims struct {
	Says SignalKind
	By   string
}

// StoreLost says that the store took a commit no more, or (Back) that it does again.
type StoreLost struct{ Back bool }

// Breach says that a rule which always holds was about to be broken: the ride asks for
// nothing more until a person resets it.
type Breach struct{ Detail string }

func (Tick) event()      {}
func (*Seen) event()     {}
func (*Leased) event()   {}
func (*Signaled) event() {}
func (Answered) event()  {}
func (Cancel) event()    {}
func (Reset) event()     {}
func (Recover) event()   {}
func (Resumed) event()   {}
func (Stopping) event()  {}
func (Retarget) event()  {}
func (Claims) event()    {}
func (StoreLost) event() {}
func (Breach) event()    {}

// Whereabouts is what a person attests at a reset.
type Whereabouts string

const (
	RobotOutside Whereabouts = "outside"
	RobotRemoved Whereabouts = "removed"
	RobotInside  Whereabouts = "inside"
)

// SignalKind names what a robot says.
type SignalKind string

const (
	Heartbeat      SignalKind = "heartbeat"
	Ready          SignalKind = "ready"
	Entering       SignalKind = "entering"
	Entered        SignalKind = "entered"
	LeavingNow     SignalKind = "leaving"
	Left           SignalKind = "left"
	GaveUpEntering SignalKind = "gave_up_entering"
	GaveUpLeaving  SignalKind = "gave_up_leaving"
	KeepOpen       SignalKind = "keep_open"
	StoppedMoving  SignalKind = "stopped"
	CannotMove     SignalKind = "cannot_move"
	Cleared        SignalKind = "cleared"
)

// SignalKinds lists them all.
func SignalKinds() []SignalKind {
	return []SignalKind{
		Heartbeat, Ready, Entering, Entered, LeavingNow, Left, GaveUpEntering, GaveUpLeaving,
		KeepOpen, StoppedMoving, CannotMove, Cleared,
	}
}

// SignalWhere is where the robot says it is.
type SignalWhere string

const (
	AtLanding SignalWhere = "landing"
	AtDoorway SignalWhere = "doorway"
	InCar     SignalWhere = "car"
	Nowhere   SignalWhere = "unknown"
)

// Signal is a whole, dated report of a robot. It is applied once by (Boot, Seq).
type Signal struct {
	Kind    SignalKind
	Boot    string
	Seq     uint64
	Age     time.Duration // how old the content is
	View    RobotView     // At is not used on the way in
	Permit  string        // the permit that the robot acts on, "" for none
	Battery int           // per cent; -1 not told
}
