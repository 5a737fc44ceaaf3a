package dispatch

import (
	"time"

	"hoistway/fsm"
	"hoistway/fsm/elevator"
)

// Input is what can happen at a site. The set is closed.
type Input interface{ input() }

// Seen is a new reading of one lift. It is large: it comes by pointer, and is not kept.
type Seen struct {
	Lift string
	Car  elevator.Snapshot
}

// Create asks for a ride. Floors and doors are words, looked up in the table of
// the lift that is picked; the ID of the request must be set.
type Create struct {
	Request          fsm.Request
	From, To         string
	FromDoor, ToDoor string
	Any              bool
	Group            string
	Among            uint64             // bit i = lift i of the configuration suits the robot; 0 = all do
	Eta              time.Duration      // until the robot is at From; 0 = not told
	Open             bool               // the destination comes later: To is ""
	Toward           elevator.Direction // of an open destination, as far as it is known
}

// Signal brings a robot's signal to its ride.
type Signal struct {
	Ride   string
	Signal fsm.Signal
}

// Claim is what somebody else says of a ride's robot: Entered, Left or GaveUpEntering. It
// carries no number of the robot's own signals.
type Claim struct {
	Ride string
	Says fsm.SignalKind
	By   string
}

// Heartbeat is a robot's signal with no ride named.
type Heartbeat struct {
	Robot  string
	Signal fsm.Signal
}

// Answered is what became of a command.
type Answered struct{ Outcome elevator.Outcome }

// Cancel ends a ride as soon as that is safe.
type Cancel struct{ Ride, By string }

// Reset is a person's word about a ride.
type Reset struct {
	Ride    string
	RobotIs fsm.Whereabouts
	By      string
}

// Maintain begins or ends the maintenance of a lift. For 0 lasts until it is ended; a
// second one of the same side replaces the first. Cloud is the cloud's, which ends its own
// alone; whoever is on site ends both. Named is its end in the cloud's words, epoch seconds.
type Maintain struct {
	Lift    string
	On      bool
	For     time.Duration
	By, Why string
	Cloud   bool
	Named   int64
}

// Window begins a maintenance window of all lifts that lasts until then, or ends it: never.
// It is not stored: whoever knows the wall clock says it again.
type Window struct{ Until elevator.Instant }

// Stop begins or ends a stop. Lift "" is all of them. Cloud as in [Maintain].
type Stop struct {
	Lift    string
	On      bool
	By, Why string
	Cloud   bool
}

// Recover is the cloud's plan for a fault of a ride that stands.
type Recover struct {
	Ride string
	fsm.Recover
}

// CarEmpty is a person's word on site that no robot is in this car.
type CarEmpty struct{ Lift, By string }

// RaiseArea warns all lifts of an area.
type RaiseArea struct {
	Area   string
	Kind   AreaKind
	Drill  bool
	Source string
}

// ClearArea ends the alarms of an area, drills included.
type ClearArea struct{ Area, By string }

// Retarget gives a ride another destination. The words are of the table of its lift.
type Retarget struct {
	Ride, To, ToDoor string
	Aboard           bool
	By               string
}

// SetParams changes the limits for leases granted from now on.
type SetParams struct{ Params fsm.Params }

// StoreLost tells that the store took a commit no more, or (Back) that it does again.
type StoreLost struct{ Back bool }

// Resume hands in what an earlier process has left, already on this clock. Bookings are
// by ride; one that was stored without counts from when its state began.
type Resume struct {
	Rides    []fsm.Ride
	Bookings map[string]Booking
	Standing Standing
}

// Tick says that time has passed.
type Tick struct{}

// Stopping says that the program is about to end.
type Stopping struct{}

func (*Seen) input()     {}
func (Create) input()    {}
func (Signal) input()    {}
func (Claim) input()     {}
func (Heartbeat) input() {}
func (Answered) input()  {}
func (Cancel) input()    {}
func (Reset) input()     {}
func (Maintain) input()  {}
func (Window) input()    {}
func (Recover) input()   {}
func (Stop) input()      {}
func (CarEmpty) input()  {}
func (RaiseArea) input() {}
func (ClearArea) input() {}
func (Retarget) input()  {}
func (SetParams) input() {}
func (StoreLost) input() {}
func (Resume) input()    {}
func (Tick) input()      {}
func (Stopping) input()  {}

// Output is what a step wants done. The set is closed; order matters.
type Output interface{ output() }

// Do asks for a command on a lift.
type Do struct {
	Lift    string
	Command elevator.Command
	Urgent  bool
}

// Moved tells a change of a ride's state.
type Moved struct {
	Lift, Ride, Robot string
	fsm.Moved
}

// Freed tells that a lift's lease ended.
type Freed struct{ Lift, Ride string }

// Keep asks for a ride to be stored as it is after the step: it is in its place, to be read
// before the next one and not to be written to. Drop asks for its record to be removed.
type Keep struct{ e *entry }

// Ride is the ride, Booking what is kept beside it.
func (k Keep) Ride() *fsm.Ride { return &k.e.ride }

// Booking see [Keep.Ride].
func (k Keep) Booking() *Booking { return &k.e.book }

// Drop see [Keep].
type Drop struct{ Ride string }

// KeepStanding asks for what stands over rides to be stored as [Site.Standing] has it.
type KeepStanding struct{}

// Reply answers an order, a Signal or a Heartbeat.
type Reply struct {
	Status Status
	Ride   string
	Code   string // E-code of a refusal
	Field  string
	Detail string
}

// Alarm is raised or cleared at a lift.
type Alarm struct {
	Lift, Ride string
	fsm.Alarm
}

// Note is worth a line in the log.
type Note struct{ Lift, Ride, Text string }

func (Do) output()           {}
func (Moved) output()        {}
func (Freed) output()        {}
func (Keep) output()         {}
func (Drop) output()         {}
func (KeepStanding) output() {}
func (Reply) output()        {}
func (Alarm) output()        {}
func (Note) output()         {}

// Status is the kind of a reply.
type Status uint8

const (
	StatusUnknown Status = iota
	Accepted
	Created
	Existing
	Conflict
	NotFound
	Impossible
	Unavailable
)
